"""Models that TensorFlow wrote, to be damaged: those of the tests."""

import zipfile
from pathlib import Path
from typing import Any

import tapeflow as tf

__all__ = ["configuration", "frozen", "load", "seed", "write"]

_MODELS = Path(__file__).resolve().parents[2] / "tests" / "saved_model" / "tensorflow" / "models"


def write(folder: str, model: str = "line") -> None:
    """All of its files."""
    with zipfile.ZipFile(_MODELS / f"{model}.zip") as file:
        file.extractall(folder)


def seed(name: str, model: str = "line") -> bytes:
    """One of its files."""
    with zipfile.ZipFile(_MODELS / f"{model}.zip") as file:
        return file.read(name)


def frozen(data: bytes) -> Any:
    """A function of a frozen graph; its nodes are put in order, and it is not called."""
    message = tf.compat.v1.GraphDef.FromString(data)
    graph = tf.compat.v1.wrap_function(lambda: tf.compat.v1.import_graph_def(message, name=""), [])
    return bool(graph.prune(["x:0"], ["y:0", "parts:1"]))


def configuration(path: str) -> Any:
    """What Keras 2 wrote of a model beside its graph."""
    from tapeflow.saved_model.tensorflow.keras_metadata import keras_configuration

    return keras_configuration(Path(path).parent) is None


def load(path: str) -> Any:
    """What a file says is checked when it is loaded; nothing is called, since a damaged graph is another graph."""
    folder = Path(path).parent
    return bool(tf.saved_model.load(folder.parent if folder.name == "variables" else folder))
