"""What computes a node: a function of the table of raw operations with the node's attributes, a call of another
function, a branch or a loop."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

from tapeflow.api.raw_ops import GRAPH_OPS, OPS
from tapeflow.api.raw_ops.attributes import unfit
from tapeflow.api.raw_ops.drawing import DRAWING
from tapeflow.core.tensor import EagerTensor

from .values import array_of, attribute

__all__ = ["FLOW", "SAID_BY_TENSORS", "TABLES", "Operation", "operation"]

TABLES = frozenset("HashTable HashTableV2 MutableHashTable MutableHashTableV2".split())

# Control flow of TensorFlow 1 (`switches.py`).
FLOW = frozenset("Switch Merge Enter Exit NextIteration LoopCond RefSwitch RefMerge RefEnter RefExit".split())

# Attributes that say what the tensors themselves say, or how TensorFlow is to do it.
SAID_BY_TENSORS = frozenset(
    """allowed_devices body branches cond config config_proto container debug_name dtype element_dtype
    else_branch executor_type f grad_x grad_y Index index_type key_dtype maximum_iterations memory_space N
    num_row_partition_tensors OUTPUT_RAGGED_RANK output_shapes output_types parallel_iterations
    PARAMS_RAGGED_RANK R RAGGED_RANK Rtype S seed_generator shape shape_type shared_name sparse_gradient SrcT
    swap_memory T T1 T2 T3 T_threshold Ta Targmax Taxis Tb Tbegin Tblock_shape Tcomplex Tcond Tcrops Tdense Tdim
    Tfilter then_branch TI Tidx Tin Tindex Tindices Tinput Tk Tkey Tkeys Tlabels Tlen Tmaxval Tmultiples
    Tnum_segments Tnumsegments Tout Toutput_types Tpadding Tpaddings Tparams Tpartition_type Tperm Tr Treal
    Treturn TS Tseed Tsegment_ids Tsegmentids Tshape Tshift Tsize Tsplits Tstart Tstep Tval Tvalues Tweights U
    use_cudnn_on_gpu use_locking use_node_name_sharding use_node_name_sharing V validate_indices validate_shape
    value_dtype""".split()
)

# The inputs of operations that take lists, which have a star.
_LISTS = {
    "AccumulateNV2": "inputs*", "AddN": "inputs*", "Assert": "condition data*", "Concat": "concat_dim values*",
    "ConcatOffset": "concat_dim shape*", "ConcatV2": "values* axis", "DynamicStitch": "indices* data*",
    "Einsum": "inputs*", "IdentityN": "input*", "Pack": "values*", "ParallelDynamicStitch": "indices* data*",
    "Print": "input data*", "RaggedGather": "params_nested_splits* params_dense_values indices",
    "RaggedTensorToSparse": "rt_nested_splits* rt_dense_values",
    "RaggedTensorToTensor": "shape values default_value row_partition_tensors*", "ShapeN": "input*",
    "SparseConcat": "indices* values* shapes*", "StringJoin": "inputs*",
}  # fmt: skip

# Attributes that the functions of the table know under another name.
_RENAMED = {("Squeeze", "squeeze_dims"): "axis"}

_PYTHON = frozenset("PyFunc PyFuncStateless EagerPyFunc".split())
_ALWAYS_RUN = frozenset((*GRAPH_OPS, *DRAWING, "Assert", "Print", "NoOp"))
_CALLS = frozenset("PartitionedCall StatefulPartitionedCall".split())
# What has a value from outside, where somebody gives it one.
_GIVEN = dict.fromkeys(["VarHandleOp", "VariableV2", "Variable"], "the checkpoint has no value for it")
_GIVEN |= dict.fromkeys(["Placeholder", "PlaceholderV2"], "nothing is fed to it")
_GIVEN |= dict.fromkeys(FLOW, "it is control flow of TensorFlow 1 that forms no tf.cond and no tf.while_loop")
_FLOWS = {
    "If": "branch", "StatelessIf": "branch", "Case": "case", "StatelessCase": "case", "While": "loop",
    "StatelessWhile": "loop",
}  # fmt: skip


class Operation:
    """What a node does. `kind` is "op", "constant", "call", "branch", "case" or "loop"."""

    def __init__(self, kind: str, op: str, why: str | None = None) -> None:
        """`why`: it cannot run, for this reason."""
        self.kind, self.op, self.why = kind, op, why
        self.calls: list[str] = []  # functions, by name
        self.function: Callable | None = None
        self.pure = False  # from constants comes a constant
        self.array: Any = None
        self.gradient: str | None = None  # the function that is its gradient, if it has one of its own
        self.attributes: dict[str, Any] = {}


def operation(node: Any, library: Any, where: str) -> Operation:
    """Of a NodeDef in a function of the name `where`."""
    op = node.op
    if op == "Const":
        made = Operation("constant", op)
        try:
            made.array = array_of(node.attr["value"].tensor)
        except (ValueError, AttributeError) as error:
            raise ValueError(f"the constant {node.name!r} of {where} cannot be read: it is {error}") from None
        except Exception as error:
            raise ValueError(f"the constant {node.name!r} of {where} cannot be read: {error}") from None
        return made
    if op in _CALLS or op in library.definitions:
        made = Operation("call", op)
        made.calls = [node.attr["f"].func.name if op in _CALLS else op]
        return made
    if op in _FLOWS:
        return _flow(node, op)
    if op in _GIVEN:
        return Operation("op", op, _GIVEN[op])
    if op in _PYTHON:
        return Operation("op", op, "it calls Python code that was in the memory of the program that saved the model")
    function = GRAPH_OPS.get(op) or OPS.get(op)
    if function is None:
        return Operation("op", op, "tf.raw_ops does not have it")
    return _of_table(node, op, function, library)


def _flow(node: Any, op: str) -> Operation:
    made = Operation(_FLOWS[op], op)
    if made.kind == "case":
        made.calls = [f.name for f in node.attr["branches"].list.func]
        if not made.calls:
            raise ValueError(f"{node.name!r} has no branches")
    else:
        parts = ("else_branch", "then_branch") if made.kind == "branch" else ("cond", "body")
        made.calls = [node.attr[part].func.name for part in parts]
    return made


def _of_table(node: Any, op: str, function: Callable, library: Any) -> Operation:
    made, known = Operation("op", op), _parameters(function)
    given: dict[str, Any] = {}
    for name, message in node.attr.items():
        if name.startswith("_"):
            if name == "_gradient_op_type" and op == "IdentityN":
                made.gradient = message.s.decode(errors="replace")
            continue
        name = _RENAMED.get((op, name), name)
        try:
            value = attribute(message)
        except ValueError as error:
            if name in known:
                return Operation("op", op, f"its attribute {name} is {error}")
            continue
        if name in known:
            given[name] = value
            if (why := unfit(function, name, value)) is not None:
                return Operation("op", op, why)
        elif name not in SAID_BY_TENSORS:
            return Operation("op", op, f"its attribute {name}={value!r} has no counterpart here")
    made.attributes = given
    made.function = functools.partial(function, **given)
    made.pure = op not in _ALWAYS_RUN
    return made


@functools.cache
def _parameters(function: Callable) -> dict[str, inspect.Parameter]:
    return dict(inspect.signature(function).parameters)


def bound(made: Operation, inputs: list[Any]) -> dict[str, Any]:
    """The inputs of a node by the names of parameters. ValueError where there are too few or too many."""
    function = made.function
    assert isinstance(function, functools.partial)
    names = [name for name in _parameters(function.func) if name not in made.attributes]
    if made.op in _LISTS:
        words = _LISTS[made.op].split()
        lists = sum(word.endswith("*") for word in words)
        each, rest = divmod(len(inputs) - len(words) + lists, lists)
        if rest or each < 0:
            raise ValueError(f"{made.op} got {len(inputs)} inputs")
        found, place = {}, 0
        for word in words:
            count = each if word.endswith("*") else 1
            found[word.rstrip("*")] = inputs[place : place + count] if word.endswith("*") else inputs[place]
            place += count
        return found
    if len(inputs) > len(names):
        raise ValueError(f"{made.op} got {len(inputs)} inputs, it takes {', '.join(names)}")
    return dict(zip(names, inputs))


def constant_inputs(inputs: list[Any]) -> bool:
    return bool(inputs) and all(type(x) is EagerTensor for x in inputs)
