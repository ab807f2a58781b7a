"""`tf.gradients` and `tf.hessians`: derivatives of symbols, inside a `tf.function`."""

from typing import Any

from tapeflow.function.tracing import symbolic_gradients

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
    """The gradients of `ys` by each of `xs` inside a `tf.function`; eagerly it raises, as in TensorFlow, and says to
    use a tape.

    Args:
        ys: What is differentiated: a tensor or a list.
        xs: The tensors to differentiate by.
        grad_ys: The weights of the elements of `ys`; None: ones.
        gate_gradients: Taken and not used.
        aggregation_method: Taken and not used.
        stop_gradients: Tensors that count as constants.
        unconnected_gradients: What those of `xs` get that `ys` do not depend on: `none` or `zero`.

    Returns:
        A list of gradients, one for each of `xs`.

    Raises:
        RuntimeError: Outside of a `tf.function`.

    >>> tf.function(lambda x: tf.gradients(x ** 3, x)[0])(tf.constant(2.)).numpy()
    np.float32(12.0)

    >>> tf.gradients(tf.constant(1.), tf.constant(1.))
    Traceback (most recent call last):
    RuntimeError: tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.
    """
    found = symbolic_gradients.gradients(ys, xs, grad_ys, stop_gradients, unconnected_gradients)
    if found is None:
        raise RuntimeError(_EAGERLY.format("tf.gradients", ""))
    return found


def hessians(
    ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: Any = None, name: str = "hessians"
) -> Any:
    """The second derivatives of `ys` by each of `xs` inside a `tf.function`; eagerly it raises, as in TensorFlow, and
    says what to use.

    Args:
        ys: What is differentiated: a tensor or a list.
        xs: The tensors to differentiate by.
        gate_gradients: Taken and not used.
        aggregation_method: Taken and not used.

    Returns:
        A list of second derivatives, one for each of `xs`.

    Raises:
        RuntimeError: Outside of a `tf.function`.

    >>> tf.function(lambda x: tf.hessians(tf.reduce_sum(x ** 3), x)[0])(tf.constant([1., 2.])).numpy().tolist()
    [[6.0, 0.0], [0.0, 12.0]]

    >>> tf.hessians(tf.constant(1.), tf.constant(1.))
    Traceback (most recent call last):
    RuntimeError: tf.hessians is not supported when eager execution is enabled. Use tf.GradientTape instead, or
    tf.derivatives.hessian.
    """
    found = symbolic_gradients.hessians(ys, xs)
    if found is None:
        raise RuntimeError(_EAGERLY.format("tf.hessians", ", or tf.derivatives.hessian"))
    return found
