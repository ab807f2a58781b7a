"""Sizes that depend on values: functions with them are graphs, traced once, with the results of TensorFlow."""

import numpy as np
import pytest

import tapeflow as tf

c = tf.constant
X = c([1.0, -1.0, 2.0])


def graph_of(function, **options):
    """A function that fails if it is no graph, or is traced again."""
    made = tf.function(function, **options)

    def run(*args):
        found = made(*args)
        assert made.experimental_get_tracing_count() == 1
        assert not made.get_concrete_function(*args).as_python
        return found

    run.function = made
    return run


def positive(x):
    return tf.boolean_mask(x, x > 0)


def total_gradient(function, *args):
    """Of the sum of squares of what the function gives."""
    xs = [x for x in args if x.dtype.is_floating]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = tf.reduce_sum(function(*args) ** 2)
    return [g.numpy().tolist() for g in tape.gradient(y, xs)]


# The results are TensorFlow's, of the same functions.
FUNCTIONS = {
    "mask": (positive, (X,), [1.0, 2.0]),
    "mask of nothing": (positive, (-abs(X),), []),
    "sum": (lambda x: tf.reduce_sum(positive(x)), (X,), 3.0),
    "mean": (lambda x: tf.reduce_mean(positive(x)), (X,), 1.5),
    "softmax": (lambda x: tf.nn.softmax(positive(x) * 0), (X,), [0.5, 0.5]),
    "where": (lambda x: tf.where(x > 0), (X,), [[0], [2]]),
    "gather": (lambda x: tf.gather(x, tf.where(x > 0)[:, 0]), (X,), [1.0, 2.0]),
    "unique": (lambda x: tf.unique(x).y, (c([4, 1, 4]),), [4, 1]),
    "counts": (lambda x: tf.unique_with_counts(x).count, (c([4, 1, 4]),), [2, 1]),
    "nonzero": (lambda x: tf.experimental.numpy.nonzero(x)[0], (c([4, 0, 4]),), [0, 2]),
    "size": (lambda x: tf.zeros([tf.size(positive(x)), 2]), (X,), [[0.0, 0.0], [0.0, 0.0]]),
    "range": (tf.range, (c(3),), [0, 1, 2]),
    "range of floats": (lambda n: tf.range(0.0, n, 0.5), (c(1.2),), [0.0, 0.5, 1.0]),
    "repeat": (tf.repeat, (c([1, 2]), c([2, 3])), [1, 1, 2, 2, 2]),
    "repeat by one": (lambda x, n: tf.repeat(x, n), (c([1, 2]), c(2)), [1, 1, 2, 2]),
    "fill": (lambda n: tf.fill([n, 2], 1.0), (c(1),), [[1.0, 1.0]]),
    "eye": (tf.eye, (c(2),), [[1.0, 0.0], [0.0, 1.0]]),
    "one_hot": (lambda n: tf.one_hot([1], n), (c(2),), [[0.0, 1.0]]),
    "linspace": (lambda n: tf.linspace(0.0, 1.0, n), (c(3),), [0.0, 0.5, 1.0]),
    "top_k": (lambda k: tf.math.top_k(X, k).values, (c(2),), [2.0, 1.0]),
    "slice": (lambda x, n: x[:n], (X, c(1)), [1.0]),
    "slice from the end": (lambda x, n: x[:n], (X, c(-1)), [1.0, -1.0]),
    "pad": (lambda x, n: tf.pad(x, [[n, 0]]), (X, c(1)), [0.0, 1.0, -1.0, 2.0]),
    "reshape": (lambda n: tf.reshape(tf.range(n * 2), [n, 2]), (c(2),), [[0, 1], [2, 3]]),
    "partition": (lambda p: tf.dynamic_partition(X, p, 2)[0], (c([0, 1, 0]),), [1.0, 2.0]),
    "stitch": (lambda i: tf.dynamic_stitch([i], [X]), (c([2, 0, 1]),), [-1.0, 2.0, 1.0]),
    "bincount": (tf.math.bincount, (c([1, 3, 1]),), [0, 2, 0, 1]),
    "segments": (lambda ids: tf.math.segment_sum(X, ids), (c([0, 0, 1]),), [0.0, 2.0]),
    "sequence_mask": (lambda n: tf.sequence_mask([1], n), (c(2),), [[True, False]]),
    "confusion": (lambda x: tf.math.confusion_matrix(x, x), (c([0, 1]),), [[1, 0], [0, 1]]),
    "suppression": (lambda s: tf.image.non_max_suppression(tf.zeros([1, 4]), s, 3), (c([1.0]),), [0]),
    "outer product": (lambda x: positive(x)[:, None] * positive(x), (X,), [[1.0, 2.0], [2.0, 4.0]]),
    "with what is known": (lambda x: positive(x) + c([1.0, 2.0]), (X,), [2.0, 4.0]),
    "branches": (lambda x: tf.cond(x[0] > 0, lambda: positive(x), lambda: x), (X,), [1.0, 2.0]),
    "rows": (lambda x: tf.map_fn(lambda row: row * 2, positive(x)), (X,), [2.0, 4.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name):
    function, args, want = FUNCTIONS[name]
    assert graph_of(function)(*args).numpy().tolist() == want


def test_one_trace_for_all_numbers():
    run = graph_of(lambda x: (positive(x), tf.reduce_mean(positive(x) ** 2)))
    for x, want in ((X, [1.0, 2.0]), (-X, [1.0]), (X * 0, []), (abs(X), [1.0, 1.0, 2.0])):
        found, mean = run(x)
        assert found.numpy().tolist() == want
        np.testing.assert_allclose(mean, np.mean(np.square(want)) if want else np.nan)


def test_shapes_are_not_known_while_tracing():
    shapes = []

    @tf.function
    def function(x, n):
        shapes.extend([positive(x).shape, tf.where(x > 0).shape, tf.range(n).shape, tf.zeros([n, 2]).shape])
        return x

    function(X, c(4))
    assert [str(shape) for shape in shapes] == ["(None,)", "(None, 1)", "(None,)", "(None, 2)"]


def powers(x, n):
    y = x[:0]
    for i in tf.range(n):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(y, tf.TensorShape([None]))])
        y = tf.concat([y, x ** tf.cast(i + 1, tf.float32)], 0)
    return y


def masks(x, n):
    s = tf.constant(0.0)
    for i in tf.range(n):
        s += tf.reduce_sum(tf.boolean_mask(x, x > tf.cast(i, tf.float32)) ** 2)
    return s


def grown(x, n):
    entries = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in tf.range(n):
        entries = entries.write(i, x * tf.cast(i, tf.float32))
    return entries.stack()


def chosen(x, p):
    return tf.cond(p > 0, lambda: x * 2, lambda: positive(x))


# Values and gradients by the floats, of TensorFlow.
FLOWS = [
    (powers, (c([2.0]), c(2)), [2.0, 4.0], [[36.0]]),
    (powers, (c([2.0]), c(0)), [], [[0.0]]),
    (masks, (X, c(2)), 9.0, [[36.0, 0.0, 144.0]]),
    (grown, (c(3.0), c(3)), [0.0, 3.0, 6.0], [30.0]),
    (chosen, (X, c(1)), [2.0, -2.0, 4.0], [[8.0, -8.0, 16.0]]),
    (chosen, (X, c(-1)), [1.0, 2.0], [[2.0, 0.0, 4.0]]),
]


@pytest.mark.parametrize("function,args,want,gradient", FLOWS)
def test_loops_and_branches(function, args, want, gradient):
    assert graph_of(function)(*args).numpy().tolist() == want
    assert total_gradient(graph_of(function), *args) == gradient
    inside = graph_of(lambda *xs: total_gradient_in_graph(function, *xs))
    assert [g.numpy().tolist() for g in inside(*args)] == gradient


def total_gradient_in_graph(function, *args):
    with tf.GradientTape() as tape:
        tape.watch(args[0])
        y = tf.reduce_sum(function(*args) ** 2)
    return [tape.gradient(y, args[0])]


def test_gradients():
    assert total_gradient(graph_of(positive), X) == [[2.0, 0.0, 4.0]]
    assert total_gradient(graph_of(lambda x: tf.gather_nd(x, tf.where(x > 0))), X) == [[2.0, 0.0, 4.0]]
    assert total_gradient(graph_of(lambda x: tf.unique(x).y), c([3.0, 1.0, 3.0])) == [[6.0, 2.0, 0.0]]


def test_second_order():
    def cubes(x):
        return tf.reduce_sum(positive(x) ** 3)

    @tf.function
    def second(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = cubes(x)
            slope = inner.gradient(y, x)
        return outer.gradient(slope, x)

    assert second(X).numpy().tolist() == [6.0, 0.0, 12.0]
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = second(X)
    assert tape.gradient(y, X).numpy().tolist() == [6.0, 0.0, 6.0]


def test_an_optimizer_step():
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def step(mask):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.boolean_mask(v, mask) ** 2)
        v.assign_sub(0.1 * tape.gradient(loss, v))
        return loss

    np.testing.assert_allclose(step(c([True, False, True])), 5.0)
    np.testing.assert_allclose(v, [0.9, 2.0, 2.7])
    np.testing.assert_allclose(step(c([True, False, False])), 0.81)


def test_forward_mode():
    with tf.autodiff.ForwardAccumulator(X, tf.ones([3])) as accumulator:
        y = graph_of(lambda x: tf.reduce_sum(positive(x) ** 2))(X)
    assert float(accumulator.jvp(y)) == 6.0


def test_what_python_asks_about_a_size_is_checked_when_the_graph_runs():
    """Two rows are added as they are, one is broadcast: another trace."""

    @tf.function
    def rows(x, y):
        return positive(x) + y

    y = c([10.0, 20.0])
    assert rows(X, y).numpy().tolist() == [11.0, 22.0]
    assert rows(-X, y).numpy().tolist() == [11.0, 21.0]  # one row is broadcast
    assert rows(X, y).numpy().tolist() == [11.0, 22.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[3\] vs\. \[2\]"):
        rows(abs(X), y)
    with tf.GradientTape() as tape:
        tape.watch(y)
        total = tf.reduce_sum(rows(-X, y))
    assert tape.gradient(total, y).numpy().tolist() == [1.0, 1.0]


def test_a_loop_whose_iterations_differ_in_what_python_asks():
    @tf.function
    def function(x, y):
        s = tf.constant(0.0)
        for i in tf.range(3):
            s += tf.reduce_sum(tf.boolean_mask(x, x >= tf.cast(i, tf.float32)) + y)
        return s

    x = c([0.0, 0.5, 2.0])
    for _ in range(2):  # of 3, 1 and 1 elements
        assert float(function(x, c([1.0, 1.0, 1.0]))) == 5.5 + 9 + 9


def test_within_another_function():
    inner = tf.function(lambda x, y: positive(x) * y)
    outer = tf.function(lambda x: tf.reduce_sum(inner(x, tf.ones([2]))) + tf.reduce_sum(inner(-x, tf.ones([1]))))
    assert float(outer(X)) == 4.0
    assert total_gradient(outer, X) == [[8.0, -8.0, 8.0]]


def test_maps_of_functions():
    function = graph_of(lambda xs: tf.vectorized_map(lambda x: tf.reduce_sum(x[x > 0]), xs))
    assert function(c([[1.0, -1.0], [-2.0, 3.0]])).numpy().tolist() == [1.0, 3.0]


def test_saved_and_loaded(tmp_path):
    module = tf.Module()
    module.v = tf.Variable([1.0, 2.0, 3.0])
    module.function = tf.function(
        lambda x, n: (positive(x * module.v), masks(x, n), tf.range(n)),
        input_signature=[tf.TensorSpec([None]), tf.TensorSpec([], tf.int32)],
    )
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    for x, n in ((X, 2), (-X, 0), (X * 0, 1)):
        for got, want in zip(loaded.function(x, c(n)), module.function(x, c(n)), strict=True):
            np.testing.assert_array_equal(got, want)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(loaded.function(X, c(1))[0])
    assert tape.gradient(y, loaded.v).numpy().tolist() == [1.0, 0.0, 2.0]


def test_compiled_functions_say_why_they_run_as_python(caplog):
    """XLA knows all sizes before it runs."""
    function = tf.function(positive, jit_compile=True)
    assert function(X).numpy().tolist() == [1.0, 2.0]
    assert "The size of what compress gives depends on values" in caplog.text
    assert "test_late_sizes.py" in caplog.text


def transposed_where(x):
    n = tf.shape(x)[0]
    q = tf.reshape(tf.range(n * 2), [n, 2])
    if n > 3:
        q = tf.transpose(q)
    return tf.reshape(q, [n, 2])


def test_products_of_sizes_that_nobody_knows():
    """The branches give other shapes, and it is their product that has to fit."""
    with_open_size = tf.function(transposed_where).get_concrete_function(tf.TensorSpec([None]))
    for n in (2, 5, 6, 1, 0):
        want = np.arange(2 * n).reshape(n, 2)
        want = want.T.reshape(n, 2) if n > 3 else want
        np.testing.assert_array_equal(with_open_size(tf.ones([n])), want)

    @tf.function
    def merged(x):
        shape = tf.shape(x)
        leading = tf.reduce_prod(shape[:3], keepdims=True)
        return tf.reshape(x, tf.concat([leading, shape[3:]], 0))

    merge = merged.get_concrete_function(tf.TensorSpec([None] * 6))
    assert merge(tf.ones([2, 3, 1, 2, 1, 2])).shape == (6, 2, 1, 2)


def test_sizes_that_do_not_fit_are_still_an_error():
    @tf.function
    def wrong(x):
        n = tf.shape(x)[0]
        q = tf.ones([n, 2])
        if n > 3:
            q = tf.transpose(q)
        return tf.reshape(q, [n, 3])

    with pytest.raises(tf.errors.InvalidArgumentError, match="reshape"):
        wrong.get_concrete_function(tf.TensorSpec([None]))(tf.ones([2]))


def test_a_number_that_a_size_decides_is_asked_for_again():
    """With known sizes what `maximum` gives is known, and what Python was told while tracing may not hold."""

    @tf.function
    def orthogonal(x):
        shape = tf.shape(x)
        rows, columns = shape[0], shape[1]
        q, _ = tf.linalg.qr(tf.ones([tf.maximum(rows, columns), tf.minimum(rows, columns)]))
        if rows < columns:
            q = tf.linalg.matrix_transpose(q)
        return tf.reshape(q, shape)

    made = orthogonal.get_concrete_function(tf.TensorSpec([None, None]))
    for shape in ((4, 2), (2, 4), (3, 3), (1, 5)):
        assert made(tf.ones(shape)).shape == shape


def test_sizes_that_a_function_inside_knows_nothing_of_fit_what_is_outside():
    """A loop in an inner function leaves the size open; the outer one reshapes the result to one that it knows."""

    def grown(shape):
        draw = lambda k: tf.random.stateless_uniform(shape, [1, k])
        more = lambda x, k: (tf.where(draw(k) > 0.5, draw(k), x), k + 1)
        return tf.while_loop(lambda x, k: tf.reduce_any(x < 0.1), more, (draw(0), 1))[0]

    inner = tf.function(grown, autograph=False)
    for shape, wanted in (([1, 3], [3]), ([1], []), ([2, 3], [6])):
        outer = tf.function(lambda: tf.reshape(inner(np.array(shape, np.int32)), wanted), autograph=False)  # noqa: B023
        concrete = outer.get_concrete_function()
        np.testing.assert_array_equal(concrete(), np.reshape(grown(shape), wanted))
        assert concrete.output_shapes == wanted


@pytest.mark.parametrize("around", [lambda f: f, tf.function], ids=["one function", "a function of a function"])
def test_constants_say_the_sizes_of_loops_in_functions_that_are_called(around):
    """A loop in a function that is called with a constant shape kept sizes that nobody knew: they were taken for any
    number, and a reshape by Python's own sizes failed."""

    @around
    @tf.function(autograph=False)
    def drawn(shape, seed):
        draw = lambda s: tf.random.stateless_normal(shape, s)
        more = lambda x, s: (tf.abs(draw(s)), s + 1)
        return tf.while_loop(lambda x, s: tf.reduce_any(x < 0), more, (draw(seed), seed))[0]

    def outer(seed):
        x = drawn(c([1, 4]), seed)
        assert x.shape == (1, 4)
        return tf.reshape(x, [4])

    seed = c([1, 2])
    for made in (tf.function(outer), tf.function(lambda s: tf.vectorized_map(outer, s[None])[0])):
        assert not made.get_concrete_function(tf.TensorSpec([2], tf.int32)).as_python
        np.testing.assert_array_equal(made(seed), drawn(c([1, 4]), seed)[0])


def test_a_size_that_changes_in_a_loop_is_not_what_it_was_at_first():
    """The first sizes of a loop's state are only those of all iterations where the body keeps them."""

    @tf.function(autograph=False)
    def grown(n, x):
        start = tf.fill([n], x)
        more = lambda k, y: (k + 1, tf.concat([y, tf.fill([n], x)], 0))
        shapes = (tf.TensorShape([]), tf.TensorShape([None]))
        return tf.while_loop(lambda k, y: k < 3, more, (0, start), shape_invariants=shapes)[1]

    outer = tf.function(lambda x: grown(c(2), x) * 2.0)
    np.testing.assert_array_equal(outer(c(1.5)), [3.0] * 8)
    assert total_gradient(outer, c(1.5)) == [96.0]  # of 8 * (2 x)^2


def test_sizes_are_measured_without_drawing_numbers():
    """What Python asks of a size is measured where that is possible, also after random operations, whose numbers are
    those of the run all the same."""

    def outer(x):
        noise = tf.random.normal([3], seed=1)
        kept = tf.boolean_mask(x, x > 0)
        return tf.reshape(kept, [2, 2]) + 0 * noise[0], noise

    tf.random.set_seed(3)
    want = outer(c([1.0, 2.0, -1.0, 3.0, 4.0]))
    tf.random.set_seed(3)
    found = graph_of(outer)(c([1.0, 2.0, -1.0, 3.0, 4.0]))
    for a, b in zip(found, want):
        np.testing.assert_array_equal(a, b)


def test_xla_compiles_loops_whose_sizes_a_constant_says():
    """XLA refused a loop in a function that is called with a constant shape: its sizes were thought to depend on
    values, also those that the body only captures, and those that it finds to be those of another tensor."""

    @tf.function(autograph=False)
    def grown(shape, x):
        more = lambda y: (y + tf.ones(shape) * x,)
        return tf.while_loop(lambda y: tf.reduce_any(y < 3.0), more, (tf.zeros(shape),))[0]

    outer = tf.function(lambda x: grown(c([2, 3]), x) + grown(c([1, 3]), x), jit_compile=True)
    np.testing.assert_array_equal(outer(c([1.0, 2.0, 3.0])), [[6.0, 12.0, 18.0]] * 2)
    assert not outer.get_concrete_function(c([1.0, 2.0, 3.0])).as_python
