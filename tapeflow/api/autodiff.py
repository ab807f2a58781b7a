"""`tf.autodiff`, and the top-level functions about gradients."""

from typing import Any

from tapeflow.tape.gradient_tape import GradientTape
from tapeflow.transforms.custom_gradient import custom_gradient, grad_pass_through
from tapeflow.transforms.forward import ForwardAccumulator
from tapeflow.transforms.recompute import recompute_grad

__all__ = ["ForwardAccumulator", "GradientTape"]


_EAGERLY = "{} is not supported when eager execution is enabled. Use tf.GradientTape instead{}."


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = None,
) -> Any:
    """Symbolic gradients inside a graph; eagerly it raises, as in TensorFlow, and says to use a tape.

    >>> tf.gradients(tf.constant(1.), tf.constant(1.))
    Traceback (most recent call last):
    RuntimeError: tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.
    """
    raise RuntimeError(_EAGERLY.format("tf.gradients", ""))


def hessians(ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: Any = None, name: str = "hessians") -> Any:
    """Symbolic second derivatives inside a graph; eagerly it raises, as in TensorFlow, and says what to use.

    >>> tf.hessians(tf.constant(1.), tf.constant(1.))
    Traceback (most recent call last):
    RuntimeError: tf.hessians is not supported when eager execution is enabled. Use tf.GradientTape instead, or tf.derivatives.hessian.
    """
    raise RuntimeError(_EAGERLY.format("tf.hessians", ", or tf.derivatives.hessian"))
