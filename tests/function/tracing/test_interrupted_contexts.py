"""Ctrl-C at any point of what the library does: afterwards nothing is left open, and everything still works."""

import pytest

import tapeflow as tf
from tapeflow.core.frames import current
from tapeflow.core.runtime.scopes import scope
from tests.interrupting import interrupted_everywhere

X = tf.constant([1.0, 2.0, 3.0])


def slope(function):
    with tf.GradientTape() as tape:
        tape.watch(X)
        y = function(X)
    return tape.gradient(y, X).numpy().tolist()


def paused():
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(X)
        with tape.stop_recording():
            z = X + 1.0
        y = tf.reduce_sum(X * z)
    return tape.gradient(y, X).numpy().tolist()


def pushed():
    with tf.autodiff.ForwardAccumulator(X, tf.ones(3)) as accumulator:
        y = X * X
    return accumulator.jvp(y).numpy().tolist()


def ruled():
    return slope(tf.custom_gradient(lambda x: (x * x, lambda g: g * 7.0)))


def again():
    return slope(tf.recompute_grad(lambda x: tf.nn.dropout(x, 0.0) * x))


def mapped():
    return tf.vectorized_map(lambda r: tf.where(r > 1.5, r, r * r), X).numpy().tolist()


def named():
    with tf.name_scope("a"), tf.device("CPU:0"):
        return tf.Variable(1.0).name


def traced(function, jit=None):
    """A new tf.function for each run, which is traced and called; then it is called again, and finds its trace or
    makes one."""
    return lambda: tf.function(function, jit_compile=jit)


def step(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.cond(x[0] > 0, lambda: x * x, lambda: x))
    return tape.gradient(y, x)


def loop(x):
    return tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a + x), [0, tf.zeros(3)])[1]


def making():
    made = []

    def function(x):
        if not made:
            made.append(tf.Variable(tf.zeros(3)))
        return made[0].assign(x) * 2.0

    return tf.function(function)


def dataset():
    numbers = tf.data.Dataset.range(6).map(lambda a: a * 2).shuffle(3, seed=1).batch(2).prefetch(2)
    return lambda _: tf.constant(sorted(int(v) for batch in numbers for v in batch))


# What runs or what makes it; its result; how many points are taken in one stride
WITHOUT_STATE = {
    "pause": (paused, [2.0, 3.0, 4.0], 2), "push": (pushed, [2.0, 4.0, 6.0], 1),
    "custom_gradient": (ruled, [7.0] * 3, 2), "recompute_grad": (again, [2.0, 4.0, 6.0], 7),
    "vectorized_map": (mapped, [1.0, 2.0, 3.0], 3), "names": (named, "a/Variable:0", 1),
}  # fmt: skip
FRESH = {
    "trace": (traced(step), [2.0, 4.0, 6.0], 97), "compile": (traced(step, True), [2.0, 4.0, 6.0], 997),
    "loop": (traced(loop), [5.0, 10.0, 15.0], 67), "compiled loop": (traced(loop, True), [5.0, 10.0, 15.0], 997),
    "first variable": (making, [2.0, 4.0, 6.0], 29), "dataset": (dataset, [0, 2, 4, 6, 8, 10], 1),
}  # fmt: skip


def nothing_is_open():
    frame = current()
    assert frame.executor is None and frame.below is None and frame.device is None and not frame.audience
    assert scope.get() == ""
    assert slope(lambda x: x * x) == [2.0, 4.0, 6.0]


@pytest.mark.parametrize("what", WITHOUT_STATE)
def test_contexts_are_left(what):
    act, result, stride = WITHOUT_STATE[what]
    for _ in interrupted_everywhere(act, stride):
        nothing_is_open()
        assert act() == result


@pytest.mark.parametrize("what", FRESH)
def test_what_was_half_built_is_not_used(what):
    make, result, stride = FRESH[what]
    made = [make()]
    for where in interrupted_everywhere(lambda: made[0](X), stride):
        nothing_is_open()
        assert made[0](X).numpy().tolist() == result, where
        made[0] = make()
