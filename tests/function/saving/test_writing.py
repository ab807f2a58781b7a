"""Graphs that go through JSON and come back compute the same, and are graphs of primitives again."""

import collections
import json

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core import nest
from tapeflow.core.primitive import REGISTRY
from tapeflow.function.saving.restoring import FunctionReader
from tapeflow.function.saving.writing import CannotBeSaved, FunctionWriter
from tests.ops.samples import all_samples

SAMPLES = all_samples()


def again(concrete, known=()):
    """A concrete function after saving and loading it."""
    arrays, variables = {}, []

    def store(array):
        arrays[f"a{len(arrays)}"] = array
        return f"a{len(arrays) - 1}"

    def number(variable):
        if not any(v is variable for v in variables):
            variables.append(variable)
        return next(k for k, v in enumerate(variables) if v is variable)

    text = json.dumps(FunctionWriter(store, number).concrete(concrete, known), allow_nan=False)
    return FunctionReader(arrays.__getitem__, variables).concrete(json.loads(text))


def traced(function, *args):
    return again(tf.function(function).get_concrete_function(*args))


ANY = tf.TensorSpec([None, 3])


def test_operations_with_all_kinds_of_parameters():
    def f(x):
        y = tf.cast(tf.reshape(tf.transpose(x), [3, 2]), tf.float64)
        z = tf.pad(x[..., 1:, tf.newaxis], [[1, 0], [0, 1], [0, 0]], constant_values=-np.inf)
        return y, z[::-1], tf.strings.join(["a", "b\0"]), tf.complex(x, x) * (1 + 2j), tf.einsum("ij,kj->ik", x, x)

    x = tf.constant(np.arange(6.0).reshape(2, 3), tf.float32)
    for want, got in zip(f(x), traced(f, x)(x)):
        assert got.dtype is want.dtype
        np.testing.assert_array_equal(got.numpy(), want.numpy())


@pytest.mark.parametrize("batch", [1, 2, 5, 0])
def test_one_saved_graph_serves_every_batch_size(batch):
    w = tf.Variable(np.random.default_rng(0).normal(size=(3, 4)).astype("f"))

    def f(x):
        h = tf.nn.relu(x @ w) + tf.ones([tf.shape(x)[0], 1])
        flat = tf.reshape(h, [tf.shape(x)[0] * 2, -1])
        return tf.concat([flat, flat * 2], 0), tf.nn.softmax(h), x.shape[0] is None

    loaded = again(tf.function(f, input_signature=[ANY]).get_concrete_function())
    x = tf.constant(np.random.default_rng(1).normal(size=(batch, 3)), tf.float32)
    want, got = f(x), loaded(x)
    np.testing.assert_allclose(got[0], want[0])
    np.testing.assert_allclose(got[1], want[1])
    assert got[2].numpy()  # in the graph the size is not known


def test_sizes_that_python_asks_about_have_graphs_of_their_own():
    def f(x):
        return tf.reduce_sum(x) if x.shape[0] == 1 else tf.reduce_mean(x) * 100  # None == 1 is false, while tracing

    def g(x, y):
        return x + y  # broadcasts where a size is 1

    loaded = again(tf.function(g, input_signature=[ANY, ANY]).get_concrete_function())
    one, two, three = (tf.ones([n, 3]) for n in (1, 2, 3))
    assert loaded(one, two).shape == loaded(two, one).shape == loaded(two, two).shape == (2, 3)
    assert loaded(three, one).shape == (3, 3)
    with pytest.raises(ValueError, match="Incompatible shapes"):
        loaded(three, two)
    assert again(tf.function(f, input_signature=[ANY]).get_concrete_function())(one).numpy() == 100


def test_sizes_that_no_graph_was_saved_for_are_an_error():
    @tf.function(input_signature=[ANY])
    def f(x):
        return sum(x[k] for k in range(len(x)))  # as many operations as rows

    f(tf.ones([7, 3]))
    known = [trace for one in f._general.values() for trace in one]
    loaded = again(known[0])
    assert [loaded(tf.ones([n, 3])).numpy()[0] for n in (7, 1, 2, 3)] == [7.0, 1.0, 2.0, 3.0]
    with pytest.raises(
        ValueError, match=r"f was saved for sizes that these are not: float32 \(6, 3\).*are for \(0\), \(1\)"
    ):
        loaded(tf.ones([6, 3]))


def test_branches_loops_and_their_derivatives():
    @tf.function
    def f(x, n):
        y = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.sin(x), lambda: x * 3)
        y = tf.switch_case(n, [lambda: y, lambda: y * y, lambda: -y])
        i, y = tf.while_loop(lambda i, y: i < n + 2, lambda i, y: (i + 1, y * tf.cos(y) + x), [0, y])
        return tf.scan(lambda a, row: a + row * i_float(i), y), i

    def i_float(i):
        return tf.cast(i, tf.float32)

    x, n = tf.constant([[0.3, 0.5], [0.1, 0.7]]), tf.constant(1)
    loaded = again(f.get_concrete_function(x, n))
    for sign in (1.0, -1.0):
        given = x * sign
        with tf.GradientTape() as tape, tf.GradientTape() as other:
            tape.watch(given), other.watch(given)
            want, got = f(given, n)[0], loaded(given, n)[0]
        np.testing.assert_allclose(got, want, rtol=1e-6)
        np.testing.assert_allclose(other.gradient(got, given), tape.gradient(want, given), rtol=1e-5)


def test_a_saved_training_step_has_its_gradient_inside():
    v, count = tf.Variable([1.0, 2.0]), tf.Variable(0)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            y = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * v), [0, x])[1]
            loss = tf.reduce_sum(y)
        v.assign_sub(0.1 * tape.gradient(loss, v))
        count.assign_add(1)
        return loss, count

    loaded = again(step.get_concrete_function(tf.TensorSpec([2])))
    loss, counted = loaded(tf.ones([2]))
    assert (loss.numpy(), counted.numpy(), count.numpy()) == (9.0, 1, 1)
    np.testing.assert_allclose(v.numpy(), [1 - 0.3, 2 - 1.2], rtol=1e-6)


def test_custom_gradients_are_graphs_too():
    scale = tf.constant(10.0)

    @tf.custom_gradient
    def f(x):
        kept = tf.exp(x)
        unused = tf.sin(x)
        return x * 1.0, lambda g: g * kept * scale + unused * 0.0

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def h(x):
        return f(x) * 2.0

    loaded = again(h.get_concrete_function())
    for n in (2, 3, 1):
        x = tf.zeros([n])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loaded(x)
        np.testing.assert_array_equal(tape.gradient(y, x), np.full(n, 20.0))
    twice = again(loaded)  # saved again, from what was loaded
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = twice(x)
    np.testing.assert_array_equal(tape.gradient(y, x), [20.0])
    np.testing.assert_array_equal(tf.vectorized_map(loaded, tf.zeros([3, 2])), np.zeros([3, 2]))


def test_a_backward_function_that_needs_python_is_missed_only_by_a_gradient():
    @tf.custom_gradient
    def f(x):
        return x * 1.0, lambda g: g * float(g)

    loaded = traced(f, tf.TensorSpec([]))
    x = tf.constant(2.0)
    assert loaded(x).numpy() == 2.0
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = loaded(x)
    with pytest.raises(LookupError, match=r"gradient of f.*was not saved"):
        tape.gradient(y, x)


def test_random_numbers_are_drawn_anew():
    loaded = traced(lambda: tf.random.normal([4], seed=3) + tf.nn.dropout(tf.ones([4]), 0.5))
    first, second = loaded().numpy(), loaded().numpy()
    assert not np.array_equal(first, second)


def test_assertions_and_prints_are_kept(capfd):
    @tf.function
    def f(x):
        tf.debugging.assert_greater(x, 0.0, message="want more")
        assert tf.reduce_sum(x) < 100, "too much"
        tf.print("x is", x, {"half": x / 2}, sep="|")
        return tf.sqrt(x)

    loaded = again(f.get_concrete_function(tf.TensorSpec([None])))
    assert loaded(tf.constant([4.0])).numpy() == [2.0]
    assert capfd.readouterr().err == "x is|[4]|{'half': [2]}\n"
    with pytest.raises(tf.errors.InvalidArgumentError, match="want more"):
        loaded(tf.constant([-4.0, 1.0]))


def test_python_inside_is_refused_by_name():
    f = tf.function(lambda x: tf.py_function(lambda v: v, [x], tf.TensorSpec([]))).get_concrete_function(
        tf.TensorSpec([])
    )
    with pytest.raises(CannotBeSaved, match=r"cannot be saved: tf.py_function, at test_writing.py:\d+, calls Python"):
        again(f)


def test_plain_python_is_refused_with_the_reason():
    @tf.function
    def rows(x):
        return x[: [1, 2][tf.cast(x[0], tf.int32)]]

    x = tf.constant([1.0, -1.0])
    rows(x)
    concrete = rows.get_concrete_function(x)
    assert concrete.as_python
    with pytest.raises(CannotBeSaved, match=r"rows cannot be saved.*plain Python.*size"):
        again(concrete)


def test_structures_come_back():
    Point = collections.namedtuple("Point", "x y")

    def f(a, *, b):
        return {"p": Point(a["u"], [b, None]), "r": tf.RaggedTensor.from_row_splits(b, [0, 1, 2])}

    loaded = traced(lambda a, b: f(a, b=b), {"u": tf.TensorSpec([])}, tf.TensorSpec([2]))
    out = loaded({"u": tf.constant(1.0)}, tf.constant([2.0, 3.0]))
    assert type(out["p"]).__name__ == "Point" and out["p"].x.numpy() == 1.0 and out["p"].y[1] is None
    assert out["r"].to_list() == [[2.0], [3.0]]


def test_loaded_functions_are_differentiable_twice_mapped_and_compiled():
    w = tf.Variable(3.0)
    loaded = traced(lambda x: tf.reduce_sum(w * x**3), tf.TensorSpec([2]))
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loaded(x)
        slope = tape.gradient(y, x)
    np.testing.assert_allclose(outer.jacobian(slope, x), np.diag([18.0, 36.0]))
    np.testing.assert_allclose(tf.vectorized_map(loaded, tf.constant([[1.0, 0.0], [2.0, 1.0]])), [3.0, 27.0])
    inside = tf.function(lambda x: loaded(x) + 1.0)
    assert inside(x).numpy() == 28.0
    pytest.importorskip("jax")
    assert tf.function(lambda x: loaded(x), jit_compile=True)(x).numpy() == 27.0
    compiled = again(tf.function(lambda x: x * w, jit_compile=True).get_concrete_function(tf.TensorSpec([None])))
    assert compiled(x).numpy().tolist() == [3.0, 6.0] and compiled.jit


def test_an_operation_that_is_not_known_is_named():
    def store(array):
        return "a"

    described = FunctionWriter(store, lambda v: 0).concrete(
        tf.function(tf.sin).get_concrete_function(tf.TensorSpec([]))
    )
    described["graph"]["nodes"][0][0] = "gudermann"
    with pytest.raises(LookupError, match="'gudermann', which this version of tapeflow does not have"):
        FunctionReader({}.__getitem__, []).concrete(described)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_every_primitive_can_be_saved(name):
    sample = SAMPLES[name][0]
    xs = [tf.constant(a) for a in sample.args]
    function = tf.function(lambda *xs: REGISTRY[name].entry(*xs, **sample.params))
    concrete = function.get_concrete_function(*xs)
    if concrete.as_python:
        pytest.skip("the size of what it gives depends on values")
    for want, got in zip(nest.flatten(concrete(*xs)), nest.flatten(again(concrete)(*xs))):
        np.testing.assert_array_equal(got.numpy(), want.numpy())
