"""tf.signal's transforms against NumPy and SciPy: lengths, axes, dtypes, gradients through lengths that cut and fill
up."""

import numpy as np
import pytest
import scipy.fft

import tapeflow as tf
from tests.api.gradients import gradient
from tests.ops.samples.sample import complex_normal, normal
from tests.ops.test_registry import check_gradients

X, Z = normal(2, 3, 4), complex_normal(2, 3, 4)


def check(f, x):
    check_gradients(lambda t: [f(t)], [tf.constant(x)], "f", 2, 1e-4)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_between_complex_numbers(rank):
    axes = tuple(range(-rank, 0))
    name = {1: "fft", 2: "fft2d", 3: "fft3d"}[rank]
    forward, back = getattr(tf.signal, name), getattr(tf.signal, "i" + name)
    np.testing.assert_allclose(forward(Z).numpy(), np.fft.fftn(Z, axes=axes))
    np.testing.assert_allclose(back(forward(Z)).numpy(), Z)
    assert forward(tf.constant(Z.astype(np.complex64))).dtype == tf.complex64
    assert forward.__name__ == name
    check(forward, Z)


def test_real_tensors_are_refused_and_lists_taken():
    with pytest.raises(tf.errors.InvalidArgumentError, match="complex64"):
        tf.signal.fft(tf.constant([1.0, 2.0]))
    assert tf.signal.fft([1.0, 2.0]).numpy().tolist() == [3, -1]
    with pytest.raises(ValueError, match="RFFT requires"):
        tf.signal.rfft(tf.constant([1, 2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank"):
        tf.signal.fft2d([1j])


@pytest.mark.parametrize(
    ("rank", "lengths"),
    [(1, None), (1, [3]), (1, [7]), (1, [8]), (2, None), (2, [2, 6]), (2, [5, 3]), (3, None), (3, [1, 4, 5])],
)
def test_real(rank, lengths):
    name = {1: "rfft", 2: "rfft2d", 3: "rfft3d"}[rank]
    axes = tuple(range(-rank, 0))
    forward, back = getattr(tf.signal, name), getattr(tf.signal, "i" + name)
    np.testing.assert_allclose(forward(X, lengths).numpy(), np.fft.rfftn(X, lengths, axes), atol=1e-12)
    np.testing.assert_allclose(back(Z, lengths).numpy(), np.fft.irfftn(Z, lengths, axes), atol=1e-12)
    check(lambda x: forward(x, lengths), X)
    check(lambda z: back(z, lengths), Z)


def test_float32_stays():
    x = X.astype(np.float32)
    assert tf.signal.rfft(x).dtype == tf.complex64 and tf.signal.irfft(tf.signal.rfft(x)).dtype == tf.float32
    assert tf.signal.rfft(x, tf.constant([6])).shape == (2, 3, 4)
    assert gradient(tf.signal.rfft, x).dtype == np.float32


def test_wrong_number_of_lengths():
    with pytest.raises(tf.errors.InvalidArgumentError, match="fft_length"):
        tf.signal.rfft2d(X, [4])


@pytest.mark.parametrize("norm", [None, "backward", "ortho", "forward"])
@pytest.mark.parametrize(
    ("axes", "lengths"), [(None, None), ([0, 2], None), ([-1], [6]), ([1, 0], [2, 3]), (None, [3, 5])]
)
def test_any_axes(norm, axes, lengths):
    plain = tuple(range(3)) if axes is None and lengths is None else (1, 2) if axes is None else tuple(axes)
    how = dict(s=lengths, axes=plain, norm=norm or "backward")
    np.testing.assert_allclose(tf.signal.fftnd(Z, lengths, axes, norm).numpy(), np.fft.fftn(Z, **how), atol=1e-12)
    np.testing.assert_allclose(tf.signal.ifftnd(Z, lengths, axes, norm).numpy(), np.fft.ifftn(Z, **how), atol=1e-12)
    np.testing.assert_allclose(tf.signal.rfftnd(X, lengths, axes, norm).numpy(), np.fft.rfftn(X, **how), atol=1e-12)
    np.testing.assert_allclose(tf.signal.irfftnd(Z, lengths, axes, norm).numpy(), np.fft.irfftn(Z, **how), atol=1e-12)
    check(lambda z: tf.signal.fftnd(z, lengths, axes, norm), Z)
    check(lambda z: tf.signal.irfftnd(z, lengths, axes, norm), Z)


def test_wrong_axes_and_norm():
    with pytest.raises(tf.errors.InvalidArgumentError, match="different"):
        tf.signal.fftnd(Z, axes=[0, 0])
    with pytest.raises(ValueError, match="norm"):
        tf.signal.fftnd(Z, norm="x")


@pytest.mark.parametrize("axes", [None, 0, 1, (1, 2), [-1], tf.constant([0, 2])], ids=str)
def test_shifts(axes):
    plain = tuple(axes.numpy()) if isinstance(axes, tf.Tensor) else axes
    np.testing.assert_array_equal(tf.signal.fftshift(X, axes).numpy(), np.fft.fftshift(X, plain))
    np.testing.assert_array_equal(tf.signal.ifftshift(X, axes).numpy(), np.fft.ifftshift(X, plain))


@pytest.mark.parametrize(
    ("kind", "norm"), [(1, None), (2, None), (2, "ortho"), (3, None), (3, "ortho"), (4, None), (4, "ortho")]
)
@pytest.mark.parametrize("n", [None, 3, 6])
def test_dct(kind, norm, n):
    np.testing.assert_allclose(
        tf.signal.dct(X, kind, n, norm=norm).numpy(), scipy.fft.dct(X, kind, n, norm=norm), atol=1e-12
    )
    inverse = {2: 3, 3: 2}.get(kind, kind)
    np.testing.assert_allclose(
        tf.signal.idct(X, kind, n, norm=norm).numpy(), scipy.fft.dct(X, inverse, n, norm=norm), atol=1e-12
    )
    check(lambda x: tf.signal.dct(x, kind, n, norm=norm), X)


@pytest.mark.parametrize(
    ("kwargs", "error"),
    [
        ({"type": 5}, ValueError),
        ({"type": 1, "norm": "ortho"}, ValueError),
        ({"norm": "x"}, ValueError),
        ({"n": 0}, ValueError),
        ({"axis": 1}, NotImplementedError),
    ],
)
def test_dct_errors(kwargs, error):
    with pytest.raises(error):
        tf.signal.dct(X, **kwargs)


def test_dtypes_of_dct():
    assert tf.signal.dct(tf.ones([4], tf.float16)).dtype == tf.float16
    assert tf.signal.dct(tf.ones([4])).dtype == tf.float32


@pytest.mark.parametrize("transform,shape,found", [
    (tf.signal.rfft, (0, 0), (0, 0)), (tf.signal.rfft, (3, 0), (3, 0)), (tf.signal.rfft, (0, 4), (0, 3)),
    (tf.signal.rfft2d, (6, 0), (6, 0)), (tf.signal.rfft2d, (0, 6), (0, 4)), (tf.signal.rfftnd, (3, 0), (3, 0)),
])  # fmt: skip
def test_nothing_has_no_frequencies(transform, shape, found):
    x = tf.zeros(shape)
    assert tuple(transform(x).shape) == tuple(tf.function(transform)(x).shape) == found
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.abs(transform(x)))
    assert tuple(tape.gradient(y, x).shape) == shape


@pytest.mark.parametrize("transform", [tf.signal.rfft, tf.signal.rfft2d, tf.signal.irfft, tf.signal.fftnd])
def test_lengths_are_not_negative(transform):
    x = tf.ones([4, 4], tf.float32 if transform.__name__[0] == "r" else tf.complex64)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must >= 0, but got: -1"):
        transform(x, [-1] if transform.__name__.endswith("fft") else [2, -1])
