"""The messages of event files, from `tensorboardX`."""

from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np

from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import string

__all__ = ["messages", "metadata", "tensor_message"]


@cache
def messages() -> SimpleNamespace:
    """The classes of messages, imported when something is written for the first time."""
    try:
        from tensorboardX.proto import (
            attr_value_pb2,
            event_pb2,
            graph_pb2,
            node_def_pb2,
            summary_pb2,
            tensor_pb2,
            tensor_shape_pb2,
            versions_pb2,
        )
    except ImportError as error:
        raise ImportError(
            "tf.summary writes event files with the library tensorboardX: pip install tensorboardX."
        ) from error
    return SimpleNamespace(
        AttrValue=attr_value_pb2.AttrValue,
        Event=event_pb2.Event,
        GraphDef=graph_pb2.GraphDef,
        NodeDef=node_def_pb2.NodeDef,
        Summary=summary_pb2.Summary,
        SummaryMetadata=summary_pb2.SummaryMetadata,
        TensorProto=tensor_pb2.TensorProto,
        TensorShapeProto=tensor_shape_pb2.TensorShapeProto,
        VersionDef=versions_pb2.VersionDef,
    )


def metadata(plugin: str, description: str | None = None, content: bytes = b"") -> Any:
    """Which of TensorBoard's dashboards shows a summary, and the text beside it."""
    made = messages().SummaryMetadata(summary_description=description or "")
    made.plugin_data.plugin_name, made.plugin_data.content = plugin, content
    return made


def tensor_message(tensor: Any) -> Any:
    """A tensor that has a value, as a message."""
    tensor = to_tensor(tensor)
    found = messages()
    shape = found.TensorShapeProto(dim=[found.TensorShapeProto.Dim(size=int(size)) for size in tensor.sizes])
    made = found.TensorProto(dtype=tensor.dtype.as_datatype_enum, tensor_shape=shape)
    if tensor.dtype is string:
        made.string_val.extend(np.asarray(tensor.numpy(), object).ravel().tolist())
    else:
        made.tensor_content = np.ascontiguousarray(tensor.numpy()).tobytes()
    return made
