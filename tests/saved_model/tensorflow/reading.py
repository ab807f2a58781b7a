"""The models that TensorFlow wrote, as folders."""

import zipfile
from pathlib import Path

MODELS = Path(__file__).parent / "models"


def unpacked(name, folder):
    """The folder of a model."""
    with zipfile.ZipFile(MODELS / f"{name}.zip") as file:
        file.extractall(folder / name)
    return folder / name


def changed(name, folder, change):
    """The folder of a model whose file has been changed: `change(graph)` gets its MetaGraphDef."""
    from tapeflow.io.model_messages import SavedModel, parsed

    place = unpacked(name, folder)
    whole = parsed(SavedModel, str(place / "saved_model.pb"))
    change(whole.meta_graphs[0])
    (place / "saved_model.pb").write_bytes(whole.SerializeToString())
    return place


def function(graph, start):
    """The function of the library whose name begins so."""
    return next(f for f in graph.graph_def.library.function if f.signature.name.startswith(start))
