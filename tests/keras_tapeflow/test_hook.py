"""How Keras gets its backend, each in a process of its own."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from keras_tapeflow import grafting

ROOT = Path(__file__).resolve().parents[2]


def run(code, **environment):
    env = {k: v for k, v in os.environ.items() if k != "KERAS_BACKEND"} | {"PYTHONPATH": str(ROOT)} | environment
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=env, capture_output=True, text=True)
    return done.stdout + done.stderr.strip().rpartition("\n")[2]


def test_keras_after_tapeflow_runs_on_it():
    assert run("import tapeflow, keras; print(keras.config.backend())") == "tapeflow\n"


def test_the_environment_alone_will_do_where_the_hook_is_installed():
    assert (
        run("import keras_tapeflow.hook, keras; print(keras.config.backend())", KERAS_BACKEND="tapeflow")
        == "tapeflow\n"
    )


@pytest.mark.parametrize("environment", [{}, {"KERAS_BACKEND": "tapeflow"}])
def test_the_hook_is_light(environment):
    """`import tapeflow` and, by the `.pth` file, every start of a program with this environment import it."""
    code = "import keras_tapeflow.hook, sys; print(sorted({'keras', 'numpy', 'tapeflow'} & set(sys.modules)))"
    assert run(code, **environment) == "[]\n"


def test_the_line_of_the_installed_file():
    """It imports nothing where the environment asks for another backend, or for none."""
    line = (ROOT / "tapeflow_keras.pth").read_text(encoding="utf-8")
    assert line.startswith("import os;") and line.count("\n") == 1  # `site` runs one line at a time
    code = f"import sys; before = set(sys.modules)\n{line}\nprint(sorted(set(sys.modules) - before))"
    assert run(code) == run(code, KERAS_BACKEND="jax") == "[]\n"
    assert "'keras_tapeflow.hook'" in run(code, KERAS_BACKEND="tapeflow")


def test_the_modules_of_the_backend_may_come_first():
    """They are made of Keras' own, which imports them: Keras is imported before them, and they once."""
    code = (
        "import keras_tapeflow.src.ops.numpy as ours, keras, sys; "
        "print(keras.config.backend(), sys.modules['keras_tapeflow.src'].ops.numpy is ours, "
        "keras.src.backend.cast is sys.modules['keras_tapeflow.src'].cast)"
    )
    assert run(code) == "tapeflow True True\n"


def test_another_backend_stays_what_the_environment_says():
    assert run("import tapeflow, keras; print(keras.config.backend())", KERAS_BACKEND="jax") == "jax\n"


def test_tf_keras_says_what_to_do_when_keras_runs_on_another_backend():
    text = run("import keras, tapeflow as tf; tf.keras", KERAS_BACKEND="jax")
    assert "ImportError" in text and "Keras runs on 'jax'" in text and "Import tapeflow before keras" in text


def test_importing_tapeflow_does_not_import_keras():
    assert run("import tapeflow, sys; print('keras' in sys.modules)") == "False\n"


def test_an_unsupported_version_is_refused(monkeypatch):
    monkeypatch.setattr(grafting, "version", lambda: "3.99.0")
    with pytest.raises(
        ImportError, match=r"Keras 3.99.0 does not run on this tapeflow, which supports Keras 3.15 to 3.16"
    ):
        grafting.check_version()


def test_a_module_without_the_place_is_refused():
    with pytest.raises(ImportError, match=r"does not find where keras\.src\.models\.model chooses its backend"):
        grafting.grafted(b"x = 1\n", "keras.src.models.model")


def test_the_new_case_comes_before_the_raise():
    source = b"if backend() == 'jax':\n    from a import B as Trainer\nelse:\n    raise ValueError\n"
    text = ast.unparse(grafting.grafted(source, "keras.src.models.model"))
    assert "elif backend() == 'tapeflow':\n    from keras_tapeflow.src.trainer import Trainer as Trainer" in text
    assert text.endswith("raise ValueError")


def test_keras_seeds_the_tensors():
    code = (
        "import tapeflow as tf; draw = lambda: (tf.keras.utils.set_random_seed(1), "
        "float(tf.random.normal([])))[1]; print(draw() == draw())"
    )
    assert run(code) == "True\n"
