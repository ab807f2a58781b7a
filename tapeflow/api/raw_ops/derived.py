"""Operations of `tf.raw_ops` that are no public function: batch normalisation with all its results, derivatives that
operations of their own compute, diagonals and unique rows in their second versions."""

from collections import namedtuple
from typing import Any

import numpy as np

from tapeflow.api import linalg
from tapeflow.api.arrays import casting, sorting
from tapeflow.api.nn.normalization import fused_batch_norm
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import float32, int32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor
from tapeflow.transforms.custom_gradient import custom_gradient

_NORMALIZED = ("y", "batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2")
_BatchNorm = {
    "FusedBatchNorm": namedtuple("FusedBatchNorm", _NORMALIZED),
    "FusedBatchNormV2": namedtuple("FusedBatchNormV2", _NORMALIZED),
    "FusedBatchNormV3": namedtuple("FusedBatchNormV3", (*_NORMALIZED, "reserve_space_3")),
}
_GradientArgs = namedtuple("BroadcastGradientArgs", "r0 r1")
_Counted = namedtuple("UniqueWithCountsV2", "y idx count")


def _batch_norm(which: str) -> Any:
    def normalize(
        x: Any, scale: Any, offset: Any, mean: Any, variance: Any, epsilon: float = 0.0001,
        exponential_avg_factor: float = 1.0, data_format: str = "NHWC", is_training: bool = True,
    ) -> Any:  # fmt: skip
        mean, variance = as_tensor(mean), as_tensor(variance)
        given = (None, None) if is_training and mean.shape.num_elements() == 0 else (mean, variance)
        y, batch_mean, batch_variance = fused_batch_norm(
            x, scale, offset, *given, epsilon, data_format, is_training,
            exponential_avg_factor=exponential_avg_factor,
        )  # fmt: skip
        reserved: list = [batch_mean, batch_variance]
        if is_training:  # what the backward operation would read: the moments of the batch itself
            wide = casting.cast(x, float32) if as_tensor(x).dtype.size < 4 else as_tensor(x)
            channel = 1 if data_format.startswith("NC") else wide.ndim - 1
            axis = tuple([k for k in range(wide.ndim) if k != channel])
            reserved = [f(wide, axis=axis, keepdims=False) for f in (ops.reduce_mean, ops.reduce_variance)]
        if which == "FusedBatchNormV3":
            reserved.append(EagerTensor(np.zeros(0, np.float32)))
        return _BatchNorm[which](y, batch_mean, batch_variance, *reserved)

    return normalize


def _gradient_args(s0: Any, s1: Any) -> Any:
    """Along which axes the gradients of two broadcast arguments are summed."""
    shapes = [[int(size) for size in as_tensor(s).numpy()] for s in (s0, s1)]
    rank = max(map(len, shapes))
    first, second = [[1] * (rank - len(shape)) + shape for shape in shapes]
    if any(a != b and 1 not in (a, b) for a, b in zip(first, second)):
        raise invalid(f"Incompatible shapes: {shapes[0]} vs. {shapes[1]}".replace(", ", ","))
    if shapes[0] == shapes[1]:
        axes: list[list[int]] = [[], []]
    else:
        axes = [[k for k in range(rank) if one[k] == 1] for one in (first, second)]
    dtype = as_tensor(s0).dtype.np
    return _GradientArgs(*[EagerTensor(np.array(found, dtype)) for found in axes])


def _random_gamma_grad(alpha: Any, sample: Any) -> Any:
    alpha, sample = as_tensor(alpha), as_tensor(sample)
    return -ops.igamma_slope(alpha, sample) / ops.gamma_pdf(alpha, sample)


def _unique_with_counts(x: Any, axis: Any, out_idx: Any = int32) -> Any:
    x, axes = as_tensor(x), as_tensor(axis).numpy().ravel().tolist()
    if not axes and x.ndim == 1:
        return _Counted(*sorting.unique_with_counts(x, out_idx))
    moved = np.moveaxis(x.numpy(), axes[0] if axes else 0, 0)
    rows, first, idx, count = np.unique(moved, axis=0, return_index=True, return_inverse=True, return_counts=True)
    order = np.argsort(first)  # in the order in which they appear
    places = np.argsort(order)[idx.ravel()]
    rows = np.moveaxis(rows[order], 0, axes[0] if axes else 0)
    whole = out_idx.np if hasattr(out_idx, "np") else out_idx
    return _Counted(*[EagerTensor(a) for a in (rows, places.astype(whole), count[order].astype(whole))])


def _prevent_gradient(input: Any, message: str = "") -> Any:
    """The same value; whoever asks for a gradient through it gets a LookupError with the message."""

    @custom_gradient
    def prevented(x: Any) -> Any:
        def refuse(*_: Any) -> Any:
            raise LookupError(f"Gradient explicitly disabled. Reason: {message}")

        return ops.identity(x), refuse

    return prevented(as_tensor(input))


DERIVED = {
    **{which: _batch_norm(which) for which in _BatchNorm},
    "BroadcastGradientArgs": _gradient_args,
    "IgammaGradA": lambda a, x: ops.igamma_slope(as_tensor(a), as_tensor(x)),
    "MatrixDiagPartV2": lambda input, k, padding_value: linalg.diag_part(
        input, k=k, padding_value=padding_value, align="LEFT_LEFT"
    ),
    "PreventGradient": _prevent_gradient,
    "RandomGammaGrad": _random_gamma_grad,
    "UniqueWithCountsV2": _unique_with_counts,
}
