"""Mistakes that type checkers find: `make lint` fails when they miss one of these lines, or complain of another."""

# pyright: strict

import tapeflow as tf
from tapeflow import reduce_summ  # wrong
from tapeflow.keras import layer  # wrong


@tf.function
def scaled(x: tf.Tensor, by: float = 2.0) -> tf.Tensor:
    return x * by


@tf.function(reduce_retracing=True)
def halved(x: tf.Tensor) -> tf.Tensor:
    return x / 2.0


@tf.vmap
def row_sum(x: tf.Tensor) -> tf.Tensor:
    return tf.reduce_sum(x)


class Layer(tf.Module):
    @tf.function
    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return x

    @tf.function
    def loss(self, x: tf.Tensor) -> tf.Tensor:
        return x


def names(x: tf.Tensor, v: tf.Variable) -> None:
    print(tf.reduce_mea(x))  # wrong
    print(tf.math.sine(x))  # wrong
    print(tf.data.Datasets)  # wrong
    print(tf.train.Checkpoints)  # wrong
    print(tf.derivatives.gradient)  # wrong
    print(tf.keras.layers.Densse(3))  # wrong
    print(tf.linalg.LinearOperatorDiagonal)  # wrong
    print(x.nump())  # wrong
    print(x.shape.ranks)  # wrong
    print(v.asign(x))  # wrong


def arguments(x: tf.Tensor, v: tf.Variable) -> None:
    print(tf.sin("a", banana=2))  # wrong
    print(tf.reduce_sum())  # wrong
    print(tf.random.normal([3], means=1.0))  # wrong
    print(scaled(x, bye=3.0))  # wrong
    print(scaled(x, "three"))  # wrong
    print(halved())  # wrong
    print(row_sum(x, x))  # wrong
    print(Layer()(x, x))  # wrong
    print(Layer().loss("a"))  # wrong
    print(v.assign())  # wrong
    print(tf.Variable(1.0, trainible=False))  # wrong


def tapes(x: tf.Tensor) -> None:
    with tf.GradientTape(persistant=True):  # wrong
        pass
    with tf.GradientTape() as tape:
        y = tf.sin(x)
    print(tape.gradients(y, x))  # wrong
    print(tape.gradient(y))  # wrong
    print(tape.jacobian(y, x, experimental_use_for=True))  # wrong
    print(tape.explain(y))  # wrong


def results(x: tf.Tensor) -> None:
    number: int = tf.reduce_sum(x)  # wrong
    text: str = scaled(x)  # wrong
    print(number, text)
    for element in tf.data.Dataset.range(3):
        print(element.nam)  # wrong


def namespaces(x: tf.Tensor) -> None:
    print(tf.experimental.numpy.arrange(3))  # wrong
    print(tf.experimental.numpy.linalg.norm(x, wide=True))  # wrong
    print(tf.signal.fft(x, axis=1))  # wrong
    print(tf.data.experimental.take_while(prdicate=bool))  # wrong
    print(tf.data.experimental.enumerate_dataset(start=0, stop=3))  # wrong
    print(tf.compat.v1.reduce_sum(x, reduction_index=1))  # wrong
    print(tf.compat.v1.to_float(x, tf.float32))  # wrong
    print(tf.profiler.experimental.begin("logs"))  # wrong
    print(tf.types.experimental.TensorsLike)  # wrong
    print(tf.linalg.svd(x, compute_uv=False).s)  # wrong
    print(x.dtype.is_float)  # wrong
