"""`tf.experimental`."""

import sys
import sys as _sys
from collections.abc import Iterator
from contextlib import contextmanager

from tapeflow.api.dtypes import experimental as _dtypes
from tapeflow.api.interop import (
    dlpack as dlpack,
)
from tapeflow.api.ragged.dynamic_shape import DynamicRaggedShape as DynamicRaggedShape
from tapeflow.core.errors import UnimplementedError
from tapeflow.data.iterators import (
    Optional as Optional,
)
from tapeflow.experimental.dispatch import (
    dispatch_for_api as dispatch_for_api,
    dispatch_for_binary_elementwise_apis as dispatch_for_binary_elementwise_apis,
    dispatch_for_binary_elementwise_assert_apis as dispatch_for_binary_elementwise_assert_apis,
    dispatch_for_unary_elementwise_apis as dispatch_for_unary_elementwise_apis,
    unregister_dispatch_for as unregister_dispatch_for,
)
from tapeflow.experimental.extension_type.batching import (
    BatchableExtensionType as BatchableExtensionType,
    ExtensionTypeBatchEncoder as ExtensionTypeBatchEncoder,
)
from tapeflow.experimental.extension_type.specs import ExtensionTypeSpec as ExtensionTypeSpec
from tapeflow.experimental.extension_type.types import ExtensionType as ExtensionType
from tapeflow.names.missing import watch_over as _watch_over

from . import extension_type as extension_type, numpy as numpy

float8_e4m3fn, float8_e5m2 = _dtypes.float8_e4m3fn, _dtypes.float8_e5m2
int4, uint4 = _dtypes.int4, _dtypes.uint4

__all__ = [
    "BatchableExtensionType", "DynamicRaggedShape", "ExtensionType", "ExtensionTypeBatchEncoder", "ExtensionTypeSpec",
    "Optional", "async_clear_error", "async_scope", "dispatch_for_api", "dispatch_for_binary_elementwise_apis",
    "dispatch_for_binary_elementwise_assert_apis", "dispatch_for_unary_elementwise_apis", "dlpack",
    "enable_strict_mode", "extension_type", "float8_e4m3fn", "float8_e5m2", "function_executor_type", "int4", "numpy",
    "register_filesystem_plugin", "uint4", "unregister_dispatch_for",
]  # fmt: skip


@contextmanager
def async_scope() -> Iterator[None]:
    """A context whose operations may be computed later than they are called; here they are computed at once.

    >>> with tf.experimental.async_scope():
    ...     y = tf.square(3.)
    """
    yield


def async_clear_error() -> None:
    """Forgets an error of operations that are computed later; there are none.

    >>> tf.experimental.async_clear_error()
    """


def enable_strict_mode() -> None:
    """Makes uses of what is deprecated errors; nothing of that is here.

    >>> tf.experimental.enable_strict_mode()
    """


@contextmanager
def function_executor_type(executor_type: str | None) -> Iterator[None]:
    """A context for TensorFlow's choice of who runs functions; here a plan does.

    Args:
        executor_type: Taken and not used.

    >>> with tf.experimental.function_executor_type("SINGLE_THREADED_EXECUTOR"):
    ...     y = tf.function(tf.square)(3.)
    """
    yield


def register_filesystem_plugin(plugin_location: str) -> None:
    """File systems compiled for TensorFlow, which cannot be used here.

    Args:
        plugin_location: The file.

    Raises:
        UnimplementedError: Always.

    >>> tf.experimental.register_filesystem_plugin("fs.so")            # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tapeflow.errors.UnimplementedError: fs.so is compiled for TensorFlow...
    """
    raise UnimplementedError(
        None, None, f"{plugin_location} is compiled for TensorFlow, and tapeflow cannot call it; it reads local files."
    )


# So that `import tapeflow.experimental.numpy as tnp` works, as people write it.
sys.modules["tapeflow.experimental.dlpack"] = dlpack

_watch_over(_sys.modules[__name__], "tf.experimental")
