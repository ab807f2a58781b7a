"""Functions that only move elements are linear: on random shapes, each against NumPy and its gradient against the
adjoint."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as st_np

import tapeflow as tf

shapes = st_np.array_shapes(min_dims=1, max_dims=4, min_side=0, max_side=4)


def numbers(shape):
    return np.random.default_rng(sum(shape) + len(shape)).integers(-9, 9, shape).astype(float)


def check(function, reference, x):
    """The value is NumPy's; and <u, f(x)> = <gradient at u, x>, exactly, since these are whole numbers."""
    t = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(t)
        y = function(t)
    np.testing.assert_array_equal(y, reference(x))
    u = numbers((*y.shape, 1))[..., 0]
    g = tf.convert_to_tensor(tape.gradient(y, t, output_gradients=tf.constant(u)))
    assert g.shape == t.shape
    assert np.sum(u * y.numpy()) == np.sum(g.numpy() * x)


def draw_pad(data, shape):
    paddings = [data.draw(st.tuples(st.integers(0, 3), st.integers(0, 3))) for _ in shape]
    return lambda x: tf.pad(x, paddings), lambda x: np.pad(x, paddings)


def draw_mirror(mode):
    def draw(data, shape):
        most = [max(0, d - (mode == "reflect")) for d in shape]
        paddings = [data.draw(st.tuples(st.integers(0, m), st.integers(0, m))) for m in most]
        return lambda x: tf.pad(
            x, paddings, mode
        ), lambda x: np.pad(x, paddings, mode) if x.size else np.zeros(np.pad(x, paddings).shape)

    return draw


def draw_transpose(data, shape):
    perm = data.draw(st.permutations(range(len(shape))))
    return lambda x: tf.transpose(x, perm), lambda x: np.transpose(x, perm)


def draw_tile(data, shape):
    times = [data.draw(st.integers(0, 3)) for _ in shape]
    return lambda x: tf.tile(x, times), lambda x: np.tile(x, times)


def draw_axis(data, shape):
    return data.draw(st.integers(-len(shape), len(shape) - 1))


def draw_repeat(data, shape):
    axis = draw_axis(data, shape)
    counts = [data.draw(st.integers(0, 3)) for _ in range(shape[axis])] or 2
    return lambda x: tf.repeat(x, counts, axis), lambda x: np.repeat(x, counts, axis)


def draw_gather(data, shape):
    axis = draw_axis(data, shape)
    size = shape[axis]
    wanted = data.draw(st_np.array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3)) if size else (0,)
    indices = np.random.default_rng(size).integers(0, max(size, 1), wanted)
    return lambda x: tf.gather(x, indices, axis=axis), lambda x: np.take(x, indices, axis)


def draw_roll(data, shape):
    axis, shift = draw_axis(data, shape), data.draw(st.integers(-9, 9))
    return lambda x: tf.roll(x, shift, axis), lambda x: np.roll(x, shift, axis)


def draw_reverse(data, shape):
    axis = draw_axis(data, shape)
    return lambda x: tf.reverse(x, [axis]), lambda x: np.flip(x, axis)


def draw_slice(data, shape):
    key = data.draw(st_np.basic_indices(shape, allow_newaxis=True))
    return lambda x: x[key], lambda x: x[key]


def draw_mask(data, shape):
    mask = data.draw(st_np.arrays(bool, shape[: data.draw(st.integers(1, len(shape)))]))
    return lambda x: tf.boolean_mask(x, mask), lambda x: x[mask]


def draw_join(data, shape):
    axis = draw_axis(data, shape)
    return lambda x: tf.concat([x, 2.0 * x, x], axis), lambda x: np.concatenate([x, 2 * x, x], axis)


def draw_stack(data, shape):
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    return lambda x: tf.stack([x, 2.0 * x], axis), lambda x: np.stack([x, 2 * x], axis)


def draw_broadcast(data, shape):
    wide = (
        *data.draw(st_np.array_shapes(max_dims=2, max_side=3)),
        *[data.draw(st.integers(0, 3)) if d == 1 else d for d in shape],
    )
    return lambda x: tf.broadcast_to(x, wide), lambda x: np.broadcast_to(x, wide)


KINDS = {
    "pad": draw_pad,
    "reflect": draw_mirror("reflect"),
    "symmetric": draw_mirror("symmetric"),
    "transpose": draw_transpose,
    "tile": draw_tile,
    "repeat": draw_repeat,
    "gather": draw_gather,
    "roll": draw_roll,
    "reverse": draw_reverse,
    "slice": draw_slice,
    "mask": draw_mask,
    "concat": draw_join,
    "stack": draw_stack,
    "broadcast": draw_broadcast,
}


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
@settings(max_examples=30, deadline=None, derandomize=True)
def test_moves_elements_as_numpy_does(kind, data):
    shape = data.draw(shapes)
    check(*KINDS[kind](data, shape), numbers(shape))
