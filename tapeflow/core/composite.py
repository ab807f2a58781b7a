"""Composites: values made of several tensors that may stand where a tensor stands, such as ragged and sparse
tensors."""

from typing import Any

from .contracts import Operation


class Composite:
    """A primitive that meets a composite among its inputs leaves the work to it: `_apply(prim, args, params)` answers,
    by applying primitives to the tensors inside. So operators, `tf.exp`, `tf.reduce_sum` … take composites without
    knowing them.

    `_differentiable` is the tensor in it that has a gradient, `_with_differentiable(values)` the same composite around
    other values.
    """

    __slots__ = ()
    __array_priority__ = 100

    _differentiable: Any

    def _with_differentiable(self, values: Any) -> "Composite":
        raise NotImplementedError  # each composite says it

    @property
    def sizes(self) -> Any:
        """The shape, by the name that tensors have for what can be computed with."""
        return self.shape  # type: ignore[attr-defined]

    @classmethod
    def _apply(cls, prim: Operation, args: tuple, params: dict) -> Any:
        raise TypeError(f"{prim.name} does not take a {cls.__name__}.")
