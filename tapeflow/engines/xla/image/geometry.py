"""Boxes in images (see `ops/image/geometry.py`)."""

import jax
import jax.numpy as jnp
from jax import lax

from tapeflow.engines.xla.random.draws import keyed, unit

# ---- choosing among boxes that overlap


def suppress(boxes, scores, limit, threshold, score_threshold, sigma, overlaps):
    """Best first, one after the other; each looks at all the others at once."""
    rows, count = scores.shape
    if not count or not limit:
        return jnp.zeros((rows, limit), jnp.int32), jnp.zeros(rows, jnp.int32)

    def one(boxes, scores):
        overlap = (lambda i: boxes[:, i]) if overlaps else _overlaps(boxes)

        def going(state):
            _, left, _, found = state
            return (found < limit) & left.any()

        def step(state):
            scores, left, index, found = state
            best = jnp.argmax(jnp.where(left, scores, -jnp.inf)).astype(jnp.int32)
            shared = overlap(best)
            if sigma:
                scores = scores * jnp.exp(-0.5 / sigma * shared * shared)
                left &= scores > score_threshold
            else:
                left &= shared <= threshold
            return scores, left.at[best].set(False), index.at[found].set(best), found + 1

        start = scores, scores > score_threshold, jnp.zeros(limit, jnp.int32), jnp.zeros((), jnp.int32)
        return lax.while_loop(going, step, start)[2:]

    return jax.vmap(one)(boxes, scores)


def _overlaps(boxes):
    """A function that gives intersection over union of box number `i` with all; 0 for boxes without area."""
    low, high = jnp.minimum(boxes[:, :2], boxes[:, 2:]), jnp.maximum(boxes[:, :2], boxes[:, 2:])
    area = jnp.prod(high - low, -1)

    def overlap(i):
        shared = jnp.prod(jnp.maximum(jnp.minimum(high[i], high) - jnp.maximum(low[i], low), 0), -1)
        union = area[i] + area - shared
        return jnp.where((area[i] > 0) & (area > 0), shared / jnp.where(union > 0, union, 1), 0)

    return overlap


# ---- boxes in images


def outlines(boxes, height, width):
    """Which boxes go through a pixel is a mask that is never stored: its largest number is what remains."""
    top, left, bottom, right = [
        (boxes[..., k, None, None] * jnp.asarray(n - 1, boxes.dtype)).astype(jnp.int32)
        for k, n in enumerate((height, width) * 2)
    ]
    row, column = jnp.arange(height, dtype=jnp.int32)[:, None], jnp.arange(width, dtype=jnp.int32)
    inside = (top <= row) & (row <= bottom) & (left <= column) & (column <= right)
    edge = (row == top) | (row == bottom) | (column == left) | (column == right)
    number = jnp.arange(boxes.shape[1], dtype=jnp.int32)[:, None, None]
    return jnp.max(jnp.where(inside & edge, number, -1), axis=1, initial=-1)


@keyed
def random_window(key, size, boxes, min_covered, aspect_ratios, areas, attempts):
    """All attempts at once; the first that succeeds counts."""
    dtype = jnp.promote_types(boxes.dtype, jnp.float32)
    ratio, tall, down, across = unit(key, (4, attempts), dtype)
    height, width = size[0].astype(dtype), size[1].astype(dtype)
    ratio = aspect_ratios[0] + ratio * (aspect_ratios[1] - aspect_ratios[0])
    least, most = [jnp.sqrt(area * height * width / ratio) for area in areas]
    most = jnp.minimum(jnp.minimum(most, height), width / ratio)
    tall = least + tall * (most - least)
    h, w = jnp.round(tall), jnp.round(tall * ratio)
    top, left = jnp.floor(down * (height - h + 1)), jnp.floor(across * (width - w + 1))
    fits = (least <= most) & (h > 0) & (h <= height) & (w > 0) & (w <= width)
    fits &= (areas[0] * height * width <= h * w) & (h * w <= areas[1] * height * width)
    frames = jnp.stack([top, left, top + h, left + w])
    scaled = boxes.reshape(-1, 4).astype(dtype) * jnp.stack([height, width] * 2)
    fits &= (_covered(scaled[..., None], frames[:, None]) >= min_covered).any(0)
    whole = jnp.stack([jnp.zeros_like(height), jnp.zeros_like(width), height, width])
    return jnp.where(fits.any(), frames[:, jnp.argmax(fits)], whole).astype(int)


def _covered(boxes, window):
    """How much of each box lies within each window."""
    top, left, bottom, right = (boxes[:, k] for k in range(4))
    tall = jnp.maximum(jnp.minimum(bottom, window[2]) - jnp.maximum(top, window[0]), 0)
    wide = jnp.maximum(jnp.minimum(right, window[3]) - jnp.maximum(left, window[1]), 0)
    area = (bottom - top) * (right - left)
    return tall * wide / jnp.where(area > 0, area, jnp.inf)
