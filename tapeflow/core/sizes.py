"""Symbolic sizes: dimensions that differ from call to call (`tf.TensorSpec([None, 3])`), as expressions.

A function with such a signature is traced once, for one call, and the graph is then made again for other sizes,
without Python. So an unknown size is an object that computes: `2 * size` is a size again. Where Python must decide
(`if size == 1:`) it is told what is true in the call that the trace is for, and the trace remembers what it relied on:
it serves those calls for which the same is true.

A size may also depend on values: how many elements a mask picks, or a number that the program computes. Such a *late*
size has a name here like the others, and is computed where the graph runs (`tapeflow.function.tracing.late_sizes`).
"""

import operator
from collections.abc import Callable, Iterable, Mapping
from math import prod
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from .contracts import supplied
from .dtypes import int32

_COMPUTE: dict[str, Callable] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
    "==": operator.eq, "<": operator.lt, "<=": operator.le,
    "max": lambda a, b: larger(a, b), "min": lambda a, b: smaller(a, b),
}  # fmt: skip


class Expression:
    """How a size is computed: ("size", number), or an operation on expressions and numbers. There is one object for
    each: a size that a hundred others are made of stands in all of them, and is compared and computed once.

    `numbers`: the sizes, by number, that it is made of. Asked for at every operation of a trace; to collect them anew
    would take as long as the trace is deep."""

    __slots__ = ("operation", "parts", "numbers", "__weakref__")
    operation: str
    parts: tuple
    numbers: frozenset[int]
    _all: "WeakValueDictionary[tuple, Expression]" = WeakValueDictionary()  # noqa: RUF012  (no ClassVar beside slots)

    def __new__(cls, operation: str, *parts: Any) -> "Expression":
        key = operation, parts
        made = cls._all.get(key)
        if made is None:
            made = object.__new__(cls)
            made.operation, made.parts = operation, parts
            made.numbers = frozenset(parts) if operation == "size" else _together(map(numbers, parts))
            made = cls._all.setdefault(key, made)
        return made


# What a size is taken for that nobody has said: many numbers divide it, and it is nothing special otherwise.
ANY_SIZE = 840


class Known(dict):
    """What sizes are, by number, with what has been computed of them."""

    def __init__(self, sizes: Any) -> None:
        super().__init__(sizes)
        self.found: dict[Expression, Any] = {}
        self.wider: dict[tuple, Known] = {}

    def with_more(self, sizes: Mapping[int, Any]) -> "Known":
        """These and others. It is one object for the same others, so that what is computed of them is computed
        once."""
        key = tuple([(n, s.expression, id(s.relied_on)) if type(s) is Size else (n, s) for n, s in sizes.items()])
        if key not in self.wider:
            self.wider[key] = Known({**self, **sizes})
        return self.wider[key]


class Guesses(Known):
    """What sizes are taken for while a function is traced. Those that are late are looked up when somebody asks."""

    def __init__(self) -> None:
        super().__init__({})
        self.look: dict[int, Callable[[], int | None]] = {}  # by number, what finds it out, if that is possible
        self.like: dict[int, Size] = {}  # by number, the size of another trace that it is taken for
        self.free: set[int] = set()  # those that nothing is known of: they may be guessed anew
        self.guessed: set[int] = set()  # the same, and those of them that have been
        self.doubtful: set[int] = set()  # those of another trace, for another call

    def take(self, number: int, like: "Size", same_call: bool = True) -> None:
        """Has a size that cannot be found out be taken for what one of another trace is taken for; if that is for
        another call, as long as nothing speaks against it."""
        self.like[number] = like
        (self.doubtful.discard if same_call else self.doubtful.add)(number)

    def with_more(self, sizes: Mapping[int, Any]) -> Known:
        return Known({**self, **sizes})  # guesses change

    def __missing__(self, number: int) -> int:
        found = self.look[number]() if number in self.look else None
        if found is None:
            like = self.like.get(number)
            found = ANY_SIZE if like is None else like.now
            if like is None or number in self.doubtful or numbers(like) <= like.relied_on.now.guessed:
                self.free.add(number)
                self.guessed.add(number)
        self[number] = found
        return found


class Reliance(list):
    """What Python was told of sizes while a function was traced, as (expression, answer): the trace is right where the
    same is true. `now`: what it was told by."""

    def __init__(self) -> None:
        super().__init__()
        self.now = Guesses()
        self.late: set[int] = set()  # the numbers of sizes that depend on values

    def guessed_better(self, asked: int) -> bool:
        """Something did not fit. Were the questions from number `asked` on about a size that nothing is known of? Then
        take it for what it was compared with, if no earlier answer becomes another one by it. Of a product its factors
        are guessed."""
        for expression, answer in self[asked:]:
            if expression.operation != "==" or answer:
                continue
            for product, other in (expression.parts, expression.parts[::-1]):
                guesses = self._guessed_factors(*self._without_terms(product, computed(other, self.now)))
                for number, guess in list(guesses.items()):
                    guesses |= dict.fromkeys(self._equal_to(number, asked), guess)
                before = {number: self.now[number] for number in guesses}
                self.now.update(guesses)
                self.now.found = {}
                if guesses and all(computed(question, self.now) == said for question, said in self[:asked]):
                    self.now.free.difference_update(guesses)
                    del self[asked:]
                    return True
                self.now.update(before)
                self.now.found = {}
        return False

    def _without_terms(self, total: Any, wanted: int) -> tuple[Any, int]:
        """(The part of a sum that nothing is known of, what it has to be for the sum to be `wanted`)."""
        while type(total) is Expression and total.operation == "+":
            a, b = total.parts
            total, known = (b, a) if self.now.free.isdisjoint(numbers(a)) else (a, b)
            wanted -= computed(known, self.now)
        return total, wanted

    def _equal_to(self, number: int, asked: int) -> set[int]:
        """This size, and those that nothing is known of either but that Python was told to be equal."""
        pairs = [
            numbers(expression)
            for expression, answer in self[:asked]
            if answer and expression.operation == "==" and all(map(_is_size, expression.parts))
        ]
        found, before = {number}, 0
        while len(found) > before:
            before = len(found)
            found.update(*[pair for pair in pairs if not pair.isdisjoint(found) and pair <= self.now.free])
        return found

    def _guessed_factors(self, product: Any, wanted: int) -> dict[int, int]:
        """Sizes, by number, for those in a product that nothing is known of: with them it is as large as `wanted`."""
        factors = [product]
        while any(type(f) is Expression and f.operation == "*" for f in factors):
            factors = [p for f in factors for p in (f.parts if getattr(f, "operation", "") == "*" else (f,))]
        free = [f.parts[0] for f in factors if _is_size(f) and f.parts[0] in self.now.free]
        rest = prod([computed(f, self.now) for f in factors if not (_is_size(f) and f.parts[0] in free)])
        if wanted < 0 or not free or len(set(free)) < len(free) or not rest or wanted % rest:
            return {}
        left, guesses = wanted // rest, {}
        for number in free[:-1]:  # no 1 where it can be another number: ones are special
            guesses[number] = next((d for d in (2, 3, 5, 7) if left > d and left % d == 0), 1)
            left //= guesses[number]
        return guesses | {free[-1]: left}


def _is_size(expression: Any) -> bool:
    return type(expression) is Expression and expression.operation == "size"


class Size:
    """A whole number that is known later. `now` is what it is in the call being traced."""

    __slots__ = ("_now", "expression", "relied_on")

    def __init__(self, expression: Expression, now: int | None, relied_on: Reliance) -> None:
        """`now`: None where it is asked for only if somebody wants to know it."""
        self.expression, self._now, self.relied_on = expression, now, relied_on

    @property
    def now(self) -> int:
        return computed(self.expression, self.relied_on.now) if self._now is None else self._now

    def _with(self, operation: str, a: Any, b: Any) -> Any:
        other = b if a is self else a
        if isinstance(other, (float, np.floating)):
            return _COMPUTE[operation](*[float(x) for x in (a, b)])
        if isinstance(other, np.ndarray):
            return self._with_array(operation, a, b)
        if type(other) is not Size and not isinstance(other, (int, np.integer)):
            return NotImplemented
        made = Expression(operation, _expression(a), _expression(b))
        late = any(type(x) is Size and x._now is None for x in (a, b))
        return Size(made, None if late else _COMPUTE[operation](_now(a), _now(b)), self.relied_on)

    @property
    def number(self) -> int:
        """Of a size that is not computed from others."""
        return self.expression.parts[0]

    def _with_array(self, operation: str, a: Any, b: Any) -> Any:
        return _COMPUTE[operation](*[operator.index(x) if x is self else x for x in (a, b)])

    def _told(self, operation: str, a: Any, b: Any) -> Any:
        if isinstance(b if a is self else a, np.ndarray):
            return self._with_array(operation, a, b)
        answer = _COMPUTE[operation](_now(a), _now(b))
        self.relied_on.append((Expression(operation, _expression(a), _expression(b)), answer))
        return answer

    # ---- arithmetic; with a number that is not whole the result is one, of what the size is now

    def __add__(self, other: Any) -> Any:
        if type(other) is int and other < 0:  # one way to write it, so that equal sizes look equal
            return self - -other
        return self if _is(other, 0) else self._with("+", self, other)

    def __sub__(self, other: Any) -> Any:
        return 0 if _same(self, other) else self if _is(other, 0) else self._with("-", self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._with("-", other, self)

    def __mul__(self, other: Any) -> Any:
        return self if _is(other, 1) else 0 if _is(other, 0) else self._with("*", self, other)

    def __floordiv__(self, other: Any) -> Any:
        if _is(other, 1):
            return self
        if self._has_factor(other):
            a, b = self.expression.parts
            rest = b if a == _expression(other) else a
            return (
                rest
                if type(rest) is int
                else Size(rest, None if self._now is None else self._now // _now(other), self.relied_on)
            )
        return self._with("//", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._with("//", other, self)

    def __mod__(self, other: Any) -> Any:
        return 0 if _is(other, 1) or _same(self, other) or self._has_factor(other) else self._with("%", self, other)

    def __rmod__(self, other: Any) -> Any:
        return self._with("%", other, self)

    def __neg__(self) -> Any:
        return self._with("-", 0, self)

    def __truediv__(self, other: Any) -> float:
        return float(self) / other

    def __rtruediv__(self, other: Any) -> float:
        return other / float(self)

    def __pow__(self, other: Any) -> Any:
        return self.__index__() ** other

    def __rpow__(self, other: Any) -> Any:
        return other ** self.__index__()

    def _has_factor(self, other: Any) -> bool:
        """Was it made by multiplying by this number? What is 0 now may be another number later, and divides
        nothing."""
        return self.expression.operation == "*" and _expression(other) in self.expression.parts and bool(_now(other))

    __radd__, __rmul__ = __add__, __mul__

    # ---- answers that Python needs

    def __eq__(self, other: object) -> bool:
        if _same(self, other):
            return True
        return _is_number(other) and self._told("==", self, other)

    def __lt__(self, other: Any) -> bool:
        return self._told("<", self, other)

    def __le__(self, other: Any) -> bool:
        return self._told("<=", self, other)

    def __gt__(self, other: Any) -> bool:
        return self._told("<", other, self)

    def __ge__(self, other: Any) -> bool:
        return self._told("<=", other, self)

    def __bool__(self) -> bool:
        return not self._told("==", self, 0)

    def __index__(self) -> int:
        self._told("==", self, self.now)
        return self.now

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())

    # NumPy computes with what the size is now, unless it is asked for objects: by itself it would make those. With the
    # priority its numbers leave `3 * size` to the size.
    __array_priority__ = 1000.0

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        array = np.empty((), dtype or np.int64)
        array[()] = self if array.dtype == object else self.__index__()
        return array

    def __tf_tensor__(self, dtype: Any = None) -> Any:
        return tensor_of(self, dtype or int32)

    def __hash__(self) -> int:
        return hash(self.expression)

    def __repr__(self) -> str:
        return "None"


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, Size)) or hasattr(value, "__index__")


def _is(value: Any, number: int) -> bool:
    return type(value) is int and value == number


def _same(a: Any, b: Any) -> bool:
    return type(a) is Size and type(b) is Size and a.expression is b.expression


def _now(value: Any) -> Any:
    return value.now if type(value) is Size else value


def _expression(value: Any) -> Any:
    return value.expression if type(value) is Size else value


def numbers(value: Any) -> frozenset[int]:
    """The sizes, by number, that a shape, a parameter or an expression is made of."""
    if type(value) is Size:
        return value.expression.numbers
    if type(value) is Expression:
        return value.numbers
    if type(value) in (tuple, list):
        return _together(map(numbers, value))
    return _NONE


_NONE: frozenset[int] = frozenset()


def _together(sets: Iterable[frozenset[int]]) -> frozenset[int]:
    """The union: one of them if it has all the others, so that deep expressions share it."""
    found = _NONE
    for one in sets:
        if not one <= found:
            found = one if found <= one else found | one
    return found


def computed(expression: Any, sizes: Mapping[int, Any]) -> Any:
    """What an expression is, where sizes are these, by number."""
    if type(expression) is not Expression:
        return expression
    found = sizes.found if isinstance(sizes, Known) else {}
    waiting = [expression]
    while waiting:  # not by recursion: a network may be deep
        one = waiting[-1]
        before = [p for p in one.parts if type(p) is Expression and p not in found]
        if before:
            waiting += before
            continue
        waiting.pop()
        if one.operation == "size":
            found[one] = sizes[one.parts[0]]
        elif one not in found:
            found[one] = _COMPUTE[one.operation](*[found[p] if type(p) is Expression else p for p in one.parts])
    return found[expression]


def specialized(value: Any, sizes: Mapping[int, Any]) -> Any:
    """A parameter of an operation, or a shape, with these numbers in the place of symbolic sizes."""
    if type(value) is Size:
        if getattr(value.relied_on, "late", None):  # what is known only when the graph runs stays what it is
            rest = {n: Size(Expression("size", n), None, value.relied_on) for n in numbers(value) if n not in sizes}
            if rest:
                sizes = (sizes if isinstance(sizes, Known) else Known(sizes)).with_more(rest)
        return computed(value.expression, sizes)
    if type(value) in (tuple, list):
        return type(value)([specialized(part, sizes) for part in value])
    return value


def larger(a: Any, b: Any) -> Any:
    """The maximum, without asking which one it is."""
    return _chosen("max", a, b)


def smaller(a: Any, b: Any) -> Any:
    """The minimum, without asking which one it is."""
    return _chosen("min", a, b)


def _chosen(operation: str, a: Any, b: Any) -> Any:
    size = a if type(a) is Size else b
    if type(size) is not Size:
        return max(a, b) if operation == "max" else min(a, b)
    return a if _same(a, b) else size._with(operation, a, b)


def holds(question: Callable[[], bool], *shapes: tuple) -> bool:
    """Is it true of these shapes? Sizes that nothing is known of are taken for what they are compared with, so that it
    is, as when the shape of a primitive's result is inferred."""
    size = next((d for shape in shapes for d in shape if type(d) is Size), None)
    if size is None:
        return question()
    while True:
        asked = len(size.relied_on)
        if question():
            return True
        if not size.relied_on.guessed_better(asked):
            return False


def estimated(size: Any) -> int:
    """What it is in the call that is traced, for a choice that no result depends on."""
    return _now(size)


def alike(a: tuple, b: tuple) -> bool:
    """Are two shapes the same whatever the sizes are? Nothing is asked."""
    one = lambda x, y: _same(x, y) if Size in (type(x), type(y)) else x == y
    return len(a) == len(b) and all(map(one, a, b))


def tensor_of(sizes: Any, dtype: Any = int32) -> Any:
    """A size or several as a tensor, in the graph that they belong to."""
    return supplied.sizes_as_tensor(sizes, dtype.np)


def brackets(shape: Any) -> str:
    """`[2,5]`: how TensorFlow writes shapes in messages, which people search for."""
    return f"[{','.join(['?' if size is None or type(size) is Size else str(size) for size in shape])}]"


def public(shape: tuple) -> tuple:
    """As programs see it: None for what is not known."""
    return tuple([None if type(size) is Size else size for size in shape])
