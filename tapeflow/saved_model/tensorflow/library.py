"""The functions of a SavedModel, made ready to run: nodes in order, each with what computes it."""

import heapq
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .operations import Operation, operation

__all__ = ["Body", "Library", "Missing", "Reference", "Step", "by_name", "inputs_of", "reference"]

_MOST_NODES = 5_000_000  # of one function, with all those that it calls


class Reference(NamedTuple):
    """A result of a node, or an argument: `node:output:index` in functions, `node:index` in graphs."""

    node: str
    output: str | None
    number: int


class Step(NamedTuple):
    """A node that runs."""

    name: str
    operation: Operation
    inputs: list[Reference]
    done: list[str]  # nodes whose results nobody reads after this one


class Missing(NamedTuple):
    """A node that cannot run."""

    operation: str
    function: str
    node: str
    why: str


class Body:
    """A function: from arguments to outputs by steps."""

    def __init__(
        self, name: str, arguments: list[str], outputs: list[Reference], nodes: Mapping[str, Any],
        renamed: Mapping[Reference, Reference] | None = None, within: Container[str] | None = None,
    ) -> None:  # fmt: skip
        """`renamed`: results that are read elsewhere. `within`: the nodes that it waits for; None: any."""
        self.name, self.arguments, self.within = name, arguments, within
        self.renamed = renamed or {}
        self.outputs = [self.renamed.get(ref, ref) for ref in outputs]
        self.steps: list[Step] = []
        self.missing: list[Missing] = []
        self.calls: Counter[str] = Counter()
        self.nodes: Mapping[str, Any] = nodes

    def prepare(self, library: "Library", also: Sequence[str] = ()) -> None:
        """`also`: nodes that have to run although no output needs them, and whose results stay."""
        inputs, after = {}, {}
        wanted = [ref.node for ref in self.outputs] + list(also)
        arguments = set(self.arguments)
        while wanted:
            name = wanted.pop()
            if name in inputs or name in arguments:
                continue
            if name not in self.nodes:
                raise ValueError(f"{self.name} reads {name!r}, which is not there")
            taken, waited = inputs_of(self.nodes[name])
            inputs[name] = [self.renamed.get(ref, ref) for ref in taken]
            waited = [self.renamed[ref].node if (ref := Reference(n, None, 0)) in self.renamed else n for n in waited]
            if self.within is not None:
                waited = [n for n in waited if n in self.within]
            after[name] = {ref.node for ref in inputs[name]} | set(waited)
            wanted += after[name]
        made = {name: operation(self.nodes[name], library, self.name) for name in inputs}
        for name, found in made.items():
            self.calls.update(found.calls)
            if found.why is not None:
                self.missing.append(Missing(self.nodes[name].op, self.name, name, found.why))
        if not self.missing:
            self._ordered({n: needed - arguments for n, needed in after.items()}, inputs, made, also)
        self.nodes = {}

    def _ordered(self, after: dict[str, set[str]], inputs: dict[str, list], made: dict, kept: Iterable[str]) -> None:
        """In the order of the file where nothing else says which comes first."""
        places = {name: place for place, name in enumerate(self.nodes)}
        readers: dict[str, list[str]] = {name: [] for name in after}
        for name, needed in after.items():
            for other in needed:
                readers[other].append(name)
        open_, left = (
            [(places[n], n) for n, needed in after.items() if not needed],
            {n: len(a) for n, a in after.items()},
        )
        heapq.heapify(open_)
        order = []
        while open_:
            _, name = heapq.heappop(open_)
            order.append(name)
            for reader in readers[name]:
                left[reader] -= 1
                if not left[reader]:
                    heapq.heappush(open_, (places[reader], reader))
        if len(order) != len(after):
            raise ValueError(f"{self.name} has a cycle of nodes: {', '.join(sorted(n for n in left if left[n])[:4])}")
        last: dict[str, str] = {}
        for name in order:
            last.update(dict.fromkeys([r.node for r in inputs[name]], name))
        for node in (*[ref.node for ref in self.outputs], *kept):
            last.pop(node, None)
        done: dict[str, list[str]] = {}
        for node, reader in last.items():
            done.setdefault(reader, []).append(node)
        self.steps = [Step(name, made[name], inputs[name], done.get(name, [])) for name in order]


def inputs_of(node: Any) -> tuple[list[Reference], list[str]]:
    """The results that a node reads, and the nodes that it waits for."""
    texts = list(node.input)
    taken = [reference(text) for text in texts if not text.startswith("^")]
    return taken, [text[1:] for text in texts if text.startswith("^")]


def by_name(nodes: Sequence[Any], where: str) -> dict[str, Any]:
    """Nodes by their names. ValueError where two have the same."""
    found = {node.name: node for node in nodes}
    if len(found) != len(nodes):
        raise ValueError(f"{where} has two nodes of one name")
    return found


def reference(text: str) -> Reference:
    """What an input of a node names."""
    parts = text.split(":")
    if len(parts) == 1:
        return Reference(text, None, 0)
    if len(parts) > 3 or not parts[-1].isdigit():
        raise ValueError(f"{text!r} is no result of a node")
    return Reference(parts[0], parts[1] if len(parts) == 3 else None, int(parts[-1]))


class Library:
    """Functions by name, prepared when they are asked for the first time."""

    def __init__(self, functions: Iterable[Any], gradients: Iterable[Any] = ()) -> None:
        """Messages: FunctionDefs and RegisteredGradients."""
        self.definitions = {function.signature.name: function for function in functions}
        self.gradients = {one.registered_op_type: one.gradient_func for one in gradients}
        self.kept: dict[str, set[str]] = {}  # nodes whose results gradients of their own read later, by function
        self._bodies: dict[str, Body] = {}
        self._sizes: dict[str, int] = {}

    def body(self, name: str) -> Body:
        if name not in self._bodies:
            if name not in self.definitions:
                raise ValueError(f"the function {name!r} is not there")
            found = self.definitions[name]
            arguments = [argument.name for argument in found.signature.input_arg]
            try:
                outputs = [reference(found.ret[out.name]) for out in found.signature.output_arg]
            except KeyError as error:
                raise ValueError(f"{name} does not say what its output {error} is") from None
            made = Body(name, arguments, outputs, by_name(found.node_def, name))
            self.add(made, [*found.control_ret.values(), *self.kept.get(name, ())])
        return self._bodies[name]

    def __contains__(self, name: str) -> bool:
        return name in self._bodies or name in self.definitions

    def add(self, body: Body, also: Sequence[str] = ()) -> None:
        """A function that is not in the file as such."""
        body.prepare(self, also)
        self._bodies[body.name] = body

    def reached(self, names: Iterable[str]) -> list[Body]:
        """The functions and those that they call, each once. ValueError where one calls itself, or where calls of
        calls come to more than any program."""
        found: dict[str, Body] = {}
        for name in names:
            self._visit(name, found)
        return list(found.values())

    def _visit(self, start: str, found: dict[str, Body]) -> None:
        stack: list[tuple[str, Any]] = [(start, None)]
        inside: set[str] = set()
        while stack:
            name, rest = stack[-1]
            if rest is None:
                if name in found:
                    stack.pop()
                    continue
                found[name] = self.body(name)
                inside.add(name)
                stack[-1] = name, rest = name, iter(list(found[name].calls))
            for other in rest:
                if other in inside:
                    raise ValueError(f"the function {other!r} calls itself")
                if other not in found:
                    stack.append((other, None))
                    break
            else:
                inside.discard(name)
                body = found[name]
                size = len(body.steps) + sum(count * self._sizes[other] for other, count in body.calls.items())
                if size > _MOST_NODES:
                    raise ValueError(f"{name} comes to {size} operations with all that it calls")
                self._sizes[name] = size
                stack.pop()
