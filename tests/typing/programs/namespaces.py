"""Functions of the namespaces as type checkers see them, also those that tables make: each gives what it says."""

# pyright: strict

from collections.abc import Callable
from typing import assert_type

import numpy as np
import numpy.typing as npt

import tapeflow as tf
import tapeflow.experimental.numpy as tnp
from tapeflow.keras import layers


def operators(t: tf.Tensor, v: tf.Variable, a: npt.NDArray[np.float32]) -> tf.Tensor:
    assert_type(t * a, tf.Tensor)
    assert_type(2.0 * v, tf.Tensor)
    assert_type(v @ t, tf.Tensor)
    assert_type(2**t, tf.Tensor)
    assert_type(abs(v), tf.Tensor)
    assert_type((t > 1) & ~(t < 3), tf.Tensor)
    assert_type(t[..., tf.newaxis, ::2], tf.Tensor)
    assert_type(t.dtype.is_floating, bool)
    t += 1.0
    return t


def matrices(a: tf.Tensor) -> tf.Tensor:
    s, u, v = tf.linalg.svd(a)
    assert_type(s, tf.Tensor)
    assert_type(tf.linalg.svd(a, compute_uv=False), tf.Tensor)
    q, _ = tf.linalg.qr(a)
    scaled = tf.linalg.LinearOperatorDiag([1.0, 2.0])
    assert_type(scaled, tf.linalg.LinearOperatorDiag)
    assert_type(scaled.to_dense(), tf.Tensor)
    clipped, norm = tf.clip_by_global_norm([a, q], 1.0)
    assert_type(norm, tf.Tensor)
    return tf.linalg.matmul(u * s, v, transpose_b=True) + tf.add_n(clipped)


def signals(x: tf.Tensor, window: Callable[..., tf.Tensor] = tf.signal.hann_window) -> tf.Tensor:
    assert_type(tf.signal.fft(tf.cast(x, tf.complex64)), tf.Tensor)
    return tf.abs(tf.signal.stft(x, 4, 2, window_fn=window))


def as_numpy(x: tf.Tensor) -> tf.Tensor:
    assert_type(tnp.sum(x, axis=0), tf.Tensor)
    assert_type(tf.experimental.numpy.fft.rfft(x), tf.Tensor)
    values, _ = tnp.linalg.eigh(tnp.outer(x, x))
    return tnp.sort(tnp.sin(values))


def below_three(x: tf.Tensor) -> tf.Tensor:
    return x < 3


def elements(dataset: tf.data.Dataset[tf.Tensor]) -> list[int]:
    some = dataset.apply(tf.data.experimental.take_while(below_three))
    return [int(x) for x in some]


def older(x: tf.Tensor, total: tf.types.experimental.Callable[[tf.Tensor], tf.Tensor]) -> float:
    tf.compat.v1.assert_positive(x)
    assert_type(total(x), tf.Tensor)
    assert_type(total.__name__, str)
    return float(tf.compat.v1.reduce_sum(x, keep_dims=False) + tf.compat.v1.losses.mean_squared_error(x, x))


@tf.function
def total(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(x)


if __name__ == "__main__":
    x = tf.constant([1.0, 2.0, 4.0, 8.0])
    print(operators(tf.ones([2, 2]), tf.Variable(tf.ones([2, 2])), np.ones((2, 2), np.float32)).shape)
    print(matrices(tf.ones([2, 2])).shape, signals(x).shape, as_numpy(x).shape, older(x, total))
    print(elements(tf.data.Dataset.range(5).map(lambda x: x)), isinstance(layers.Dense(2), layers.Layer))
