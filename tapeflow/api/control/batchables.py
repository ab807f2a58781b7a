"""Values of batchable types (`tf.experimental.BatchableExtensionType`) in functions over the first axis: as the
tensors that stand for them, which have a row for each of theirs."""

from collections.abc import Callable
from typing import Any

from tapeflow.core import nest
from tapeflow.core.composite import CompositeTensor, TypeSpec, spec_of


def by_rows(fn: Callable, elems: Any) -> tuple[Callable, Any, Callable[[Any], Any]]:
    """(`fn`, of the rows of tensors alone and giving tensors; the tensors of `elems`; a function that makes of the
    stacked results what `fn` gives, stacked)."""
    tensors, row = opened(elems, lambda spec: spec.__unbatch__())
    found: list[Callable] = []

    def of_row(given: Any) -> Any:
        made, close = opened(fn(row(given)), lambda spec: spec.__batch__(None))
        found[:] = [close]
        return made

    return of_row, tensors, lambda stacked: found[0](stacked) if found else stacked


def opened(structure: Any, change: Callable[[Any], Any]) -> tuple[Any, Callable[[Any], Any]]:
    """(The structure with lists of tensors in the place of batchable values; the inverse for other tensors, where
    `change` makes the values' specs of those that they had)."""
    leaves = nest.flatten(structure)
    encoded = [spec_of(leaf).__encoded__(leaf) if isinstance(leaf, CompositeTensor) else None for leaf in leaves]
    if all(tensors is None for tensors in encoded):
        return structure, lambda value: value
    given = nest.pack_as(structure, [leaf if e is None else e for leaf, e in zip(leaves, encoded)])
    plan = [None if e is None else (change(spec_of(leaf)), len(e)) for leaf, e in zip(leaves, encoded)]

    def closed(value: Any) -> Any:
        rest = iter(nest.flatten(value))
        one = lambda spec, count: spec.__decoded__([next(rest) for _ in range(count)])
        return nest.pack_as(structure, [next(rest) if p is None else one(*p) for p in plan])

    return given, closed


def opened_signature(signature: Any) -> Any:
    """Specs of batchable types as those of the tensors that stand for a value."""
    return nest.map_structure(
        lambda leaf: leaf if not isinstance(leaf, TypeSpec) or leaf.__encoding__() is None else leaf.__encoding__(),
        signature,
    )
