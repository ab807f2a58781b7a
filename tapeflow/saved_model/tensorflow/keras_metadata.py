"""What Keras 2 wrote of a model beside its graph: its configuration, in `keras_metadata.pb` or, before 2.5, in the
objects."""

import json
from pathlib import Path
from typing import Any

from .folder import read_meta_graph

__all__ = ["keras_configuration"]

_TABLE = """
KerasVersion: 1 producer int32, 2 min_consumer int32
KerasObject: 2 node_id int32, 3 node_path string, 4 identifier string, 5 metadata string, 6 version KerasVersion
KerasMetadata: 1 nodes repeated KerasObject
"""
_MODELS = frozenset("_tf_keras_model _tf_keras_network _tf_keras_sequential".split())


def keras_configuration(folder: Path) -> dict[str, Any] | None:
    """`class_name`, `config` and `training_config` of the model in a folder; None if Keras did not write them, as for
    models by classes of one's own."""
    from tapeflow.io.described import message_classes
    from tapeflow.io.model_messages import parsed

    path = folder / "keras_metadata.pb"
    if path.is_file():
        try:
            nodes = parsed(message_classes(_TABLE)["KerasMetadata"], str(path)).nodes
        except ValueError as error:
            raise OSError(f"Cannot parse file {path}: it {error}.") from None
        texts = [n.metadata for n in nodes if n.node_id == 0 and n.identifier in _MODELS]
    else:
        [root, *_] = read_meta_graph(folder, set()).object_graph_def.nodes or [None]
        is_model = root is not None and root.user_object.identifier in _MODELS
        texts = [root.user_object.metadata] if is_model else []
    if not texts:
        return None
    try:
        found = json.loads(texts[0])
    except (ValueError, RecursionError) as error:
        raise OSError(f"Cannot parse file {path}: the configuration of the model is no JSON ({error}).") from None
    known = isinstance(found, dict) and isinstance(found.get("config"), dict) and "class_name" in found
    return found if known else None
