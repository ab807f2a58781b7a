"""Sizes that are not known when a function is traced: one trace, and for every size the values and gradients of eager
execution."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import REGISTRY, Spec
from tapeflow.core.sizes import Size
from tests.ops.samples import all_samples
from tests.ops.test_registry import parts, tf_tensor

from .test_traced_registry import same

SAMPLES = all_samples()
ROWS = tf.TensorSpec([None, 4], tf.float64)
SIZES = 4, 1, 2, 7, 0  # the trace is for 4


def rows(n, seed=0):
    return tf.constant(np.random.default_rng(seed).normal(size=(n, 4)))


def counted(f, signature=(ROWS,), **options):
    """A tf.function, and a list that gets an entry whenever its Python code runs."""
    runs = []

    def body(*args):
        runs.append(1)
        return f(*args)

    return tf.function(body, input_signature=signature, **options), runs


def slope(f):
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nest.flatten(f(x))
            total = sum([tf.reduce_sum(tf.sin(t)) for t in y if t.dtype.is_floating])
        return tape.gradient(total, x)

    return gradient


def agree(got, want):
    for a, b in zip(tf.nest.flatten(got), tf.nest.flatten(want), strict=True):
        if b is None:  # eagerly, of a loop that was not entered
            b = tf.zeros_like(a)
        assert a.shape == b.shape and a.dtype is b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


@tf.custom_gradient
def odd(x):
    return x * x, lambda g: g * 100.0 * x


n_of = lambda x: tf.shape(x)[0]
floats = lambda t: tf.cast(t, tf.float64)

PROGRAMS = {
    "arithmetic": lambda x: x * 2.0 + tf.ones([4], tf.float64) - x,
    "a product": lambda x: tf.nn.relu(x @ tf.ones([4, 3], tf.float64) + 1.0),
    "all pairs": lambda x: x[:, None] - x[None],
    "a Gram matrix": lambda x: tf.matmul(x, x, transpose_b=True),
    "einsum": lambda x: tf.einsum("ij,kj->ik", x, x),
    "a mean": lambda x: tf.reduce_sum(x, 0) / floats(tf.maximum(n_of(x), 1)),
    "softmax": tf.nn.softmax,
    "flat": lambda x: tf.reshape(x, [-1]),
    "images": lambda x: tf.reshape(x, [-1, 2, 2]),
    "half as wide": lambda x: tf.reshape(x, [n_of(x) * 2, 2]),
    "by its own shape": lambda x: tf.reshape(tf.reshape(x, [-1]), tf.shape(x)),
    "products of sizes": lambda x: tf.reshape(x, [tf.reduce_prod(tf.shape(x)) // 4, 4]),
    "inner rows": lambda x: x[1:-1],
    "first rows": lambda x: x[:2],
    "last rows": lambda x: x[-3:],
    "every other row": lambda x: x[::2],
    "backwards": lambda x: x[::-1],
    "rows up to half": lambda x: x[: n_of(x) // 2],
    "differences": lambda x: x[1:] - x[:-1],
    "more axes": lambda x: x[..., None, :2],
    "twice": lambda x: tf.concat([x, x], 0),
    "stacked": lambda x: tf.stack([x, x], 1),
    "padded": lambda x: tf.pad(x, [[1, 2], [0, 0]]),
    "tiled": lambda x: tf.tile(x, [2, n_of(x)]),
    "filled": lambda x: (
        tf.fill([n_of(x), 4], tf.constant(3.0, tf.float64)) * x + tf.zeros_like(x) + tf.ones([n_of(x), 1], tf.float64)
    ),
    "numbered": lambda x: floats(tf.range(n_of(x)))[:, None] * x,
    "an identity matrix": lambda x: tf.eye(n_of(x), dtype=tf.float64) @ x,
    "picked": lambda x: tf.gather(x, tf.range(n_of(x))[::-1]),
    "picked one by one": lambda x: tf.gather_nd(x, tf.range(n_of(x))[:, None]),
    "scattered": lambda x: tf.scatter_nd(tf.range(n_of(x))[:, None], x, tf.shape(x)),
    "segments": lambda x: tf.math.unsorted_segment_sum(x, tf.range(n_of(x)) // 2, n_of(x)),
    "one-hot": lambda x: tf.one_hot(tf.range(n_of(x)), 4, dtype=tf.float64) * x,
    "a diagonal": lambda x: tf.linalg.diag_part(tf.matmul(x, x, transpose_b=True)),
    "a running sum": tf.cumsum,
    "sorted": lambda x: tf.sort(x, axis=0),
    "chosen": lambda x: tf.where(x > 0.0, x, tf.zeros_like(x)),
    "split": lambda x: tf.split(x, 2, axis=1),
    "convolved": lambda x: tf.nn.conv2d(tf.reshape(x, [-1, 2, 2, 1]), tf.ones([2, 2, 1, 3], tf.float64), 1, "SAME"),
    "a branch": lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: x * x),
    "a branch by size": lambda x: tf.cond(n_of(x) > 2, lambda: x * 2.0, lambda: x),
    "a loop over rows": lambda x: tf.while_loop(
        lambda i, a: i < n_of(x), lambda i, a: (i + 1, a * 0.5 + x[i]), (0, tf.zeros([4], tf.float64))
    )[1],
    "a map": lambda x: tf.vectorized_map(lambda r: tf.reduce_sum(r * r), x),
    "a custom gradient": odd,
    "computed again": lambda x: tf.recompute_grad(lambda x: tf.tanh(x) * x)(x),
    "a size as a number": lambda x: x / floats(n_of(x) + 1) + floats(tf.size(x)),
    "the larger size": lambda x: x + floats(tf.shape(tf.zeros([n_of(x) + 3]))[0]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_trace_for_all_sizes(name):
    f = PROGRAMS[name]
    for program in (f, slope(f)):
        traced, runs = counted(program)
        for n in SIZES:
            agree(traced(rows(n)), program(rows(n)))
        assert len(runs) == 1


@pytest.mark.parametrize(
    "name", ["arithmetic", "a product", "inner rows", "a loop over rows", "a mean", "a map", "numbered"]
)
def test_a_tape_around_the_call(name):
    f = PROGRAMS[name]
    traced, runs = counted(f)
    for n in SIZES:
        agree(slope(traced)(rows(n)), slope(f)(rows(n)))
    assert len(runs) == 1


@pytest.mark.parametrize("first", [1, 0])
def test_a_trace_for_one_row_or_none_serves_others(first):
    for name in ("arithmetic", "a product", "all pairs", "inner rows", "convolved", "a mean", "numbered"):
        traced, runs = counted(slope(PROGRAMS[name]))
        for n in (first, 5, 3):
            agree(traced(rows(n)), slope(PROGRAMS[name])(rows(n)))
        assert len(runs) == 1, name


def test_where_python_needs_a_size_each_size_is_traced():
    def f(x):
        total = 0.0
        for row in tf.unstack(x):
            total += row
        return total

    traced, runs = counted(f)
    for n in (3, 2, 3, 2):
        agree(traced(rows(n)), f(rows(n)))
    assert len(runs) == 2


def test_a_question_divides_sizes_into_two_kinds():
    double = lambda x: tf.map_fn(lambda r: r * 2.0, x)
    traced, runs = counted(double)
    for n in (3, 0, 5, 1, 0):
        agree(traced(rows(n)), double(rows(n)) if n else rows(0))  # eagerly, nobody has seen the shape of a row
    assert len(runs) <= 2


def test_derivatives_of_higher_order():
    f = lambda x: tf.sin(x) * tf.reduce_sum(x, 1, keepdims=True)

    def jacobians(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = f(x)
        return tape.batch_jacobian(y, x), tape.batch_jacobian(y, x, experimental_use_pfor=False)

    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            g = slope(f)(x)
        return outer.gradient(g, x)

    forward = lambda x: tf.derivatives.jvp(f, x, x)[1]
    for program in (jacobians, second, forward):
        traced, runs = counted(program)
        for n in SIZES:
            agree(traced(rows(n)), program(rows(n)))
        assert len(runs) == 1

    def jacobian(x):  # as many rows as elements: a trace for each size
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.jacobian(y, x)

    traced, runs = counted(jacobian)
    for n in (2, 3, 2):
        agree(traced(rows(n)), jacobian(rows(n)))


def test_a_training_step_for_batches_of_any_size():
    w, b = tf.Variable(tf.ones([4, 3], tf.float64)), tf.Variable(tf.zeros([3], tf.float64))

    def step(x, labels):
        with tf.GradientTape() as tape:
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x @ w + b)
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, [w, b])
        for v, g in zip((w, b), gradients):
            v.assign_sub(0.1 * g)
        return gradients

    traced, runs = counted(step, [ROWS, tf.TensorSpec([None], tf.int32)])
    for n in (5, 1, 2, 3):  # 3 is also the number of classes, 4 that of features
        before = w.numpy(), b.numpy()
        got = traced(rows(n), tf.range(n) % 3)
        for v, value in zip((w, b), before):
            v.assign(value)
        agree(got, step(rows(n), tf.range(n) % 3))
    assert len(runs) == 1


def test_random_numbers_are_those_of_eager_programs():
    for draw in (
        lambda x: tf.random.normal(tf.shape(x), seed=3), lambda x: tf.nn.dropout(x, 0.5, seed=3),
        lambda x: tf.random.shuffle(x, seed=3)
    ):  # fmt: skip
        traced, runs = counted(draw)
        for n in SIZES:
            tf.random.set_seed(1)
            want = draw(rows(n))
            tf.random.set_seed(1)
            agree(traced(rows(n)), want)
        assert len(runs) == 1


def test_two_sizes_that_must_be_equal():
    pair = [tf.TensorSpec([None], tf.float32)] * 2
    traced, runs = counted(lambda a, b: a * b, pair)
    for n, m in ((3, 3), (5, 5), (1, 1), (1, 4), (4, 1), (0, 0)):
        agree(traced(tf.ones([n]), tf.ones([m])), tf.ones([n]) * tf.ones([m]))
    assert len(runs) <= 3
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        traced(tf.ones([2]), tf.ones([3]))


# ---- what programs see


def test_programs_see_none():
    seen = []
    f = tf.function(
        lambda x: (seen.append((x.shape, x.get_shape(), (x @ tf.ones([4, 2], tf.float64)).shape)), x)[1],
        input_signature=[ROWS],
    )
    f(rows(3))
    (shape, same_shape, product) = seen[0]
    assert shape.as_list() == same_shape.as_list() == [None, 4] and product.as_list() == [None, 2] and shape[0] is None
    assert not shape.is_fully_defined() and shape.rank == 2


def test_shapes_are_computed():
    f = tf.function(
        lambda x: (tf.shape(x), tf.size(x), tf.rank(x), tf.shape(x)[0] * 2 + 1, tf.shape(tf.concat([x, x], 0)) // 2),
        input_signature=[ROWS],
    )
    for n in (3, 0):
        assert [t.numpy().tolist() for t in f(rows(n))] == [[n, 4], 4 * n, 2, 2 * n + 1, [n, 2]]


def test_python_branches_on_none():
    f = tf.function(lambda x: x if x.shape[0] is None else x * 0.0, input_signature=[ROWS])
    agree(f(rows(2)), rows(2))


# ---- how functions get there


def test_reduce_retracing_generalises_what_differs():
    traced, runs = counted(lambda x: tf.reduce_sum(x[1:], 0), None, reduce_retracing=True)
    for n in (3, 5, 1, 9, 0):
        agree(traced(rows(n)), tf.reduce_sum(rows(n)[1:], 0))
    assert len(runs) == 2
    traced(tf.ones([3, 5], tf.float64)), traced(tf.ones([8, 6], tf.float64))
    assert len(runs) == 3


def test_of_batches_only_the_first_size_is_left_open():
    """Keras' layers ask of other sizes whether they are integers: a crop is not a resize."""
    traced, runs = counted(
        lambda x: x[:, :2] if isinstance(x.sizes[1], int) and x.sizes[1] > 2 else x * 0, None, reduce_retracing="batch"
    )
    for n, m in ((3, 5), (4, 5), (1, 5), (4, 1), (6, 1), (2, 1)):
        x = tf.ones([n, m])
        agree(traced(x), x[:, :2] if m > 2 else x * 0)
    assert len(runs) == 3


def test_a_concrete_function_serves_all_sizes():
    traced, runs = counted(lambda x: tf.reduce_sum(x * x, 0))
    concrete = traced.get_concrete_function()
    for n in SIZES:
        agree(concrete(rows(n)), tf.reduce_sum(rows(n) ** 2, 0))
        agree(traced(rows(n)), tf.reduce_sum(rows(n) ** 2, 0))  # which uses the same trace
    assert len(runs) == 1
    assert [t.shape.as_list() for t in concrete.inputs] == [[None, 4]]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"traced for .*, and was given shape \(3, 5\)"):
        concrete(tf.ones([3, 5], tf.float64))


def test_a_concrete_function_is_traced_once_for_each_size_that_python_needs():
    traced, runs = counted(lambda x: tf.add_n(tf.unstack(x)))
    concrete = traced.get_concrete_function(ROWS)
    for n in (2, 3, 2, 3, 3):
        agree(concrete(rows(n)), tf.reduce_sum(rows(n), 0))
    assert len(runs) == 3


def test_variable_rank():
    traced, runs = counted(lambda x: tf.reduce_sum(x) * 2.0, [tf.TensorSpec(None, tf.float32)])
    for shape in ([], [3], [5], [2, 2], [1, 3]):
        assert float(traced(tf.ones(shape))) == 2.0 * np.prod(shape)
    assert len(runs) == 3


def test_a_signature_of_several_arguments():
    spec = tf.TensorSpec([None], tf.float32)
    assert tf.function(lambda *xs: tf.concat(xs, 0), input_signature=[spec, spec])([1], [2, 3]).numpy().tolist() == [
        1,
        2,
        3,
    ]
    assert tf.function(lambda x, y: x - y, input_signature=[spec, spec])(y=[1, 2], x=[5, 7]).numpy().tolist() == [4, 5]
    assert tf.function(lambda x, y=2.0: x * y, input_signature=[spec])([1, 2]).numpy().tolist() == [2, 4]
    nested = tf.function(lambda d: d["a"] + d["b"][0], input_signature=[{"a": spec, "b": [spec]}])
    assert nested({"a": [1], "b": [[2]]}).numpy().tolist() == [3]


# ---- every primitive


@pytest.mark.parametrize("name,k", [(n, k) for n, samples in sorted(SAMPLES.items()) for k in range(len(samples))])
def test_every_primitive_with_unknown_sizes(name, k):
    """As eagerly, for the sample and, where its rows can be doubled, for twice as many rows."""
    prim, sample = REGISTRY[name], SAMPLES[name][k]
    args = [tf_tensor(a) for a in sample.args]
    if not args:
        return
    call = lambda *xs: prim.entry(*xs, **sample.params)
    traced = tf.function(call, [tf.TensorSpec([None] * a.ndim, a.dtype) for a in args], autograph=False)
    same(parts(prim, traced(*args)), parts(prim, call(*args)), name)
    double = [tf_tensor(np.concatenate([a.array] * 2)) if a.ndim else a for a in args]
    try:
        prim.infer([Spec(shape=tuple(a.shape), dtype=a.dtype.np) for a in double], sample.params)
        want = parts(prim, call(*double))
    except (tf.errors.OpError, ValueError, IndexError):
        return
    same(parts(prim, traced(*double)), want, name)


def test_a_users_rule_holds_for_every_size():
    @tf.custom_gradient
    def squared(x):
        return x * x, lambda g: g * 2.0 * x

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def total(x):
        return tf.reduce_sum(squared(x))

    concrete = total.get_concrete_function()
    for function in (total, concrete):
        for n in (7, 3):
            x = tf.ones([n, 2]) * 3.0
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            assert tape.gradient(y, x).numpy().tolist() == [[6.0, 6.0]] * n
    assert total.experimental_get_tracing_count() == 1


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: tf.experimental.numpy.repeat(x, 2), [2.0, 3.0]),
        (lambda x: tf.nn.isotonic_regression(x)[0], [1.0, 3.0, 2.0]),
        (lambda x: tf.image.per_image_standardization(tf.reshape(x, [1, -1, 1])), [1.0, 3.0]),
        (lambda x: tf.add_n([x, tf.identity(x)]), [1.0, 3.0]),
        (lambda x: tf.math.is_strictly_increasing(x), [1.0, 3.0]),
    ],
)
def test_what_numpy_and_python_make_of_a_size(f, x):
    """NumPy made arrays of objects of sizes, which became strings; `size ** 0.5` was refused; sizes with two names
    were never equal."""
    traced = tf.function(f, input_signature=[tf.TensorSpec([None], tf.float32)], autograph=False)
    np.testing.assert_array_equal(traced(tf.constant(x)), f(tf.constant(x)))
    np.testing.assert_array_equal(traced(tf.constant([*x, 9.0])), f(tf.constant([*x, 9.0])))


def test_numbers_that_are_known_are_those_of_the_kernel():
    """Where a block begins was computed with objects when a function was traced, and random numbers of objects are
    others."""
    begin = lambda: tf.math.floormod(tf.random.stateless_uniform([1], [7, 5], 0, 2**31 - 1, tf.int32), 7)
    f = lambda x: tf.slice(x, begin(), [2])
    np.testing.assert_array_equal(tf.function(f)(tf.range(10)), f(tf.range(10)))


def test_a_shape_does_not_depend_on_who_asks():
    """It used to: modules of the library's own names were told sizes where programs were told None."""
    source = "def asked(x):\n    return x.shape, x.sizes, x\n"
    found = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def function(x):
        for module in ("program", "tapeflow.anything", "keras_tapeflow.anything"):
            scope = {"__name__": module}
            exec(source, scope)
            found.append(scope["asked"](tf.concat([x, x], 0)))
        return x

    function(tf.zeros([2, 3]))
    assert [tuple(shape) for shape, _, _ in found] == [(None, 3)] * 3
    assert all(type(sizes[0]) is Size and sizes[0].now == 4 for _, sizes, _ in found)


def test_whose_fault_it_is_does_not_depend_on_who_asks():
    """`float(x)` is a mistake of the program, wherever it stands; an operation that needs a value runs as Python."""
    scope = {"__name__": "tapeflow.anything"}
    exec("def asked(x):\n    return float(x)\n", scope)
    with pytest.raises(TypeError, match="needs the value of a tensor"):
        tf.function(lambda x: x * scope["asked"](x), autograph=False)(tf.constant(2.0))
