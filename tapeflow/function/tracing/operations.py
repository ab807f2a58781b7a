"""The operations of a graph under the names and types that TensorFlow gives them: `Graph.get_operations`, `x.op`,
`x.name`, and what `Graph.as_graph_def` writes down."""

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .graph import Graph, Node
    from .symbols import SymbolicTensor

# Our primitives by their types in TensorFlow, where those are not the same words in camel case (`reduce_sum` is Sum).
_TYPES = dict(
    pair.split(":")
    for pair in (
        "add:AddV2 add_n:AddN argmax:ArgMax argmin:ArgMin band_part:MatrixBandPart bitwise_invert:Invert "
        "check_numerics:CheckNumerics clip:ClipByValue compress:Compress concat:ConcatV2 conv:Conv2D "
        "conv_filter_grad:Conv2DBackpropFilter conv_input_grad:Conv2DBackpropInput det:MatrixDeterminant "
        "diag_matrix:MatrixDiagV3 diag_part:MatrixDiagPartV3 div:RealDiv divide_no_nan:DivNoNan eigh:SelfAdjointEigV2 "
        "fft:FFT flip:ReverseV2 floordiv:FloorDiv floormod:FloorMod gather:GatherV2 getitem:StridedSlice ifft:IFFT "
        "inv:MatrixInverse is_finite:IsFinite is_inf:IsInf is_nan:IsNan l2_loss:L2Loss log_softmax:LogSoftmax "
        "lu:Lu matmul:BatchMatMulV2 max_pool:MaxPool nonzero:Where one_hot:OneHot power:Pow "
        "random_normal:RandomStandardNormal random_uniform:RandomUniform reduce_all:All reduce_any:Any "
        "reduce_max:Max reduce_mean:Mean reduce_min:Min reduce_prod:Prod reduce_sum:Sum rfft:RFFT round:Round "
        "shift:Roll size_tensor:Shape softmax_cross_entropy:SoftmaxCrossEntropyWithLogits solve:MatrixSolve "
        "sparse_softmax_cross_entropy:SparseSoftmaxCrossEntropyWithLogits stack:Pack "
        "table_lookup:LookupTableFindV2 top_k:TopKV2 triangular_solve:MatrixTriangularSolve "
        "truncatediv:TruncateDiv truncatemod:TruncateMod unstack:Unpack "
        "where:SelectV2 zeros_like:ZerosLike"
    ).split()
)

# What operations are called that do not go by their type.
_NAMES = {
    "add": "add", "sub": "sub", "mul": "mul", "div": "truediv", "floordiv": "floordiv", "floormod": "mod",
    "pow": "pow", "matmul": "MatMul", "getitem": "strided_slice", "stack": "stack", "unstack": "unstack",
    "concat": "concat", "transpose": "transpose", "split": "split", "zeros_like": "zeros_like", "one_hot": "one_hot",
}  # fmt: skip


class Operation(NamedTuple):
    """One operation of a graph: also what gives it an argument, a variable or a constant.

    >>> @tf.function
    ... def f(x):
    ...     return tf.sin(x) + x
    >>> graph = f.get_concrete_function(tf.TensorSpec([2])).graph
    >>> [(op.name, op.type) for op in graph.get_operations()]
    [('x', 'Placeholder'), ('Sin', 'Sin'), ('add', 'AddV2')]
    """

    graph: "Graph"
    name: str
    type: str
    taken: tuple[int, ...]  # the indices of values
    given: tuple[int, ...]
    node: "Node | None" = None

    @property
    def inputs(self) -> list["SymbolicTensor"]:
        """The tensors that it takes."""
        return [self.graph.twin(index) for index in self.taken]

    @property
    def outputs(self) -> list["SymbolicTensor"]:
        """The tensors that it gives."""
        return [self.graph.twin(index) for index in self.given]

    @property
    def values(self) -> Any:
        """A method that gives the outputs, as version 1 has it."""
        return lambda: self.outputs

    @property
    def control_inputs(self) -> list["Operation"]:
        """None: the order of operations is that of the program."""
        return []

    @property
    def device(self) -> str:
        """Empty: where a function runs is known when it does."""
        return ""


def operation_type(node: "Node") -> str:
    """TensorFlow's word for what a node does."""
    name = node.prim.name
    return _TYPES.get(name) or "".join(part[:1].upper() + part[1:] for part in name.split("_"))


class Named:
    """The operations of a graph, found again when it has grown."""

    def __init__(self, graph: "Graph") -> None:
        self.graph = graph
        self.all: list[Operation] = []
        self.by_index: dict[int, Operation] = {}
        self._used: dict[str, int] = {}
        self._nodes = self._inputs = 0
        self.imported: Any = None  # nodes of TensorFlow 1 that were imported into the graph

    def listed(self) -> list[Any]:
        """All, after the nodes that were imported."""
        return [*(self.imported.get_operations() if self.imported is not None else ()), *self.all]

    def refreshed(self) -> "Named":
        graph = self.graph
        for index in graph.inputs[self._inputs :]:
            self._source(index)
        for node in graph.nodes[self._nodes :]:
            if node.outputs and self.by_index.keys() >= set(node.outputs):
                continue  # a user's rule for what other operations compute
            for index in node.inputs:
                self._source(index)
            kind = operation_type(node)
            if kind == "BatchMatMulV2" and all(len(graph.symbols[p].spec.shape) == 2 for p in node.inputs):
                kind = "MatMul"
            base = _NAMES.get(node.prim.name, kind)
            name = self._unique(f"{node.scope}/{base}" if node.scope else base)
            self._add(Operation(graph, name, kind, node.inputs, node.outputs, node))
        self._nodes, self._inputs = len(graph.nodes), len(graph.inputs)
        return self

    def _source(self, index: int) -> None:
        """What gives a value that no operation computes."""
        if index in self.by_index:
            return
        graph = self.graph
        if index in graph.constants:
            kind, name = "Const", "Const"
        elif any(index == first for _, first in graph.reads.values()):
            kind, name = "ReadVariableOp", f"{graph.names.get(index, 'Variable')}/Read/ReadVariableOp"
        else:
            kind, name = "Placeholder", graph.names.get(index, "Placeholder")
        self._add(Operation(graph, self._unique(name), kind, (), (index,)))

    def _add(self, operation: Operation) -> None:
        self.all.append(operation)
        for index in operation.given:
            self.by_index.setdefault(index, operation)

    def _unique(self, name: str) -> str:
        count = self._used.get(name, 0)
        self._used[name] = count + 1
        return self._unique(f"{name}_{count}") if count else name

    def of(self, index: int) -> Operation:
        """The operation that gives the value at an index."""
        if index not in self.refreshed().by_index:
            self._source(index)
        return self.by_index[index]

    def found(self, name: str) -> Operation:
        """The operation of a name."""
        if self.imported is not None and self.imported.has(name):
            return self.imported.get_operation_by_name(name)
        for operation in self.refreshed().all:
            if operation.name == name:
                return operation
        raise KeyError(
            f"The name {name!r} refers to an Operation not in the graph. Its operations are "
            f"{', '.join(operation.name for operation in self.all)}."
        )

    def tensor(self, name: str) -> "SymbolicTensor":
        """The tensor of a name such as `add:0`."""
        called, colon, number = name.rpartition(":")
        if not colon or not number.isdecimal():
            raise ValueError(
                f"The name {name!r} looks like an (invalid) Tensor name: tensors are named <operation>:<output>."
            )
        if self.imported is not None and self.imported.has(called):
            return self.imported.get_tensor_by_name(name)
        given = self.found(called).given
        if int(number) >= len(given):
            raise KeyError(f"The name {name!r} refers to a Tensor which does not exist: {called!r} has {len(given)}.")
        return self.graph.twin(given[int(number)])
