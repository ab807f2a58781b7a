"""Deserialising graphs, the inverse of `writing.py`. What comes out is a graph like any other: primitives, which can
be differentiated, mapped, compiled, and run on any engine; without the Python function that it was traced from."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.dtypes import BY_NUMPY
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.primitive import REGISTRY
from tapeflow.core.random.streams import Site
from tapeflow.core.sizes import ANY_SIZE, Expression, Size
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.control.flow import Choice
from tapeflow.function.control.loops import Loop
from tapeflow.function.running.calls import GraphFunction
from tapeflow.function.tracing.concrete import ConcreteFunction
from tapeflow.function.tracing.effects import AT_EVERY_RUN, Effect, Recipe, called
from tapeflow.function.tracing.graph import Graph, Node
from tapeflow.function.tracing.late_sizes import OtherSizes, Relied, Sized, SizeOf
from tapeflow.function.tracing.symbols import SymbolicTensor
from tapeflow.function.tracing.traced_rules import TracedRule

from .stored_values import Reader


class RestoredFunction(ConcreteFunction):
    """A concrete function without Python: what was saved is all there is."""

    others: list["RestoredFunction"]

    def _traced_again(self, tensors: list[Tensor]) -> ConcreteFunction:
        """For sizes that this trace is not right for: one of the others."""
        for other in self.others:
            found = other.at(tensors)
            if found is not None:
                return self._version(tuple([tuple(tensors[n].sizes)[axis] for n, axis, _ in self.sizes]), found)
        given = ", ".join(f"{BY_NUMPY[t.dtype.np].name} {tuple(t.shape)}" for t in tensors)
        words = lambda f: ", ".join("any" if s.now == ANY_SIZE else str(s.now) for s in f.graph.sizes)
        taken = sorted({f"({words(f)})" for f in (self, *self.others)})
        raise ValueError(
            f"{self.name} was saved for sizes that these are not: {given}. When it was saved, "
            "its Python code was asked to decide something by the sizes, and the graphs that "
            f"came of it are for {', '.join(taken)}. Call the function with these sizes before "
            "saving." + self._clash(tensors)
        )

    def _for_other_sizes(self, tensors: list[Tensor]) -> Any:
        for other in self.others:
            try:
                found = other.at(tensors)
                if found is not None:
                    return found._packed(found._computed(tensors))
            except OtherSizes:
                continue
        raise ValueError(
            f"{self.name} was saved for sizes that these are not: when it was saved, its Python code was asked to "
            "decide something by sizes that depend on values. Call the function with such values before saving."
        )

    def _clash(self, tensors: list[Tensor]) -> str:
        """What goes wrong in the graph for these tensors, if something does: perhaps they do not fit each other."""
        try:
            self.function.specialized({number: tuple(tensors[n].sizes)[axis] for n, axis, number in self.sizes})
        except InvalidArgumentError as error:
            return f"\n  With these sizes: {error.message}"
        return ""


class FunctionReader:
    """Makes concrete functions of what `FunctionWriter` wrote. `array(name)` gives an array, `variables` are all of
    the model's."""

    def __init__(self, array: Callable[[str], np.ndarray], variables: Sequence[Any]) -> None:
        self.array, self.variables = array, variables

    def concrete(self, described: dict) -> RestoredFunction:
        """A function, with those that serve other sizes."""
        made = self._trace(described)
        made.others = [self._trace(other) for other in described["others"]]
        return made

    def _trace(self, described: dict) -> RestoredFunction:
        part = _GraphReader(self, described)
        whole = part.function(described["graph"])
        graph = whole.graph
        reader = Reader(self.array, lambda leaf: graph.symbols[leaf["place"]])
        reader.sizes, reader.now, reader.relied_on = part.reader.sizes, part.reader.now, graph.relied_on
        specs = [reader.spec(s) for s in described["specs"]]
        made = RestoredFunction(
            None,
            None,
            reader.value(described["arguments"]),
            described["tensors"],
            specs,
            whole.name,
            described["jit"],
            True,
        )
        made.python_function = made.traced = _no_python(whole.name)
        made.graph, made.others = graph, []
        graph.inputs = whole.inputs[: len(specs)]
        graph.names = {p: name for p, name in zip(graph.inputs, described["names"]) if name is not None}
        graph.relied_on.extend([(reader.expression(question), answer) for question, answer in described["relied_on"]])
        for number, index in described["variables"]:
            variable = self.variables[number]
            graph.reads[variable.serial] = variable, index
            graph.names[index] = variable.name.removesuffix(":0")
        graph.keys_drawn = [(Site.restored(*site), index) for *site, index in described["keys"]]
        for number, index in described["assigned"]:
            variable = self.variables[number]
            graph.latest[variable.serial], graph.assigned[variable.serial] = index, variable
        made.sizes = [(n, axis, reader.sizes[number]) for n, axis, number in described["sizes"]]
        made.structured_outputs, made.result_indices = reader.value(described["returns"]), described["results"]
        made._complete()
        made.alone, made.function.may_refuse = described["alone"], False
        return made


def _no_python(name: str) -> Callable:
    def refuse(*_: Any, **__: Any) -> Any:
        raise ValueError(
            f"{name} was loaded from a saved model, and cannot run as plain Python: there is only its graph."
        )

    return refuse


class _GraphReader:
    """The graphs of one concrete function. They share sizes that are not known, and operations that extend each
    other."""

    def __init__(self, whole: FunctionReader, described: dict) -> None:
        self.whole, self.flows = whole, described["flows"]
        self.made: dict[int, Any] = {}
        self.reader = Reader(whole.array)
        numbering = Graph()  # gives sizes their numbers
        for old, now in described["now"]:
            size = numbering.size(now)
            self.reader.sizes[old] = size.number
            self.reader.now[size.number] = now
        numbering.relied_on.late.update(self.reader.sizes[old] for old in described.get("late", ()))
        self.sizes, self.reader.relied_on = numbering.sizes, numbering.relied_on

    def function(self, described: dict) -> GraphFunction:
        graph = Graph()
        graph.sizes, graph.relied_on, graph.compiles = self.sizes, self.reader.relied_on, described["jit"]
        for spec in described["specs"]:
            graph.new(self.reader.spec(spec))
        for index, name in described["constants"]:
            graph.constants[index] = EagerTensor(self.whole.array(name))
        for operation, inputs, params, outputs, several, line in described["nodes"]:
            prim, inputs = self._operation(operation, tuple(inputs), graph)
            params = {name: self.reader.value(value) for name, value in params.items()}
            graph.nodes.append(Node(prim, inputs, params, tuple(outputs), several, line))
        return GraphFunction(
            graph, described["inputs"], described["outputs"], described["name"], described["jit"], described["effects"]
        )

    def _operation(self, operation: Any, inputs: tuple[int, ...], graph: Graph) -> tuple[Any, tuple[int, ...]]:
        """(What stands in a node; its inputs)."""
        if isinstance(operation, str):
            if operation not in REGISTRY:
                raise LookupError(
                    f"The saved model uses the operation {operation!r}, which this version of tapeflow does not have. "
                    "If the program that saved it declared it as a primitive of its own, import that module before "
                    "loading."
                )
            return REGISTRY[operation], inputs
        if "sized" in operation:
            return Sized(self._operation(operation["sized"], (), graph)[0], self._late(operation)), inputs
        if "size_of" in operation:
            return SizeOf(operation["size_of"]), inputs
        if "relied_on" in operation:
            question = self.reader.expression(operation["relied_on"]), operation["answer"]
            graph.guarded.add(question)
            return Relied(*question, self._late(operation)), inputs
        if "flow" in operation:
            return self._flow(operation["flow"]), inputs
        if "rule" in operation:
            return self._rule(operation["rule"]), inputs
        return self._effect(operation["effect"], inputs, graph)

    def _late(self, operation: dict) -> tuple[Size, ...]:
        late = [Expression("size", self.reader.sizes[old]) for old in operation["sizes"]]
        return tuple([Size(expression, None, self.reader.relied_on) for expression in late])

    def _rule(self, described: dict) -> TracedRule:
        function = self.function(described["graph"]) if "graph" in described else None
        variables = [self.whole.variables[k] for k in described["variables"]]
        sites = [Site.restored(*site) for site in described["seeds"]]
        return TracedRule(described["name"], function, described["reached"], variables, sites, described["lost"])

    def _effect(self, described: dict, inputs: tuple[int, ...], graph: Graph) -> tuple[Effect, tuple[int, ...]]:
        called_name = described["calls"].rpartition(".")[2]  # older files say the module, too
        if called_name not in AT_EVERY_RUN:
            raise LookupError(
                f"The saved model calls {described['calls']!r} at every run, which this version of tapeflow does not "
                "have."
            )
        reader = Reader(self.whole.array, lambda leaf: graph.symbols[inputs[leaf["input"]]])
        given = reader.value(described["given"])
        leaves = nest.walked(given, composites=True)
        positions = [k for k, leaf in enumerate(leaves) if isinstance(leaf, SymbolicTensor)]
        recipe = Recipe(AT_EVERY_RUN[called_name], given, leaves, positions)
        effect = Effect(called(recipe, False), [], described["name"], checks=described["checks"])
        effect.recipe = recipe
        return effect, tuple([leaves[k].index for k in positions])

    def _flow(self, number: int) -> Any:
        if number not in self.made:
            described = self.flows[number]
            extends = None if described["extends"] is None else self._flow(described["extends"])
            part = lambda key: None if described[key] is None else self.function(described[key])
            if described["kind"] == "choice":
                made: Any = Choice([self.function(b) for b in described["branches"]], described["name"], extends)
            else:
                how = {key: described[key] for key in ("backwards", "exact", "name")}
                limit = self.reader.value(described["limit"])
                made = Loop(
                    part("cond"),
                    self.function(described["body"]),
                    described["state"],
                    described["rows"],
                    limit,
                    extends=extends,
                    **how,
                )
            self.made[number] = made
        return self.made[number]
