"""Functions of `tf` asked about values of other types."""

# Annotations as programs write them:
# ruff: noqa: UP006, UP007, UP035

import inspect
from typing import Dict, List, Union

import pytest

import tapeflow as tf
from tapeflow.experimental.elementwise_apis import KINDS

experimental = tf.experimental


class Masked(experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


M = Masked([1.0, -2.0], [True, False])


@pytest.fixture
def registered():
    """A list: what is put into it is unregistered after the test."""
    handlers = []
    yield handlers
    for handler in handlers:
        experimental.unregister_dispatch_for(handler)


def test_functions_of_one_number(registered):
    @experimental.dispatch_for_unary_elementwise_apis(Masked)
    def unary(api, x):
        return Masked(api(x.values), x.mask)

    registered.append(unary)
    assert tf.abs(M).values.numpy().tolist() == [1, 2]
    assert tf.cast(M, tf.int32).values.dtype is tf.int32 and tf.ones_like(M, dtype=tf.int64).values.dtype is tf.int64
    assert tf.clip_by_value(M, 0.0, 1.0).values.numpy().tolist() == [1, 0]
    assert tf.nn.relu(M).values.numpy().tolist() == [1, 0] and tf.math.square(x=M).values.numpy().tolist() == [1, 4]
    f = tf.function(lambda m: tf.abs(m))
    f(M)
    assert f(M).values.numpy().tolist() == [1, 2] and f.experimental_get_tracing_count() == 1
    assert tf.abs(-3.0).numpy() == 3  # tensors go where they went
    with tf.GradientTape() as tape:
        tape.watch(M.values)
        y = tf.reduce_sum(tf.square(M).values)
    assert tape.gradient(y, M.values).numpy().tolist() == [2, -4]
    with pytest.raises(ValueError, match=r"A unary elementwise dispatch handler .* has already been registered"):
        experimental.dispatch_for_unary_elementwise_apis(Masked)(lambda api, x: x)


def test_functions_of_two_numbers_and_operators(registered):
    @experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)
    def both(api, x, y):
        return Masked(api(x.values, y.values), x.mask & y.mask)

    @experimental.dispatch_for_binary_elementwise_apis(Union[tf.Tensor, float], Masked)
    def second(api, x, y):
        return Masked(api(x, y.values), y.mask)

    registered += [both, second]
    assert tf.add(M, M).values.numpy().tolist() == [2, -4] and tf.maximum(2.0, M).values.numpy().tolist() == [2, 2]
    assert (tf.constant(3.0) * M).values.numpy().tolist() == [3, -6]
    for refused in (lambda: tf.add(M, 1.0), lambda: tf.multiply(M, tf.constant(1.0))):
        with pytest.raises(ValueError, match=r"Attempt to convert a value .Masked"):
            refused()


def test_one_function(registered):
    @experimental.dispatch_for_api(tf.stack)
    def stack(values: List[Masked], axis=0):
        return Masked(tf.stack([v.values for v in values], axis), tf.stack([v.mask for v in values], axis))

    @experimental.dispatch_for_api(tf.shape, {"input": Masked})
    def shape(input, out_type=tf.int32, name=None):
        return tf.shape(input.values, out_type)

    @experimental.dispatch_for_api(tf.reduce_sum, {0: Masked})
    def total(input_tensor, axis=None, keepdims=False, name=None):
        return tf.reduce_sum(tf.where(input_tensor.mask, input_tensor.values, 0), axis, keepdims)

    registered += [stack, shape, total]
    assert tf.stack([M, M]).values.shape == [2, 2] and tf.stack((M, M), axis=1).mask.shape == [2, 2]
    assert tf.shape(M).numpy().tolist() == [2] and tf.shape(M, out_type=tf.int64).dtype is tf.int64
    assert float(tf.reduce_sum(M)) == 1 == float(tf.math.reduce_sum(M, axis=0))
    assert tf.stack([1, 2]).numpy().tolist() == [1, 2] and float(tf.reduce_sum([1.0, 2.0])) == 3
    with pytest.raises(ValueError):
        tf.stack([M, 1.0])


def test_several_signatures(registered):
    @experimental.dispatch_for_api(tf.linalg.matvec, {"a": Masked, "b": tf.Tensor}, {"a": tf.Tensor, "b": Masked})
    def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False):
        return type(a).__name__, type(b).__name__, transpose_a

    registered.append(matvec)
    x = tf.constant([[1.0, 2.0]])
    assert tf.linalg.matvec(M, x) == ("Masked", "EagerTensor", False)
    assert tf.linalg.matvec(x, b=M, transpose_a=True, name="n") == ("EagerTensor", "Masked", True)
    assert tf.linalg.matvec(x, tf.constant([1.0, 1.0])).numpy() == 3


def test_assertions(registered):
    @experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    def check(assert_func, x, y):
        return assert_func(x.values, y.values)

    registered.append(check)
    tf.debugging.assert_equal(M, M)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.debugging.assert_less(M, M)


def test_answers_of_handlers(registered):
    class Other(experimental.ExtensionType):
        x: tf.Tensor

    @experimental.dispatch_for_api(tf.reduce_min, {"input_tensor": Other})
    def declined(input_tensor, axis=None, keepdims=False, name=None):
        return NotImplemented

    @experimental.dispatch_for_api(tf.reduce_prod, {"input_tensor": Other})
    def first(input_tensor, axis=None, keepdims=False, name=None):
        return 1

    @experimental.dispatch_for_api(tf.reduce_prod, {"input_tensor": Other})
    def another(input_tensor, axis=None, keepdims=False, name=None):
        return 2

    registered += [declined, first, another]
    with pytest.raises(ValueError, match="Attempt to convert"):
        tf.reduce_min(Other(1.0))
    with pytest.raises(ValueError, match=r"Multiple dispatch targets that were registered with tf.dispatch_for"):
        tf.reduce_prod(Other(1.0))


def test_derived_types_and_functions_with_options(registered):
    class Derived(Masked):
        y: int = 2

    @experimental.dispatch_for_unary_elementwise_apis(Masked)
    def which(api, x):
        return type(x).__name__, api(tf.constant(-0.5)).dtype

    registered.append(which)
    assert tf.math.negative(Derived([1.0], [True])) == ("Derived", tf.float32)
    assert tf.image.convert_image_dtype(M, tf.float16) == ("Masked", tf.float16)


def largest(input_tensor, axis=None, keepdims=False, name=None):
    return max(input_tensor)


def test_what_cannot_be_registered():
    dispatch = experimental.dispatch_for_api
    for api, signatures, error in (
        (print, [{"x": Masked}], "<built-in function print> does not support dispatch"),
        (largest, [{"x": Masked}], "does not support dispatch"),
        (tf.reduce_max, [{"zz": Masked}], "signature includes annotation for unknown parameter 'zz'"),
        (tf.reduce_max, [], "must be called with at least one signature"),
        (tf.reduce_max, [{"input_tensor": Dict[str, Masked]}], "is not currently supported by dispatch"),
    ):
        with pytest.raises(ValueError, match=error):
            dispatch(api, *signatures)(largest)
    with pytest.raises(ValueError, match=r"signature \(x\) does not match API's signature \(input_tensor, axis=None"):
        dispatch(tf.reduce_max, {"input_tensor": Masked})(lambda x: 1)


def test_taking_back():
    handler = experimental.dispatch_for_api(tf.reduce_max, {"input_tensor": set})(largest)
    assert handler is largest and tf.reduce_max({3, 4}) == 4
    experimental.unregister_dispatch_for(largest)
    with pytest.raises((TypeError, ValueError)):
        tf.reduce_max({3, 4})
    with pytest.raises(ValueError, match="was not registered using a `@dispatch_for_"):
        experimental.unregister_dispatch_for(largest)


def test_a_function_keeps_its_signature_and_name():
    before = inspect.signature(tf.reduce_any), tf.reduce_any.__doc__
    experimental.dispatch_for_api(tf.reduce_any, {"input_tensor": set})(largest)
    assert (
        inspect.signature(tf.reduce_any),
        tf.reduce_any.__doc__,
    ) == before and tf.reduce_any.__name__ == "reduce_any"
    with pytest.raises(TypeError):
        tf.reduce_any()
    assert bool(tf.reduce_any([True, False]))
    experimental.unregister_dispatch_for(largest)


def test_all_functions_of_numbers_can_be_asked(registered):
    """Every one of the lists, with the values alone."""
    asked = []

    @experimental.dispatch_for_unary_elementwise_apis(Masked)
    def one(api, x):
        asked.append(api)

    @experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)
    def two(api, x, y):
        asked.append(api)

    @experimental.dispatch_for_binary_elementwise_assert_apis(Masked, Masked)
    def three(api, x, y):
        asked.append(api)

    registered += [one, two, three]
    for function, kind in KINDS.items():
        parameters = list(inspect.signature(function).parameters.values())
        others = [0 for p in parameters if p.default is p.empty][1 if kind == "unary" else 2 :]
        function(*[M] * (1 if kind == "unary" else 2), *others)
    assert len(asked) == len(KINDS) > 140
