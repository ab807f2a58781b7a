"""The arguments that convolution and pooling share, in all the forms TensorFlow takes them."""

from typing import Any

from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.ops.windows import same_padding

from .public import static_shape

CHANNELS_FIRST = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
CHANNELS_LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def channels_first(data_format: str | None, rank: int) -> bool:
    """True for NCW, NCHW, NCDHW; ValueError for what is no layout of `rank` dimensions."""
    if data_format is None or data_format == CHANNELS_LAST.get(rank):
        return False
    if data_format == CHANNELS_FIRST.get(rank):
        return True
    raise ValueError(
        f"data_format must be {CHANNELS_LAST.get(rank)!r} or {CHANNELS_FIRST.get(rank)!r} for {rank} spatial dimension(s), got {data_format!r}."
    )


def spatial(value: Any, rank: int, first: bool, what: str) -> tuple[int, ...]:
    """One number for all dimensions, one per spatial dimension, or one per dimension of the tensor (batch and channels 1)."""
    if value is None:
        return (1,) * rank
    given = static_shape(value)
    if len(given) == 1:
        given *= rank
    elif len(given) == rank + 2:
        outer, given = ((given[0], given[1]), given[2:]) if first else ((given[0], given[-1]), given[1:-1])
        if outer != (1, 1):
            raise invalid(f"{what} must be 1 for the batch and the channels, got {tuple(value)}.")
    if len(given) != rank:
        raise ValueError(f"{what} must be a number or hold 1, {rank} or {rank + 2} numbers, got {value!r}.")
    if any(n < 1 for n in given):
        raise ValueError(f"{what} must be positive, got {value!r}.")
    return given


def pairs(padding: Any, size: tuple, window: tuple, strides: tuple, dilations: tuple, first: bool) -> tuple:
    """"SAME", "VALID" or explicit pairs for every dimension of the tensor, as pairs for the spatial ones."""
    rank = len(window)
    if isinstance(padding, str):
        if padding.upper() == "VALID":
            return ((0, 0),) * rank
        if padding.upper() == "SAME":
            return same_padding(size, window, strides, dilations)
        raise ValueError(f"padding must be 'SAME', 'VALID' or a list of pairs, got {padding!r}.")
    given = [tuple(int(n) for n in pair) for pair in padding]
    if len(given) == rank:
        return tuple(given)
    if len(given) != rank + 2 or any(len(pair) != 2 for pair in given):
        raise ValueError(f"explicit padding needs a pair (before, after) for each of {rank + 2} dimensions, got {padding!r}.")
    outer, inner = (given[:2], given[2:]) if first else ((given[0], given[-1]), given[1:-1])
    if any(map(any, outer)) or any(n < 0 for pair in inner for n in pair):
        raise ValueError(f"explicit padding must be 0 for the batch and the channels and not negative elsewhere, got {padding!r}.")
    return tuple(inner)


def to_last(x: Tensor, first: bool) -> Tensor:
    """Channels-last, from channels-first if `first`."""
    return ops.transpose(x, perm=(0, *range(2, x.ndim), 1)) if first else x


def from_last(x: Tensor, first: bool) -> Tensor:
    return ops.transpose(x, perm=(0, x.ndim - 1, *range(1, x.ndim - 1))) if first else x
