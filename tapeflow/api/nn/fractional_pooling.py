"""Pooling by a ratio that is no whole number: windows of two neighbouring sizes, in random order."""

from collections import namedtuple
from collections.abc import Iterator
from itertools import count, islice
from typing import Any

import numpy as np

from tapeflow.core.apply import as_tensor
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.random.streams import next_key
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import TensorLike

FractionalPool = namedtuple("FractionalPool", ["output", "row_pooling_sequence", "col_pooling_sequence"])


def fractional_max_pool(
    value: TensorLike,
    pooling_ratio: TensorLike,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalPool:
    """The largest element of each region, where regions divide the image by `pooling_ratio`; and the borders of the
    regions.

    `pooling_ratio` is a number, a pair (rows, columns), or four numbers with 1 for batch and channels. With
    `overlapping` a region includes the first row and column of the next. A `seed` that is not 0 gives the same regions
    every time.

    Args:
        pooling_ratio: How much smaller the result is: a number, a pair for rows and columns, or four with 1 for batch
            and channels.
        pseudo_random: Draw the borders so that windows of both sizes are well mixed.
        overlapping: A window includes the first row and column of the next.
        seed: Not 0: the same regions every time.

    Returns:
        The result, and the borders of the regions by rows and by columns.

    >>> image = tf.reshape(tf.range(25.), [1, 5, 5, 1])
    >>> largest, rows, columns = tf.nn.fractional_max_pool(image, 1.5, seed=7)
    >>> largest.shape, int(rows[0]), int(rows[-1])
    (TensorShape([1, 3, 3, 1]), 0, 5)
    """
    x = as_tensor(value)
    rows, columns = _borders(x, pooling_ratio, pseudo_random, seed)
    (row, _), (column, _) = _regions(rows, x.sizes[1], overlapping), _regions(columns, x.sizes[2], overlapping)
    window = (1, row.shape[1], column.shape[1], 1)
    largest, _ = ops.max_pool(
        _spread(x, row, column), window=window, strides=window, padding=((0, 0),) * 4, dilations=(1,) * 4
    )
    return FractionalPool(largest, EagerTensor(rows), EagerTensor(columns))


def fractional_avg_pool(
    value: TensorLike,
    pooling_ratio: TensorLike,
    pseudo_random: bool = False,
    overlapping: bool = False,
    seed: int = 0,
    name: str | None = None,
) -> FractionalPool:
    """The mean of each region; regions as in `fractional_max_pool`.

    Args:
        pooling_ratio: How much smaller the result is: a number, a pair for rows and columns, or four with 1 for batch
            and channels.
        pseudo_random: Draw the borders so that windows of both sizes are well mixed.
        overlapping: A window includes the first row and column of the next.
        seed: Not 0: the same regions every time.

    Returns:
        The result, and the borders of the regions by rows and by columns.

    >>> means, rows, columns = tf.nn.fractional_avg_pool(tf.ones([1, 5, 5, 1]), 1.5, seed=7)
    >>> means.numpy().ravel()
    array([1., 1., 1., 1., 1., 1., 1., 1., 1.], dtype=float32)
    """
    x = as_tensor(value)
    rows, columns = _borders(x, pooling_ratio, pseudo_random, seed)
    row, in_row = _regions(rows, x.sizes[1], overlapping)
    column, in_column = _regions(columns, x.sizes[2], overlapping)
    share = np.multiply.outer(
        (in_row / in_row.sum(1, keepdims=True)).ravel(), (in_column / in_column.sum(1, keepdims=True)).ravel()
    )
    weighted = _spread(x, row, column) * EagerTensor(share[:, :, None].astype(x.dtype.np))
    window = (1, row.shape[1], column.shape[1], 1)
    means = ops.window_sum(weighted, window=window, strides=window, padding=((0, 0),) * 4, dilations=(1,) * 4)
    return FractionalPool(means, EagerTensor(rows), EagerTensor(columns))


def _spread(x: Tensor, rows: np.ndarray, columns: np.ndarray) -> Tensor:
    """The image with the regions side by side, each of the largest region's size; smaller ones repeat their last
    line."""
    across = ops.gather(x, EagerTensor(rows.ravel()), axis=1)
    return ops.gather(across, EagerTensor(columns.ravel()), axis=2)


def _regions(borders: np.ndarray, length: int, overlapping: bool) -> tuple[np.ndarray, np.ndarray]:
    """(index of each line of each region, whether it is really there or repeats the last one)"""
    first, last = borders[:-1], np.minimum(borders[1:] + (1 if overlapping else 0), length) - 1
    lines = first[:, None] + np.arange((last - first).max() + 1)
    return np.minimum(lines, last[:, None]), lines <= last[:, None]


def _borders(x: Tensor, pooling_ratio: Any, pseudo_random: bool, seed: int) -> list[np.ndarray]:
    if x.ndim != 4:
        raise ValueError(f"value must have rank 4, (batch, height, width, channels); got shape {tuple(x.shape)}.")
    ratio = np.ravel(pooling_ratio).astype(float)
    ratio = np.array([1, *ratio.repeat(2 // ratio.size), 1]) if ratio.size in (1, 2) else ratio
    if ratio.size != 4 or ratio[0] != 1 or ratio[3] != 1 or (ratio < 1).any():
        raise ValueError(
            "pooling_ratio must be 1, 2 or 4 numbers of at least 1, with 1 for batch and channels; got "
            f"{pooling_ratio!r}."
        )
    words = _words(int(seed) if seed else _fresh_seed())
    sizes = [(x.sizes[axis], int(x.sizes[axis] / ratio[axis])) for axis in (1, 2)]
    return [(_pseudo_random_borders if pseudo_random else _random_borders)(n, parts, words) for n, parts in sizes]


def _fresh_seed() -> int:
    """From the program's stream, and a new one each time."""
    low, high, key = next_key().tolist()
    return key ^ low ^ high << 32


def _random_borders(length: int, parts: int, words: Iterator[list[int]]) -> np.ndarray:
    """Regions of floor and ceil of the ratio, shuffled."""
    sizes = [length // parts + (i < length % parts) for i in range(parts)]
    numbers = [n for block in islice(words, -(-parts // 4)) for n in block]
    for i, number in enumerate(numbers[: parts - 1]):
        j = i + number % (parts - i)
        sizes[i], sizes[j] = sizes[j], sizes[i]
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _pseudo_random_borders(length: int, parts: int, words: Iterator[list[int]]) -> np.ndarray:
    """Multiples of the ratio, rounded, from one random start: evenly spread, as in Graham's paper on fractional
    max-pooling (2014)."""
    ratio = length / parts
    start = next(words)[0] / 2**32 * min((int(ratio) + 2) / ratio - 1, (length + 1 - int(ratio)) / ratio - (parts - 1))
    borders = (ratio * (np.arange(parts) + start)).astype(np.int64)
    return np.append(borders - borders[0], length)


def _words(seed: int) -> Iterator[list[int]]:
    """Blocks of four random 32-bit numbers: Philox 4x32-10 (Salmon et al. 2011), keyed so that a seed gives
    TensorFlow's regions."""
    for block in count():
        counter, key = [block, 0, seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF], [87654321, 0]
        for _ in range(10):
            a, b = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
            counter = [b >> 32 ^ counter[1] ^ key[0], b & 0xFFFFFFFF, a >> 32 ^ counter[3] ^ key[1], a & 0xFFFFFFFF]
            key = [key[0] + 0x9E3779B9 & 0xFFFFFFFF, key[1] + 0xBB67AE85 & 0xFFFFFFFF]
        yield counter
