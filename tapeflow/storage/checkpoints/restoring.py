"""Restoring a checkpoint: matching saved objects to living ones, what was given, and what is still deferred."""

import logging
import weakref
from collections.abc import Callable
from typing import Any

from tapeflow.core.variables import arrivals

from .graph import ObjectGraph, walk
from .reader import Source
from .trackable import check, identity, is_container, lookup, put

__all__ = ["Restore"]

_log = logging.getLogger("tapeflow")


class Restore:
    """Values on their way from a checkpoint to the objects below a root, or below several that stand for it.

    Objects are matched by the names on the way to them, not by their own. What has no counterpart yet is kept: see
    `arrivals`.
    """

    def __init__(self, source: Source, graph: ObjectGraph, roots: list) -> None:
        self._source, self._graph = source, graph
        self._useful = graph.holding_values()
        self._bound: dict[
            int, Callable[[], Any]
        ] = {}  # living objects by number of their node; containers are looked through
        # Living objects that lack a part, by identity, and the node that says so. A checkpoint and its root share the
        # first node.
        self._lacking = {id(owner): (0, _reference(owner)) for owner in roots}
        self._told: set[tuple[int, int]] = set()  # what was warned of
        self.paths = graph.paths()
        self.ledger = Ledger(
            {number: self.paths.get(number, "?") for number, node in enumerate(graph.nodes) if node.values}
        )
        self._bound[0] = _reference(roots[0])
        # When it ends, or the program does: nothing but this says that values were never used.
        weakref.finalize(self, self.ledger.report)

    def proceed(self) -> None:
        """Matches what exists now; gives it its values, all or, where one does not fit, none."""
        found: list[tuple[int, Any]] = []
        for number, reference in list(self._lacking.values()):
            if (owner := reference()) is not None:
                self._match(number, owner, found)
        try:
            for number, thing in found:
                for key in [value.key for value in self._graph.nodes[number].values.values()]:
                    check(
                        thing,
                        self._source.shape(key),
                        self._source.dtype(key),
                        self.paths[number],
                        self._source.foreign,
                    )
        except Exception:
            self.ledger.expects_partial = True  # the error says it
            arrivals.stop(self)
            raise
        for number, thing in found:
            put(
                thing, {name: self._source.read(value.key) for name, value in self._graph.nodes[number].values.items()}
            )
            self.ledger.unused.pop(number, None)
        if not self.ledger.unused:
            self._lacking.clear()
            arrivals.stop(self)

    def _match(self, number: int, owner: Any, found: list[tuple[int, Any]]) -> None:
        """Follows the names below an object that is matched, as far as there are living objects."""
        stack: list[tuple[int, Any]] = [(number, owner)]
        while stack:
            number, owner = stack.pop()
            if self._follow(number, owner, stack, found):
                self._lacking[id(owner)] = number, _reference(owner)
                arrivals.wait(owner, self)
            elif self._lacking.pop(id(owner), None) is not None:
                arrivals.forget(owner, self)

    def _follow(self, number: int, owner: Any, stack: list, found: list) -> bool:
        """Matches the parts of one object, through containers; true where a part that was saved with values is not
        there."""
        lacks = False
        containers = [(number, owner)]
        for number, container in containers:  # grows while it is walked
            names = {
                name: child for name, child in self._graph.nodes[number].children.items() if child in self._useful
            }
            living = lookup(container, names)
            lacks |= len(living) < len(names)
            for name, child in names.items():
                if name not in living:
                    continue
                if is_container(living[name]):
                    if all(child != seen or living[name] is not other for seen, other in containers):
                        containers.append((child, living[name]))
                elif self._bind(child, living[name]):
                    stack.append((child, living[name]))
                    if self._graph.nodes[child].values:
                        found.append((child, living[name]))
        return lacks

    def _bind(self, number: int, thing: Any) -> bool:
        """True where this is news."""
        known = self._bound.get(number)
        other = None if known is None else known()
        if other is None:
            self._bound[number] = _reference(thing)
            return True
        if other is not thing and (number, id(thing)) not in self._told:
            self._told.add((number, id(thing)))
            named = [getattr(one, "name", type(one).__name__) for one in (other, thing)]
            _log.warning(
                "Inconsistent references when loading the checkpoint into this "
                "object graph: %s is one object in the checkpoint, and two here, %s "
                "and %s. Only the first is restored.", self.paths.get(number), *named,
            )  # fmt: skip
        return False

    # ---- what became of it

    def unmatched_objects(self, root: Any) -> list[Any]:
        """Living objects with values that the checkpoint has nothing for."""
        matched = {
            id(thing) for number, reference in self._bound.items() if (thing := reference()) is not None and number
        }
        _, sources = walk(root)
        living = {id(identity(owner)): owner for owner, _ in sources.values()}
        return [owner for number, owner in living.items() if number not in matched]

    def matched_nothing(self) -> bool:
        """Has no object but the root a counterpart, where the checkpoint has some?"""
        return len(self._bound) <= 1 and len(self._graph.nodes) > 1

    def __str__(self) -> str:
        return self._source.path


def _reference(thing: Any) -> Callable[[], Any]:
    """Does not keep the object alive, where its class allows that."""
    try:
        return weakref.ref(thing)
    except TypeError:
        return lambda: thing


class Ledger:
    """The values that nobody has taken yet. Apart from its restore, since it is read when that is gone."""

    def __init__(self, unused: dict[int, str]) -> None:
        self.unused = unused
        self.expects_partial = False

    def report(self) -> None:
        if self.expects_partial or not self.unused:
            return
        _log.warning(
            "A checkpoint was restored in part: %d of its values were never asked for. "
            "`status.expect_partial()` says that this is meant, `status.assert_consumed()` makes "
            "it an error.", len(self.unused),
        )  # fmt: skip
        for path in sorted(self.unused.values()):
            _log.warning("Value in checkpoint could not be found in the restored object: %s", path)
