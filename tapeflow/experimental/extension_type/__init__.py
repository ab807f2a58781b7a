"""`tf.experimental.ExtensionType` and its kin; `as_dict`."""

from typing import Any

from tapeflow.experimental.extension_type.batching import (
    BatchableExtensionType,
    ExtensionTypeBatchEncoder,
)
from tapeflow.experimental.extension_type.specs import ExtensionTypeSpec
from tapeflow.experimental.extension_type.types import ExtensionType

__all__ = ["as_dict"]


def as_dict(value: ExtensionType) -> dict[str, Any]:
    """The fields of a value, by name.

    Args:
        value: A value of an extension type.

    Returns:
        The fields, in a dict.

    >>> class Point(tf.experimental.ExtensionType):
    ...     x: tf.Tensor
    ...     name: str = "p"
    >>> tf.experimental.extension_type.as_dict(Point(1.))["name"]
    'p'
    """
    return {name: getattr(value, name) for name in value._fields}
