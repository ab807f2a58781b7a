"""TensorShape: a tuple of sizes in which a size, or the rank, may be unknown."""

import operator
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from .sizes import Size


class Dimension:
    """One size of a shape, which may be unknown.

    >>> d = tf.compat.v1.Dimension(3)
    >>> d.value, int(d + 1), d == 3
    (3, 4, True)
    """

    def __init__(self, value: Any) -> None:
        self._value = value.value if isinstance(value, Dimension) else None if value is None else operator.index(value)
        if self._value is not None and self._value < 0:
            raise ValueError(f"Dimension {self._value} must be >= 0")

    value = property(lambda self: self._value, doc="The size, or None.")

    def _with(self, other: Any, function: Any) -> "Dimension":
        other = Dimension(other)._value
        return Dimension(None if self._value is None or other is None else function(self._value, other))

    def is_compatible_with(self, other: Any) -> bool:
        """Can both be the same size? An unknown one can be any."""
        other = Dimension(other)._value
        return self._value is None or other is None or self._value == other

    def assert_is_compatible_with(self, other: Any) -> None:
        """ValueError where they cannot be the same size."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {Dimension(other)} are not compatible")

    def merge_with(self, other: Any) -> "Dimension":
        """The size that both have; what one does not know the other may."""
        self.assert_is_compatible_with(other)
        return Dimension(other) if self._value is None else self

    def __add__(self, other: Any) -> "Dimension":
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: Any) -> "Dimension":
        return self._with(other, lambda a, b: a - b)

    def __mul__(self, other: Any) -> "Dimension":
        return self._with(other, lambda a, b: a * b)

    def __floordiv__(self, other: Any) -> "Dimension":
        return self._with(other, lambda a, b: a // b)

    def __rsub__(self, other: Any) -> "Dimension":
        return Dimension(other) - self

    def __rfloordiv__(self, other: Any) -> "Dimension":
        return Dimension(other) // self

    def __mod__(self, other: Any) -> "Dimension":
        return self._with(other, lambda a, b: a % b)

    def __rmod__(self, other: Any) -> "Dimension":
        return Dimension(other) % self

    __radd__, __rmul__ = __add__, __mul__

    # ---- comparisons give None where one of the two is not known, which is not true

    def _compared(self, other: Any, function: Any) -> bool | None:
        other = Dimension(other)._value
        return None if self._value is None or other is None else function(self._value, other)

    def __lt__(self, other: Any) -> bool | None:
        return self._compared(other, operator.lt)

    def __le__(self, other: Any) -> bool | None:
        return self._compared(other, operator.le)

    def __gt__(self, other: Any) -> bool | None:
        return self._compared(other, operator.gt)

    def __ge__(self, other: Any) -> bool | None:
        return self._compared(other, operator.ge)

    def __eq__(self, other: Any) -> Any:
        try:
            return self._compared(other, operator.eq)
        except (TypeError, ValueError):
            return NotImplemented

    def __ne__(self, other: Any) -> Any:
        try:
            return self._compared(other, operator.ne)
        except (TypeError, ValueError):
            return NotImplemented

    def __bool__(self) -> bool:
        return bool(self._value)

    def __hash__(self) -> int:
        return hash(self._value)

    def __int__(self) -> int:
        if self._value is None:
            raise TypeError("The size is not known, so it is no integer: tf.shape(x) has it when the function runs.")
        return int(self._value)

    __index__ = __int__

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)


class TensorShape(tuple[int | Any, ...]):
    """The shape of a tensor. It is a tuple, so it indexes, unpacks and compares like one.

    Args:
        dims: The sizes, None for those that are not known; None alone: not even the rank.

    Raises:
        TypeError: If a size is no integer.

    >>> import tapeflow as tf
    >>> s = tf.TensorShape([None, 3])
    >>> s[1], s.rank, s.as_list(), s.is_compatible_with([8, 3])
    (3, 2, [None, 3], True)
    """

    __slots__ = ()

    def __new__(cls, dims: Any = None) -> "TensorShape":
        if type(dims) is TensorShape:
            return dims
        if dims is None:
            return _UNKNOWN
        if not isinstance(dims, Iterable):
            dims = (dims,)
        return tuple.__new__(cls, [_size(d) for d in dims])

    @property
    def rank(self) -> int | None:
        return None if self is _UNKNOWN else tuple.__len__(self)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes as version 1 had them, with a `value` each; None where the rank is not known."""
        if self is _UNKNOWN:
            return None
        return [Dimension(size if isinstance(size, int) else None) for size in tuple.__iter__(self)]

    def as_list(self) -> list[int | None]:
        """The sizes as a list.

        Raises:
            ValueError: If the rank is not known.
        """
        self._need_rank("as_list()")
        return list(self)

    def num_elements(self) -> int | None:
        """The product of all sizes, or None when one of them is unknown."""
        if not self.is_fully_defined():
            return None
        total = 1
        for size in self:
            total *= size
        return total

    def is_fully_defined(self) -> bool:
        """Is every size known?"""
        return self is not _UNKNOWN and None not in tuple(self)

    def is_compatible_with(self, other: Any) -> bool:
        """Can a tensor have both shapes?"""
        other = TensorShape(other)
        if self is _UNKNOWN or other is _UNKNOWN:
            return True
        return len(self) == len(other) and all(a is None or b is None or a == b for a, b in zip(self, other))

    def merge_with(self, other: Any) -> "TensorShape":
        """What is known by either shape; raises ValueError when they contradict.

        Raises:
            ValueError: If they contradict.
        """
        other = TensorShape(other)
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible.")
        if self is _UNKNOWN or other is _UNKNOWN:
            return other if self is _UNKNOWN else self
        return TensorShape([b if a is None else a for a, b in zip(self, other)])

    def concatenate(self, other: Any) -> "TensorShape":
        """The sizes of this shape, then those of the other."""
        other = TensorShape(other)
        if self is _UNKNOWN or other is _UNKNOWN:
            return _UNKNOWN
        return TensorShape(tuple(self) + tuple(other))

    def with_rank(self, rank: int) -> "TensorShape":
        """The shape with what is known by its rank.

        Args:
            rank: How many axes it has.

        Raises:
            ValueError: If it is known to have others.
        """
        if self is _UNKNOWN:
            return TensorShape([None] * rank)
        if len(self) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")
        return self

    def with_rank_at_least(self, rank: int) -> "TensorShape":
        """The shape.

        Args:
            rank: How many axes it has at least.

        Raises:
            ValueError: If it has fewer.
        """
        if self.rank is not None and self.rank < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> "TensorShape":
        """The shape.

        Args:
            rank: How many axes it has at most.

        Raises:
            ValueError: If it has more.
        """
        if self.rank is not None and self.rank > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def is_subtype_of(self, other: Any) -> bool:
        """Is every shape that fits this one also a shape that fits the other?"""
        other = TensorShape(other)
        if other is _UNKNOWN:
            return True
        return self.rank == other.rank and all(o is None or o == s for s, o in zip(self, other))

    def most_specific_compatible_shape(self, other: Any) -> "TensorShape":
        """What both shapes share: sizes that differ become None, ranks that differ an unknown rank."""
        other = TensorShape(other)
        if self is _UNKNOWN or self.rank != other.rank:
            return _UNKNOWN
        return TensorShape([a if a == b else None for a, b in zip(self, other)])

    def most_specific_common_supertype(self, others: Any) -> "TensorShape":
        """What all the shapes share: sizes that differ become None, ranks that differ an unknown rank.

        Args:
            others: Several shapes.
        """
        shared = self
        for other in others:
            shared = shared.most_specific_compatible_shape(other)
        return shared

    def assert_same_rank(self, other: Any) -> None:
        """Raises ValueError if the ranks differ."""
        other = TensorShape(other)
        if self.rank is not None and other.rank is not None and self.rank != other.rank:
            raise ValueError(f"Shapes {self} and {other} must have the same rank")

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError if no tensor can have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError if the rank is another.

        Args:
            rank: How many axes there have to be.
        """
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError if a size is not known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def _need_rank(self, what: str) -> None:
        if self is _UNKNOWN:
            raise ValueError(f"{what} is not defined on an unknown TensorShape.")

    def __getitem__(self, key: Any) -> Any:
        if self is _UNKNOWN:
            return _UNKNOWN if isinstance(key, slice) else None
        got = tuple.__getitem__(self, key)
        return TensorShape(got) if isinstance(key, slice) else got

    def __len__(self) -> int:
        self._need_rank("len()")
        return tuple.__len__(self)

    def __iter__(self) -> Iterator[int | Any]:
        self._need_rank("Iteration")
        return tuple.__iter__(self)

    def __bool__(self) -> bool:
        return self is not _UNKNOWN

    def __eq__(self, other: Any) -> bool:
        if self is other:
            return True
        if other is None:
            return self is _UNKNOWN
        if isinstance(other, (tuple, list)):
            if self is _UNKNOWN or other is _UNKNOWN:
                return False
            return list(tuple.__iter__(self)) == list(other)
        if type(other) is int:
            return list(tuple.__iter__(self)) == [other]
        if isinstance(other, np.ndarray) and other.ndim == 1 and other.dtype.kind in "iu":  # sizes, not a comparison
            return self is not _UNKNOWN and list(tuple.__iter__(self)) == other.tolist()  # of each number
        return NotImplemented

    def __ne__(self, other: Any) -> bool:
        same = self.__eq__(other)
        return same if same is NotImplemented else not same

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def __add__(self, other: Any) -> "TensorShape":
        return self.concatenate(other)

    def __radd__(self, other: Any) -> "TensorShape":
        return TensorShape(other).concatenate(self)

    def __str__(self) -> str:
        return "<unknown>" if self is _UNKNOWN else str(tuple(self))

    def __repr__(self) -> str:
        return f"TensorShape({None if self is _UNKNOWN else list(self)})"

    def __reduce__(self):
        return TensorShape, (None if self is _UNKNOWN else list(self),)


_UNKNOWN = tuple.__new__(TensorShape)


def _size(value: Any) -> Any:
    if value is None or type(value) is Size:
        return value
    try:
        size = operator.index(value)
    except TypeError:
        raise TypeError(
            f"A size in a shape must be an int or None, got {value!r} of type {type(value).__name__}."
        ) from None
    if size < 0:
        raise ValueError(f"A size in a shape cannot be negative, got {size}.")
    return size
