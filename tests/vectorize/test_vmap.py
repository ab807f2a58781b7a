"""tf.vmap and tf.vectorized_map: axes, structures, nesting, tapes inside and outside, what cannot be mapped."""

import logging

import numpy as np
import pytest

import tapeflow as tf

rng = np.random.default_rng(0)
X = tf.constant(rng.normal(size=(3, 4)))
W = tf.constant(rng.normal(size=(4, 2)))


def grad_of(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


# ---- axes and structures


def test_rows_along_any_axis():
    dot = lambda a, b: tf.reduce_sum(a * b)
    columns = tf.transpose(X)
    np.testing.assert_allclose(tf.vmap(dot, in_axes=(0, 1))(X, columns), np.sum(X.numpy() ** 2, 1))
    np.testing.assert_allclose(tf.vmap(dot, in_axes=(-1, 0))(columns, X), np.sum(X.numpy() ** 2, 1))
    np.testing.assert_allclose(tf.vmap(dot, in_axes=(0, None))(X, X[0]), X.numpy() @ X.numpy()[0])


def test_results_along_any_axis():
    f = lambda x: (tf.stack([x, x + 1]), tf.reduce_sum(x))
    pair, total = tf.vmap(f, out_axes=(1, 0))(X)
    assert pair.shape == (2, 3, 4)
    np.testing.assert_array_equal(pair[1], X.numpy() + 1)
    np.testing.assert_allclose(total, X.numpy().sum(1))
    assert tf.vmap(lambda x: tf.stack([x, x]), out_axes=-1)(X).shape == (2, 4, 3)


def test_structures_in_and_out():
    f = lambda p, scale: {"y": p["w"] * scale + p["b"][0], "n": (tf.reduce_sum(p["w"]), None, 2)}
    p = {"w": X, "b": [tf.constant([1.0, 2.0, 3.0], tf.float64)]}
    out = tf.vmap(f, in_axes=({"w": 0, "b": 0}, None))(p, 10.0)
    np.testing.assert_allclose(out["y"], X.numpy() * 10 + [[1], [2], [3]])
    assert out["n"][1] is None
    np.testing.assert_array_equal(out["n"][2], [2, 2, 2])


def test_keyword_arguments_are_mapped():
    np.testing.assert_allclose(tf.vmap(lambda a, b: a - b)(X[:, 0], b=X[:, 1]), X.numpy()[:, 0] - X.numpy()[:, 1])


def test_what_is_the_same_for_every_row_is_computed_once_and_repeated():
    calls = []
    out = tf.vmap(lambda x: (calls.append(1), tf.eye(2))[1])(X)
    assert calls == [1]
    np.testing.assert_array_equal(out, np.stack([np.eye(2)] * 3))


def test_maps_nest():
    pairs = tf.vmap(tf.vmap(lambda a, b: tf.reduce_sum((a - b) ** 2), (None, 0)), (0, None))(X, X)
    want = ((X.numpy()[:, None] - X.numpy()[None]) ** 2).sum(-1)
    np.testing.assert_allclose(pairs, want, atol=1e-12)


def test_chunks_give_the_same():
    calls = []

    def f(x):
        calls.append(1)
        return {"a": x * 2, "s": tf.reduce_sum(x)}

    got = tf.vmap(f, chunk_size=2, out_axes={"a": 1, "s": 0})(X)
    assert len(calls) == 2
    np.testing.assert_allclose(got["a"], X.numpy().T * 2)
    np.testing.assert_allclose(got["s"], X.numpy().sum(1))


def test_an_empty_batch():
    out = tf.vmap(lambda x: (tf.reduce_sum(x @ W[:, :1]), tf.sort(x[0])))(tf.zeros([0, 5, 4], tf.float64))
    assert out[0].shape == (0,) and out[1].shape == (0, 4)


# ---- with tapes and accumulators


def test_tape_inside():
    w = tf.Variable(W)
    loss = lambda x: tf.reduce_sum(tf.tanh(x[None] @ w) ** 2)

    def both(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x)
        return tape.gradient(y, [x, w])

    got = tf.vmap(both)(X)
    for k, row in enumerate(X):
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = loss(row)
        for g, want in zip(got, tape.gradient(y, [row, w])):
            np.testing.assert_allclose(g[k], want, rtol=1e-12)


def test_tape_outside_sees_variables_read_inside():
    w = tf.Variable(W)
    with tf.GradientTape() as tape:
        y = tf.vmap(lambda x: tf.reduce_sum(tf.sin(x[None] @ w)))(X)
    with tf.GradientTape() as again:
        z = tf.reduce_sum(tf.sin(X @ w), 1)
    assert [v is w for v in tape.watched_variables()] == [True]
    np.testing.assert_allclose(tape.gradient(y, w), again.gradient(z, w), rtol=1e-12)


def test_a_tape_outside_can_pause_inside():
    with tf.GradientTape() as tape:
        tape.watch(X)

        def f(x):
            with tape.stop_recording():
                constant = 3.0 * x
            return x * constant

        y = tf.vmap(tf.vmap(f))(X)
        z = y * X
    np.testing.assert_allclose(tape.gradient(z, X), 6 * X.numpy() ** 2)


@pytest.mark.parametrize(
    "ask",
    [
        lambda tape, x, w: tape.gradient(x * w, w),
        lambda tape, x, w: tape.jacobian(x * w, w, unconnected_gradients="zero"),
        lambda tape, x, w: tape.watch(x),
        lambda tape, x, w: tape.reset(),
    ],
)
def test_a_tape_outside_does_not_know_single_rows(ask):
    w = tf.Variable(X[0])
    with tf.GradientTape(persistent=True) as tape:
        with pytest.raises(ValueError, match=r"outside (a|the) mapped function"):
            tf.vmap(lambda x: ask(tape, x, w))(X)
        y = tf.vmap(lambda x: x * w)(X)
    np.testing.assert_allclose(tape.gradient(y, w), X.numpy().sum(0))


def test_a_tape_outside_may_be_asked_inside_for_what_was_computed_outside():
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        y = X**2
    found = tf.vmap(lambda g: tape.gradient(y, X, output_gradients=g))(tf.stack([X, 2 * X]))
    np.testing.assert_allclose(found, [2 * X.numpy() ** 2, 4 * X.numpy() ** 2])


def test_a_tape_between_two_maps_watches_rows_of_the_outer_one():
    def f(x):
        with tf.GradientTape() as tape:
            y = tf.vmap(lambda w: (tape.watch(x), w * x**2)[1])(X[0])
        return tape.gradient(y, x)

    np.testing.assert_allclose(tf.vmap(f)(X), 2 * X.numpy() * X.numpy()[0].sum())


def test_an_accumulator_outside_knows_the_tangents_of_rows():
    with tf.autodiff.ForwardAccumulator(X, 2 * X) as accumulator:
        tangents = tf.vmap(tf.vmap(lambda x: accumulator.jvp(x**2)))(X)
    np.testing.assert_allclose(tangents, 4 * X.numpy() ** 2)


def test_tapes_on_both_sides_give_second_derivatives():
    x = tf.constant([1.0, 2.0, 3.0])
    second = grad_of(lambda x: tf.vmap(lambda e: grad_of(lambda u: u**3, e))(x), x)
    np.testing.assert_allclose(second, 6 * x.numpy())


def test_forward_mode_inside_and_outside():
    slope = lambda x: (lambda acc, y: acc.jvp(y))(*_pushed(lambda u: u**3, x, tf.ones_like(x)))
    np.testing.assert_allclose(tf.vmap(slope)(tf.constant([1.0, 2.0])), [3.0, 12.0])
    acc, y = _pushed(lambda x: tf.vmap(tf.math.cumsum)(x), X, tf.ones_like(X))
    np.testing.assert_allclose(acc.jvp(y), [[1, 2, 3, 4]] * 3)


def _pushed(f, x, t):
    with tf.autodiff.ForwardAccumulator(x, t) as acc:
        y = f(x)
    return acc, y


def test_jacobian_inside_a_map():
    got = tf.vmap(lambda x: tf.derivatives.jacobian(tf.sin)(x))(X)
    np.testing.assert_allclose(got, [np.diag(np.cos(row)) for row in X.numpy()])


def test_custom_gradients_hold_inside_through_and_around():
    @tf.custom_gradient
    def odd(x, w):
        return x * w, lambda g: (g * 10 * w, g * 100 * x)

    x, w = tf.constant([1.0, 2.0]), tf.constant(3.0)
    inside = tf.vmap(lambda e: grad_of(lambda u: odd(u, w), e))(x)
    np.testing.assert_allclose(inside, [30.0, 30.0])
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.vmap(lambda e: odd(e, w))(x)
    through = tape.gradient(y, [x, w])
    np.testing.assert_allclose(through[0], [30.0, 30.0])
    np.testing.assert_allclose(through[1], 300.0)
    acc, y = _pushed(lambda x: tf.vmap(lambda e: odd(e, w))(x), x, tf.ones_like(x))
    np.testing.assert_allclose(acc.jvp(y), [30.0, 30.0])


def test_a_custom_gradient_of_what_is_the_same_in_every_row_counts_once():
    double = tf.custom_gradient(lambda w: (w * 2.0, lambda g: g * 2.0))
    w = tf.constant(3.0)
    y = lambda w: tf.vmap(lambda e: e * double(w))(tf.constant([1.0, 4.0]))
    np.testing.assert_allclose(grad_of(y, w), 10.0)


def test_recompute_grad_inside_a_map():
    cube = tf.recompute_grad(lambda x: x**3)
    np.testing.assert_allclose(tf.vmap(lambda e: grad_of(cube, e))(tf.constant([1.0, 2.0])), [3.0, 12.0])
    np.testing.assert_allclose(grad_of(lambda x: tf.vmap(cube)(x), tf.constant([1.0, 2.0])), [3.0, 12.0])


# ---- vectorized_map


def test_recompute_grad_of_a_lookup_inside_a_map():
    """The gradient of the table is sparse, and has its rows and indices for each row of the map."""
    table, rows = tf.Variable(tf.transpose(W)), tf.constant([[0, 1, 1], [1, 0, 0], [0, 0, 0]])
    look_up = lambda i: tf.gather(table, i) ** 2
    with tf.GradientTape(persistent=True) as tape:
        y, z = tf.vmap(tf.recompute_grad(look_up))(rows), look_up(rows)
    np.testing.assert_allclose(tape.gradient(y, table), tf.convert_to_tensor(tape.gradient(z, table)))


def test_vectorized_map_repeats_a_single_row():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    np.testing.assert_allclose(tf.vectorized_map(lambda p: p[0] + p[1], (x, tf.constant([[1.0, 1.0]]))), x.numpy() + 1)


def test_vectorized_map_falls_back_to_rows(caplog):
    x = tf.constant([[1.0, 2.0], [-3.0, 4.0]])
    f = lambda r: r if r[0] > 0 else -r
    with caplog.at_level(logging.WARNING, "tapeflow"):
        got = tf.vectorized_map(f, x)
    np.testing.assert_allclose(got, [[1, 2], [3, -4]])
    assert "row by row" in caplog.text
    caplog.clear()
    tf.vectorized_map(f, x, warn=False)
    assert not caplog.text
    with pytest.raises(TypeError, match=r"truth value.*one value for each of 2 rows.*test_vmap.py"):
        tf.vectorized_map(f, x, fallback_to_while_loop=False)


def test_vectorized_map_says_where_rows_are_computed_one_by_one(caplog):
    tf.vectorized_map(lambda r: tf.unique(r)[0], tf.constant([[1, 2], [3, 4]]))
    assert "unique has no batching rule" in caplog.text
    caplog.clear()
    tf.vectorized_map(lambda r: tf.unique(r)[0], tf.constant([[1, 2], [3, 4]]), warn=False)
    assert not caplog.text


def test_index_slices_become_dense():
    table = tf.Variable(tf.ones([3, 2]))

    def per(i):
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.gather(table, [i, 0]))
        return tape.gradient(y, table)

    np.testing.assert_allclose(
        tf.vectorized_map(per, tf.constant([0, 2])), [[[2, 2], [0, 0], [0, 0]], [[1, 1], [0, 0], [1, 1]]]
    )


# ---- what cannot be mapped


@pytest.mark.parametrize(
    "call, error, words",
    [
        (
            lambda: tf.vmap(lambda x, y: x + y)(X, X[:2]),
            ValueError,
            r"'x' has 3 \(shape \(3, 4\), axis 0\) and argument 'y' has 2 \(shape \(2,",
        ),
        (
            lambda: tf.vmap(lambda p: p["a"] + p["b"])({"a": X, "b": X[:1]}),
            ValueError,
            r"argument 'p'\['a'\] has 3.*argument 'p'\['b'\] has 1",
        ),
        (
            lambda: tf.vmap(lambda x, y: x + y)(X, 2.0),
            ValueError,
            r"argument 'y' is a scalar and has no axis to map over.*None in in_axes",
        ),
        (lambda: tf.vmap(lambda x: x, in_axes=2)(X), ValueError, r"argument 'x' has shape \(3, 4\) and no axis 2"),
        (lambda: tf.vmap(lambda x: x, out_axes=3)(X), ValueError, r"out_axes is 3 for a result of shape \(4,\)"),
        (
            lambda: tf.vmap(lambda x: x, in_axes=(0, 0))(X),
            ValueError,
            r"in_axes=\(0, 0\), 2 entries, does not fit what it is for, 1 of them",
        ),
        (lambda: tf.vmap(lambda x: x, in_axes=None)(X), ValueError, "Nothing to map over"),
        (lambda: tf.vmap(lambda x: object())(X), TypeError, r"must return tensors .* its result is <object"),
        (lambda: tf.vmap(lambda x: {"a": object()})(X), TypeError, r"result\['a'\] is <object"),
        (lambda: tf.vmap(lambda x, s: x * s)(X, s=2.0), ValueError, r"argument 's' is a scalar.*functools.partial"),
        (lambda: tf.vmap(lambda x, y: x)(X, None), ValueError, "argument 'y' is None, and has no rows"),
        (lambda: tf.vmap(lambda n: tf.range(n))(tf.range(3)), TypeError, "range needs the value of a tensor"),
        (lambda: tf.vmap(3), TypeError, "vmap maps a function, got 3"),
        (lambda: tf.vmap(lambda x: x, randomness="none"), ValueError, "randomness must be one of"),
        (lambda: tf.vmap(lambda x: x, chunk_size=0), ValueError, "chunk_size must be at least 1"),
        (lambda: tf.vmap(lambda x: tf.random.normal([2]))(X), ValueError, "Say what is meant: randomness='different'"),
        (lambda: tf.vmap(lambda x: x.numpy())(X), AttributeError, r"\.numpy\(\) needs the value of a tensor"),
        (lambda: tf.vmap(lambda x: np.sin(np.asarray(x)))(X), TypeError, "A NumPy conversion needs the value"),
        (lambda: tf.vectorized_map(lambda x: x, tf.constant(1.0)), ValueError, "elems is a scalar and has no axis"),
        (lambda: tf.vectorized_map(lambda x: x[0], [X, X[:2]]), ValueError, r"elems\[0\] has 3.*elems\[1\] has 2"),
        (lambda: tf.vectorized_map(lambda x: 1.0, ()), ValueError, "Nothing to map over"),
    ],
)
def test_errors_name_the_argument(call, error, words):
    with pytest.raises(error, match=words):
        call()


@pytest.mark.parametrize(
    "f",
    [
        lambda v: v @ W,
        lambda v: v @ v,
        tf.linalg.inv,
        tf.linalg.pinv,
        tf.linalg.eigh,
        tf.linalg.expm,
        lambda v: tf.linalg.solve(v, v),
    ],
)
def test_vectors_do_not_pass_for_a_matrix(f):
    """All of them together would be one."""
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"rank 2 or more.*\(4,\)"):
        tf.vmap(f)(tf.eye(4, dtype=tf.float64))


def test_a_mapped_tensor_does_not_leave_its_map():
    kept = []
    tf.vmap(lambda x: (kept.append(x), x)[1])(X)
    with pytest.raises(TypeError, match="outside the function it belongs to"):
        kept[0] + 1.0


def test_a_mapped_tensor_shows_what_it_is():
    seen = []
    tf.vmap(lambda x: (seen.append((repr(x), x.shape, x.ndim, len(x), hasattr(x, "numpy"))), x)[1])(X)
    assert seen == [("<tf.Tensor: shape=(4,), dtype=float64, one for each of 3 rows>", (4,), 1, 4, False)]


def test_a_custom_gradient_with_results_of_both_kinds():
    """One result differs from row to row, the other does not: its gradient counts once."""
    both = tf.custom_gradient(lambda x, w: ((x * w, w * 2.0), lambda g1, g2: (g1 * w, g1 * x + g2 * 2.0)))
    x, w = tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        a, b = tf.vmap(both, in_axes=(0, None))(x, w)
        y = tf.reduce_sum(a) + tf.reduce_sum(b)
    np.testing.assert_allclose(tape.gradient(y, w), 10 + 8)


def test_errors_show_the_shapes_of_a_row():
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"For a row: In add\(a: float64 \(4,\), b: float64 \(3,\)\)"
    ):
        tf.vmap(lambda x: x + tf.ones([3], tf.float64))(X)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"(?s)5 rows.*For a row: In getitem\(x: float32 \(3,\), index=\(0, 0\)\)"
    ):
        tf.vmap(lambda a: a[0, 0])(tf.ones([5, 3]))


def test_results_that_are_not_alike_row_by_row():
    with pytest.raises(ValueError, match="for row 1: results must be alike"):
        tf.vectorized_map(lambda x: (x,) if x > 1 else (x, x), tf.constant([2.0, 1.0]), warn=False)


def test_axes_must_name_the_keys():
    with pytest.raises(ValueError, match="does not fit"):
        tf.vmap(lambda p: p["a"], in_axes=({"a": 0, "c": None},))({"a": X, "b": 1.0})


def test_half_precision_squares_add_up_as_outside():
    x = tf.constant(np.full((2, 100_000), 1e-4, np.float16))
    np.testing.assert_allclose(tf.vmap(tf.nn.l2_loss)(x), [float(tf.nn.l2_loss(row)) for row in x], rtol=1e-3)
    assert float(tf.nn.l2_loss(x[0])) > 0
