"""Images scaled and translated by numbers that are tensors, so that these have gradients, too. TensorFlow has no name
for it; Keras' `scale_and_translate` is made of it."""

from collections.abc import Callable, Sequence

from tapeflow.api.arrays.building import range as numbers
from tapeflow.api.arrays.shaping import transpose
from tapeflow.api.interop.numpy_functions.elementwise import sinc
from tapeflow.api.linalg.products import tensordot
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor


def _triangle(x: Tensor) -> Tensor:
    return ops.maximum(1 - x, 0)


def _cubic(x: Tensor) -> Tensor:
    """Keys' cubic."""
    inner = (1.5 * x - 2.5) * x * x + 1
    outer = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return ops.where(x >= 2, ops.zeros_like(x), ops.where(x >= 1, outer, inner))


def _lanczos(radius: int) -> Callable[[Tensor], Tensor]:
    return lambda x: ops.where(x >= radius, ops.zeros_like(x), sinc(x) * sinc(x / radius))


# The share of an old line in a new one, by how far apart they are.
KERNELS: dict[str, Callable[[Tensor], Tensor]] = {
    **dict.fromkeys(("linear", "bilinear", "trilinear", "triangle"), _triangle),
    **dict.fromkeys(("cubic", "bicubic", "tricubic"), _cubic),
    "lanczos3": _lanczos(3),
    "lanczos5": _lanczos(5),
}


def scaled_and_translated(
    x: Tensor,
    axes: Sequence[int],
    before: Sequence,
    after: Sequence[int],
    scale: Sequence[Tensor],
    translation: Sequence[Tensor],
    method: str,
    antialias: bool,
) -> Tensor:
    """`x` resampled along `axes`, which have the sizes `before`, and `after` it.

    >>> from tapeflow.api.image.scaling import scaled_and_translated
    >>> x, two, zero = tf.constant([1., 2., 3.]), tf.constant(2.), tf.constant(0.)
    >>> scaled_and_translated(x, [0], [3], [6], [two], [zero], "linear", antialias=False).numpy()
    array([1.  , 1.25, 1.75, 2.25, 2.75, 3.  ], dtype=float32)
    """
    for axis, old, new, factor, shift in zip(axes, before, after, scale, translation):
        mixed = tensordot(x, _mixture(old, new, factor, shift, KERNELS[method], antialias), [[axis], [0]])
        order = [*range(axis), x.ndim - 1, *range(axis, x.ndim - 1)]
        x = mixed if axis == x.ndim - 1 else transpose(mixed, order)
    return x


def _mixture(before: int, after: int, factor: Tensor, shift: Tensor, kernel: Callable, antialias: bool) -> Tensor:
    """How much each new line, a column, has of each old one, a row: the kernel around where the middle of the new one
    comes from."""
    step = 1 / factor
    width = ops.maximum(step, 1) if antialias else 1.0
    at = (numbers(after, dtype=factor.dtype) + 0.5 - shift) * step - 0.5
    share = kernel(abs(at - numbers(before, dtype=factor.dtype)[:, None]) / width)
    total = ops.reduce_sum(share, axis=(0,), keepdims=False)
    something = abs(total) > 1000 * (1.2e-7 if factor.dtype.name == "float32" else 2.3e-16)
    inside = (at >= -0.5) & (at <= before - 0.5) & something
    return ops.where(inside, share / ops.where(something, total, 1.0), ops.zeros_like(share))
