"""`tf.space_to_batch`, `tf.batch_to_space`, and patches of volumes."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.api.arguments import static_shape
from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.tensor_like import AnyTensorLike, ShapeLike, TensorLike

from .joining import concat
from .shaping import pad


def space_to_batch(
    input: AnyTensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """Space cut into blocks of `block_shape`, after zero padding; each place within a block becomes a batch of its
    own.

    Args:
        block_shape: The sizes of a block, one for each axis of space.
        paddings: A pair (before, after) for each axis: how many zeros are added.

    Raises:
        InvalidArgumentError: If the padded sizes are no multiples of those of the block.

    >>> x = tf.reshape(tf.range(4), [1, 4, 1])
    >>> tf.space_to_batch(x, [2], [[0, 0]])[:, :, 0].numpy()
    array([[0, 2],
           [1, 3]], dtype=int32)
    """
    input = as_tensor(input)
    blocks = _blocks(block_shape, input.ndim)
    edges = _edges(paddings, len(blocks), "paddings")
    rest = input.ndim - 1 - len(blocks)
    input = pad(input, [[0, 0], *edges, *[[0, 0]] * rest])
    batch, *space = input.sizes[: 1 + len(blocks)]
    if any(d % b for d, b in zip(space, blocks)):
        raise invalid(f"After padding the space {tuple(space)} must be a multiple of block_shape {blocks}.")
    tail = tuple(input.sizes[1 + len(blocks) :])
    cut = ops.reshape(input, shape=(batch, *[s for d, b in zip(space, blocks) for s in (d // b, b)], *tail))
    places, within = range(1, 2 * len(blocks), 2), range(2, 2 * len(blocks) + 1, 2)
    moved = ops.transpose(cut, perm=(*within, 0, *places, *range(1 + 2 * len(blocks), cut.ndim)))
    return ops.reshape(moved, shape=(batch * math.prod(blocks), *[d // b for d, b in zip(space, blocks)], *tail))


def space_to_batch_nd(
    input: AnyTensorLike, block_shape: TensorLike, paddings: TensorLike, name: str | None = None
) -> Tensor:
    """`tf.space_to_batch` under its other name.

    Args:
        block_shape: The sizes of a block, one for each axis of space.
        paddings: A pair (before, after) for each axis: how many zeros are added.

    Raises:
        InvalidArgumentError: If the padded sizes are no multiples of those of the block.

    >>> tf.space_to_batch_nd(tf.zeros([1, 4, 2]), [2], [[0, 0]]).shape
    TensorShape([2, 2, 2])
    """
    return space_to_batch(input, block_shape, paddings)


def batch_to_space(
    input: AnyTensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None
) -> Tensor:
    """The opposite of `tf.space_to_batch`: batches woven into blocks of space, then cropped.

    Args:
        block_shape: The sizes of a block, one for each axis of space.
        crops: A pair (before, after) for each axis: how much is cut off.

    >>> x = tf.reshape(tf.range(4), [4, 1, 1, 1])
    >>> tf.batch_to_space(x, [2, 2], [[0, 0], [0, 0]])[0, :, :, 0].numpy()
    array([[0, 1],
           [2, 3]], dtype=int32)
    """
    input = as_tensor(input)
    blocks = _blocks(block_shape, input.ndim)
    edges = _edges(crops, len(blocks), "crops")
    n = len(blocks)
    batch, *space = input.sizes[: 1 + n]
    tail = tuple(input.sizes[1 + n :])
    if batch % math.prod(blocks):
        raise invalid(
            f"The batch of {batch} must be a multiple of the {math.prod(blocks)} places in a block of {blocks}."
        )
    batch //= math.prod(blocks)
    cut = ops.reshape(input, shape=(*blocks, batch, *space, *tail))
    woven = ops.transpose(cut, perm=(n, *[a for i in range(n) for a in (n + 1 + i, i)], *range(2 * n + 1, cut.ndim)))
    whole = [d * b for d, b in zip(space, blocks)]
    out = ops.reshape(woven, shape=(batch, *whole, *tail))
    for (before, after), d in zip(edges, whole):
        if before + after > d:
            raise invalid(f"crops {edges} take more than there is: the space is {tuple(whole)}.")
    index = tuple([(before, d - after, 1) for (before, after), d in zip(edges, whole)])
    return ops.getitem(out, index=((None, None, None), *index))


def _blocks(block_shape: Any, rank: int) -> tuple:
    blocks = static_shape(block_shape)
    if not 1 + len(blocks) <= rank or any(b < 1 for b in blocks):
        raise invalid(
            f"block_shape must be positive sizes for axes after the first, got {blocks} for a tensor of rank {rank}."
        )
    return blocks


def _edges(given: Any, count: int, what: str) -> list[list[int]]:
    edges = np.asarray(as_tensor(given).array)
    if edges.shape != (count, 2) or (edges < 0).any():
        raise invalid(f"{what} must be a non-negative pair for each of {count} axes, got {edges.tolist()}.")
    return edges.tolist()


def required_space_to_batch_paddings(
    input_shape: ShapeLike, block_shape: TensorLike, base_paddings: TensorLike | None = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The paddings that make a space a multiple of `block_shape`, and the crops that take them off again.

    Args:
        input_shape: The sizes of the axes of space.
        block_shape: The sizes of a block.
        base_paddings: The least paddings; None: 0.

    Returns:
        The paddings and the crops, a pair for each axis.

    >>> paddings, crops = tf.required_space_to_batch_paddings([5], [3])
    >>> paddings.numpy().tolist(), crops.numpy().tolist()
    ([[0, 1]], [[0, 1]])
    """
    sizes, blocks = static_shape(input_shape), static_shape(block_shape)
    base = _edges(base_paddings, len(blocks), "base_paddings") if base_paddings is not None else [[0, 0]] * len(blocks)
    extra = [-(d + before + after) % b for d, b, (before, after) in zip(sizes, blocks, base)]
    table = lambda rows: EagerTensor(np.array(rows, np.int32).reshape(-1, 2))
    return table([[before, after + e] for (before, after), e in zip(base, extra)]), table([[0, e] for e in extra])


def extract_volume_patches(
    input: TensorLike, ksizes: int | Sequence[int], strides: int | Sequence[int], padding: str, name: str | None = None
) -> Tensor:
    """Every patch of a volume, flattened into the last axis. All arguments have five entries: batch, three of space,
    channels.

    Args:
        ksizes: The sizes of a patch.
        strides: How far patches are apart.
        padding: `VALID`: patches inside alone; `SAME`: zeros around.

    >>> x = tf.reshape(tf.range(4.), [1, 1, 1, 4, 1])
    >>> tf.extract_volume_patches(x, [1, 1, 1, 2, 1], [1, 1, 1, 1, 1], "VALID")[0, 0, 0].numpy()
    array([[0., 1.],
           [1., 2.],
           [2., 3.]], dtype=float32)
    """
    input = as_tensor(input)
    if input.ndim != 5:
        raise invalid(
            "extract_volume_patches takes volumes of rank 5 (batch, planes, rows, columns, channels), got shape "
            f"{tuple(input.shape)}."
        )
    kernel, steps = static_shape(ksizes)[1:4], static_shape(strides)[1:4]
    space = tuple(input.sizes[1:4])
    if padding == "SAME":
        count = [-(-d // s) for d, s in zip(space, steps)]
        missing = [max((c - 1) * s + k - d, 0) for c, s, k, d in zip(count, steps, kernel, space)]
        input = pad(input, [[0, 0], *[[m // 2, m - m // 2] for m in missing], [0, 0]])
    elif padding == "VALID":
        count = [max(0, (d - k) // s + 1) for d, k, s in zip(space, kernel, steps)]
    else:
        raise invalid(f"padding must be 'SAME' or 'VALID', got {padding!r}.")
    whole = (None, None, None)
    window = lambda start: tuple(
        [(o, o + (c - 1) * s + 1, s) if c else (0, 0, 1) for o, c, s in zip(start, count, steps)]
    )
    return concat([ops.getitem(input, index=(whole, *window(start))) for start in np.ndindex(*kernel)], axis=4)
