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
    api/random: tensorflow_random
    core/variables: interrupts
    distribute: collectives
    engines/xla: device_registry forking kernels
    function/autograph: functions limits programs
    function/running: compiled_registry interrupts late_values xla_devices
    function/tracing: interrupted_contexts sizes traced_registry work
    inspect: report_in_a_browser
    keras_tapeflow/installing: coming_layout keras_own_tests names other_backends wheel
    keras_tapeflow/models: derivatives_of_models engine_choice interrupts layer_gradients layers_as_on_jax
        mixed_precision preprocessing saved_model_layers sparse_models
    ops: forward_rules index_rows interpretations nan_in_nan_out registry shape_rules the_check
    programs: corpus libraries second_distribution support_table
    storage/checkpoints: damage deferred keras tensorflow_files
    summary: in_graphs
    tape: paths threads
    vectorize: under_vmap vmap_indexing vmap_networks vmap_random
"""

# Parts of a module: they are tested in its file, through it. Each line: the file of tests, then the parts.
THROUGH = """
    api/assertions/values: api/assertions/shapes
    api/autodiff/autodiff: api/autodiff/graph_gradients
    api/autograph/autograph: api/autograph/experimental
    api/config/config: api/config/experimental api/config/kept api/config/optimizer api/config/running
        api/config/threading
    api/control/branches_and_loops: api/control/functional
    api/control/tensor_array: api/control/graph_tensor_array api/control/tensor_array_spec
    api/image/files: api/image/bitmaps api/image/jpeg api/image/pictures
    api/interop/array_api: api/interop/array_api_dtypes
    api/interop/numpy_functions/numpy_functions: api/interop/numpy_functions/creation
        api/interop/numpy_functions/elementwise api/interop/numpy_functions/fourier
        api/interop/numpy_functions/joining api/interop/numpy_functions/linear
        api/interop/numpy_functions/reductions api/interop/numpy_functions/registry
        api/interop/numpy_functions/running api/interop/numpy_functions/searching
        api/interop/numpy_functions/shaping api/interop/numpy_functions/statistics
    api/linalg/operators/operators: api/linalg/experimental api/linalg/operators/base
        api/linalg/operators/combined api/linalg/operators/patterned api/linalg/operators/simple
    api/lookup/tables: api/lookup/experimental api/lookup/initializers api/lookup/keys
    api/nn/convolution: api/nn/depthwise api/nn/layouts
    api/profiler/experimental: api/profiler/experimental/client api/profiler/experimental/server
    api/ragged/functions: api/ragged/making api/ragged/rules api/ragged/tensor
    api/random/stateless: api/random/draws api/random/experimental
    api/signal/fourier: api/signal/cosine
    api/test/test: api/test/experimental
    api/sparse/sparse: api/sparse/arithmetic api/sparse/places api/sparse/segments api/sparse/tensor
    api/strings/edit_distance: api/strings/fingerprints
    api/strings/printing: api/strings/formatting
    compat/v1/v1: compat/v1/data compat/v1/fallback compat/v1/logging compat/v1/losses compat/v1/optimizers
        compat/v1/renamed compat/v1/schedules compat/v1/variables
    core/variables/updates: core/variables/changes core/variables/parts ops/for_core
    core/variables/variable: core/variables/commits
    data/batching: data/grouping data/padding
    data/dataset: data/elements data/functions data/iterators data/mixing data/pipeline data/reading data/rows
        data/selection
    data/element_specs: data/options
    data/experimental: data/grain_sources
    data/files/listing: data/files/csv
    data/files/storing: data/files/elements
    data/sources: data/generators
    data/threads: data/interleaving
    demo: demo/picture demo/screen demo/spirals demo/tour
    distribute/distribute: distribute/cluster_resolver distribute/datasets distribute/experimental
        distribute/extended distribute/options distribute/replicas distribute/strategies distribute/strategy
        distribute/tpu distribute/tpu/experimental
    distribute/at_once: distribute/replicated engines/xla/replicas
    distribute/turns: distribute/contexts distribute/reducing distribute/replica_context distribute/values
    distribute/variables: distribute/combining
    engines/native/native: engines/native/calling
    engines/xla/devices: api/config/devices core/devices
    export/export: engines/xla/portable export/lowering export/to_stablehlo
    export/compositions/compositions: export/compositions/arithmetic export/compositions/arrays
        export/compositions/networks export/compositions/training
    export/to_onnx/to_onnx: export/to_onnx/arrays export/to_onnx/builder export/to_onnx/elementwise
        export/to_onnx/flow export/to_onnx/networks export/to_onnx/refused export/to_onnx/strings
    export/to_tensorflow/to_tensorflow: export/sizes export/to_tensorflow/body export/to_tensorflow/bundle
        export/to_tensorflow/dtypes export/to_tensorflow/flow export/to_tensorflow/mathematics
        export/to_tensorflow/networks export/to_tensorflow/objects export/to_tensorflow/operators
        export/to_tensorflow/random export/to_tensorflow/refused export/to_tensorflow/rules
        export/to_tensorflow/saved_models export/to_tensorflow/serving
        export/to_tensorflow/structures export/to_tensorflow/tables saved_model/for_tensorflow
    experimental/extension_type/batching: api/control/batchables
    experimental/extension_type/types: experimental/extension_type
    experimental/numpy/numpy: experimental/numpy/random
    feature_column/feature_column: feature_column/columns
    function/autograph/convert: function/autograph/passes
    function/autograph/programs: function/autograph/after function/autograph/before function/autograph/branches
        function/autograph/calling function/autograph/containers function/autograph/hiding
        function/autograph/logic function/autograph/loops function/autograph/operators function/autograph/public
        function/autograph/ranges function/autograph/source function/autograph/symbolic
    function/control/conditions: engines/xla/flow function/control/flow function/tracing/regions
    function/function: api/control/function function/running/calls function/tracing/concrete
        function/tracing/graph function/tracing/symbolic_gradients
    function/running/xla_devices: engines/xla/programs
    function/saving/writing: function/saving/restoring function/saving/stored_values
        function/tracing/traced_rules
    function/tracing/arguments/binding: function/tracing/arguments/mistakes
    function/tracing/late_sizes: function/tracing/graph_sizes
    function/tracing/sizes: function/tracing/symbols
    inspect/monitor: inspect/gradient_numbers inspect/monitor_site
    inspect/report: inspect/folding inspect/layout inspect/notebook inspect/profile inspect/report_data
        inspect/views
    io/files: api/strings/paths io/file_objects io/gfile
    io/parsing: io/columns io/sequences
    io/records: io/python_io
    io/tensors: io/sparse_strings
    keras_tapeflow/src/datasets: keras_tapeflow/src/trainer
    keras_tapeflow/src/export: keras_tapeflow/src/layer
    keras_tapeflow/src/ops/image: keras_tapeflow/src/ops/image/colours keras_tapeflow/src/ops/image/filters
        keras_tapeflow/src/ops/image/geometry keras_tapeflow/src/ops/image/layout
        keras_tapeflow/src/ops/image/sampling keras_tapeflow/src/ops/image/sizes
    keras_tapeflow/src/ops/math: keras_tapeflow/src/ops/floating
    keras_tapeflow/src/ops/nn: keras_tapeflow/src/ops/nn/activations keras_tapeflow/src/ops/nn/attention
        keras_tapeflow/src/ops/nn/convolution keras_tapeflow/src/ops/nn/ctc keras_tapeflow/src/ops/nn/encodings
        keras_tapeflow/src/ops/nn/losses keras_tapeflow/src/ops/nn/normalization
        keras_tapeflow/src/ops/nn/pooling
    keras_tapeflow/src/ops/numpy: keras_tapeflow/src/ops/numpy/common keras_tapeflow/src/ops/numpy/creation
        keras_tapeflow/src/ops/numpy/elementwise keras_tapeflow/src/ops/numpy/indexing
        keras_tapeflow/src/ops/numpy/joining keras_tapeflow/src/ops/numpy/logic
        keras_tapeflow/src/ops/numpy/pairs keras_tapeflow/src/ops/numpy/products
        keras_tapeflow/src/ops/numpy/reductions keras_tapeflow/src/ops/numpy/shaping
        keras_tapeflow/src/ops/numpy/statistics
    keras_tapeflow/src/ops/sparse: keras_tapeflow/src/ops/sparse_classes keras_tapeflow/src/ops/sparse_products
        keras_tapeflow/src/ops/sparse_rules
    keras_tapeflow/hook: keras_tapeflow/adaptations keras_tapeflow/grafting
    keras_tapeflow/whole_saves: keras_tapeflow/backups
    names/missing: names/hints names/public
    programs/checking: programs/support programs/symbols
    programs/stand_in: programs/internals
    saved_model/saved_model: function/saving/loaded saved_model/files saved_model/loading saved_model/writing
        storage/array_file
    storage/checkpoints/checkpoint: storage/checkpoints/encoding storage/checkpoints/reader
        storage/checkpoints/restoring storage/checkpoints/status storage/checkpoints/trackable
    storage/checkpoints/damage: storage/checkpoints/graph storage/checkpoints/state storage/checkpoints/storage
    storage/checkpoints/tensorflow_files: storage/checkpoints/bundle storage/checkpoints/keras_objects
        storage/checkpoints/table storage/checkpoints/wire
    summary/in_graphs: summary/graphs
    summary/kinds: summary/recording
    summary/writers: summary/protos summary/state
    transforms/derivatives: transforms/directions transforms/functions
    transforms/forward: transforms/pushing
    types/experimental: types/experimental/distributed
    vectorize/vmap: vectorize/mapped
    storage/checkpoints/deferred: core/variables/arrivals
    inspect/explain: inspect/methods
    compat/raw_ops/raw_ops: api/raw_ops/table
    api/raw_ops/raw_ops: api/raw_ops/arrays api/raw_ops/drawing api/raw_ops/layers api/raw_ops/sparse
        api/raw_ops/further api/raw_ops/texts
    saved_model/tensorflow/objects: saved_model/tensorflow saved_model/tensorflow/functions
        saved_model/tensorflow/running api/raw_ops/resources api/raw_ops/tensor_lists
    saved_model/tensorflow/importing: saved_model/tensorflow/graphs
    compat/v1/graphs: compat/graph_util
    keras_tapeflow/converting: saved_model/tensorflow/keras_metadata
    keras_tapeflow/src/random: keras_tapeflow/src/ops/shapes
    keras_tapeflow/models/sparse_models: keras_tapeflow/sparse_arrays keras_tapeflow/src/batches
    programs/running: programs/children programs/child
    programs/stand_in: programs/internal_names
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
            place = file.parent if file.name == "__init__.py" else file.with_suffix("")
            found[place.relative_to(home).as_posix()] = file
    del found["."]
    return found


MODULES = modules()
TESTED = {
    (t.parent / t.stem.removeprefix("test_")).relative_to(TESTS).as_posix(): t
    for t in sorted(TESTS.rglob("test_*.py"))
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
            named = set(map(ast.unparse, node.targets if isinstance(node, ast.Assign) else [node.target]))
            return bool(named & {"__all__", "__getattr__"}) or isinstance(node.value, ast.Name | ast.Attribute)
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
    "api/version": "values",
    "core/record": "the fields of records and pullbacks",
    "core/tensor_like": "declarations of types",
    "keras_tapeflow/src": "it passes names on, and says how Keras names the parts of a program",
}


def has_a_file(name: str) -> bool:
    return name in TESTED or f"{name}/{name.rpartition('/')[2]}" in TESTED


@pytest.mark.parametrize("name", sorted(MODULES))
def test_a_module_has_its_test(name):
    through = [test for test, parts in table(THROUGH).items() if name in parts]
    assert all(test in TESTED for test in through), f"there is no test {through}"
    ways = [*filter(None, [needs_no_file(name), "it has a file" * has_a_file(name)]), *through]
    assert not (through and has_a_file(name)), f"strike {name} from THROUGH: it has a file of its own"
    assert ways, f"nothing tests {name}: write tests/{name.rpartition('/')[0]}/test_{name.rpartition('/')[2]}.py"


def test_the_tables_name_what_there_is():
    parts = [name for names in table(THROUGH).values() for name in names]
    assert not [name for name in parts if name not in MODULES]
    assert not [name for name in listed(ACROSS) if name not in TESTED]
