"""SavedModels that TensorFlow wrote, to be damaged: those of the tests."""

import zipfile
from pathlib import Path
from typing import Any

import tapeflow as tf

__all__ = ["load", "seed", "write"]

_MODELS = Path(__file__).resolve().parents[2] / "tests" / "saved_model" / "tensorflow" / "models"


def write(folder: str) -> None:
    """All of its files."""
    with zipfile.ZipFile(_MODELS / "line.zip") as file:
        file.extractall(folder)


def seed(name: str) -> bytes:
    """One of its files."""
    with zipfile.ZipFile(_MODELS / "line.zip") as file:
        return file.read(name)


def load(path: str) -> Any:
    """What a file says is checked when it is loaded; nothing is called, since a damaged graph is another graph."""
    folder = Path(path).parent
    return bool(tf.saved_model.load(folder.parent if folder.name == "variables" else folder))
