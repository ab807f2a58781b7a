"""SavedModels as TensorFlow writes them: a graph of objects with their functions and variables, and a graph with
placeholders for servers, which call signatures by name."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tapeflow.export.lowering import MOST
from tapeflow.io.model_messages import SavedModel
from tapeflow.storage.checkpoints.bundle import GRAPH_KEY
from tapeflow.storage.whole_files import made_whole

from .bundle import bundle, texts
from .objects import Held as Held, Objects, Signature as Signature, Traced as Traced
from .serving import Serving

MODEL = "saved_model.pb"


def write(
    folder: Path, objects: Sequence[Held], signatures: Mapping[str, Signature],
    check: Callable[[Path], None] = lambda folder: None,
) -> None:  # fmt: skip
    """A SavedModel in a folder. It takes the place of an older one when all of it is written; never after an error.

    Args:
        objects: What to save; the first one is the model.
        check: Is given the folder with the new model before that, to read it again.
    """
    files = Objects(objects, signatures)
    content = _files(files)
    new = not folder.exists()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with made_whole(str(folder if new else folder / MODEL)) as made:
        room = Path(made) if new else Path(made).parent
        room.mkdir(exist_ok=True)
        for name, data in content.items():
            (room / name).parent.mkdir(exist_ok=True)
            (room / name).write_bytes(data)
        for name, path in files.assets.items():
            (room / "assets").mkdir(exist_ok=True)
            shutil.copyfile(path, room / "assets" / name)
        check(room)


def _files(objects: Objects) -> dict[str, bytes]:
    """The content of each file, by its name."""
    model = SavedModel(saved_model_schema_version=1)
    meta: Any = model.meta_graphs.add()
    meta.meta_info_def.tags.append("serve")
    meta.meta_info_def.tensorflow_version = "2.15.0"  # the oldest whose operators these all are
    meta.graph_def.versions.producer = 1645
    meta.object_graph_def.CopyFrom(objects.graph)
    Serving(meta, objects)
    meta.graph_def.library.function.extend(objects.library.functions)
    if model.ByteSize() > MOST:
        raise ValueError(
            f"The model cannot be saved in TensorFlow's format: its graphs and constants have "
            f"{model.ByteSize() / 2**30:.1f} GB, and {MODEL} holds 2. Make large constants variables, which are in "
            "files of their own."
        )
    values = objects.values | {GRAPH_KEY: texts(objects.checkpoint.SerializeToString(deterministic=True))}
    index, data = bundle(values)
    return {
        os.path.join("variables", "variables.data-00000-of-00001"): data,
        os.path.join("variables", "variables.index"): index,
        MODEL: model.SerializeToString(deterministic=True),
    }
