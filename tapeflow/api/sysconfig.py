"""`tf.sysconfig`: how TensorFlow was built, for programs that ask. There is nothing to compile against here."""

from collections import OrderedDict
from pathlib import Path
from typing import Any

__all__ = [
    "CXX11_ABI_FLAG", "CXX_VERSION", "MONOLITHIC_BUILD", "get_build_info", "get_compile_flags", "get_include",
    "get_lib", "get_link_flags",
]  # fmt: skip

CXX11_ABI_FLAG = 1
CXX_VERSION = 201703
MONOLITHIC_BUILD = 0


def get_build_info() -> OrderedDict[Any, Any]:
    """Which accelerators it was built for: the XLA engine brings its own libraries, so none.

    Returns:
        What was built with, by name.

    >>> tf.sysconfig.get_build_info()["is_cuda_build"]
    False
    """
    return OrderedDict(is_cuda_build=False, is_rocm_build=False, is_tensorrt_build=False)


def get_lib() -> str:
    """The directory of the library.

    >>> tf.sysconfig.get_lib().endswith("tapeflow")
    True
    """
    return str(Path(__file__).parent.parent)


def get_include() -> str:
    """Where C++ headers would be; there are none.

    >>> tf.sysconfig.get_include().endswith("include")
    True
    """
    return str(Path(get_lib()) / "include")


def get_compile_flags() -> list[str]:
    """The flags for compiling operations in C++: none, since they cannot be loaded.

    >>> tf.sysconfig.get_compile_flags()
    []
    """
    return []


def get_link_flags() -> list[str]:
    """The flags for linking operations in C++: none, since they cannot be loaded.

    >>> tf.sysconfig.get_link_flags()
    []
    """
    return []
