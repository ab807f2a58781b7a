"""`Dimension`: what the sizes of a shape were in version 1."""

import operator
from typing import Any

__all__ = ["Dimension"]


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

    __radd__, __rmul__ = __add__, __mul__

    def __eq__(self, other: Any) -> Any:
        try:
            other = Dimension(other)._value
        except (TypeError, ValueError):
            return NotImplemented
        return None if self._value is None or other is None else self._value == other

    def __hash__(self) -> int:
        return hash(self._value)

    def __int__(self) -> int:
        return self._value

    def __index__(self) -> int:
        return self._value

    def __repr__(self) -> str:
        return f"Dimension({self._value})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)
