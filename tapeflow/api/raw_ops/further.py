"""Operations of `tf.raw_ops` that some exported graphs use, each of them a public function under another name."""

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from tapeflow.api import image as pictures, linalg, math, nn, quantization, random, signal, strings
from tapeflow.api.arrays import building, casting, indexing, properties, scatter, shaping, sorting
from tapeflow.api.math import counting
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import complex64, float32, int32, int64, uint64
from tapeflow.core.primitive import recorded as ops

from .attributes import CHECKED, only

__all__ = ["FURTHER"]

_Lu = namedtuple("Lu", "lu p")
_Eig = namedtuple("Eig", "e v")
_Unique = namedtuple("UniqueV2", "y idx")


def _transform(name: str, real: bool) -> Callable:
    """A Fourier transform; of real numbers, it takes a length."""
    function = lambda: getattr(signal, name)
    if not real:
        return lambda input: function()(input)
    if name.startswith("i"):
        return lambda input, fft_length, Treal=float32: function()(input, fft_length)
    return lambda input, fft_length, Tcomplex=complex64: function()(input, fft_length)


def _special(function: str) -> Callable:
    return lambda x: getattr(math.special, function)(x)


def _eig(input: Any, Tout: Any, compute_v: bool = True) -> Any:
    values, vectors = linalg.eig(input)
    return _Eig(values, vectors if compute_v else building.zeros([0], values.dtype))


def _unique(x: Any, axis: Any, out_idx: Any = int32) -> Any:
    axes = as_tensor(axis).numpy().ravel().tolist()
    x = as_tensor(x)
    if axes not in ([], [0]) or x.ndim != 1:
        from .derived import DERIVED

        return _Unique(*DERIVED["UniqueWithCountsV2"](x, axis, out_idx)[:2])
    return _Unique(*sorting.unique(x, out_idx))


def _reversed(tensor: Any, dims: Any) -> Any:
    return shaping.reverse(tensor, [k for k, one in enumerate(as_tensor(dims).numpy().tolist()) if one])


def _nth(input: Any, n: Any, reverse: bool = False) -> Any:
    rows = sorting.sort(input, direction="DESCENDING" if reverse else "ASCENDING")
    return indexing.gather(rows, n, axis=-1)


def _old_batch_norm(
    t: Any, m: Any, v: Any, beta: Any, gamma: Any, variance_epsilon: float, scale_after_normalization: bool
) -> Any:
    return nn.batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None, variance_epsilon)


def _bias_grad(out_backprop: Any, data_format: str = "NHWC") -> Any:
    g = as_tensor(out_backprop)
    channel = 1 if data_format == "NCHW" else g.ndim - 1
    return math.reduce_sum(g, [k for k in range(g.ndim) if k != channel])


def _bincount(arr: Any, size: Any, weights: Any) -> Any:
    from .arrays import ARRAYS

    return ARRAYS["DenseBincount"](shaping.reshape(arr, [-1]), size, shaping.reshape(weights, [-1]))


FURTHER: dict[str, Callable] = dict(
    # ---- numbers
    BesselI0=lambda x: math.bessel_i0(x),
    BesselI0e=lambda x: math.bessel_i0e(x),
    BesselI1=lambda x: math.bessel_i1(x),
    BesselI1e=lambda x: math.bessel_i1e(x),
    GuaranteeConst=lambda input: properties.identity(input),
    Copy=only(lambda input: properties.identity(input), tensor_name=("",), debug_ops_spec=([],)),
    ConjugateTranspose=lambda x, perm: math.conj(shaping.transpose(x, perm)),
    ControlTrigger=lambda: None,
    Empty=lambda shape, dtype, init=False: building.zeros(shape, dtype),
    # ---- counting and places
    Bincount=_bincount,
    HistogramFixedWidth=lambda values, value_range, nbins, dtype=int32: counting.histogram_fixed_width(
        values, value_range, nbins, dtype
    ),
    InTopK=lambda predictions, targets, k: sorting.in_top_k(targets, predictions, k),
    NthElement=_nth,
    Reverse=_reversed,
    UniqueV2=_unique,
    UnravelIndex=lambda indices, dims: sorting.unravel_index(indices, dims),
    ScatterNdNonAliasingAdd=only(
        lambda input, indices, updates: scatter.tensor_scatter_nd_add(input, indices, updates), **CHECKED
    ),
    # ---- matrices
    Eig=_eig,
    Lu=lambda input, output_idx_type=int32: _Lu(*linalg.lu(input, output_idx_type)),
    MatrixLogarithm=lambda input: linalg.logm(input),
    MatrixSquareRoot=lambda input: linalg.sqrtm(input),
    MatrixSolveLs=lambda matrix, rhs, l2_regularizer, fast=True: linalg.lstsq(matrix, rhs, l2_regularizer, fast),
    TridiagonalMatMul=lambda superdiag, maindiag, subdiag, rhs: linalg.tridiagonal_matmul(
        [shaping.squeeze(d, [-2]) for d in (superdiag, maindiag, subdiag)], rhs, "sequence"
    ),
    TridiagonalSolve=lambda diagonals, rhs, partial_pivoting=True, perturb_singular=False: linalg.tridiagonal_solve(
        diagonals, rhs, partial_pivoting=partial_pivoting, perturb_singular=perturb_singular
    ),
    BandedTriangularSolve=lambda matrix, rhs, lower=True, adjoint=False: linalg.banded_triangular_solve(
        matrix, rhs, lower, adjoint
    ),
    MatrixDiagV2=lambda diagonal, k, num_rows, num_cols, padding_value: linalg.diag(
        diagonal, k=k, num_rows=num_rows, num_cols=num_cols, padding_value=padding_value, align="LEFT_LEFT"
    ),
    MatrixSetDiagV2=lambda input, diagonal, k: linalg.set_diag(input, diagonal, k=k, align="LEFT_LEFT"),
    # ---- networks
    FakeQuantWithMinMaxArgs=lambda inputs, min=-6.0, max=6.0, num_bits=8, narrow_range=False: (
        quantization.fake_quant_with_min_max_args(inputs, min, max, num_bits, narrow_range)
    ),
    FakeQuantWithMinMaxVars=lambda inputs, min, max, num_bits=8, narrow_range=False: (
        quantization.fake_quant_with_min_max_vars(inputs, min, max, num_bits, narrow_range)
    ),
    FakeQuantWithMinMaxVarsPerChannel=lambda inputs, min, max, num_bits=8, narrow_range=False: (
        quantization.fake_quant_with_min_max_vars_per_channel(inputs, min, max, num_bits, narrow_range)
    ),
    DrawBoundingBoxesV2=lambda images, boxes, colors: pictures.draw_bounding_boxes(images, boxes, colors),
    NonMaxSuppressionWithOverlaps=lambda overlaps, scores, max_output_size, overlap_threshold, score_threshold: (
        pictures.non_max_suppression_overlaps(overlaps, scores, max_output_size, overlap_threshold, score_threshold)
    ),
    # ---- gradients
    BiasAddGrad=_bias_grad,
    EluGrad=lambda gradients, outputs: gradients * indexing.where(
        math.greater(outputs, 0), building.ones_like(outputs), as_tensor(outputs) + 1
    ),
    InvGrad=lambda y, dy: -as_tensor(dy) * as_tensor(y) * y,
    LeakyReluGrad=lambda gradients, features, alpha=0.2: gradients * indexing.where(
        math.greater(features, 0), building.ones_like(features), building.ones_like(features) * alpha
    ),
    ReciprocalGrad=lambda y, dy: -as_tensor(dy) * as_tensor(y) * y,
    ReluGrad=lambda gradients, features: gradients * casting.cast(
        math.greater(features, 0), as_tensor(gradients).dtype
    ),
    Relu6Grad=lambda gradients, features: gradients * casting.cast(
        math.logical_and(math.greater(features, 0), math.less(features, 6)), as_tensor(gradients).dtype
    ),
    RsqrtGrad=lambda y, dy: as_tensor(dy) * -0.5 * as_tensor(y) * y * y,
    SigmoidGrad=lambda y, dy: as_tensor(dy) * y * (1 - as_tensor(y)),
    SoftplusGrad=lambda gradients, features: gradients * math.sigmoid(features),
    SoftsignGrad=lambda gradients, features: gradients / math.square(1 + math.abs(features)),
    SqrtGrad=lambda y, dy: as_tensor(dy) * 0.5 / y,
    TanhGrad=lambda y, dy: as_tensor(dy) * (1 - math.square(y)),
    # ---- random numbers
    RandomPoissonV2=lambda shape, rate, seed=0, seed2=0, dtype=int64: random.poisson(
        shape, rate, dtype, None if not seed and not seed2 else seed * 1000003 + seed2
    ),
    StatelessMultinomial=lambda logits, num_samples, seed, output_dtype=int64: random.stateless_categorical(
        logits, num_samples, seed, output_dtype
    ),
    StatelessRandomBinomial=lambda shape, seed, counts, probs, dtype=int64: random.stateless_binomial(
        shape, seed, counts, probs, dtype
    ),
    StatelessRandomPoisson=lambda shape, seed, lam, dtype: random.stateless_poisson(shape, seed, lam, dtype),
    StatelessRandomUniformFullInt=lambda shape, seed, dtype=uint64: random.stateless_uniform(
        shape, seed, None, None, dtype
    ),
    # ---- texts
    UnicodeTranscode=lambda input, input_encoding, output_encoding, errors="replace", replacement_char=65533,
    replace_control_characters=False: strings.unicode_transcode(
        input, input_encoding, output_encoding, errors, replacement_char, replace_control_characters
    ),
)  # fmt: skip
FURTHER |= {
    name.upper().replace("_", ""): _transform(name, "r" in name)
    for name in "fft2d fft3d ifft2d ifft3d rfft rfft2d rfft3d irfft irfft2d irfft3d".split()
}
FURTHER |= {
    "".join(part[0].upper() + part[1:] for part in function.split("_")): _special(function)
    for function in """bessel_j0 bessel_j1 bessel_k0 bessel_k0e bessel_k1 bessel_k1e bessel_y0 bessel_y1 dawsn expint
        fresnel_cos fresnel_sin spence""".split()
}
