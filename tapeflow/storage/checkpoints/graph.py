"""The object graph of a checkpoint: which object was under which name of which other, and the values it had."""

import json
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .trackable import children, identity, values

__all__ = ["Node", "ObjectGraph", "StoredValue", "escaped", "walk"]


@dataclass
class StoredValue:
    """One tensor of an object: where it lies in the file, and what the object is called by itself."""

    key: str
    full_name: str = ""


@dataclass
class Node:
    """A saved object: its children by name (indices into the graph), and its tensors by attribute name."""

    children: dict[str, int] = field(default_factory=dict)
    values: dict[str, StoredValue] = field(default_factory=dict)


@dataclass
class ObjectGraph:
    """Nodes by number; the first is the root."""

    nodes: list[Node]

    def paths(self) -> dict[int, str]:
        """Every node's shortest way from the root, as people write it: `(root).model.layers.0`."""
        found = {0: "(root)"}
        queue = deque([0])
        while queue:
            number = queue.popleft()
            for name, child in self.nodes[number].children.items():
                if child not in found:
                    found[child] = f"{found[number]}.{name}"
                    queue.append(child)
        return found

    def holding_values(self) -> set[int]:
        """The nodes from which a value can be reached; the others are of no use to a checkpoint."""
        parents: dict[int, list[int]] = {}
        for number, node in enumerate(self.nodes):
            for child in node.children.values():
                parents.setdefault(child, []).append(number)
        found = {number for number, node in enumerate(self.nodes) if node.values}
        stack = list(found)
        while stack:
            for parent in parents.get(stack.pop(), ()):
                if parent not in found:
                    found.add(parent)
                    stack.append(parent)
        return found

    def to_json(self) -> list[dict[str, Any]]:
        return [
            {
                "children": node.children,
                "values": {name: [value.key, value.full_name] for name, value in node.values.items()},
            }
            for node in self.nodes
        ]

    @classmethod
    def from_json(cls, nodes: Iterable[dict]) -> "ObjectGraph":
        """Raises KeyError, TypeError or ValueError where the description makes no sense."""
        made = [
            Node(
                {str(name): int(child) for name, child in node["children"].items()},
                {str(name): StoredValue(str(key), str(full)) for name, (key, full) in node["values"].items()},
            )
            for node in nodes
        ]
        if not made or any(not 0 <= child < len(made) for node in made for child in node.children.values()):
            raise ValueError("a child that does not exist")
        return cls(made)

    def __str__(self) -> str:
        return json.dumps(self.to_json(), indent=1)


def escaped(name: str) -> str:
    """A name as part of a path: slashes separate, so those inside are written `.S`, and dots are doubled."""
    return name.replace(".", "..").replace("/", ".S")


def walk(root: Any) -> tuple[ObjectGraph, dict[str, tuple[Any, str]]]:
    """The graph below `root`, breadth first, and for every key the object and the attribute whose value goes there.

    An object that can be reached in several ways is one node, whose key is its shortest path.
    """
    numbers = {id(identity(root)): 0}
    live, paths, nodes = [identity(root)], [""], [Node()]
    sources: dict[str, tuple[Any, str]] = {}
    for number, owner in enumerate(live):  # grows while it is walked
        for attribute, full_name in values(owner).items():
            key = f"{paths[number]}/.ATTRIBUTES/{attribute}".lstrip("/")
            nodes[number].values[attribute] = StoredValue(key, full_name)
            sources[key] = owner, attribute
        for name, child in children(owner).items():
            child = identity(child)
            if id(child) not in numbers:
                numbers[id(child)] = len(live)
                live.append(child)
                paths.append(f"{paths[number]}/{escaped(name)}".lstrip("/"))
                nodes.append(Node())
            nodes[number].children[name] = numbers[id(child)]
    return _pruned(ObjectGraph(nodes)), sources


def _pruned(graph: ObjectGraph) -> ObjectGraph:
    """Without the objects below which there is no value."""
    kept = sorted(graph.holding_values() | {0})
    place = {number: new for new, number in enumerate(kept)}
    return ObjectGraph(
        [
            Node(
                {name: place[child] for name, child in graph.nodes[old].children.items() if child in place},
                graph.nodes[old].values,
            )
            for old in kept
        ]
    )
