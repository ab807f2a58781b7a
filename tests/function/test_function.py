"""tf.function: the same values and derivatives as without it, traced once for each kind of arguments."""

import logging
import pickle

import numpy as np
import pytest

import tapeflow as tf
from tests.function.programs import X, grad_of, wave

# ---- values and derivatives


def test_derivatives_of_every_order():
    f, g = tf.function(wave), wave
    for _ in range(4):
        np.testing.assert_allclose(f(X), g(X), rtol=1e-5)
        f, g = (lambda x, f=f: tf.reduce_sum(grad_of(f, x))), (lambda x, g=g: tf.reduce_sum(grad_of(g, x)))


def test_a_tape_inside_outside_and_both():
    slope = tf.function(lambda x: grad_of(wave, x))
    np.testing.assert_allclose(slope(X), grad_of(wave, X), rtol=1e-6)
    np.testing.assert_allclose(grad_of(slope, X), grad_of(lambda x: grad_of(wave, x), X), rtol=1e-5)


def test_jacobians_forward_mode_and_maps():
    f = lambda x: tf.math.cumprod(tf.sin(x))
    g = tf.function(f)
    np.testing.assert_allclose(tf.derivatives.jacobian(g)(X), tf.derivatives.jacobian(f)(X), rtol=1e-6)
    np.testing.assert_allclose(tf.derivatives.jacobian(g, mode="forward")(X), tf.derivatives.jacobian(f)(X), rtol=1e-5)
    np.testing.assert_allclose(tf.vmap(g)(tf.stack([X, 2 * X])), np.stack([f(X), f(2 * X)]), rtol=1e-6)
    products = [tf.derivatives.hvp(lambda x, h=h: tf.reduce_sum(h(x)), X, X) for h in (f, g)]
    np.testing.assert_allclose(*products, rtol=1e-5)
    inside = tf.function(
        lambda x: (tf.derivatives.jacobian(f)(x), tf.vectorized_map(tf.sin, x), tf.derivatives.jvp(f, x, x)[1])
    )
    jacobian, sines, tangent = inside(X)
    np.testing.assert_allclose(jacobian, tf.derivatives.jacobian(f)(X), rtol=1e-6)
    np.testing.assert_allclose(sines, np.sin(X), rtol=1e-6)
    np.testing.assert_allclose(tangent, tf.derivatives.jvp(f, X, X)[1], rtol=1e-6)


def test_a_training_step_changes_variables_in_the_order_of_the_program():
    w, count = tf.Variable([1.0, 2.0]), tf.Variable(0)

    @tf.function
    def step(x):
        count.assign_add(1)
        before = w * 1.0
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((w * x) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return before, loss, w * 1.0

    twin = np.array([1.0, 2.0])
    for _ in range(3):
        before, _, after = step(tf.constant([1.0, 0.5]))
        np.testing.assert_allclose(before, twin, rtol=1e-6)
        twin = twin - 0.2 * twin * np.array([1.0, 0.25])
        np.testing.assert_allclose(after, twin, rtol=1e-6)
        np.testing.assert_allclose(w, twin, rtol=1e-6)
    assert int(count) == 3 and step.experimental_get_tracing_count() == 1


def test_what_was_assigned_is_not_followed():
    v, x = tf.Variable(2.0), tf.constant(3.0)

    @tf.function
    def f(x):
        v.assign(x * 2.0)
        return v * x

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert [float(g) for g in tape.gradient(y, [x, v])] == [6.0, 3.0]


def test_captured_tensors_and_variables_have_gradients():
    w, c = tf.Variable(2.0), tf.constant(3.0)
    f = tf.function(lambda x: x * w * c)
    f(tf.constant(1.0))
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = f(tf.constant(5.0))
    assert [float(g) for g in tape.gradient(y, [w, c])] == [15.0, 10.0]
    assert [v is w for v in tape.watched_variables()] == [True]


def test_random_numbers_are_drawn_at_every_call_and_follow_the_seed():
    draw = tf.function(lambda: (tf.random.normal([3]), tf.nn.dropout(tf.ones([100]), 0.5)))
    tf.random.set_seed(1)
    first, second = draw(), draw()
    assert not np.array_equal(first[0], second[0])
    tf.random.set_seed(1)
    np.testing.assert_array_equal(draw()[0], first[0])
    tf.random.set_seed(1)
    key = tf.constant(2.0)
    seeded = tf.function(lambda: key * tf.random.normal([3], seed=5))
    np.testing.assert_array_equal(
        seeded(), key * tf.random.normal([3], seed=5)
    )  # with a seed of its own, that of eager programs


def test_random_numbers_in_functions_are_tensorflows():
    """Without a seed an operation's own is how many such there were before it in its graph; each has a counter of its
    own."""
    uniform = lambda **how: tf.random.uniform([2], **how)
    tf.random.set_seed(7)
    three = tf.function(lambda: (tf.random.uniform([3]), tf.random.normal([3]), tf.random.uniform([3])))
    want = [
        [
            [0.7537285089492798, 0.07793760299682617, 0.45880913734436035],
            [-0.5408053994178772, 1.1220329999923706, 1.1741739511489868],
            [0.280009388923645, 0.686867356300354, 0.6526052951812744],
        ],
        [
            [0.7915035486221313, 0.510116696357727, 0.5416638851165771],
            [0.8731191158294678, -1.0898884534835815, 0.441364049911499],
            [0.07266604900360107, 0.6894286870956421, 0.9674407243728638],
        ],
    ]
    for numbers in want:
        np.testing.assert_allclose(three(), numbers, rtol=1e-6)
    tf.random.set_seed(8)  # the seed is that of the trace; the counters start again
    np.testing.assert_allclose(three(), want[0], rtol=1e-6)

    tf.random.set_seed(7)
    seeded = tf.function(lambda: (tf.random.uniform([3], seed=5), tf.random.uniform([3], seed=5)))
    for numbers in (
        [0.8669310808181763, 0.0021675825119018555, 0.9194519519805908],
        [0.7997453, 0.9907882, 0.44618702],
    ):
        np.testing.assert_array_equal(seeded(), np.float32([numbers, numbers]))

    inner = tf.function(uniform)
    outer = tf.function(lambda: (inner(), uniform(), inner()))
    for numbers in ([0.7537285, 0.0779376], [0.39710164, 0.6849351]):
        np.testing.assert_allclose(outer(), [numbers] * 3, rtol=1e-6)

    branches = tf.function(lambda x: tf.cond(x > 0, uniform, lambda: uniform() + 10))
    np.testing.assert_allclose(branches(tf.constant(1)), [0.7537285, 0.0779376], rtol=1e-6)
    loop = tf.function(lambda: tf.map_fn(lambda _: uniform(), tf.zeros(3)))
    found = [[0.7537285, 0.0779376], [0.39710164, 0.6849351], [0.17815924, 0.8656577]]
    np.testing.assert_allclose(loop(), found, rtol=1e-6)
    assert not np.intersect1d(loop(), loop()).size


def test_a_function_traced_before_the_seed_was_set_follows_it():
    tf.random.set_seed(None)
    draw = tf.function(lambda: tf.random.uniform([3]))
    draw()
    found = []
    for _ in range(2):
        tf.random.set_seed(3)
        found.append(draw().numpy())
    np.testing.assert_array_equal(*found)
    tf.random.set_seed(None)


def test_custom_gradients_inside():
    @tf.custom_gradient
    def odd(x):
        return x * x, lambda g: g * 100.0 * x

    f = tf.function(lambda x: odd(x) * 2.0)
    np.testing.assert_allclose(grad_of(f, X), 200 * X.numpy())
    np.testing.assert_allclose(
        grad_of(lambda x: grad_of(f, x), X), grad_of(lambda x: grad_of(lambda x: odd(x) * 2.0, x), X)
    )
    inside = tf.function(lambda x: grad_of(odd, x))
    np.testing.assert_allclose(inside(X), 100 * X.numpy())


def test_each_call_in_a_function_has_its_own_custom_gradient():
    @tf.custom_gradient
    def cube(x):
        return x**3, lambda g: g * 3.0 * x**2

    inner = tf.function(lambda x: cube(x) * 1.0)
    a, b = tf.constant(2.0), tf.constant(5.0)
    both = lambda ab: inner(ab[0]) + inner(ab[1])
    ab = tf.stack([a, b])
    for f in (both, tf.function(both)):
        np.testing.assert_allclose(grad_of(f, ab), [12, 75])
        np.testing.assert_allclose(tf.function(lambda x, f=f: grad_of(f, x))(ab), [12, 75])
        np.testing.assert_allclose(grad_of(lambda x, f=f: grad_of(f, x), ab), [12, 30])


def test_custom_gradients_read_variables_and_assign_them():
    w, seen = tf.Variable(3.0), tf.Variable(0.0, trainable=False)

    @tf.custom_gradient
    def scaled(x):
        return x * w, lambda g, variables: (g * w, [tf.reduce_sum(g * x) * 2.0])

    @tf.custom_gradient
    def hook(x):
        def backward(g):
            seen.assign_add(tf.reduce_sum(g))
            return g

        return tf.identity(x), backward

    again = tf.recompute_grad(lambda x: tf.tanh(x * w))
    for f in (scaled, again):
        found = []
        for g in (f, tf.function(f)):
            with tf.GradientTape() as outer:
                outer.watch(X)
                with tf.GradientTape() as tape:
                    tape.watch(X)
                    y = g(X) ** 2
                slopes = tape.gradient(y, [X, w])
                total = tf.reduce_sum(slopes[0])
            found.append([*slopes, *outer.gradient(total, [X, w])])
        for one, other in zip(*found):
            np.testing.assert_allclose(one, other, rtol=1e-5)
    hooked = tf.function(lambda x: hook(x) * 2.0)
    for _ in range(2):
        grad_of(hooked, X)
    np.testing.assert_allclose(seen, 12)


def test_a_custom_gradient_that_needs_values():
    @tf.custom_gradient
    def signed(x):
        return x * 1.0, lambda g: g * (2.0 if float(tf.reduce_sum(x)) > 0 else 3.0)

    f = tf.function(signed)
    np.testing.assert_allclose(f(X), X)
    for x, slope in ((X, 2.0), (-X, 3.0)):
        np.testing.assert_allclose(grad_of(f, x), [slope] * 3)


def test_slices_stay_slices():
    table, ids = tf.Variable(tf.ones([6, 3])), tf.constant([1, 1, 3])
    loss = lambda ids: tf.reduce_sum(tf.gather(table, ids) ** 2)

    def slope(ids, loss=loss):
        with tf.GradientTape() as tape:
            y = loss(ids)
        return tape.gradient(y, table)

    for g in (tf.function(slope)(ids), slope(ids, tf.function(loss)), tf.function(slope)(ids, tf.function(loss))):
        assert isinstance(g, tf.IndexedSlices) and g.values.shape == (3, 3) and g.shape == (6, 3)
        np.testing.assert_allclose(g, slope(ids))


def test_variables_of_open_shape():
    v = tf.Variable(tf.zeros(3), shape=tf.TensorShape(None))

    @tf.function
    def append(x):
        v.assign(tf.concat([v, x], 0))
        return tf.size(v)

    assert [int(append(X)) for _ in range(3)] == [6, 9, 12]


def test_functions_in_functions():
    inner = tf.function(lambda x, k: x**k)
    outer = tf.function(lambda x: inner(x, 3) + inner(x, 2))
    np.testing.assert_allclose(outer(X), X.numpy() ** 3 + X.numpy() ** 2, rtol=1e-6)
    np.testing.assert_allclose(grad_of(outer, X), 3 * X.numpy() ** 2 + 2 * X.numpy(), rtol=1e-6)


def test_narrow_dtypes():
    x = tf.cast(X, tf.bfloat16)
    f = lambda x: tf.reduce_sum(tf.sin(x) * x)
    assert tf.function(f)(x).dtype is tf.bfloat16
    np.testing.assert_array_equal(tf.cast(tf.function(f)(x), tf.float32), tf.cast(f(x), tf.float32))
    np.testing.assert_array_equal(tf.cast(grad_of(tf.function(f), x), tf.float32), tf.cast(grad_of(f, x), tf.float32))


# ---- what cannot be traced


def test_what_python_decides_by_values_runs_as_python(caplog):
    @tf.function
    def f(x):
        return tf.boolean_mask(x, x > 1.5) ** [2.0, 3.0][tf.cast(x[0], tf.int32) - 1]

    with caplog.at_level(logging.INFO, "tapeflow"):
        np.testing.assert_allclose(f(X), [4, 9])
        np.testing.assert_allclose(f(X + 1), [8, 27, 64])
    assert "f runs as plain Python, not as a graph" in caplog.text and "test_function.py" in caplog.text
    np.testing.assert_allclose(grad_of(f, X), [0, 4, 6])


def test_effects_happen_at_every_call(capsys):
    table = tf.Variable(tf.zeros([3]))

    @tf.function
    def f(i):
        tf.print("hello")
        table.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([1])))
        return tf.py_function(lambda i: i + 1, [i], tf.int32)

    assert [int(f(tf.constant(k))) for k in range(3)] == [1, 2, 3]
    assert float(table[1]) >= 3.0
    assert capsys.readouterr().err.count("hello") >= 3


def test_without_autograph_a_symbol_has_no_truth_value():
    @tf.function(autograph=False)
    def f(x):
        return x if x > 0 else -x

    with pytest.raises(TypeError, match=r"as a Python `bool`.*test_function.py.*tf.cond"):
        f(tf.constant(1.0))


def test_a_symbol_does_not_leave_its_function():
    kept = []
    tf.function(lambda x: (kept.append(x * 2.0), x)[1])(X)
    with pytest.raises(TypeError, match="outside the function that it belongs to"):
        kept[0] + 1.0
    assert not hasattr(kept[0], "numpy") and type(kept[0]).__name__ == "SymbolicTensor"


def test_an_error_in_the_plan_names_the_line():
    f = tf.function(lambda x, i: tf.gather(x, i))
    f(X, tf.constant([0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 7 is not in \[0, 3\)"):
        f(X, tf.constant([7]))


def test_what_a_function_returns():
    with pytest.raises(TypeError, match=r"must return tensors .* it returned <object"):
        tf.function(lambda x: object())(X)
    with pytest.raises(TypeError, match="takes a function, got 5"):
        tf.function(5)


def test_functions_can_be_run_as_python():
    calls = []
    f = tf.function(lambda x: (calls.append(1), x)[1])
    tf.config.run_functions_eagerly(True)
    try:
        f(X), f(X)
    finally:
        tf.config.run_functions_eagerly(False)
    assert len(calls) == 2 and not tf.config.functions_run_eagerly()


def test_gradients_of_the_graph():
    f = tf.function(lambda x: tf.gradients(tf.reduce_sum(x**3), x)[0])
    np.testing.assert_allclose(f(X), 3 * X.numpy() ** 2)
    np.testing.assert_allclose(grad_of(f, X), 6 * X.numpy())
    h = tf.function(lambda x: tf.hessians(tf.reduce_sum(x**3), x)[0])
    np.testing.assert_allclose(h(X), np.diag(6 * X.numpy()))


def test_errors_found_while_tracing_can_be_pickled():
    wrong = lambda x: tf.matmul(x, tf.ones([5, 2]))
    with pytest.raises(ValueError, match=r"test_function\.py") as caught:
        tf.function(wrong)(tf.ones([2, 3]))
    again = pickle.loads(pickle.dumps(caught.value))
    assert (
        isinstance(again, tf.errors.InvalidArgumentError)
        and isinstance(again, ValueError)
        and str(again) == str(caught.value)
    )
