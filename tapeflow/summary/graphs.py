"""Graphs for TensorBoard's graph dashboard: one that is given, or those of the functions that ran between `trace_on`
and `trace_export`."""

import logging
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from tapeflow.api.profiler import experimental as _profiler
from tapeflow.core.dtypes import BY_NUMPY
from tapeflow.core.listeners import Listener, board
from tapeflow.core.runtime.locks import Lock
from tapeflow.core.sizes import public
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.tracing.concrete import ConcreteFunction
from tapeflow.function.tracing.graph import Graph, Node
from tapeflow.function.tracing.regions import inside_a_graph

from .protos import messages, metadata
from .recording import write
from .state import state, wanted

__all__ = ["graph", "graph_message", "trace_export", "trace_off", "trace_on"]


class _Trace:
    """What is being traced, in the whole process."""

    lock = Lock()
    functions: list[ConcreteFunction] | None = None  # those that ran
    profiler_outdir: str | None = None
    profiles = False


def graph(graph_data: Any) -> Tensor:
    """Writes a graph: a `tf.Graph`, the `graph` of a concrete function, or a GraphDef message. Returns whether it was
    written.

    Args:
        graph_data: One of these.

    Raises:
        ValueError: If it is something else.

    >>> @tf.function
    ... def f(x):
    ...     return tf.sin(x) + 1.
    >>> tf.summary.graph(f.get_concrete_function(tf.TensorSpec([3])).graph).numpy()      # no writer
    np.False_
    """
    if inside_a_graph():
        raise ValueError("graph() cannot be invoked inside a graph context.")
    given = isinstance(graph_data, Graph) or type(graph_data).__name__ == "GraphDef"
    if not given:
        raise ValueError(
            f"Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received graph_data={graph_data} of "
            f"type {type(graph_data).__name__}. Of a tf.function, give f.get_concrete_function(...).graph."
        )
    if wanted() is False:
        return EagerTensor(np.bool_(False))
    message = graph_message(graph_data) if isinstance(graph_data, Graph) else graph_data
    state.writer.add(graph_def=message.SerializeToString())
    return EagerTensor(np.bool_(True))


# ---- tracing


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: str | None = None) -> None:
    """From now on, remember the graphs of functions that run (`graph`), and how long (`profiler`), until
    `trace_export` or `trace_off`.

    Args:
        graph: Remember graphs.
        profiler: Measure the time; needs `profiler_outdir`.

    >>> tf.summary.trace_on()
    >>> tf.summary.trace_off()
    """
    if inside_a_graph():
        logging.getLogger("tapeflow").warning("Cannot enable trace inside a tf.function.")
        return
    if profiler and profiler_outdir is None:
        logging.getLogger("tapeflow").warning("No `profiler_outdir` passed to trace_on(). Profiler won't be enabled.")
        profiler = False
    with _Trace.lock:
        if _Trace.functions is not None:
            logging.getLogger("tapeflow").warning("Trace already enabled")
            return
        _Trace.functions, _Trace.profiles, _Trace.profiler_outdir = [], profiler, profiler_outdir
        if graph:
            board.put_everywhere(_RUNS)
        if profiler and profiler_outdir is not None:
            _profiler.start(profiler_outdir)


def trace_off() -> None:
    """Ends what `trace_on` began, and forgets it.

    >>> tf.summary.trace_off()
    """
    with _Trace.lock:
        _Trace.functions = None
        board.take_off(_RUNS)
        if _Trace.profiles:
            _Trace.profiles = False
            _profiler.stop()


def trace_export(name: str, step: Any = None, profiler_outdir: str | None = None) -> None:
    """Writes what was traced since `trace_on` under a name, and ends tracing.

    Args:
        profiler_outdir: Taken and not used: `trace_on` says where the profile goes.

    Raises:
        ValueError: If `trace_on` was not called before.

    >>> tf.summary.trace_export("train_step", step=0)
    Traceback (most recent call last):
    ValueError: Must enable trace before export through tf.summary.trace_on.
    """
    if inside_a_graph():
        logging.getLogger("tapeflow").warning("Cannot export trace inside a tf.function.")
        return
    functions = _Trace.functions
    if functions is None:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    try:
        if wanted() is not False:
            graphs = [graph_message(f.graph, f.name).SerializeToString() for f in functions if not f.as_python]
            write(
                name, np.array(_run_metadata(graphs), object), step, metadata("graph_run_metadata_graph", None, b"1")
            )
    finally:
        trace_off()


class _Runs(Listener):
    """Of all threads: in TensorFlow, too, a trace has the functions that other threads ran."""

    def before_run(self, function: ConcreteFunction) -> None:
        functions = _Trace.functions
        if functions is not None and not any(function.graph is f.graph for f in functions):
            functions.append(function)


_RUNS = _Runs()


def _run_metadata(graphs: Iterable[bytes]) -> bytes:
    """A RunMetadata message with a function for each graph, which `tensorboardX` does not have: field 4 of it are the
    functions, and field 2 of each is its graph as it was traced."""
    return b"".join(_field(4, _field(2, graph)) for graph in graphs)


def _field(number: int, content: bytes) -> bytes:
    """Bytes as a field of a message."""
    size, left = b"", len(content)
    while left > 127:
        size, left = size + bytes([left & 127 | 128]), left >> 7
    return bytes([number << 3 | 2]) + size + bytes([left]) + content


# ---- a graph as a message


def graph_message(graph: Graph, scope: str = "") -> Any:
    """A GraphDef: a node for each operation, argument, variable and constant."""
    found = messages()
    made = found.GraphDef(versions=found.VersionDef(producer=22))
    prefix = f"{_plain(scope)}/" if scope else ""
    names: dict[int, str] = {}
    taken: set[str] = set()

    def named(wanted: str) -> str:
        wanted = _plain(wanted)
        name, k = f"{prefix}{wanted}", 1
        while name in taken:
            name, k = f"{prefix}{wanted}_{k}", k + 1
        taken.add(name)
        return name

    def source(index: int) -> str:
        """The name of a value that no operation computes."""
        if index not in names:
            kind = "Placeholder" if index in graph.inputs else "Variable" if index in variables else "Const"
            name = names[index] = named(graph.names.get(index) or variables.get(index) or kind.lower())
            made.node.append(_node(found, name, kind, (), [graph.symbols[index].spec]))
        return names[index]

    variables = {index: variable.name.removesuffix(":0") for variable, index in graph.reads.values()}
    for index in graph.inputs:
        source(index)
    for node in graph.nodes:
        inputs = [source(index) for index in node.inputs]
        name = named(node.prim.name)
        for k, index in enumerate(node.outputs):
            names[index] = name if k == 0 else f"{name}:{k}"
        made.node.append(
            _node(found, name, node.prim.name, inputs, [graph.symbols[p].spec for p in node.outputs], node)
        )
    return made


def _plain(name: str) -> str:
    """With characters that names in graphs may have."""
    return re.sub(r"[^A-Za-z0-9_./-]", "", name).lstrip("_/-") or "node"


def _node(found: Any, name: str, op: str, inputs: Iterable[str], specs: list, node: Node | None = None) -> Any:
    made = found.NodeDef(name=name, op=op, input=inputs)
    if specs:
        made.attr["T"].type = BY_NUMPY[np.dtype(specs[0].dtype)].as_datatype_enum
        made.attr["_output_shapes"].list.shape.extend([_shape(found, public(tuple(s.shape))) for s in specs])
    if node is not None:
        made.attr["line"].s = node.line.encode()
        for key, value in node.params.items():
            made.attr[key].s = repr(value)[:200].encode()
    return made


def _shape(found: Any, sizes: Iterable) -> Any:
    dims = [found.TensorShapeProto.Dim(size=-1 if size is None else int(size)) for size in sizes]
    return found.TensorShapeProto(dim=dims)
