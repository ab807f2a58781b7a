"""Forward mode: `tf.autodiff.ForwardAccumulator`, which gives Jacobian-vector products."""

import logging
from collections.abc import Callable
from typing import Any, Self, TypeVar, overload

from tapeflow.core import nest
from tapeflow.core.composite import CompositeTensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.frames import current, enter
from tapeflow.core.signatures import unannotated
from tapeflow.core.tensor import Tensor, sizes_of, tensor_behind
from tapeflow.core.variables.variable import Variable, unwrapped
from tapeflow.tape.results import Gradient, zeros_of
from tapeflow.tape.unconnected import Unconnected, UnconnectedGradients, gradient_mode
from tapeflow.vectorize.mapped import MappedTensor, Vectorizer

from .pushing import Pushing

K = TypeVar("K")
V = TypeVar("V")


class ForwardAccumulator:
    """Computes Jacobian-vector products while the program runs: `tangents` is the direction at `primals`.

    Args:
        primals: Tensors or variables, alone or in a structure.
        tangents: The direction, of the same structure and shapes.

    Raises:
        ValueError: If a tangent has another shape or dtype than its primal.

    >>> x = tf.constant([1., 2.])
    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1., 10.])) as acc:
    ...     y = x * x
    >>> acc.jvp(y).numpy()
    array([ 2., 40.], dtype=float32)

    Memory does not grow with the length of the program, and one run gives the derivative of every output in one
    direction; a tape gives that of one output in every direction. Over a tape, the two make a Hessian-vector product:

    >>> with tf.autodiff.ForwardAccumulator(x, tf.constant([1., 0.])) as acc:
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = tf.reduce_prod(x) ** 2
    ...     g = tape.gradient(y, x)
    >>> acc.jvp(g).numpy()
    array([8., 8.], dtype=float32)
    """

    _directions: Vectorizer | None = None

    @unannotated
    def __init__(self, primals: Any, tangents: Any) -> None:
        self._pushing = Pushing(*_checked(primals, tangents))
        self._active = False

    @classmethod
    def _batch_accumulator(cls, primals: Any, tangents: Any) -> "ForwardAccumulator":
        """Several directions at once: tangents, and what `jvp` gives, have one more axis, the first."""
        sizes = {tuple(to_tensor(t).sizes)[:1] for t in nest.flatten(tangents)}
        if len(sizes) != 1 or () in sizes:
            raise ValueError(
                f"Tangents must have the same number of directions along a first axis; their first sizes are {sizes}."
            )
        [count] = sizes.pop()
        directions = Vectorizer(count)
        made = cls(primals, nest.map_structure(lambda t: directions.mapped(to_tensor(t)), tangents))
        made._directions = directions
        return made

    def __enter__(self) -> Self:
        if self._active:
            raise ValueError("Accumulator is already recording: it can be entered again only after it was left.")
        frame = current()
        self._active = True
        try:
            # Tangents are computed under whoever was watching before us.
            self._pushing.below = frame if self._directions is None else self._directions.frame()
            enter(frame.watched_by(self._pushing))
        except BaseException:  # Ctrl-C: nobody will call __exit__
            enter(frame)
            self._active = False
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._active:
            self._active = False
            try:
                enter(current().without(self._pushing))
            except BaseException:  # Ctrl-C, perhaps before it was left
                enter(current().without(self._pushing))
                raise

    @overload
    def jvp(self, primals: Tensor | Variable, unconnected_gradients: Unconnected = ...) -> Gradient: ...
    @overload
    def jvp(self, primals: list[V], unconnected_gradients: Unconnected = ...) -> list[Gradient]: ...
    @overload
    def jvp(self, primals: tuple[Any, ...], unconnected_gradients: Unconnected = ...) -> tuple[Gradient, ...]: ...
    @overload
    def jvp(self, primals: dict[K, V], unconnected_gradients: Unconnected = ...) -> dict[K, Gradient]: ...
    @overload
    def jvp(self, primals: Any, unconnected_gradients: Unconnected = ...) -> Any: ...
    @unannotated
    def jvp(self, primals: Any, unconnected_gradients: Unconnected = UnconnectedGradients.NONE) -> Any:
        """The tangent of each of `primals`; None (or zeros) for what does not depend on the accumulator's primals.

        Args:
            primals: What was computed, alone or in a structure.
            unconnected_gradients: What comes back for what does not depend on the primals: `none` or `zero`.

        Returns:
            Tangents in the structure of `primals`.
        """
        mode = gradient_mode(unconnected_gradients)
        return nest.map_structure(lambda value: self._tangent(value, mode), primals)

    def _tangent(self, value: Any, mode: str) -> Any:
        if isinstance(value, CompositeTensor):
            return value.__with_gradients__([self._tangent(part, mode) for part in value.__gradient_parts__()])
        one = unwrapped(tensor_behind(value))
        if not isinstance(one, (Tensor, Variable)):
            raise TypeError(
                f"jvp takes tensors and variables that were computed inside the accumulator, got {value!r} of type "
                f"{type(value).__name__}."
            )
        found = self._known(one)
        if found is None and mode == "error":
            raise ValueError(f"{value!r} does not depend on the primals, so it has no tangent.")
        if found is None:
            found = zeros_of(one) if mode == "zero" else None
        return found if found is None or self._directions is None else self._directions.rows(found)

    def _known(self, value: Any) -> Tensor | None:
        """A tangent; inside a mapped function that began after the accumulator it is known for all rows together."""
        found = self._pushing.tangents.get(value.serial)
        if found is None and type(value) is MappedTensor and self._directions is None:
            of_rows = self._known(value.held)
            found = None if of_rows is None else MappedTensor(of_rows, value.owner)
        return found


def _checked(primals: Any, tangents: Any) -> tuple[list, list]:
    """Primals and tangents, flat and one for each other."""
    primals, tangents = nest.map_structure(unwrapped, primals), nest.map_structure(unwrapped, tangents)
    if isinstance(primals, (Tensor, Variable)):
        flat, given, name = [primals], [tangents], lambda k: "the tangent"
    else:
        flat, given = nest.flatten(primals), nest.flatten(tangents)
        if not nest.alike(primals, tangents):
            _check_structures(primals, tangents)
        name = lambda k: f"tangents{nest.paths(primals)[k]}"
    for k, x in enumerate(flat):
        if not isinstance(x, (Tensor, Variable)):
            raise TypeError(
                f"Primal {k} is {x!r} of type {type(x).__name__}, not a tensor or variable. Make it one: "
                "tf.constant(x)."
            )
        if any(x is other for other in flat[:k]):
            raise ValueError(f"Primal {k} was given twice; add up its tangents and give it once.")
        if not x.dtype.is_inexact:
            logging.getLogger("tapeflow").warning(
                "The dtype of a primal must be floating (e.g. tf.float32), got %r.", x.dtype
            )
    return flat, [_fitting(x, t, name, k) for k, (x, t) in enumerate(zip(flat, given))]


def _check_structures(primals: Any, tangents: Any) -> None:
    if nest.paths(primals) != nest.paths(tangents):
        described = [_described(s) for s in (primals, tangents)]
        raise ValueError(f"primals and tangents have different structures: {' and '.join(described)}.")
    if type(primals) is not type(tangents):
        raise TypeError(
            f"primals is a {type(primals).__name__}, tangents a {type(tangents).__name__}; give the same structure."
        )


def _described(structure: Any) -> str:
    """`list [0], [1]`, or `Tensor`"""
    kind = "Tensor" if isinstance(structure, Tensor) else type(structure).__name__
    return f"{kind} {', '.join(nest.paths(structure))}".rstrip()


def _fitting(primal: Any, tangent: Any, name: Callable[[int], str], k: int) -> Tensor:
    tangent = tangent.value() if isinstance(tangent, Variable) else tangent
    if isinstance(tangent, Tensor) and tangent.dtype is not primal.dtype:
        raise ValueError(
            f"{name(k)} is {tangent.dtype.name}, but its primal is {primal.dtype.name}. Convert it: tf.cast(t, "
            f"tf.{primal.dtype.name})."
        )
    tangent = to_tensor(tangent, primal.dtype)
    if tuple(tangent.sizes) != tuple(sizes_of(primal)):
        raise ValueError(
            f"{name(k)} has shape {tuple(tangent.shape)}, but its primal has shape {tuple(primal.shape)}; a direction "
            "has one number for each of the primal's."
        )
    return tangent
