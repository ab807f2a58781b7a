"""`tf.experimental.ExtensionType` and its kin; `as_dict`."""

from typing import Any

from .batching import (
    BatchableExtensionType as BatchableExtensionType,
    ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder,
)
from .specs import ExtensionTypeSpec as ExtensionTypeSpec
from .types import ExtensionType as ExtensionType

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
