"""The models that TensorFlow wrote, as folders."""

import zipfile
from pathlib import Path

MODELS = Path(__file__).parent / "models"


def unpacked(name, folder):
    """The folder of a model."""
    with zipfile.ZipFile(MODELS / f"{name}.zip") as file:
        file.extractall(folder / name)
    return folder / name
