"""The operations of `tf.raw_ops`: each a line over the public function of the same meaning."""

import inspect
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api import linalg, math, nn, signal
from tapeflow.api.arrays import (
    building,
    casting,
    clipping,
    indexing,
    joining,
    properties as array,  # fmt: skip
    scatter,
    shaping,
    sorting,
)
from tapeflow.api.control import branches_and_loops as control
from tapeflow.api.strings import printing
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import complex64, float32, int32, int64
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor

from .attributes import CHECKED, only
from .derived import DERIVED

_Eigen = namedtuple("SelfAdjointEigV2", "e v")
_Svd = namedtuple("Svd", "s u v")
_Qr = namedtuple("Qr", "q r")
_TopK = namedtuple("TopKV2", "values indices")
_Unique = namedtuple("Unique", "y idx")


def _select(condition: Any, x: Any, y: Any) -> Any:
    """A vector condition chooses whole rows."""
    condition, x = as_tensor(condition), as_tensor(x)
    if condition.ndim == 1 < x.ndim:
        condition = ops.reshape(condition, shape=(condition.sizes[0], *[1] * (x.ndim - 1)))
    elif condition.ndim not in (0, x.ndim):
        raise invalid(
            f"condition must be a scalar, a vector or have the shape {tuple(x.shape)} of x, got "
            f"{tuple(condition.shape)}."
        )
    return ops.where(condition, x, y)


def _print(input: Any, data: Any, message: str = "", first_n: int = -1, summarize: int = 3) -> Any:
    printing.print_(message, *data, sep="", summarize=summarize)
    return ops.identity(as_tensor(input))


def _eigh(input: Any, compute_v: bool = True) -> Any:
    if compute_v:
        return _Eigen(*linalg.eigh(input))
    return _Eigen(linalg.eigvalsh(input), EagerTensor(np.zeros(0, as_tensor(input).dtype.np)))


def _svd(input: Any, compute_uv: bool = True, full_matrices: bool = False) -> Any:
    if compute_uv:
        return _Svd(*linalg.svd(input, full_matrices, True))
    nothing = EagerTensor(np.zeros(0, as_tensor(input).dtype.np))
    return _Svd(linalg.svd(input, full_matrices, False), nothing, nothing)


def _strided_slice(
    input: Any, begin: Any, end: Any, strides: Any, begin_mask: int = 0, end_mask: int = 0, ellipsis_mask: int = 0,
    new_axis_mask: int = 0, shrink_axis_mask: int = 0,
) -> Any:  # fmt: skip
    return indexing.strided_slice(
        input, begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask
    )


def _unary(function: str, module: Any = math, argument: str = "x") -> Callable:
    call = lambda **given: getattr(module, function)(given[argument])
    call.__signature__ = inspect.Signature([inspect.Parameter(argument, inspect.Parameter.KEYWORD_ONLY)])
    return call


OPS: dict[str, Callable] = dict(
    # ---- arithmetic
    Add=lambda x, y: math.add(x, y),
    AddV2=lambda x, y: math.add(x, y),
    AddN=lambda inputs: math.add_n(inputs),
    Sub=lambda x, y: math.subtract(x, y),
    Mul=lambda x, y: math.multiply(x, y),
    Div=lambda x, y: ops.div(x, y) if as_tensor(x).dtype.is_inexact else math.floordiv(x, y),
    RealDiv=lambda x, y: ops.div(x, y),
    FloorDiv=lambda x, y: math.floordiv(x, y),
    FloorMod=lambda x, y: math.floormod(x, y),
    DivNoNan=lambda x, y: math.divide_no_nan(x, y),
    MulNoNan=lambda x, y: math.multiply_no_nan(x, y),
    Pow=lambda x, y: math.pow(x, y),
    Maximum=lambda x, y: math.maximum(x, y),
    Minimum=lambda x, y: math.minimum(x, y),
    SquaredDifference=lambda x, y: math.squared_difference(x, y),
    Atan2=lambda y, x: math.atan2(y, x),
    Xlogy=lambda x, y: math.xlogy(x, y),
    Xdivy=lambda x, y: math.xdivy(x, y),
    Igamma=lambda a, x: math.igamma(a, x),
    Igammac=lambda a, x: math.igammac(a, x),
    Betainc=lambda a, b, x: math.betainc(a, b, x),
    Zeta=lambda x, q: math.zeta(x, q),
    Polygamma=lambda a, x: math.polygamma(a, x),
    # ---- comparison and choice
    Equal=lambda x, y, incompatible_shape_error=True: math.equal(x, y),
    NotEqual=lambda x, y, incompatible_shape_error=True: math.not_equal(x, y),
    Less=lambda x, y: math.less(x, y),
    LessEqual=lambda x, y: math.less_equal(x, y),
    Greater=lambda x, y: math.greater(x, y),
    GreaterEqual=lambda x, y: math.greater_equal(x, y),
    LogicalAnd=lambda x, y: math.logical_and(x, y),
    LogicalOr=lambda x, y: math.logical_or(x, y),
    LogicalNot=lambda x: math.logical_not(x),
    Select=_select,
    SelectV2=lambda condition, t, e: indexing.where(condition, t, e),
    Where=lambda condition: indexing.where(condition),
    ClipByValue=lambda t, clip_value_min, clip_value_max: clipping.clip_by_value(t, clip_value_min, clip_value_max),
    PopulationCount=lambda x: ops.population_count(x),
    # ---- reductions and scans
    Sum=lambda input, axis, keep_dims=False: math.reduce_sum(input, axis, keep_dims),
    Mean=lambda input, axis, keep_dims=False: math.reduce_mean(input, axis, keep_dims),
    Max=lambda input, axis, keep_dims=False: math.reduce_max(input, axis, keep_dims),
    Min=lambda input, axis, keep_dims=False: math.reduce_min(input, axis, keep_dims),
    Prod=lambda input, axis, keep_dims=False: math.reduce_prod(input, axis, keep_dims),
    All=lambda input, axis, keep_dims=False: math.reduce_all(input, axis, keep_dims),
    Any=lambda input, axis, keep_dims=False: math.reduce_any(input, axis, keep_dims),
    ArgMax=lambda input, dimension, output_type=int64: math.argmax(input, dimension, output_type),
    ArgMin=lambda input, dimension, output_type=int64: math.argmin(input, dimension, output_type),
    Cumsum=lambda x, axis, exclusive=False, reverse=False: math.cumsum(x, axis, exclusive, reverse),
    Cumprod=lambda x, axis, exclusive=False, reverse=False: math.cumprod(x, axis, exclusive, reverse),
    TopKV2=lambda input, k, sorted=True, index_type=int32: _TopK(*math.top_k(input, k, sorted, index_type)),
    Unique=lambda x, out_idx=int32: _Unique(*sorting.unique(x, out_idx)),
    SegmentSum=lambda data, segment_ids: math.segment_sum(data, segment_ids),
    UnsortedSegmentSum=lambda data, segment_ids, num_segments: math.unsorted_segment_sum(
        data, segment_ids, num_segments
    ),
    L2Loss=lambda t: nn.l2_loss(t),
    # ---- matrices
    MatMul=lambda a, b, transpose_a=False, transpose_b=False, grad_a=False, grad_b=False: linalg.matmul(
        a, b, transpose_a, transpose_b
    ),
    BatchMatMulV2=lambda x, y, adj_x=False, adj_y=False, grad_x=False, grad_y=False: linalg.matmul(
        x, y, adjoint_a=adj_x, adjoint_b=adj_y
    ),
    Einsum=lambda inputs, equation: linalg.einsum(equation, *inputs),
    Cholesky=lambda input: linalg.cholesky(input),
    MatrixInverse=lambda input, adjoint=False: linalg.inv(input, adjoint),
    MatrixDeterminant=lambda input: linalg.det(input),
    MatrixSolve=lambda matrix, rhs, adjoint=False: linalg.solve(matrix, rhs, adjoint),
    MatrixTriangularSolve=lambda matrix, rhs, lower=True, adjoint=False: linalg.triangular_solve(
        matrix, rhs, lower, adjoint
    ),
    Qr=lambda input, full_matrices=False: _Qr(*linalg.qr(input, full_matrices)),
    Svd=_svd,
    SelfAdjointEigV2=_eigh,
    # ---- neural networks
    LeakyRelu=lambda features, alpha=0.2: nn.leaky_relu(features, alpha),
    BiasAdd=lambda value, bias, data_format="NHWC": nn.bias_add(value, bias, data_format),
    NonMaxSuppressionV3=lambda boxes, scores, max_output_size, iou_threshold, score_threshold: (
        ops.non_max_suppression_v3(
            boxes,
            scores,
            max_output_size=int(max_output_size),
            iou_threshold=float(iou_threshold),
            score_threshold=float(score_threshold),
        )
    ),
    # ---- shape and place
    Cast=only(lambda x, DstT: casting.cast(x, DstT), Truncate=(False,)),
    Reshape=lambda tensor, shape: shaping.reshape(tensor, shape),
    Transpose=lambda x, perm: shaping.transpose(x, perm),
    ExpandDims=lambda input, axis: shaping.expand_dims(input, axis),
    Squeeze=lambda input, axis=(): shaping.squeeze(input, list(axis) or None),
    Tile=lambda input, multiples: shaping.tile(input, multiples),
    BroadcastTo=lambda input, shape: shaping.broadcast_to(input, shape),
    ReverseV2=lambda tensor, axis: shaping.reverse(tensor, axis),
    Roll=lambda input, shift, axis: shaping.roll(input, shift, axis),
    Pad=lambda input, paddings: shaping.pad(input, paddings),
    PadV2=lambda input, paddings, constant_values: shaping.pad(input, paddings, constant_values=constant_values),
    MirrorPad=lambda input, paddings, mode: shaping.pad(input, paddings, mode),
    Pack=lambda values, axis=0: joining.stack(values, axis),
    Unpack=lambda value, num, axis=0: joining.unstack(value, num, axis),
    ConcatV2=lambda values, axis: joining.concat(values, axis),
    Split=lambda axis, value, num_split: joining.split(value, num_split, axis),
    SplitV=lambda value, size_splits, axis, num_split: joining.split(value, size_splits, axis),
    Gather=lambda params, indices, validate_indices=True: indexing.gather(params, indices),
    GatherV2=lambda params, indices, axis, batch_dims=0: indexing.gather(
        params, indices, axis=axis, batch_dims=batch_dims
    ),
    GatherNd=only(lambda params, indices: indexing.gather_nd(params, indices), **CHECKED),
    ScatterNd=only(lambda indices, updates, shape: scatter.scatter_nd(indices, updates, shape), **CHECKED),
    TensorScatterUpdate=only(
        lambda tensor, indices, updates: scatter.tensor_scatter_nd_update(tensor, indices, updates), **CHECKED
    ),
    TensorScatterAdd=only(
        lambda tensor, indices, updates: scatter.tensor_scatter_nd_add(tensor, indices, updates), **CHECKED
    ),
    Slice=lambda input, begin, size: indexing.slice(input, begin, size),
    StridedSlice=_strided_slice,
    Shape=lambda input, out_type=int32: array.shape(input, out_type),
    Size=lambda input, out_type=int32: array.size(input, out_type),
    Rank=lambda input: array.rank(input),
    Fill=lambda dims, value: building.fill(dims, value),
    ZerosLike=lambda x: building.zeros_like(x),
    OnesLike=lambda x: building.ones_like(x),
    Range=lambda start, limit, delta: building.range(start, limit, delta),
    LinSpace=lambda start, stop, num: building.linspace(start, stop, num),
    OneHot=lambda indices, depth, on_value, off_value, axis=-1: building.one_hot(
        indices, depth, on_value, off_value, axis
    ),
    InvertPermutation=lambda x: math.invert_permutation(x),
    # ---- the same value
    Identity=lambda input: array.identity(input),
    IdentityN=lambda input: array.identity_n(input),
    PlaceholderWithDefault=lambda input, shape=None: array.identity(input),
    StopGradient=lambda input: array.stop_gradient(input),
    CheckNumerics=lambda tensor, message: ops.check_numerics(tensor, message=message),
    Print=_print,
    NoOp=lambda: control.no_op(),
    # ---- complex numbers
    Real=lambda input, Tout=float32: math.real(input),
    Imag=lambda input, Tout=float32: math.imag(input),
    Conj=lambda input: math.conj(input),
    Angle=lambda input, Tout=float32: math.angle(input),
    ComplexAbs=lambda x, Tout=float32: math.abs(x),
    Complex=lambda real, imag, Tout=complex64: ops.complex(real, imag),
    FFT=lambda input: signal.fft(input),
    IFFT=lambda input: signal.ifft(input),
)
OPS |= {name: _unary(name.lower()) for name in (
    "Abs", "Sign", "Square", "Sqrt", "Rsqrt", "Exp", "Expm1", "Log", "Log1p", "Sin", "Cos", "Tan", "Asin", "Acos",
    "Atan", "Sinh", "Cosh", "Tanh", "Asinh", "Acosh", "Atanh", "Sigmoid", "Erf", "Erfc", "Lgamma", "Digamma",
    "Reciprocal", "Floor", "Ceil", "Round", "Rint",
)}  # fmt: skip
OPS |= {"Neg": _unary("negative"), "Inv": _unary("reciprocal")}
OPS |= {"IsNan": _unary("is_nan"), "IsInf": _unary("is_inf"), "IsFinite": _unary("is_finite")}
OPS |= {
    name: _unary(name.lower(), nn, "features") for name in ("Relu", "Relu6", "Elu", "Selu", "Softplus", "Softsign")
}
OPS |= {"Softmax": _unary("softmax", nn, "logits"), "LogSoftmax": _unary("log_softmax", nn, "logits")}
OPS |= DERIVED
