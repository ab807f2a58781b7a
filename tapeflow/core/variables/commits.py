"""The values of several variables replaced at once: of all of them or of none, whatever interrupts."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, repeat
from typing import Any

from tapeflow.core.devices import DeviceTensor
from tapeflow.core.frames import current
from tapeflow.core.tensor import EagerTensor, Tensor

from .variable import _UNREAD, Variable

# One instruction of Python, in which it runs through a chain of functions of C.
at_once: Callable[[Iterable], None] = deque(maxlen=0).extend


def replacing(variables: Sequence[Variable], arrays: Iterable, kind: type[EagerTensor]) -> Iterable:
    """What makes arrays the values of variables: of all of them or of none, for who has the locks, `at_once`. `kind`
    is `_kind` then.

    Ctrl-C, and whatever else one thread raises in another, comes between two instructions of Python; here is only one.
    So `arrays` is a sequence, or an iterator of C, which may compute them when they are asked for.
    """
    # A step of many finds all as the last one has left it. (Who reads what NumPy has asks for no lock, and may be
    # reading now.)
    others = variables
    if kind is not EagerTensor:
        others = [v for v in variables if v._kind is not kind or v._latest is not _UNREAD]
    return chain(
        map(setattr, variables, repeat("_value"), arrays),
        map(setattr, others, repeat("_kind"), repeat(kind)),
        map(setattr, others, repeat("_latest"), repeat(_UNREAD)),
    )


def commit(variables: Sequence[Variable], tensors: Sequence[Any]) -> None:
    """What tensors of one engine hold becomes the values of variables: of all of them or of none, for who has the
    locks."""
    kind = type(tensors[0]) if isinstance(tensors[0], DeviceTensor) else EagerTensor
    at_once(replacing(variables, [t.array if kind is EagerTensor else t.held for t in tensors], kind))
    announce(variables, tensors)


def stored(found: list[Tensor], assigned: Sequence[Variable]) -> list[Tensor]:
    """The results of a call without the last ones, which are the values of `assigned` now."""
    if not assigned:
        return found
    commit(assigned, found[-len(assigned) :])
    return found[: -len(assigned)]


def announce(variables: Sequence[Variable], tensors: Sequence[Tensor]) -> None:
    """Tell who watches that these tensors were assigned."""
    if current().audience:
        for variable, tensor in zip(variables, tensors):
            variable._touched((tensor,), False)
