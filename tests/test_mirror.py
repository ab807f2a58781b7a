"""`tests/` mirrors the package: what a module does is tested in the file of its name."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"

# What these folders test is no part of the package; `tests/` itself has tests of the whole.
ELSEWHERE = ("benchmarks", "examples", "fuzz", "spec", "typing")

# Tests of something else than one module, folder by folder; the first sentence of each file says of what.
ACROSS = """
    api: nothing odd_arguments
    api/arrays: shaping_properties
    api/control: control_by_row
    api/random: tensorflow_random
    core/variables: interrupts
    engines/xla: device_registry forking kernels
    function/autograph: functions limits programs
    function/running: compiled_registry interrupts late_values xla_devices
    function/tracing: interrupted_contexts sizes traced_registry
    inspect: monitor_warnings report_in_a_browser
    keras_tapeflow/installing: coming_layout hook keras_own_tests names other_backends wheel
    keras_tapeflow/models: derivatives_of_models engine_choice interrupts layer_gradients layers_as_on_jax
        mixed_precision preprocessing sparse_models
    ops: batching broadcasting forward_rules index_rows interpretations nan_in_nan_out registry shape_rules the_check
    programs: corpus support_table
    storage/checkpoints: damage deferred keras tensorflow_files
    summary: in_graphs
    tape: paths threads
    vectorize: under_vmap vmap_indexing vmap_networks vmap_random
"""

# Parts of a module: they are tested in its file, through it. Each line: the file of tests, then the parts.
THROUGH = """
"""

# Modules that have no test of their own yet. This list only gets shorter.
OWED = """
    api: arguments autodiff dtypes errors keras_loading linalg lite op_libraries xla
    api/arrays: composite_specs constants tensor_methods
    api/assertions: shapes
    api/autodiff: gradient_registry
    api/autograph: experimental
    api/config: devices
    api/control: function functional graph_tensor_array graphs tensor_array_spec
    api/image: bitmaps jpeg pictures
    api/interop: array_api_dtypes promotion
    api/interop/numpy_functions: creation elementwise fourier joining linear reductions registry running
        searching shaping statistics
    api/linalg: experimental
    api/linalg/operators: base combined patterned simple
    api/lookup: experimental initializers keys
    api/nn: depthwise layouts
    api/ragged: making rules tensor
    api/random: draws experimental
    api/signal: cosine
    api/sparse: arithmetic places segments tensor
    api/strings: fingerprints formatting host paths
    api/test: build_questions
    api/variables: creating
    .: compat experimental train
    compat/raw_ops: table
    compat/v1: app asserts data dimension fallback initializers linalg logging losses math nn old_names
        optimizers random renamed schedules sessions train variables
    core: apply batching broadcasting composite devices dtypes entry fitting frames plan primitive push record
        tensor_like
    core/variables: arrivals graph_updates policies
    data: elements functions generators grain_sources grouping interleaving iterators mixing options padding
        pipeline reading rows selection transformations
    data/files: csv elements tfrecords
    debugging: experimental gradient_monitor
    demo: picture screen spirals tour
    distribute: cluster_resolver coordinator datasets experimental options replicas strategies strategy tpu
    engines: recipes xla
    engines/xla: flow programs
    experimental/numpy: random
    feature_column: columns
    function/autograph: after before branches calling containers hiding logic loops operators passes public
        ranges source symbolic
    function/control: flow
    function/running: calls
    function/saving: describing loaded restoring stored_values
    function/tracing/arguments: mistakes
    function/tracing: concrete graph regions symbolic_gradients symbols traced_rules
    inspect: folding gradient_numbers layout methods monitor_site notebook profile report_data views
    io: columns features file_objects gfile python_io sequences sparse_strings
    keras_tapeflow: backups sparse_arrays src
    keras_tapeflow/src: batches layer trainer
    keras_tapeflow/src/ops: control floating parts shapes sparse_classes sparse_products sparse_rules
    keras_tapeflow/src/ops/image: colours filters geometry layout sampling sizes
    keras_tapeflow/src/ops/nn: activations attention convolution ctc encodings losses normalization pooling
    keras_tapeflow/src/ops/numpy: common creation elementwise indexing joining logic pairs products reductions
        shaping statistics
    names: hints public
    ops: families
    programs: children internal_names internals support symbols
    saved_model: files loading writing
    storage: array_file leftovers
    storage/checkpoints: bundle encoding graph keras_objects options reader restoring state status storage table
        trackable wire
    summary: event_files graphs protos recording state
    tape: accumulation recording seeds
    train: experimental
    transforms: directions functions pushing
    vectorize: branches mapped
"""


def table(text: str) -> dict[str, list[str]]:
    """{first: rest} of lines `first: rest …`, which may go on in the next one."""
    found: dict[str, list[str]] = {}
    for word in text.split():
        if word.endswith(":"):
            names = found.setdefault(word[:-1], [])
        else:
            names.append(word)
    return found


def listed(text: str) -> list[str]:
    return [f"{folder}/{name}".removeprefix("./") for folder, names in table(text).items() for name in names]


def modules() -> dict[str, Path]:
    """{`api/math/scans`: its file}, folders among them; Keras' backend as `keras_tapeflow/…`."""
    found = {}
    for package, home in (("tapeflow", ROOT / "tapeflow"), ("keras_tapeflow", ROOT)):
        for file in (ROOT / package).rglob("*.py"):
            found[str((file.parent if file.name == "__init__.py" else file.with_suffix("")).relative_to(home))] = file
    del found["."]
    return found


MODULES = modules()
TESTED = {
    str((t.parent / t.stem.removeprefix("test_")).relative_to(TESTS)): t for t in sorted(TESTS.rglob("test_*.py"))
}
SAMPLES = TESTS / "ops" / "samples"


def is_of_its_folder(test: str) -> bool:
    """`io/test_io.py` is about the folder as a whole."""
    folder, _, last = test.rpartition("/")
    return folder in MODULES and folder.rpartition("/")[2] == last


@pytest.mark.parametrize("test", [t for t in TESTED if "/" in t and t.split("/")[0] not in ELSEWHERE])
def test_a_test_has_its_module(test):
    """Or it is that of its folder, or it is about several modules and says so."""
    across = test in listed(ACROSS)
    assert (test in MODULES or is_of_its_folder(test)) != across, (
        f"which module does {TESTED[test].relative_to(ROOT)} test? If several, ACROSS lists it"
    )
    if across:
        assert ast.get_docstring(ast.parse(TESTED[test].read_text(encoding="utf-8"))), "say of what it is a test"


def only_passes_names_on(file: Path) -> bool:
    """No function or class of its own: imports, other names for things, names that are loaded when asked for."""

    def passes(node: ast.stmt) -> bool:
        if isinstance(node, ast.FunctionDef):
            return node.name in ("__getattr__", "__dir__")
        if isinstance(node, ast.Assign | ast.AnnAssign):
            named = "__all__" in map(ast.unparse, node.targets if isinstance(node, ast.Assign) else [node.target])
            return named or isinstance(node.value, ast.Name | ast.Attribute)
        return isinstance(node, ast.Import | ast.ImportFrom | ast.Expr | ast.If | ast.Delete)

    return all(map(passes, ast.parse(file.read_text(encoding="utf-8")).body))


def needs_no_file(name: str) -> str:
    """The reason why, if there is one."""
    file, (layer, *rest) = MODULES[name], name.split("/")
    if file.name == "__main__.py" or only_passes_names_on(file):
        return "it only passes names on"
    if layer == "ops" and (SAMPLES / "/".join(rest)).with_suffix(".py").exists():
        return (
            "it declares primitives: the walks over the registry check them with the samples in the file of its name"
        )
    if layer == "engines" and len(rest) > 2 and (SAMPLES / rest[1]).is_dir():
        return "it has kernels of primitives: the same walks check them, on each engine"
    if name in KINDS:
        return KINDS[name]
    return ""


KINDS = {
    "types": "declarations of types, which `tests/typing` uses",
    "api/version": "values",
}


def has_a_file(name: str) -> bool:
    return name in TESTED or f"{name}/{name.rpartition('/')[2]}" in TESTED


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_has_its_test(name):
    through = [test for test, parts in table(THROUGH).items() if name in parts]
    assert all(test in TESTED for test in through), f"there is no test {through}"
    ways = [*filter(None, [needs_no_file(name), "it has a file" * has_a_file(name)]), *through]
    if name in listed(OWED):
        assert not ways, f"strike {name} from OWED: {ways}"
    else:
        assert ways, f"nothing tests {name}"


def test_the_tables_name_what_there_is():
    parts = [name for names in table(THROUGH).values() for name in names]
    assert not [name for name in [*listed(OWED), *parts] if name not in MODULES]
    assert not [name for name in listed(ACROSS) if name not in TESTED]
