"""`import tensorflow` and what is under it: tapeflow's own modules, and clear words for what is not there."""

import importlib
import subprocess
import sys
import types

import numpy as np
import pytest

import tapeflow
from tapeflow.programs import internal_names, stand_in


def names_after(text: str) -> dict:
    found: dict = {}
    exec(text, found)
    return found


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tensorflow.math", lambda: tapeflow.math),
        ("tensorflow.nn", lambda: tapeflow.nn),
        ("tensorflow.compat", lambda: tapeflow.compat),
        ("tensorflow.compat.v1", lambda: tapeflow.compat.v1),
        ("tensorflow.compat.v2", lambda: stand_in.root()),
        ("tensorflow.compat.v2.math", lambda: tapeflow.math),
        ("tensorflow.keras", lambda: tapeflow.keras),
        ("tensorflow.compat.v2.keras", lambda: tapeflow.keras),
        ("tensorflow.compat.v1.keras.layers", lambda: tapeflow.keras.layers),
        ("tensorflow.keras.layers", lambda: tapeflow.keras.layers),
        ("tensorflow.keras.applications.vgg19", lambda: tapeflow.keras.applications.vgg19),
        ("tensorflow.keras.preprocessing.image", lambda: tapeflow.keras.preprocessing.image),
        ("tensorflow.losses", lambda: tapeflow.keras.losses),
    ],
)
def test_modules_are_tapeflows_own(installed, name, value):
    before = value().__spec__
    assert importlib.import_module(name) is value()
    assert value().__spec__ is before


def test_the_root_has_tapeflows_names_and_tensorflows_version(installed):
    import tensorflow

    assert tensorflow.__version__ == tensorflow.version.VERSION == tapeflow.version.VERSION
    assert tensorflow.__version__ != tapeflow.__version__
    assert dir(tensorflow) == dir(tapeflow) and tensorflow.__all__ == tapeflow.__all__
    own = {"compat": tapeflow.compat, "keras": tapeflow.keras}  # imported on first use
    assert not [n for n in tapeflow.__all__ if getattr(tensorflow, n) is not own.get(n, getattr(tapeflow, n))]


@pytest.mark.parametrize(
    "program",
    [
        "import tensorflow.compat.v2 as tf",
        "from tensorflow.compat import v2 as tf",
        "import tensorflow; tf = tensorflow.compat.v2",
        "import tensorflow.compat.v1 as tf",
        "from tensorflow.compat.v1 import __version__; import tensorflow as tf; assert __version__ == tf.__version__",
    ],
)
def test_every_way_to_ask_for_the_version(installed, program):
    assert names_after(program)["tf"].__version__ == tapeflow.version.VERSION
    stand_in.uninstall()
    assert tapeflow.compat.v2 is tapeflow


def test_small_namespaces_can_be_imported(installed):
    found = names_after(
        "import tensorflow.config.experimental as e\nfrom tensorflow.compat.v1.logging import set_verbosity, ERROR"
    )
    assert found["e"].set_memory_growth is tapeflow.config.experimental.set_memory_growth
    assert found["ERROR"] == tapeflow.compat.v1.logging.ERROR


def test_forms_of_import(installed):
    found = names_after(
        "import tensorflow as tf\n"
        "import tensorflow.keras.backend as K\n"
        "from tensorflow.keras.layers import Dense, Conv2D\n"
        "from tensorflow import keras, math as m\n"
        "from tensorflow.keras import layers as L\n"
        "from tensorflow.math import *\n"
        "import tensorflow.python.framework.ops as o\n"
    )
    assert found["tf"].GradientTape is tapeflow.GradientTape and found["K"] is tapeflow.keras.backend
    assert found["Dense"] is found["L"].Dense is found["keras"].layers.Dense
    assert found["m"] is tapeflow.math and found["log1p"] is tapeflow.math.log1p
    assert found["o"].convert_to_tensor is tapeflow.convert_to_tensor


@pytest.mark.parametrize(
    ("statement", "name", "value"),
    [
        (
            "from tensorflow.python.framework.ops import convert_to_tensor as x",
            "x",
            lambda: tapeflow.convert_to_tensor,
        ),
        ("from tensorflow.python.framework.ops import EagerTensor as x", "x", lambda: type(tapeflow.constant(1))),
        ("from tensorflow.python.framework import dtypes; x = dtypes.float32", "x", lambda: tapeflow.float32),
        (
            "from tensorflow.python.framework import tensor_shape; x = tensor_shape.TensorShape",
            "x",
            lambda: tapeflow.TensorShape,
        ),
        (
            "from tensorflow.python.framework.errors_impl import InvalidArgumentError as x",
            "x",
            lambda: tapeflow.errors.InvalidArgumentError,
        ),
        (
            "from tensorflow.python.framework.tensor_util import constant_value as x",
            "x",
            lambda: tapeflow.get_static_value,
        ),
        ("from tensorflow.python.ops import math_ops; x = math_ops.cast", "x", lambda: tapeflow.cast),
        ("from tensorflow.python.ops import math_ops; x = math_ops.erf", "x", lambda: tapeflow.math.erf),
        ("from tensorflow.python.ops.random_ops import random_normal as x", "x", lambda: tapeflow.random.normal),
        (
            "from tensorflow.python.ops.resource_variable_ops import ResourceVariable as x",
            "x",
            lambda: type(tapeflow.Variable(1.0)),
        ),
        ("from tensorflow.python.ops.gen_math_ops import mat_mul as x", "x", lambda: tapeflow.raw_ops.MatMul),
        (
            "from tensorflow.python.eager import backprop; x = backprop.GradientTape",
            "x",
            lambda: tapeflow.GradientTape,
        ),
        ("from tensorflow.python.eager.def_function import function as x", "x", lambda: tapeflow.function),
        (
            "from tensorflow.python.ops.numpy_ops import np_config; x = np_config.enable_numpy_behavior",
            "x",
            lambda: tapeflow.experimental.numpy.experimental_enable_numpy_behavior,
        ),
        ("from tensorflow.python.keras.engine.base_layer import Layer as x", "x", lambda: tapeflow.keras.layers.Layer),
        ("from tensorflow.python.keras.layers.core import Dense as x", "x", lambda: tapeflow.keras.layers.Dense),
        (
            "from tensorflow.python.keras.optimizer_v2.optimizer_v2 import OptimizerV2 as x",
            "x",
            lambda: tapeflow.keras.optimizers.Optimizer,
        ),
        (
            "from tensorflow.python.keras.saving.model_config import model_from_json as x",
            "x",
            lambda: tapeflow.keras.models.model_from_json,
        ),
        ("from tensorflow.python import tf2; x = tf2.enabled()", "x", lambda: True),
    ],
)
def test_private_names_that_programs_import(installed, statement, name, value):
    assert names_after(statement)[name] is value()


def test_private_paths_leave_public_modules_alone(installed):
    """The import system binds `core` to what it takes for the module above it; what a program sets reaches ours."""
    before = set(vars(tapeflow.keras.layers))
    found = names_after(
        "import tensorflow.python.keras.layers.core\n"
        "from tensorflow.python.keras.layers import core, Dense\n"
        "from tensorflow.python.platform import gfile\n"
        "gfile.of_a_program = 1"
    )
    assert set(vars(tapeflow.keras.layers)) == before
    assert found["Dense"] is found["core"].Dense is tapeflow.keras.layers.Dense
    assert found["gfile"].exists is tapeflow.io.gfile.exists
    assert vars(tapeflow.io.gfile).pop("of_a_program") == 1
    assert dir(found["gfile"]) == dir(tapeflow.io.gfile)


def test_devices_as_tensorflow_lists_them(installed):
    [cpu] = names_after("from tensorflow.python.client import device_lib\nd = device_lib.list_local_devices()")["d"]
    assert (cpu.name, cpu.device_type) == ("/device:CPU:0", "CPU")


def test_layers_keep_their_names(installed):
    """`tensorflow.core` is TensorFlow's, `tapeflow.core` ours."""
    names_after("from tensorflow.core.framework import *\nimport tensorflow.python.ops.nn_grad")
    assert tapeflow.core.__name__ == "tapeflow.core"
    with pytest.raises(ModuleNotFoundError, match=r"tensorflow\.tape"):
        importlib.import_module("tensorflow.tape")


@pytest.mark.parametrize(
    "library", ["tensorflow_datasets", "tensorflow_probability", "tensorflow_hub", "tensorflow_addons"]
)
def test_libraries_around_tensorflow(installed, library):
    with pytest.raises(
        ModuleNotFoundError, match=f"No module named '{library}': tapeflow stands in for TensorFlow, not"
    ):
        importlib.import_module(library)


def test_an_installed_library_is_left_alone(installed, tmp_path, monkeypatch):
    (tmp_path / "tensorflow_datasets.py").write_text("answer = 42")
    monkeypatch.syspath_prepend(tmp_path)
    assert importlib.import_module("tensorflow_datasets").answer == 42
    del sys.modules["tensorflow_datasets"]


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (
            "from tensorflow.math import reduce_summ",
            "tapeflow has no tf.math.reduce_summ. The nearest it has: tf.math.reduce_sum",
        ),
        ("from tensorflow import estimator", "tapeflow has no tf.estimator yet. Estimators left TensorFlow, too"),
        (
            "import tensorflow.contrib",
            "No module named 'tensorflow.contrib': tapeflow has no tf.contrib. It is TensorFlow 1",
        ),
        (
            "from tensorflow.keras.layers import Dens",
            "Keras 3 has no tf.keras.layers.Dens. The nearest it has: tf.keras.layers.Dense.",
        ),
        ("import tensorflow.keras.nothing", "No module named 'tensorflow.keras.nothing'"),
        (
            "from tensorflow.python.framework.ops import nothing_like_it",
            "tapeflow has no tensorflow.python.framework.ops.nothing_like_it",
        ),
        (
            "from tensorflow.python.framework import nothing_like_it",
            "tapeflow has no tensorflow.python.framework.nothing_like_it",
        ),
        ("from tensorflow.config.experimental import nothing", "tapeflow has no tf.config.experimental.nothing"),
    ],
)
def test_what_is_not_there(installed, statement, words):
    with pytest.raises(ImportError) as caught:
        exec(statement, {})
    assert str(caught.value).startswith(words)


def test_tensorflow_that_is_imported_already(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow", types.ModuleType("tensorflow"))
    with pytest.raises(ImportError, match="has been imported already"):
        stand_in.install()


def test_ours_is_served_where_tensorflow_is_installed(tmp_path):
    (tmp_path / "tensorflow").mkdir()
    (tmp_path / "tensorflow" / "__init__.py").write_text("raise SystemExit('the other one')")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import tensorflow as tf, tapeflow; "
        "assert tf.Tensor is tapeflow.Tensor"
    )
    root = tapeflow.__path__[0].rpartition("tapeflow")[0]
    done = subprocess.run(
        [sys.executable, "-m", "tapeflow", "run", "-c", program], capture_output=True, text=True, cwd=root
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_uninstall(installed):
    importlib.import_module("tensorflow.math")
    stand_in.uninstall()
    assert not any(name.split(".")[0] == "tensorflow" for name in sys.modules)


def test_tensorboards_reader_takes_the_stand_in(installed):
    """It asks for TensorFlow's way to be silent, and for its reader of records."""
    from tensorflow.python.util import deprecation

    for _ in range(2):
        with deprecation.silence():
            pass


ARRAYS = [
    (np.array([1.5, -2.5]), "int32", [1, -2]),
    (np.array([1, 300]), "uint8", [1, 44]),
    (np.array([0.5, 0.0]), "bool", [True, False]),
    (np.array([1 + 2j]), "float32", [1.0]),
]


@pytest.mark.parametrize(("array", "dtype", "want"), ARRAYS, ids=lambda v: str(v))
def test_arrays_that_lose_values(installed, caplog, array, dtype, want):
    """What TensorFlow makes of them, and a warning for each place."""
    import tensorflow

    for _ in range(2):
        made = tensorflow.convert_to_tensor(array, dtype)
    assert made.dtype == dtype and made.numpy().tolist() == want
    assert [r.levelname for r in caplog.records] == ["WARNING"] and "test_stand_in.py" in caplog.text
    assert tensorflow.Variable(array, dtype=dtype).numpy().tolist() == want
    with pytest.raises((TypeError, ValueError)):
        tensorflow.constant(array.tolist(), "int32" if dtype == "bool" else dtype)  # Python's numbers never do


def test_arrays_that_lose_values_are_an_error_elsewhere():
    for array, dtype, _ in ARRAYS:
        with pytest.raises(TypeError, match="without changing its values"):
            tapeflow.convert_to_tensor(array, dtype)


def test_packages_of_private_modules_have_them_as_attributes(installed):
    found = names_after(
        "import tensorflow.python as p\nfrom tensorflow.python import eager\nimport tensorflow.core.framework\n"
        "tape, ops = p.eager.tape, eager.context"
    )
    assert found["tape"] is sys.modules["tensorflow.python.eager.tape"]
    assert found["p"].framework.ops.convert_to_tensor is tapeflow.convert_to_tensor
    with pytest.raises(AttributeError, match="private name"):
        _ = found["p"].nothing_of_the_kind
    with pytest.raises(AttributeError, match="private name"):
        _ = found["p"].eager.nothing_of_the_kind


@pytest.mark.parametrize("name", internal_names.RENAMED)
def test_names_of_the_table_are_there(installed, name):
    module, _, own = name.rpartition(".")
    getattr(importlib.import_module(f"tensorflow.python.{module}"), own)


@pytest.mark.parametrize("space", internal_names.INTERNAL)
def test_names_of_dunder_internal_are_there(installed, space):
    inside = importlib.import_module(f"tensorflow.__internal__.{space}".rstrip("."))
    for place in internal_names.INTERNAL[space].split():
        assert getattr(inside, place.rpartition(".")[2]) is not None
