"""Resampling of images, and the geometry of boxes in them."""

import numpy as np

from tapeflow.core.dtypes import FLOATING, INTEGER
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import check_axes, check_exact_rank, check_same, differ
from tapeflow.core.primitive import CUT, LINEAR, Spec, primitive
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.numpy.image import geometry as kernels
from tapeflow.engines.numpy.image.resampling import taps
from tapeflow.ops.batching import merged, shift

# ---- mixing lines

_DENSE = 1 << 18  # entries up to which XLA multiplies by a dense matrix


def _resample_dense(xp, x, axis, weights, transposed):
    """For XLA. A product with a dense matrix is what accelerators do best; large matrices are mostly zeros, and lines
    are fetched."""
    index, share = taps(weights)
    _, before, after = weights[:3]
    if before * after <= _DENSE:
        mix = np.zeros((after, before), x.dtype)
        np.add.at(mix, (np.arange(after)[:, None], index), share)
        mixed = xp.tensordot(x, mix, axes=(axis, 0 if transposed else 1), precision="highest")
        return xp.moveaxis(mixed, -1, axis)
    lines, share = xp.moveaxis(x, axis, -1), share.astype(x.dtype)
    if transposed:
        mixed = xp.zeros((*sizes_of(lines)[:-1], before), x.dtype).at[..., index].add(lines[..., None] * share)
    else:
        mixed = xp.sum(lines[..., index] * share, -1)
    return xp.moveaxis(mixed, -1, axis)


def _resample_shape(x, axis, weights, transposed):
    check_axes(x, axis)
    if differ(x.shape[axis], weights[2 if transposed else 1]):
        raise invalid(
            f"Axis {axis} of shape {tuple(x.shape)} must have size {weights[2 if transposed else 1]} to be resampled "
            f"by {weights}."
        )
    return Spec(shape=(*x.shape[:axis], weights[1 if transposed else 2], *x.shape[axis + 1 :]), dtype=x.dtype)


# New lines along `axis`, each a mixture of old ones (see `resampling`). Linear, so its own adjoint with `transposed`
# turned round.
resample = primitive(
    "resample(x, *, axis, weights, transposed)",
    kernel={"numpy": kernels.resample, "jax": _resample_dense},
    shape=_resample_shape,
    vjp=lambda ops, g, axis, weights, transposed: ops.resample(
        g, axis=axis, weights=weights, transposed=not transposed
    ),
    jvp=LINEAR,
    batch=shift("axis"),
    dtypes=frozenset({np.dtype("float32"), np.dtype("float64")}),
)

# ---- choosing among boxes that overlap


def _suppress_shape(boxes, scores, limit, overlaps, **_):
    check_exact_rank(scores, 2, "scores")
    check_same(
        "Boxes and what they should be for their scores",
        boxes.shape,
        (*scores.shape, scores.shape[1] if overlaps else 4),
    )
    return Spec(shape=(scores.shape[0], limit), dtype=np.dtype("int32")), Spec(
        shape=scores.shape[:1], dtype=np.dtype("int32")
    )


# For each row of scores the boxes to keep, best first and then zeros, and how many they are. `boxes` are corners (or,
# with `overlaps`, a table of overlaps).
suppress = primitive(
    "suppress(boxes, scores, *, limit, threshold, score_threshold, sigma, overlaps)",
    kernel={"numpy": kernels.suppress, "jax": "image.geometry.suppress"},
    shape=_suppress_shape,
    vjp=CUT,
    batch=merged,
    dtypes=FLOATING,
    outputs=("index", "count"),
)

# ---- boxes in images


def _check_boxes(boxes):
    if not boxes.shape or differ(boxes.shape[-1], 4):
        raise invalid(
            "Boxes have four corners, (top, left, bottom, right), along their last axis, got shape "
            f"{tuple(boxes.shape)}."
        )


def _outlines_shape(boxes, height, width):
    check_exact_rank(boxes, 3, "boxes")
    _check_boxes(boxes)
    return Spec(shape=(boxes.shape[0], height, width), dtype=np.dtype("int32"))


# Which box, given by corners between 0 and 1, has its outline through each pixel; the last of several, -1 where there
# is none.
outlines = primitive(
    "outlines(boxes, *, height, width)",
    kernel={"numpy": kernels.outlines, "jax": "image.geometry.outlines"},
    shape=_outlines_shape,
    vjp=CUT,
    batch=merged,
    dtypes=FLOATING,
)


def _window_shape(key, size, boxes, **_):
    check_same("A key and its three words", key.shape, (3,))
    check_exact_rank(size, 1, "The size of the image")
    _check_boxes(boxes)
    return Spec(shape=(4,), dtype=np.dtype("int64"))


# A random window (top, left, bottom, right) that covers enough of one of the boxes; the whole image if none is found.
random_window = primitive(
    "random_window(key, size, boxes, *, min_covered, aspect_ratios, areas, attempts)",
    kernel={"numpy": kernels.window, "jax": "image.geometry.random_window"},
    shape=_window_shape,
    vjp=CUT,
    dtypes={"key": frozenset({np.dtype("uint64")}), "size": INTEGER, "boxes": FLOATING},
)
