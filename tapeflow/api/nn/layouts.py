"""The arguments that convolution and pooling share, in all the forms TensorFlow takes them."""

from typing import Any

from tapeflow.api.arguments import static_shape
from tapeflow.core.errors import UnimplementedError, invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.engines.numpy.nn.windows import same_padding

_CHANNELS_FIRST = {1: "NCW", 2: "NCHW", 3: "NCDHW"}
_CHANNELS_LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


def channels_first(data_format: str | None, rank: int) -> bool:
    """True for NCW, NCHW, NCDHW; an error for what is no layout of `rank` spatial dimensions."""
    if data_format is None or data_format == _CHANNELS_LAST.get(rank):
        return False
    if data_format == _CHANNELS_FIRST.get(rank):
        return True
    raise invalid(
        f"data_format must be {_CHANNELS_LAST.get(rank)!r} or {_CHANNELS_FIRST.get(rank)!r} for {rank} spatial "
        f"dimension(s), got {data_format!r}."
    )


def everywhere(value: Any, rank: int, first: bool, what: str) -> tuple[int, ...]:
    """One number for all spatial dimensions, one for each, or one for each dimension of the tensor; as the last of
    these."""
    given = (1,) if value is None else static_shape(value)
    if len(given) == 1:
        given *= rank
    if len(given) == rank:
        given = (1, 1, *given) if first else (1, *given, 1)
    if len(given) != rank + 2:
        raise ValueError(f"{what} must be a number or hold 1, {rank} or {rank + 2} numbers, got {value!r}.")
    if any(n < 1 for n in given):
        raise invalid(f"{what} must be positive, got {value!r}.")
    return given


def spatial(value: Any, rank: int, first: bool, what: str) -> tuple[int, ...]:
    """The same, for the spatial dimensions only: batch and channels must be 1."""
    given = everywhere(value, rank, first, what)
    outer, inner = ((given[:2]), given[2:]) if first else ((given[0], given[-1]), given[1:-1])
    if outer != (1, 1):
        raise UnimplementedError(None, None, f"{what} must be 1 for the batch and the channels, got {given}.")
    return inner


def named_padding(padding: Any, size: tuple, window: tuple, strides: tuple, dilations: tuple) -> tuple | None:
    """ "SAME" or "VALID" as pairs (before, after) for the given dimensions; None if it is no name but the pairs
    themselves."""
    if not isinstance(padding, str):
        return None
    if padding == "VALID":
        return ((0, 0),) * len(window)
    if padding == "SAME":
        return same_padding(size, window, strides, dilations)
    raise invalid(f"padding must be 'SAME', 'VALID' or a list of pairs, got {padding!r}.")


def explicit_padding(padding: Any, rank: int) -> tuple:
    """A pair for each dimension of the tensor."""
    given = tuple(tuple(int(n) for n in pair) for pair in padding)
    if len(given) != rank + 2 or any(len(pair) != 2 or min(pair) < 0 for pair in given):
        raise ValueError(
            f"explicit padding needs a pair (before, after), not negative, for each of {rank + 2} dimensions; got "
            f"{padding!r}."
        )
    return given


def pairs(padding: Any, size: tuple, window: tuple, strides: tuple, dilations: tuple, first: bool) -> tuple:
    """Any form of padding, as pairs for the spatial dimensions."""
    named = named_padding(padding, size, window, strides, dilations)
    if named is not None:
        return named
    given = explicit_padding(padding, len(window))
    outer, inner = (given[:2], given[2:]) if first else ((given[0], given[-1]), given[1:-1])
    if any(map(any, outer)):
        raise ValueError(f"explicit padding must be 0 for the batch and the channels, got {padding!r}.")
    return inner


def to_last(x: Tensor, first: bool) -> Tensor:
    """Channels-last, from channels-first if `first`."""
    return ops.transpose(x, perm=(0, *range(2, x.ndim), 1)) if first else x


def from_last(x: Tensor, first: bool) -> Tensor:
    return ops.transpose(x, perm=(0, x.ndim - 1, *range(1, x.ndim - 1))) if first else x
