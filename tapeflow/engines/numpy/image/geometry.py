"""NumPy kernels of `ops/image/geometry.py`: resampling, windows, outlines and suppression of boxes."""

import math
from functools import partial
from typing import Any

import numpy as np

from tapeflow.engines.numpy.image.resampling import matrix
from tapeflow.engines.numpy.random.samplers.words import uniform

_WIDE = 32  # elements behind the mixed axis from which images are mixed one by one
_BLOCK = 128  # lines that are turned round together: they stay in the cache, which makes it six times faster


def resample(x, axis, weights, transposed):
    mix = matrix(weights, transposed, x.dtype)
    lead, tail = math.prod(x.shape[:axis]), math.prod(x.shape[axis + 1 :])
    shape = (*x.shape[:axis], mix.shape[0], *x.shape[axis + 1 :])
    if not x.size:
        return np.zeros(shape, x.dtype)
    images = x.reshape(lead, x.shape[axis], tail)
    if isinstance(mix, np.ndarray) and tail >= _WIDE:
        return np.matmul(mix, images).reshape(shape)
    out = np.empty((lead, mix.shape[0], tail), x.dtype)
    if lead == 1 or tail >= _WIDE:
        for image, mixed in zip(images, out):
            mixed[...] = mix @ image
        return out.reshape(shape)
    images = np.ascontiguousarray(images)
    pixel = np.dtype((np.void, tail * x.itemsize))  # moved as a whole
    for start in range(0, lead, _BLOCK):
        rows = images[start : start + _BLOCK]
        columns = np.ascontiguousarray(rows.view(pixel)[..., 0].T).view(x.dtype).reshape(rows.shape[1], -1)
        mixed = (mix @ columns).reshape(mix.shape[0], len(rows), tail)
        out[start : start + _BLOCK].view(pixel)[..., 0] = mixed.view(pixel)[..., 0].T
    return out.reshape(shape)


def _corners(boxes):
    """(top and left, bottom and right, area) of boxes given by any two opposite corners."""
    a, b = boxes[..., :2], boxes[..., 2:]
    low, high = np.minimum(a, b), np.maximum(a, b)
    return low, high, np.prod(high - low, -1)


def _overlap(low, high, area, i, others):
    """Intersection over union of box `i` with others; 0 for boxes without area."""
    shared = np.prod(np.maximum(np.minimum(high[i], high[others]) - np.maximum(low[i], low[others]), 0), -1)
    union = area[i] + area[others] - shared
    return np.where((area[i] > 0) & (area[others] > 0), shared / np.where(union > 0, union, 1), 0)


def _looked_up(table, i, others):
    return table[others, i]


def _chosen(overlap, scores, limit, threshold, score_threshold):
    """Best first, each time without those that overlap it too much. In blocks: often few boxes have to be looked
    at."""
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > score_threshold]
    found: list[Any] = []
    for start in range(0, order.size, _BLOCK):
        left = order[start : start + _BLOCK]
        if found:
            left = left[(overlap(np.array(found)[:, None], left) <= threshold).all(0)]
        while left.size and len(found) < limit:
            best, left = left[0], left[1:]
            found.append(best)
            left = left[overlap(best, left) <= threshold]
        if len(found) == limit:
            break
    return found


def _chosen_softly(overlap, scores, limit, score_threshold, sigma):
    """Best first, each time with the scores of the others lowered by how much they overlap it."""
    found: list[Any] = []
    scores, left = scores.copy(), np.arange(len(scores))
    while len(found) < limit:
        left = left[scores[left] > score_threshold]
        if not left.size:
            break
        at = int(np.argmax(scores[left]))
        best, left = left[at], np.delete(left, at)
        found.append(best)
        shared = overlap(best, left)
        scores[left] *= np.exp(-0.5 / sigma * shared * shared).astype(scores.dtype)
    return found


def suppress(boxes, scores, limit, threshold, score_threshold, sigma, overlaps):
    index, count = np.zeros((len(scores), limit), np.int32), np.zeros(len(scores), np.int32)
    for k, (given, score) in enumerate(zip(boxes, scores)):
        overlap = partial(_looked_up, given) if overlaps else partial(_overlap, *_corners(given))
        if sigma:
            found = _chosen_softly(overlap, score, limit, score_threshold, sigma)
        else:
            found = _chosen(overlap, score, limit, threshold, score_threshold)
        index[k, : len(found)], count[k] = found, len(found)
    return index, count


def outlines(boxes, height, width):
    out = np.full((len(boxes), height, width), -1, np.int32)
    corners = (boxes * np.array([height - 1, width - 1] * 2, boxes.dtype)).astype(np.int64)
    for drawn, frames in zip(out, corners.tolist()):
        for k, (top, left, bottom, right) in enumerate(frames):
            if top > bottom or left > right:
                continue
            rows, columns = slice(max(top, 0), max(bottom + 1, 0)), slice(max(left, 0), max(right + 1, 0))
            for row in (top, bottom):
                if 0 <= row < height:
                    drawn[row, columns] = k
            for column in (left, right):
                if 0 <= column < width:
                    drawn[rows, column] = k
    return out


def _covered(boxes, top, left, bottom, right):
    """How much of each box lies within a window."""
    tall = np.maximum(np.minimum(boxes[:, 2], bottom) - np.maximum(boxes[:, 0], top), 0)
    wide = np.maximum(np.minimum(boxes[:, 3], right) - np.maximum(boxes[:, 1], left), 0)
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return tall * wide / np.where(area > 0, area, np.inf)


def window(key, size, boxes, min_covered, aspect_ratios, areas, attempts):
    height, width = int(size[0]), int(size[1])
    scaled = boxes.reshape(-1, 4) * np.array([height, width] * 2, np.float32)
    whole = np.array([0, 0, height, width], np.int64)
    drawn = uniform(key, 4 * attempts, np.float32).reshape(4, attempts).T.astype(np.float64)
    for ratio, tall, down, across in drawn.tolist():
        ratio = aspect_ratios[0] + ratio * (aspect_ratios[1] - aspect_ratios[0])
        least, most = (math.sqrt(area * height * width / ratio) for area in areas)
        most = min(most, height, width / ratio)
        if least > most:
            continue
        tall = least + tall * (most - least)
        h, w = round(tall), round(tall * ratio)
        if not (
            0 < h <= height and 0 < w <= width and areas[0] * height * width <= h * w <= areas[1] * height * width
        ):
            continue
        top, left = math.floor(down * (height - h + 1)), math.floor(across * (width - w + 1))
        if (_covered(scaled, top, left, top + h, left + w) >= min_covered).any():
            return np.array([top, left, top + h, left + w], np.int64)
    return whole
