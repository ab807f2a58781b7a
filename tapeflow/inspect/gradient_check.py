"""`check_gradients(f, *args)`: the tape's gradients, of first and second order, against finite differences."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tapeflow.core import nest
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import DType, as_dtype
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import Tensor, sizes_of
from tapeflow.core.variables.variable import Variable
from tapeflow.tape.gradient_tape import GradientTape
from tapeflow.tape.results import zeros_of

from .explain import explain

_SHOWN = 5


class Entry(NamedTuple):
    """One entry of one argument: what the tape says of it and what finite differences do."""

    order: int
    argument: str
    index: tuple[int, ...]  # type: ignore[assignment]  # tuples have a method of this name
    tape: float
    measured: float
    corner: bool  # do the differences to the left and to the right disagree?

    @property
    def off(self) -> float:
        return abs(self.tape - self.measured)

    def __str__(self) -> str:
        share = self.off / max(abs(self.measured), abs(self.tape), 1e-300)
        text = (
            f"order {self.order}, {self.argument}{list(self.index) if self.index else ''}: the tape says "
            f"{self.tape:.6g}, "
        )
        text += f"finite differences {self.measured:.6g}: off by {self.off:.3g} ({share:.2%})"
        return text + (". The function has a corner there" if self.corner else "")


class GradientCheck(NamedTuple):
    """What `check_gradients` found: all entries that were looked at, the worst first."""

    entries: list[Entry]

    @property
    def largest_error(self) -> float:
        return max((e.off for e in self.entries), default=0.0)

    def __repr__(self) -> str:
        orders = sorted({e.order for e in self.entries})
        return (
            f"<gradients agree: {len(self.entries)} entries, order {' and '.join(map(str, orders))}, off by at "
            f"most {self.largest_error:.2g}>"
        )


class GradientMismatch(AssertionError):
    """The tape and finite differences disagree. `entries`: where, the worst first."""

    def __init__(self, message: str, entries: list[Entry]) -> None:
        super().__init__(message)
        self.entries = entries


def check_gradients(
    f: Callable[..., Any],
    *args: Any,
    order: int = 2,
    rtol: float | None = None,
    atol: float | None = None,
    dtype: Any = "float64",
    most: int = 200,
    seed: int = 0,
) -> GradientCheck:
    """Compares the gradients that the tape gives for `f(*args)` with finite differences; raises GradientMismatch (an
    AssertionError) that says which entry is off, and by how much.

    Arguments are numbers, arrays, tensors, variables, or nests of them; floating ones are checked, as `dtype` (None:
    as they are; variables always are). The outputs may have any structure; they are added up with random weights, so
    that each of them counts. Of large arguments `most` entries are looked at, chosen by `seed`.

    Args:
        f: The function.
        *args: Its arguments.
        order: 1, or 2 for gradients of gradients as well.
        rtol: The relative error that is allowed; None: as the dtype asks for.
        atol: The absolute error that is allowed; None: as the dtype asks for.
        dtype: The dtype to compute in; None: that of the arguments.
        most: How many entries of an argument are looked at.
        seed: An integer that chooses them, and the weights.

    >>> found = tf.test.check_gradients(lambda x: tf.sin(x) * x, [1., 2.])
    >>> len(found.entries), found.largest_error < 1e-8
    (4, True)
    >>> @tf.custom_gradient
    ... def wrong(x):
    ...     return x ** 3, lambda g: g * 2. * x
    >>> tf.test.check_gradients(wrong, 2., order=1)
    Traceback (most recent call last):
    tapeflow.inspect.gradient_check.GradientMismatch: The gradient of wrong is wrong in 1 of 1 entries:
      order 1, argument 0: the tape says 4, finite differences 12: off by 8 (66.67%)
    """
    if order not in (1, 2):
        raise ValueError(f"order must be 1 or 2, got {order!r}.")
    check = _Check(f, args, None if dtype is None else as_dtype(dtype), np.random.default_rng(seed))
    entries = [e for n in range(1, order + 1) for e in check.entries(n, most)]
    low = any(p.dtype.size < 8 for p in check.places)
    rtol = (2e-2 if low else 1e-4) if rtol is None else rtol
    atol = (2e-3 if low else 1e-6) if atol is None else atol
    entries.sort(key=lambda e: -e.off)
    wrong = [e for e in entries if not e.off <= atol + rtol * max(abs(e.measured), abs(e.tape))]
    if not wrong:
        return GradientCheck(entries)
    name = getattr(f, "__name__", type(f).__name__)
    rows = [f"  {e}" for e in wrong[:_SHOWN]] + ([f"  and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else [])
    text = f"The gradient of {name} is wrong in {len(wrong)} of {len(entries)} entries:\n" + "\n".join(
        rows + check.unconnected
    )
    raise GradientMismatch(text, wrong)


class _Check:
    """`f` as a function of the floating leaves of its arguments, the `places`."""

    def __init__(self, f: Callable, args: tuple, dtype: DType | None, rng: np.random.Generator) -> None:
        args = tuple(
            [np.array(a) if isinstance(a, list) and _only_numbers(a) else a for a in args]
        )  # `[1., 2.]` means an array
        self.f, self.args, self.rng = f, args, rng
        self.leaves = [leaf if isinstance(leaf, Variable) else _tensor(leaf, dtype) for leaf in nest.flatten(args)]
        self.which = [
            k for k, leaf in enumerate(self.leaves) if isinstance(leaf, (Tensor, Variable)) and leaf.dtype.is_floating
        ]
        self.places = [self.leaves[k] for k in self.which]
        paths = nest.paths(args)
        self.names = [_name(paths[k]) for k in self.which]
        self.unconnected: list[str] = []
        if not self.places:
            raise ValueError("check_gradients needs an argument of a floating dtype.")
        self.weights: list[np.ndarray] = []
        self.directions = [rng.normal(size=tuple(sizes_of(p))) for p in self.places]

    def value(self, places: list) -> Tensor:
        """The outputs, added up with weights."""
        leaves = list(self.leaves)
        for k, place in zip(self.which, places):
            leaves[k] = place
        outs = [to_tensor(y) for y in nest.flatten(self.f(*nest.pack_as(self.args, leaves))) if y is not None]
        outs = [y for y in outs if y.dtype.is_floating]
        if not outs:
            raise ValueError("check_gradients needs a function with an output of a floating dtype.")
        if not self.weights:
            one = len(outs) == 1 and outs[0].ndim == 0
            self.weights = [np.ones(()) if one else self.rng.normal(size=tuple(y.sizes)) for y in outs]
        return _weighted_sum(outs, self.weights)

    def first(self, places: list) -> list:
        with GradientTape() as tape:
            for place in places:
                tape.watch(place)
            y = self.value(places)
        return self._gradients(tape, y, places)

    def _gradients(self, tape: GradientTape, y: Tensor, places: list) -> list:
        found = tape.gradient(y, places)
        if any(g is None for g in found) and not self.unconnected:
            reports = [r for r in explain(tape, y, places) if not r.connected]
            self.unconnected = [f"  argument {k}: {r.reason}." for k, r in enumerate(reports)]
        dense = [
            zeros_of(p) if g is None else to_tensor(g) if isinstance(g, IndexedSlices) else g
            for g, p in zip(found, places)
        ]
        return dense

    def along(self, places: list) -> Tensor:
        """The first gradient in a direction: what the second order is the gradient of."""
        return _weighted_sum(self.first(places), self.directions)

    def second(self, places: list) -> list:
        with GradientTape() as tape:
            for place in places:
                tape.watch(place)
            y = self.along(places)
        return self._gradients(tape, y, places)

    def entries(self, order: int, most: int) -> list[Entry]:
        function = self.value if order == 1 else self.along
        gradients = (self.first if order == 1 else self.second)(self.places)
        found = []
        for k, (place, g) in enumerate(zip(self.places, gradients)):
            array = np.array(place.numpy())
            numbers = np.arange(array.size)
            for number in numbers if array.size <= most else self.rng.choice(numbers, most, replace=False):
                index = tuple(int(i) for i in np.unravel_index(number, array.shape))
                measured, corner = self._measured(function, k, array, index)
                found.append(Entry(order, self.names[k], index, float(g.numpy()[index]), measured, corner))
        return found

    def _measured(self, function: Callable, k: int, array: np.ndarray, index: tuple) -> tuple[float, bool]:
        """By central differences of two widths, which give the next order of accuracy together."""
        step = float(np.finfo(array.dtype).eps) ** (1 / 5 if array.dtype.itemsize >= 8 else 1 / 4) * max(
            1.0, abs(float(array[index]))
        )
        at = lambda delta: self._moved(function, k, array, index, delta)
        wide, narrow = (at(step) - at(-step)) / (2 * step), (at(step / 2) - at(-step / 2)) / step
        here = at(0.0)
        right, left = (at(step / 2) - here) / (step / 2), (here - at(-step / 2)) / (step / 2)
        corner = abs(right - left) > 0.05 * max(1.0, abs(right), abs(left))
        return float((4 * narrow - wide) / 3), bool(corner)

    def _moved(self, function: Callable, k: int, array: np.ndarray, index: tuple, delta: float) -> float:
        moved = array.copy()
        moved[index] += delta
        place = self.places[k]
        if isinstance(place, Variable):
            place.assign(moved)
            try:
                return float(function(self.places))
            finally:
                place.assign(array)
        return float(function([to_tensor(moved) if j == k else p for j, p in enumerate(self.places)]))


def _weighted_sum(values: list, weights: list) -> Tensor:
    total: Tensor | None = None
    for y, w in zip(values, weights):
        product = ops.mul(y, to_tensor(np.asarray(w), y.dtype))
        part = ops.reduce_sum(product, axis=tuple(range(len(y.sizes))), keepdims=False)
        total = (
            part
            if total is None
            else ops.add(total, ops.cast(part, dtype=total.dtype.np) if part.dtype != total.dtype else part)
        )
    assert total is not None, "there is something to differentiate"
    return total


def _tensor(leaf: Any, dtype: DType | None) -> Any:
    if not isinstance(leaf, (Tensor, np.ndarray, np.generic, float)):
        return leaf
    tensor = to_tensor(leaf)
    if not tensor.dtype.is_floating or dtype is None or tensor.dtype == dtype:
        return tensor
    return to_tensor(tensor.numpy().astype(dtype.np))


def _only_numbers(value: Any) -> bool:
    return all(isinstance(leaf, (int, float)) for leaf in nest.flatten(value))


def _name(path: str) -> str:
    """`argument 0['w']` of the path `[0]['w']`."""
    first, _, rest = path[1:].partition("]")
    return f"argument {first}{rest}"
