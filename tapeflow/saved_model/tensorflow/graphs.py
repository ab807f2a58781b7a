"""A GraphDef as functions: from some results of its nodes to others. Frozen graphs and models of TensorFlow 1 are made
of nodes alone, which run for who asks."""

from collections.abc import Mapping, Sequence
from typing import Any

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core.dtypes import DType
from tapeflow.core.shapes import TensorShape
from tapeflow.core.variables.variable import Variable

from .functions import Trace
from .library import Body, Library, Reference, by_name, inputs_of, reference
from .operations import FLOW, TABLES, operation
from .running import Runner
from .switches import Flow
from .values import attribute, shape_of

__all__ = ["GraphTrace", "Nodes"]

_PLACEHOLDERS = frozenset("Placeholder PlaceholderV2".split())
_REFERENCES = frozenset("VariableV2 Variable".split())  # read where other nodes take them
_TYPES = "dtype DstT out_type output_type Tout T".split()  # attributes that say what dtype a result has


class Nodes:
    """The nodes of a graph by name, and what has been made of some: variables, tables, the paths of assets."""

    def __init__(self, graph: Any, made: Mapping[str, Any] | None = None) -> None:
        """`graph`: a GraphDef."""
        self.nodes = by_name(graph.node, "the graph")
        self.library = Library(graph.library.function, graph.library.registered_gradients)
        self.runner = Runner(self.library)
        self.made: dict[str, Any] = dict(made or {})
        self.functions = 0

    def result(self, name: str) -> Reference:
        """What `x:0` names; of a node alone, its first result. KeyError where it is not there."""
        try:
            found = reference(name)
        except ValueError:
            found = Reference("", None, 0)
        if found.node not in self.nodes or found.output is not None:
            raise KeyError(
                f"The name '{name}' refers to a Tensor which does not exist. The operation, '{found.node or name}', "
                "does not exist in the graph."
            )
        return found

    def spec(self, ref: Reference) -> TensorSpec | None:
        """What the node says of its result; None where it says no dtype."""
        node = self.nodes[ref.node]
        found = [attribute(node.attr[name]) for name in _TYPES if name in node.attr and node.attr[name].type]
        dtype = next((one for one in found if isinstance(one, DType)), None)
        return None if dtype is None else TensorSpec(self.shape(ref), dtype, ref.node)

    def shape(self, ref: Reference) -> TensorShape:
        node = self.nodes[ref.node]
        if "_output_shapes" in node.attr:
            shapes = node.attr["_output_shapes"].list.shape
            if ref.number < len(shapes):
                return shape_of(shapes[ref.number])
        return shape_of(node.attr["shape"].shape) if "shape" in node.attr else TensorShape(None)

    def reached(self, names: Sequence[str], fed: Mapping[Reference, Any]) -> dict[str, Any]:
        """The nodes that run for some. What is fed is not looked behind."""
        found: dict[str, Any] = {}
        stack = list(names)
        while stack:
            name = stack.pop()
            if name in found:
                continue
            if name not in self.nodes:
                raise ValueError(f"the graph reads {name!r}, which is not there")
            found[name] = self.nodes[name]
            taken, waited = inputs_of(self.nodes[name])
            stack += [ref.node for ref in taken if ref not in fed] + waited
        return found

    def table(self, name: str) -> Any:
        """The table that a node makes, once."""
        if name not in self.made:
            made = operation(self.nodes[name], self.library, "the graph")
            self.made[name] = made.function() if made.function is not None else None
        return self.made[name]

    def function(
        self, feeds: Sequence[Reference], fetches: Sequence[Reference], also: Sequence[str] = ()
    ) -> tuple[str, list[Any]]:
        """The name of a function in the library, and what it captures. `also`: nodes that have to run.

        Raises:
            ValueError: If something that runs waits for a placeholder that is not fed.
        """
        fed = {ref: Reference(f"feed {k}", None, 0) for k, ref in enumerate(feeds)}
        needed = [ref.node for ref in fetches if ref not in fed] + list(also)
        nodes = self.reached(needed, fed)
        open_ = sorted(n for n, node in nodes.items() if node.op in _PLACEHOLDERS and n not in self.made)
        if open_:
            raise ValueError(
                f"{', '.join(map(repr, open_[:3]))}: You must feed a value for placeholder tensor {open_[0]!r}, which "
                f"{', '.join(repr(r.node) for r in fetches[:3]) or repr(also[0])} "
                f"needs; fed are {', '.join(repr(r.node) for r in feeds) or 'none'}."
            )
        for name, node in nodes.items():
            if node.op in TABLES:
                self.table(name)
        captured = [n for n in nodes if n in self.made]
        if any(node.op in FLOW for node in nodes.values()):
            flow = Flow({n: node for n, node in nodes.items() if n not in self.made}, fed, self.library)
            nodes, renamed = flow.nodes, flow.renamed
        else:
            renamed = fed
        self.functions += 1
        name = f"graph_{self.functions}"
        arguments = [ref.node for ref in fed.values()] + captured
        self.library.add(Body(name, arguments, list(fetches), nodes, renamed), also)
        return name, [self.held(n) for n in captured]

    def held(self, name: str) -> Any:
        """What stands for a node: TensorFlow 1 reads some variables where they are used."""
        made = self.made[name]
        return Read(made) if self.nodes[name].op in _REFERENCES and isinstance(made, Variable) else made


class Read:
    """The value of a variable when the function runs."""

    def __init__(self, variable: Variable) -> None:
        self.variable = variable


class GraphTrace(Trace):
    """A function of a graph."""

    def __init__(self, nodes: Nodes, feeds: Sequence[Reference], fetches: Sequence[Reference], arguments: tuple,
                 results: Any, also: Sequence[str] = ()) -> None:  # fmt: skip
        """`feeds` in the order in which the tensors among the arguments come."""
        name, captured = nodes.function(feeds, fetches, also)
        self.held = captured
        plain = [one.variable if isinstance(one, Read) else one for one in captured]
        super().__init__(name, nodes.runner, plain, arguments, results)

    def captures(self) -> list[Any]:
        return [one.variable.value() if isinstance(one, Read) else one for one in self.held]
