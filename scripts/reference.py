"""The API reference, written from the docstrings of the running package: `python scripts/reference.py FOLDER`.

How pages and anchors are called (other pages link by this rule; `where("tf.math.sin")` applies it):

    page      reference/ and the namespace without `tf.`, dots as underscores: tf.math -> reference/math.md,
              tf.compat.v1 -> reference/compat_v1.md; the names of `tf` itself are in reference/tf.md
    anchor    the whole name: reference/math.md#tf.math.sin, reference/tf.md#tf.GradientTape; a method is found with
    its class,
              reference/tf.md#tf.GradientTape.gradient

Functions are made at import time in many places, so the names are walked through as a program would: attribute by
attribute.
"""

import enum
import inspect
import re
import sys
import types
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from reference_arguments import gaps, read, section
from reference_text import MESSAGE, first_sentence, markdown, shown, signature

from tapeflow.names.attributes import Absent
from tapeflow.names.public import is_public

ROOT = Path(__file__).resolve().parent.parent
# Namespaces in which everything is another name of something: no overview.
TABLES = {"tf.raw_ops"}
# Of classes that the package itself also uses: what is for programs.
ONLY = {
    "Graph": {"as_default", "as_graph_def", "get_operations", "inputs", "outputs", "operations", "name"},
    "GradientMonitor": {"step", "summary"},
}
# Classes that programs get from elsewhere, and where from. Enumerations and classes of constants need no mention.
NOT_CALLED = {
    "tf.DType": "`tf.float32` and the others are there; `tf.as_dtype` finds one by its name",
    "tf.Operation": "`graph.get_operations()` lists those of a traced function",
    "tf.RaggedTensor": "made by `tf.ragged.constant`, `tf.RaggedTensor.from_row_splits`, …",
    "tf.Tensor": "made by `tf.constant`, `tf.convert_to_tensor`, and by every operation",
    "tf.TypeSpec": "the base of `tf.TensorSpec`, `tf.RaggedTensorSpec`, …",
    "tf.compat.v1.train.Optimizer": "the base of `tf.compat.v1.train.AdamOptimizer` and the others",
    "tf.config.LogicalDevice": "listed by `tf.config.list_logical_devices`",
    "tf.config.PhysicalDevice": "listed by `tf.config.list_physical_devices`",
    "tf.data.Dataset": "made by `tf.data.Dataset.from_tensor_slices`, `range`, `from_generator`, …",
    "tf.data.Iterator": "made by `iter(dataset)`",
    "tf.data.NumpyIterator": "made by `dataset.as_numpy_iterator()`",
    "tf.data.experimental.Optional": "made by `from_value` and `empty`",
    "tf.distribute.CrossDeviceOps": "the base of `tf.distribute.NcclAllReduce` and the others",
    "tf.distribute.DistributedDataset": "made by `strategy.experimental_distribute_dataset`",
    "tf.distribute.DistributedIterator": "made by `iter` of a distributed dataset",
    "tf.distribute.DistributedValues": "what `strategy.run` returns",
    "tf.distribute.ReplicaContext": "`tf.distribute.get_replica_context()` gives it",
    "tf.distribute.Strategy": "the base of `tf.distribute.MirroredStrategy` and the others",
    "tf.distribute.StrategyExtended": "`strategy.extended` gives it",
    "tf.distribute.cluster_resolver.ClusterResolver": "the base of the others",
    "tf.experimental.Optional": "made by `from_value` and `empty`",
    "tf.linalg.LinearOperator": "the base of `tf.linalg.LinearOperatorDiag` and the others",
    "tf.lite.Interpreter": "a refusal: `ai_edge_litert.interpreter.Interpreter` is one",
    "tf.lite.TFLiteConverter": "a refusal: TensorFlow itself converts",
    "tf.queue.QueueBase": "the base of `tf.queue.FIFOQueue`",
    "tf.summary.SummaryWriter": "made by `tf.summary.create_file_writer`",
    "tf.types.experimental.Callable": "made by `tf.function`",
    "tf.types.experimental.ConcreteFunction": "made by `get_concrete_function` of a `tf.function`",
    "tf.types.experimental.SupportsTracingProtocol": "what classes of one's own may have",
}
# Methods that the package calls itself.
INTERNAL = {
    "ConcreteFunction": {"binding", "compiler_text", "run", "runs_as_python", "trace"},
    "GradientMonitor": {"deliver"},
    "Node": {"line", "params", "prim", "several"},  # tf.Operation
    "Tensor": {"serial"},
    "Variable": {"part_assigner", "put_value"},
}
# Namespaces that are not modules, and so have no docstring, or whose docstring is for those who read the code.
ABOUT = {
    "tf": "Tensors, variables, the tape, functions, and what programs use most.",
    "tf.autodiff": "Forward mode, and the tape by its second name.",
    "tf.config": "Devices and settings.",
    "tf.compat.v1.logging": "The log, by the names of TensorFlow 1.",
    "tf.compat.v1.nn": "What is left of version 1's `tf.nn`.",
    "tf.config.experimental": "Devices, memory and settings, by their earlier names.",
    "tf.config.optimizer": "Which simplifications of graphs are on.",
    "tf.config.threading": "How many threads operations use.",
    "tf.distribute.experimental": "Strategies by their earlier names.",
    "tf.dtypes.experimental": "Types of few bits.",
    "tf.experimental": "What TensorFlow calls experimental.",
    "tf.profiler.experimental": "The time between named points of a program, as a trace.",
    "tf.profiler.experimental.client": "Asking another machine for its profile.",
    "tf.profiler.experimental.server": "Being asked for a profile.",
    "tf.test.experimental": "Further questions about the build.",
    "tf.tpu.experimental": "What programs call before they use a TPU.",
    "tf.types.experimental": "Types for annotations.",
    "tf.xla.experimental": "Compiling by XLA, by its earlier names.",
}


class Namespace(NamedTuple):
    name: str  # tf.math
    module: Any
    names: dict[str, Any]  # by full name, sorted

    @property
    def page(self) -> str:
        return page_of(self.name)


def page_of(namespace: str) -> str:
    """The page of a namespace, relative to docs/."""
    return f"reference/{namespace.removeprefix('tf.').replace('.', '_')}.md"


def where(name: str, found: "list[Namespace] | None" = None) -> str | None:
    """`reference/math.md#tf.math.sin` for `tf.math.sin`; None where there is no such name."""
    for namespace in found or namespaces():
        first, _, member = name.removeprefix(namespace.name + ".").partition(".")
        value = namespace.names.get(f"{namespace.name}.{first}")
        known = name.startswith(namespace.name + ".") and f"{namespace.name}.{first}" in namespace.names
        if known and (not member or inspect.isclass(value) and member in members(value)):
            return f"{namespace.page}#{name}"
    return None


# ---- what there is


def namespaces() -> list[Namespace]:
    """Every public namespace with its public names; `tf` first, then by name."""
    import tapeflow as tf

    todo, found, seen = deque([("tf", tf)]), [], {id(tf)}  # breadth first: a namespace is known by its shortest name
    while todo:
        path, module = todo.popleft()
        names = {}
        for name in sorted(_listed(module)):
            if module is tf and name in tf._KERAS or _internal(value := getattr(module, name)):
                continue
            if isinstance(value, (types.ModuleType, types.SimpleNamespace)):
                if id(value) not in seen:
                    seen.add(id(value))
                    todo.append((f"{path}.{name}", value))
            else:
                names[f"{path}.{name}"] = value
        found.append(Namespace(path, module, names))
    return sorted((n for n in found if n.names), key=lambda n: (n.name != "tf", n.name))


def _listed(module: Any) -> set[str]:
    """What `__all__` names; also what is imported when it is asked for, which a `__dir__` of the module's own
    lists."""
    listed = getattr(module, "__all__", None)
    if listed is None or "__dir__" in vars(module):
        return {*(listed or ()), *(n for n in dir(module) if not n.startswith("_"))}
    return set(listed)


def _internal(value: Any) -> bool:
    """The package's own parts, which are attributes of `tf` once they are imported; the public namespaces live under
    api/."""
    return isinstance(value, types.ModuleType) and not is_public(value)


def aliases(found: list[Namespace]) -> dict[int, list[str]]:
    """The names of each function and class, the shortest one first."""
    by_value: dict[int, list[str]] = {}
    for namespace in found:
        for name, value in namespace.names.items():
            if callable(value):
                by_value.setdefault(id(value), []).append(name)
    return {key: sorted(names, key=lambda n: (n.count("."), n)) for key, names in by_value.items()}


def members(cls: type) -> dict[str, Any]:
    """The documented methods and properties that are the package's own, not those of object, Exception or unittest."""
    found = {}
    for name in dir(cls):
        value = inspect.getattr_static(cls, name)
        owner = next((c for c in cls.__mro__ if name in vars(c)), None)
        if name not in ONLY.get(cls.__name__, {name}) or name in INTERNAL.get(cls.__name__, ()):
            continue
        ours = owner is not None and str(owner.__module__).startswith("tapeflow")  # protocol buffers have None there
        if ours and not isinstance(value, Absent) and not name.startswith("_") and not isinstance(value, enum.Enum):
            found[name] = value
    return found


def is_called(name: str, cls: type) -> bool:
    """Do programs call this class? Enumerations, classes of constants and those that come from elsewhere, they do
    not."""
    constants = cls.__init__ is object.__init__ and cls.__new__ is object.__new__
    return name not in NOT_CALLED and not issubclass(cls, enum.Enum) and not (constants and not _has_call(cls))


def _has_call(cls: type) -> bool:
    return any(inspect.isroutine(value) for member, value in vars(cls).items() if not member.startswith("__")) or (
        "__call__" in dir(cls)
    )


def missing() -> dict[str, list[str]]:
    """What the reference cannot say, by namespace: parameters that nothing explains, results of which nothing is
    known."""
    found = namespaces()
    names = aliases(found)
    made: dict[str, list[str]] = {}
    for namespace in found:
        for name, value in namespace.names.items():
            known = names.get(id(value), [name])
            if name != known[0] or hasattr(value, "DESCRIPTOR"):
                continue
            if inspect.isroutine(value) or inspect.isclass(value) and is_called(name, value):
                made.setdefault(namespace.name, []).extend(gaps(name, value, known))
            if inspect.isclass(value):
                for member, method in members(value).items():
                    function = getattr(value, member) if isinstance(method, (staticmethod, classmethod)) else method
                    if inspect.isroutine(function):
                        bound = not isinstance(method, (staticmethod, classmethod))
                        made.setdefault(namespace.name, []).extend(
                            gaps(f"{name}.{member}", function, [f"{name}.{member}"], bound=bound)
                        )
    return {space: gap for space, gap in made.items() if gap}


# ---- Markdown


def pages() -> dict[str, str]:
    """The text of every page, by its place under docs/."""
    found = namespaces()
    names = aliases(found)
    return {"reference/index.md": index(found), **{n.page: page(n, names) for n in found}}


def index(found: list[Namespace]) -> str:
    lines = [
        "# Reference", "",
        "Every public name, with its signature, what it returns, and an example that runs. A function with several "
        "names is documented under each of them. Names of TensorFlow that tapeflow does not have are left out: "
        "[what is supported](../support.md) lists those.", "",
        "| namespace | names | contents |", "|---|---|---|",
    ]  # fmt: skip
    for n in found:
        lines.append(
            f"| [`{n.name}`]({n.page.removeprefix('reference/')}) | {len(n.names)} | {_summary(n.module, n.name)} |"
        )
    lines += [
        "",
        "`tf.keras`, `tf.losses`, `tf.metrics` and `tf.optimizers` are [Keras 3](../keras.md), documented by Keras.",
        "",
    ]
    lines += ["## All names", ""]
    for n in found:
        links = [f"[`{name.rpartition('.')[2]}`]({n.page.removeprefix('reference/')}#{name})" for name in n.names]
        lines += [f"**{n.name}**: {' · '.join(links)}", ""]
    return "\n".join(lines)


def _summary(module: Any, name: str) -> str:
    if name in ABOUT or not isinstance(module, types.ModuleType):
        return ABOUT.get(name, "")
    first = (inspect.getdoc(module) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
    text = re.sub(rf"^`{re.escape(name)}`[:,]\s*", "", first)
    return text[:1].upper() + text[1:]


def page(namespace: Namespace, names: dict[int, list[str]]) -> str:
    lines = [f"# {namespace.name}", "", _summary(namespace.module, namespace.name), ""]
    doc = inspect.getdoc(namespace.module) if isinstance(namespace.module, types.ModuleType) else ""
    if namespace.name != "tf" and "\n\n" in (doc or ""):
        lines += [markdown(doc.split("\n\n", 1)[1]), ""]
    if len(namespace.names) > 4 and namespace.name not in TABLES:
        lines += overview(namespace)
    for name, value in namespace.names.items():
        lines += entry(name, value, names.get(id(value), [name]), brief=namespace.name in TABLES)
    return "\n".join(lines) + "\n"


def overview(namespace: Namespace) -> Iterator[str]:
    """A table of first sentences: classes, functions; then the names of values."""
    link = lambda name: f"[`{name.rpartition('.')[2]}`](#{name})"
    for kind, test in (("class", inspect.isclass), ("function", inspect.isroutine)):
        chosen = {name: value for name, value in namespace.names.items() if test(value)}
        if chosen:
            yield f"| {kind} | |\n|---|---|"
            yield from (f"| {link(name)} | {first_sentence(value)} |" for name, value in chosen.items())
            yield ""
    values = [
        name for name, value in namespace.names.items() if not (inspect.isclass(value) or inspect.isroutine(value))
    ]
    if values:
        yield f"Values: {', '.join(map(link, values))}\n"


def entry(name: str, value: Any, names: list[str], *, brief: bool) -> Iterator[str]:
    exclude = "" if name == names[0] else " data-search-exclude"
    yield f"## {name} {{ #{name}{exclude} }}\n"
    if not callable(value) or not (inspect.isclass(value) or inspect.isroutine(value)):
        yield f"```python\n{shown(value)}\n```\n"
        return
    called = not inspect.isclass(value) or is_called(name, value)
    yield f"```python\n{signature(name, value) if called else f'class {name}'}\n```\n"
    if hasattr(value, "DESCRIPTOR"):
        yield MESSAGE + "\n"
    else:
        yield markdown(read(inspect.getdoc(value) or "").text) + "\n"
        if not called and name in NOT_CALLED:
            yield f"Not called by programs: {NOT_CALLED[name]}.\n"
        if called:
            yield "\n".join(section(value, names)) + "\n"
    others = [n for n in names if n != name]
    if others and not brief:
        links = [f"[`{n}`]({page_of(n.rpartition('.')[0]).removeprefix('reference/')}#{n})" for n in others]
        yield f"Also: {', '.join(links)}.\n"
    if inspect.isclass(value):
        yield from class_members(name, value)


def class_members(name: str, cls: type) -> Iterator[str]:
    if issubclass(cls, enum.Enum):
        yield "Members: " + ", ".join(f"`{m.name}`" for m in cls) + ".\n"
    bare = []
    for member, value in members(cls).items():
        doc = inspect.getdoc(getattr(cls, member)) if not isinstance(value, property) else inspect.getdoc(value)
        function = getattr(cls, member) if isinstance(value, (staticmethod, classmethod)) else value
        if not doc or not (inspect.isroutine(function) or isinstance(value, property)):
            bare.append(member)
            continue
        yield f"### {name}.{member} {{ #{name}.{member} }}\n"
        bound = not isinstance(value, (staticmethod, classmethod))
        if not isinstance(value, property):
            yield f"```python\n{signature(f'{name}.{member}', function, bound=bound)}\n```\n"
        yield markdown(read(doc).text) + "\n"
        if not isinstance(value, property):
            yield "\n".join(section(function, [f"{name}.{member}"], bound=bound)) + "\n"
    if bare:
        yield "Further attributes: " + ", ".join(f'<span id="{name}.{m}"></span>`{m}`' for m in bare) + ".\n"


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python scripts/reference.py FOLDER", file=sys.stderr)
        return 2
    for name, text in pages().items():
        path = Path(arguments[0]) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
