"""The folder `as_tensorflow`: a distribution by the name of TensorFlow, built locally, that gives tapeflow."""

import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "as_tensorflow"


def test_importing_it_gives_tapeflow():
    code = (
        "import tensorflow as tf, tapeflow; import tensorflow.math as m\n"
        "from tensorflow.keras import layers\n"
        "print(tf.Tensor is tapeflow.Tensor, m is tapeflow.math, layers is tapeflow.keras.layers, tf.__version__)"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(FOLDER), str(ROOT)])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "True", "True", "2.21.0"], done.stderr


@pytest.mark.parametrize(("text", "refuses"), [("import _pywrap\n", True), ("from tapeflow import it\n", False)])
def test_it_does_not_replace_another(monkeypatch, tmp_path, text, refuses):
    """Its set-up looks where the interpreter has its packages."""
    import setuptools
    from setuptools.command.build_py import build_py

    (tmp_path / "tensorflow").mkdir()
    (tmp_path / "tensorflow" / "__init__.py").write_text(text)
    monkeypatch.setattr("sysconfig.get_path", lambda which: str(tmp_path))
    monkeypatch.setattr(setuptools, "setup", lambda **_: None)
    monkeypatch.setattr(build_py, "run", lambda self: None)
    module = types.ModuleType("set_up")
    exec((FOLDER / "setup.py").read_text(encoding="utf-8"), vars(module))
    command = module.Careful(setuptools.Distribution())
    if refuses:
        with pytest.raises(SystemExit, match="TensorFlow is installed here"):
            command.run()
    else:
        command.run()


def test_no_index_takes_it():
    """A version with a local part cannot be uploaded, nor can what is marked as private."""
    text = (FOLDER / "pyproject.toml").read_text(encoding="utf-8")
    assert 'version = "2.21.0+tapeflow"' in text and "Private :: Do Not Upload" in text
