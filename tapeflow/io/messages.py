"""`tf.train.Example` and its parts: protocol buffer messages with TensorFlow's names, field numbers and bytes."""

from typing import Any

__all__ = [
    "BytesList", "DecodeError", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList",
    "Int64List", "SequenceExample", "TensorProto", "from_json",
]  # fmt: skip

from .described import message_classes

# isort: split
from google.protobuf import json_format  # type: ignore[import-untyped]
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]

from .model_messages import TensorProto

_made = message_classes("""
BytesList: 1 value repeated bytes
FloatList: 1 value repeated float
Int64List: 1 value repeated int64
Feature: 1 bytes_list BytesList in kind, 2 float_list FloatList in kind, 3 int64_list Int64List in kind
Features: 1 feature map Feature
FeatureList: 1 feature repeated Feature
FeatureLists: 1 feature_list map FeatureList
Example: 1 features Features
SequenceExample: 1 context Features, 2 feature_lists FeatureLists
""")
BytesList, FloatList, Int64List = _made["BytesList"], _made["FloatList"], _made["Int64List"]
Feature, Features, FeatureList, FeatureLists = (
    _made[n] for n in ("Feature", "Features", "FeatureList", "FeatureLists")
)
Example, SequenceExample = _made["Example"], _made["SequenceExample"]


def from_json(text: bytes) -> Any:
    """An example from its JSON form; ValueError if it has none.

    >>> from tapeflow.io.messages import from_json
    >>> example = from_json(b'{"features": {"feature": {"x": {"int64List": {"value": ["3"]}}}}}')
    >>> example.features.feature["x"].int64_list.value
    [3]
    """
    try:
        return json_format.Parse(text, Example())
    except json_format.ParseError as error:
        raise ValueError(str(error)) from None
