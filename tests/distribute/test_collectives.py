"""What replicas compute together, with its derivatives."""

import numpy as np
import pytest

import tapeflow as tf

from .cpus import context, each, four_cpus, mirrored, numbers  # noqa: F401


def losses_and_gradients(strategy, collective, *values):
    """The gradient of a different function of the collective in each replica; by the tape, and by differences."""

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            weight = tf.cast(context().replica_id_in_sync_group, x.dtype) + 1.0
            y = tf.reduce_sum(tf.sin(collective(x)) * weight)
        return y, tape.gradient(y, x)

    y, g = strategy.run(f, args=(each(strategy, *values),))
    return sum(numbers(y)), numbers(g)


@pytest.mark.parametrize(
    "collective",
    [
        lambda x: context().all_reduce("sum", x),
        lambda x: context().all_reduce("mean", x * x),
        lambda x: context().all_gather(x, axis=0),
        lambda x: tf.reduce_sum(context().all_gather(x[None] * x[:, None], axis=1), 0),
    ],
)
@pytest.mark.parametrize("count", [2, 3])
def test_gradients_are_those_of_the_sum_over_replicas(collective, count):
    """The replica's tape sees only its own operations, and yet what flows back has come from all replicas."""
    strategy = mirrored(count)
    values = np.random.default_rng(count).normal(size=(count, 2))
    total, gradients = losses_and_gradients(strategy, collective, *values)
    for k in range(count):
        for i in range(2):
            moved = values.copy()
            moved[k, i] += 1e-6
            slope = (losses_and_gradients(strategy, collective, *moved)[0] - total) / 1e-6
            np.testing.assert_allclose(gradients[k][i], slope, rtol=1e-4, atol=1e-5)


def test_second_order_and_forward_mode():
    strategy = mirrored()

    def f(x):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = context().all_reduce("sum", x * x * x)
            g = inner.gradient(y, x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
            z = context().all_reduce("sum", x * x)
        return g, outer.gradient(g, x), accumulator.jvp(z)

    first, second, pushed = strategy.run(f, args=(each(strategy, 1.0, 2.0),))
    assert numbers(first) == [6.0, 24.0]  # 2 * 3x²: each of the two replicas has the sum
    assert numbers(second) == [12.0, 24.0]
    assert numbers(pushed) == [6.0, 6.0]  # the tangents of all replicas: 2 + 4


def test_a_tape_around_run_sees_all_replicas():
    """TensorFlow's is blind there, and gives None."""
    strategy = mirrored()
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = strategy.run(lambda s: context().all_reduce("sum", x * x) * s, args=(each(strategy, 1.0, 10.0),))
        total = strategy.reduce("SUM", y, axis=None)
    assert float(total) == 11 * 18.0
    assert float(tape.gradient(total, x)) == 11 * 12.0


def test_in_rows_of_a_map():
    strategy = mirrored()
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    f = lambda s: tf.vmap(lambda row: context().all_gather(context().all_reduce("sum", row * s), axis=0))(rows)
    found = strategy.run(f, args=(each(strategy, 1.0, 10.0),))
    assert numbers(found)[0] == numbers(found)[1] == [[11 * a, 11 * b] * 2 for a, b in rows.numpy().tolist()]


def test_parts_of_different_sizes_are_joined():
    strategy = mirrored()
    found = strategy.run(lambda x: context().all_gather(x, axis=0), args=(each(strategy, [1, 5], [2]),))
    assert numbers(found) == [[1, 5, 2]] * 2


def test_slices_are_joined():
    strategy = mirrored()

    def f(k):
        slices = tf.IndexedSlices([[1.0]], tf.reshape(k, [1]), [3, 1])
        return tf.convert_to_tensor(context().all_reduce("sum", slices))

    assert numbers(strategy.run(f, args=(each(strategy, 0, 2),))) == [[[1.0], [0.0], [1.0]]] * 2


def test_refusals():
    strategy = mirrored()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\(2,\) in replica 0, \(1,\) in replica 1"):
        strategy.run(lambda x: context().all_reduce("sum", x), args=(each(strategy, [1.0, 2.0], [3.0]),))
    assert numbers(strategy.run(lambda: context().all_reduce("sum", tf.constant(1)))) == [2, 2]  # it goes on
    with pytest.raises(AttributeError, match=r"tf.constant\(1.0\)"):
        strategy.run(lambda: context().all_reduce("sum", 1.0))
    with pytest.raises(ValueError, match="Give scalars an axis"):
        strategy.run(lambda: context().all_gather(tf.constant(1.0), axis=0))
    kept = []

    def f(x):
        tape = tf.GradientTape(persistent=True)
        with tape:
            tape.watch(x)
            kept.append((tape, context().all_reduce("sum", x), x))

    strategy.run(f, args=(each(strategy, 1.0, 2.0),))
    tape, y, x = kept[0]
    with pytest.raises(RuntimeError, match="outside of them"):
        tape.gradient(y, x)
