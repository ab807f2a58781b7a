"""A Keras that looks backends up by their names, `keras_<name>.src`, as coming versions do: made here, out of the one
that is installed."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import keras
import pytest

from keras_tapeflow import grafting

ROOT = Path(__file__).resolve().parents[3]

# What takes the place of the choices among backends.
LOOKUPS = {
    "backend/__init__.py": """
import importlib
from keras.src.backend.config import PLUGGABLE_BACKENDS
if backend() not in PLUGGABLE_BACKENDS:
    raise ValueError("Unsupported backend")
found = importlib.import_module(f"keras_{backend()}.src")
globals().update({name: getattr(found, name) for name in dir(found) if not name.startswith("_")})
BackendVariable = Variable
""",
    "layers/layer.py": """
import importlib
BackendLayer = importlib.import_module(f"keras_{backend.backend()}.src.layer").BackendLayer
""",
    "models/model.py": """
import importlib
Trainer = importlib.import_module(f"keras_{backend.backend()}.src.trainer").Trainer
""",
    "export/saved_model.py": """
import importlib
archives = importlib.import_module(f"keras_{backend.backend()}.src.export")
BackendSavedModelExportArchive = archives.SavedModelExportArchive
""",
}

PROGRAM = """
import keras, numpy as np, tapeflow
x = np.linspace(-1, 1, 32).reshape(16, 2).astype("float32")
layers = keras.layers
model = keras.Sequential([layers.Rescaling(2.0), layers.Dense(4, activation="tanh"), layers.Dense(1)])
model.compile("adam", "mse")
losses = model.fit(x, x[:, :1], epochs=5, verbose=0).history["loss"]
image = keras.layers.RandomFlip()(np.ones((1, 4, 4, 3)), training=True)
shape = model.predict(x, verbose=0).shape
print(keras.__file__, keras.config.backend(), losses[-1] < losses[0], shape, type(image).__module__.split(".")[0])
model.export("exported", verbose=False)
print(np.allclose(tapeflow.saved_model.load("exported").serve(x), model(x)))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    folder = tmp_path_factory.mktemp("coming")
    shutil.copytree(Path(keras.__file__).parent, folder / "keras", ignore=shutil.ignore_patterns("*_test.py"))
    for name, lookup in LOOKUPS.items():
        file = folder / "keras/src" / name
        lines = file.read_text().splitlines()
        [choice] = [node for node in ast.parse("\n".join(lines)).body if grafting._last_case(node) is not None]
        file.write_text("\n".join([*lines[: choice.lineno - 1], lookup, *lines[choice.end_lineno :]]) + "\n")
    config = folder / "keras/src/backend/config.py"
    config.write_text(config.read_text() + '\nPLUGGABLE_BACKENDS = frozenset(["mlx"])\n')
    return folder


@pytest.mark.parametrize("first", ["import tapeflow", "import keras_tapeflow.hook"])
def test_models_train(tree, first):
    env = os.environ | {"KERAS_BACKEND": "tapeflow", "PYTHONPATH": os.pathsep.join([str(tree), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"{first}\n{PROGRAM}"],
        env=env,
        capture_output=True,
        text=True,
        cwd=tree,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{tree / 'keras' / '__init__.py'} tapeflow True (16, 1) tapeflow", "True"]


@pytest.mark.parametrize("name", LOOKUPS)
def test_the_hook_steps_aside(tree, name):
    module = "keras.src." + name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    source = (tree / "keras/src" / name).read_bytes()
    assert ast.dump(grafting.grafted(source, module)) == ast.dump(ast.parse(source))
