"""Activation functions of `tf.nn`."""

from typing import Any

from tapeflow.api.arguments import expose, one_axis
from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TensorLike


@expose(ops.relu)
def relu(features: TensorLike, name: str | None = None) -> Tensor:
    """max(x, 0) for every element. The slope at 0 is 0.

    >>> tf.nn.relu([-2., 0., 3.]).numpy()
    array([0., 0., 3.], dtype=float32)
    """


@expose(ops.relu6)
def relu6(features: TensorLike, name: str | None = None) -> Tensor:
    """min(max(x, 0), 6) for every element. The slope is 0 at 0 and at 6.

    >>> tf.nn.relu6([-2., 3., 8.]).numpy()
    array([0., 3., 6.], dtype=float32)
    """


@expose(ops.elu)
def elu(features: TensorLike, name: str | None = None) -> Tensor:
    """x where it is positive, exp(x) - 1 elsewhere.

    >>> tf.nn.elu([-100., 0., 2.]).numpy()
    array([-1.,  0.,  2.], dtype=float32)
    """


@expose(ops.selu)
def selu(features: TensorLike, name: str | None = None) -> Tensor:
    """A scaled `elu` that keeps mean 0 and variance 1 from layer to layer.

    >>> tf.nn.selu([-100., 0., 1.]).numpy().round(4)
    array([-1.7581,  0.    ,  1.0507], dtype=float32)
    """


@expose(ops.softplus)
def softplus(features: TensorLike, name: str | None = None) -> Tensor:
    """log(1 + exp(x)), a smooth `relu`, without overflow.

    >>> tf.nn.softplus([20., 1000.]).numpy()
    array([  20., 1000.], dtype=float32)
    """


@expose(ops.softsign)
def softsign(features: TensorLike, name: str | None = None) -> Tensor:
    """x / (1 + |x|): like tanh, but reaching ±1 much later.

    >>> tf.nn.softsign([-3., 0., 1.]).numpy()
    array([-0.75,  0.  ,  0.5 ], dtype=float32)
    """


def leaky_relu(features: TensorLike, alpha: float = 0.2, name: str | None = None) -> Tensor:
    """x where it is positive, `alpha * x` elsewhere. At 0 the slope is `alpha`.

    Args:
        alpha: The slope where numbers are negative.

    >>> tf.nn.leaky_relu([-10., 10.]).numpy()
    array([-2., 10.], dtype=float32)
    """
    x = _floating(features)
    alpha = float(alpha)
    if alpha >= 0:
        return ops.leaky_relu(x, alpha=alpha)
    return ops.where(ops.greater(x, 0.0), x, x * alpha)


def crelu(features: TensorLike, axis: int = -1, name: str | None = None) -> Tensor:
    """`relu(x)` and `relu(-x)` side by side: twice the length along `axis`.

    >>> tf.nn.crelu([[-1., 2.]]).numpy()
    array([[0., 2., 1., 0.]], dtype=float32)
    """
    x = as_tensor(features)
    return ops.relu(ops.concat(x, -x, axis=one_axis(axis, x.ndim)))


def gelu(features: TensorLike, approximate: bool = False, name: str | None = None) -> Tensor:
    """x Φ(x), with the normal distribution function Φ; `approximate=True` takes a tanh in its place.

    Args:
        approximate: Take a formula with tanh.

    Raises:
        ValueError: If `features` are not of a floating dtype.

    >>> tf.nn.gelu([-10., 0., 1.]).numpy()
    array([-7.619853e-23,  0.000000e+00,  8.413448e-01], dtype=float32)
    """
    x = as_tensor(features)
    if not x.dtype.is_floating:
        raise ValueError(
            f"`features.dtype` must be a floating point tensor. Received: {x.dtype.name}. Cast it: tf.cast(x, "
            "tf.float32)."
        )
    return ops.gelu_tanh(x) if approximate else ops.gelu(x)


def silu(features: TensorLike, beta: TensorLike = 1.0) -> Tensor:
    """x sigmoid(beta x), also called swish.

    Args:
        beta: How steep the sigmoid is.

    >>> tf.nn.silu([-200., 0., 200.]).numpy()
    array([ -0.,   0., 200.], dtype=float32)
    """
    if isinstance(beta, (int, float)) and beta == 1:
        return ops.silu(features)
    x = as_tensor(features)
    return x * ops.sigmoid(beta * x)


swish = silu


def log_sigmoid(x: TensorLike, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), exact also where sigmoid(x) is 0 as a float.

    >>> tf.math.log_sigmoid([-1000., 0.]).numpy().round(4)
    array([-1.000e+03, -6.931e-01], dtype=float32)
    """
    return -ops.softplus(-as_tensor(x))


def softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """exp(x) divided by its sum along `axis` (the last one): probabilities.

    >>> tf.nn.softmax([1000., 1000., -1000.]).numpy()
    array([0.5, 0.5, 0. ], dtype=float32)
    """
    x = as_tensor(logits)
    return ops.softmax(x, axis=_axis_of_classes(x, axis))


def log_softmax(logits: TensorLike, axis: int | None = None, name: str | None = None) -> Tensor:
    """log(softmax(x)) along `axis` (the last one), exact also where the probability is 0 as a float.

    >>> tf.nn.log_softmax([1000., 0.]).numpy()
    array([    0., -1000.], dtype=float32)
    """
    x = as_tensor(logits)
    return ops.log_softmax(x, axis=_axis_of_classes(x, axis))


def _axis_of_classes(logits: Tensor, axis: int | None) -> int:
    if not logits.ndim:
        raise invalid("logits must have at least one axis, got a scalar (rank 0).")
    return one_axis(-1 if axis is None else axis, logits.ndim)


def _floating(value: Any) -> Tensor:
    x = as_tensor(value)
    return ops.cast(x, dtype="float32") if x.dtype.is_integer else x
