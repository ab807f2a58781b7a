"""Fourier transforms: the `fft` family of `tf.signal`."""

from math import prod
from typing import Any

from tapeflow.api.arguments import normal_axis, one_axis, static_shape
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import complex64, float32, float64
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import AxisLike, ShapeLike, TensorLike
from tapeflow.ops.math.fft import fit

__all__ = [
    "fft", "fft2d", "fft3d", "fftnd", "fftshift", "ifft", "ifft2d", "ifft3d", "ifftnd", "ifftshift",
    "irfft", "irfft2d", "irfft3d", "irfftnd", "rfft", "rfft2d", "rfft3d", "rfftnd",
]  # fmt: skip


def _complex(x: Any, rank: int) -> Tensor:
    """Lists of Python numbers become complex64; a real tensor must be cast by its owner."""
    is_list = isinstance(x, (list, tuple))
    x = as_tensor(x)
    if is_list and x.dtype is float32:
        x = ops.cast(x, dtype=complex64.np)
    return ranked(x, rank)


def ranked(x: Tensor, rank: int) -> Tensor:
    if x.ndim < rank:
        raise invalid(f"Input must have rank of at least {rank}, the transform's, but got shape {tuple(x.shape)}.")
    return x


def _last(x: Tensor, count: int) -> tuple[int, ...]:
    return tuple(range(x.ndim - count, x.ndim))


def _complex_transform(operation: Any, input: Any, count: int) -> Tensor:
    """Between complex numbers, along the last `count` axes."""
    x = _complex(input, count)
    return operation(x, axes=_last(x, count))


def fft(input: Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform of complex numbers along the last axis: y[k] = Σ x[n] exp(-2πi kn/N).

    >>> tf.signal.fft(tf.constant([1 + 0j, 0, 0, 0])).numpy()             # an impulse has all frequencies alike
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    return _complex_transform(ops.fft, input, 1)


def ifft(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `tf.signal.fft`.

    >>> tf.signal.ifft(tf.constant([1 + 0j, 1, 1, 1])).numpy()
    array([1.+0.j, 0.+0.j, 0.+0.j, 0.+0.j])
    """
    return _complex_transform(ops.ifft, input, 1)


def fft2d(input: Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform of complex numbers along the last two axes.

    >>> tf.signal.fft2d(tf.ones([2, 2], tf.complex64)).numpy().real
    array([[4., 0.],
           [0., 0.]], dtype=float32)
    """
    return _complex_transform(ops.fft, input, 2)


def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `tf.signal.fft2d`.

    >>> tf.signal.ifft2d(tf.constant([[4 + 0j, 0], [0, 0]])).numpy().real
    array([[1., 1.],
           [1., 1.]])
    """
    return _complex_transform(ops.ifft, input, 2)


def fft3d(input: Any, name: str | None = None) -> Tensor:
    """The discrete Fourier transform of complex numbers along the last three axes.

    >>> tf.signal.fft3d(tf.ones([2, 2, 2], tf.complex64)).numpy().real.ravel()
    array([8., 0., 0., 0., 0., 0., 0., 0.], dtype=float32)
    """
    return _complex_transform(ops.fft, input, 3)


def ifft3d(input: Any, name: str | None = None) -> Tensor:
    """The inverse of `tf.signal.fft3d`.

    >>> x = tf.constant(np.arange(8.0).reshape(2, 2, 2) + 0j)
    >>> np.allclose(tf.signal.ifft3d(tf.signal.fft3d(x)).numpy(), x.numpy())
    True
    """
    return _complex_transform(ops.ifft, input, 3)


# ---- real numbers and half spectra


def _lengths(fft_length: Any, shape: tuple[int, ...], inverse: bool) -> tuple[int, ...]:
    """The lengths of the real side along the transformed axes, of which the input has `shape`."""
    if fft_length is None:
        return (*shape[:-1], max(0, 2 * (shape[-1] - 1))) if inverse else shape
    lengths = static_shape(fft_length)
    if len(lengths) != len(shape):
        raise invalid(
            f"fft_length must have shape [{len(shape)}], one length for each transformed axis; got {lengths}."
        )
    for i, length in enumerate(lengths):
        if length < 0:
            raise invalid(f"fft_length[{i}] must >= 0, but got: {length}")
    return lengths


def _rfft(input_tensor: Any, fft_length: Any, count: int) -> Tensor:
    x = ranked(as_tensor(input_tensor), count)
    if x.dtype not in (float32, float64):
        raise ValueError(
            f"RFFT requires tf.float32 or tf.float64 inputs, got {x.dtype.name} of shape {tuple(x.shape)}."
        )
    axes = _last(x, count)
    return ops.rfft(x, lengths=_lengths(fft_length, tuple(x.sizes[x.ndim - count :]), False), axes=axes)


def _irfft(input_tensor: Any, fft_length: Any, count: int) -> Tensor:
    x = _complex(input_tensor, count)
    axes = _last(x, count)
    return ops.irfft(x, lengths=_lengths(fft_length, tuple(x.sizes[x.ndim - count :]), True), axes=axes)


def rfft(input_tensor: TensorLike, fft_length: ShapeLike | None = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers along the last axis: the n/2 + 1 frequencies from 0 up, the others are
    conjugates.

    `fft_length`, a list with one number, cuts the input or fills it up with zeros first.

    >>> tf.signal.rfft([1., 2., 3., 4.]).numpy()
    array([10.+0.j, -2.+2.j, -2.+0.j], dtype=complex64)
    """
    return _rfft(input_tensor, fft_length, 1)


def irfft(input_tensor: TensorLike, fft_length: ShapeLike | None = None, name: str | None = None) -> Tensor:
    """The real numbers of which `tf.signal.rfft` gave the input. Say `fft_length=[n]` if there was an odd number of
    them.

    >>> tf.signal.irfft(tf.signal.rfft([1., 2., 3.]), [3]).numpy()
    array([1., 2., 3.], dtype=float32)
    """
    return _irfft(input_tensor, fft_length, 1)


def rfft2d(input_tensor: TensorLike, fft_length: ShapeLike | None = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers along the last two axes, half of it: see `tf.signal.rfft`.

    >>> tf.signal.rfft2d(tf.ones([3, 4])).shape
    TensorShape([3, 3])
    """
    return _rfft(input_tensor, fft_length, 2)


def irfft2d(input_tensor: TensorLike, fft_length: ShapeLike | None = None, name: str | None = None) -> Tensor:
    """The inverse of `tf.signal.rfft2d`.

    >>> tf.signal.irfft2d(tf.signal.rfft2d([[1., 2.], [3., 4.]])).numpy()
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """
    return _irfft(input_tensor, fft_length, 2)


def rfft3d(input_tensor: TensorLike, fft_length: ShapeLike | None = None, name: str | None = None) -> Tensor:
    """The Fourier transform of real numbers along the last three axes, half of it: see `tf.signal.rfft`.

    >>> tf.signal.rfft3d(tf.ones([2, 3, 4])).shape
    TensorShape([2, 3, 3])
    """
    return _rfft(input_tensor, fft_length, 3)


def irfft3d(input_tensor: TensorLike, fft_length: ShapeLike | None = None, name: str | None = None) -> Tensor:
    """The inverse of `tf.signal.rfft3d`.

    >>> tf.signal.irfft3d(tf.signal.rfft3d(tf.ones([2, 3, 4]))).shape
    TensorShape([2, 3, 4])
    """
    return _irfft(input_tensor, fft_length, 3)


# ---- any number of axes


def _axes(x: Tensor, axes: Any, fft_length: Any) -> tuple[int, ...]:
    if axes is None:
        return _last(x, x.ndim if fft_length is None else len(static_shape(fft_length)))
    chosen = tuple(one_axis(a, x.ndim) for a in static_shape(axes))
    if len(set(chosen)) < len(chosen):
        raise invalid(f"axes must be different, got {chosen}.")
    return chosen


def _scale(norm: str | None, lengths: tuple[int, ...], inverse: bool) -> float:
    if norm not in (None, "backward", "ortho", "forward"):
        raise ValueError(f"Unknown norm {norm!r}: it is one of 'backward', 'ortho', 'forward'.")
    power = {None: 0.0, "backward": 0.0, "ortho": 0.5, "forward": 1.0}[norm]
    return float(prod(lengths)) ** (power if inverse else -power)


def _scaled(x: Tensor, scale: float) -> Tensor:
    return x if scale == 1.0 else x * scale


def fitted(x: Tensor, axes: tuple[int, ...], lengths: tuple[int, ...]) -> Tensor:
    """Cut, or filled up with zeros at the end."""
    wanted = dict(zip(axes, lengths))
    return fit(ops, x, tuple(wanted.get(i, d) for i, d in enumerate(x.sizes)))


def fftnd(
    input_tensor: TensorLike,
    fft_length: ShapeLike | None = None,
    axes: AxisLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform of complex numbers along `axes` (all of them by default), cut or filled up to
    `fft_length`.

    `norm` is which way the factor 1/n goes: 'backward' (the default), 'forward', or 'ortho' for its root both ways.

    Args:
        input_tensor: Numbers, real or complex.
        fft_length: The length along each axis, to which it is cut or filled up with zeros; None: as it is.
        axes: Along which axes; None: all.
        norm: Where the factor 1/n goes: `backward`, `forward`, or `ortho`.

    >>> tf.signal.fftnd(tf.ones([2, 3, 4], tf.complex64), axes=[0, 2]).numpy()[0, :, 0].real
    array([8., 8., 8.], dtype=float32)
    """
    return _fftnd(ops.fft, input_tensor, fft_length, axes, norm, inverse=False)


def ifftnd(
    input_tensor: TensorLike,
    fft_length: ShapeLike | None = None,
    axes: AxisLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `tf.signal.fftnd`.

    Args:
        input_tensor: Numbers, real or complex.
        fft_length: The length along each axis, to which it is cut or filled up with zeros; None: as it is.
        axes: Along which axes; None: all.
        norm: Where the factor 1/n goes: `backward`, `forward`, or `ortho`.

    >>> tf.signal.ifftnd(tf.ones([2, 2], tf.complex64)).numpy().real
    array([[1., 0.],
           [0., 0.]], dtype=float32)
    """
    return _fftnd(ops.ifft, input_tensor, fft_length, axes, norm, inverse=True)


def _fftnd(operation: Any, x: Any, fft_length: Any, axes: Any, norm: str | None, inverse: bool) -> Tensor:
    x = _complex(x, 0)
    axes = _axes(x, axes, fft_length)
    lengths = _lengths(fft_length, tuple(x.sizes[a] for a in axes), False)
    return _scaled(operation(fitted(x, axes, lengths), axes=axes), _scale(norm, lengths, inverse))


def rfftnd(
    input_tensor: TensorLike,
    fft_length: ShapeLike | None = None,
    axes: AxisLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform of real numbers along `axes`; along the last of them the half that is not a conjugate.

    Args:
        input_tensor: Numbers, real or complex.
        fft_length: The length along each axis, to which it is cut or filled up with zeros; None: as it is.
        axes: Along which axes; None: all.
        norm: Where the factor 1/n goes: `backward`, `forward`, or `ortho`.

    >>> tf.signal.rfftnd(tf.ones([2, 3, 4]), axes=[2, 1]).shape
    TensorShape([2, 2, 4])
    """
    x = as_tensor(input_tensor)
    if x.dtype not in (float32, float64):
        raise ValueError(
            f"RFFT requires tf.float32 or tf.float64 inputs, got {x.dtype.name} of shape {tuple(x.shape)}."
        )
    axes = _axes(x, axes, fft_length)
    lengths = _lengths(fft_length, tuple(x.sizes[a] for a in axes), False)
    return _scaled(ops.rfft(x, lengths=lengths, axes=axes), _scale(norm, lengths, False))


def irfftnd(
    input_tensor: TensorLike,
    fft_length: ShapeLike | None = None,
    axes: AxisLike | None = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `tf.signal.rfftnd`.

    Args:
        input_tensor: Numbers, real or complex.
        fft_length: The length along each axis, to which it is cut or filled up with zeros; None: as it is.
        axes: Along which axes; None: all.
        norm: Where the factor 1/n goes: `backward`, `forward`, or `ortho`.

    >>> x = tf.reshape(tf.range(8.), [2, 4])
    >>> tf.signal.irfftnd(tf.signal.rfftnd(x, norm='ortho'), norm='ortho').numpy().round(4)
    array([[0., 1., 2., 3.],
           [4., 5., 6., 7.]], dtype=float32)
    """
    x = _complex(input_tensor, 0)
    axes = _axes(x, axes, fft_length)
    lengths = _lengths(fft_length, tuple(x.sizes[a] for a in axes), True)
    return _scaled(ops.irfft(x, lengths=lengths, axes=axes), _scale(norm, lengths, True))


def fftshift(x: TensorLike, axes: AxisLike | None = None, name: str | None = None) -> Tensor:
    """Moves the frequency 0 from the beginning of `axes` (all of them by default) to the middle.

    >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy()
    array([-2, -1,  0,  1,  2], dtype=int32)
    """
    return _shifted(x, axes, 1)


def ifftshift(x: TensorLike, axes: AxisLike | None = None, name: str | None = None) -> Tensor:
    """Moves the frequency 0 from the middle back to the beginning: undoes `tf.signal.fftshift`.

    >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy()
    array([ 0,  1,  2, -2, -1], dtype=int32)
    """
    return _shifted(x, axes, -1)


def _shifted(x: Any, axes: Any, sign: int) -> Tensor:
    x = as_tensor(x)
    axes = normal_axis(axes, x.ndim, "axes")
    if not axes:
        return x
    return ops.roll(x, shift=tuple(sign * (x.sizes[a] // 2) for a in axes), axis=axes)
