"""What tests and programs ask about the machine and the build."""

import platform
from collections.abc import Callable
from functools import wraps
from importlib.util import find_spec
from typing import Any

from tapeflow.api.config.devices import list_logical_devices

__all__ = [
    "disable_with_predicate", "gpu_device_name", "is_built_with_cuda", "is_built_with_gpu_support",
    "is_built_with_rocm", "is_built_with_xla", "is_cpu_target_available", "is_gpu_available",
    "with_eager_op_as_function",
]  # fmt: skip


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Whether there is a GPU to run on.

    Args:
        cuda_only: Taken and not used.
        min_cuda_compute_capability: Taken and not used.

    >>> tf.test.is_gpu_available()
    False
    """
    return bool(list_logical_devices("GPU"))


def gpu_device_name() -> str:
    """The name of the first GPU, or the empty string.

    >>> tf.test.gpu_device_name()
    ''
    """
    return next((d.name for d in list_logical_devices("GPU")), "")


def is_built_with_cuda() -> bool:
    """Whether the library was built with CUDA.

    >>> tf.test.is_built_with_cuda()
    False
    """
    return False


def is_built_with_rocm() -> bool:
    """Whether the library was built with ROCm.

    >>> tf.test.is_built_with_rocm()
    False
    """
    return False


def is_built_with_gpu_support() -> bool:
    """Whether the library was built for GPUs.

    >>> tf.test.is_built_with_gpu_support()
    False
    """
    return False


def is_built_with_xla() -> bool:
    """Whether XLA is there: it comes with the extra `xla`.

    >>> isinstance(tf.test.is_built_with_xla(), bool)
    True
    """
    return find_spec("jax") is not None


def is_cpu_target_available(target: str) -> bool:
    """Whether code can be compiled for a kind of processor: for the one that is here.

    Args:
        target: "x86" or "arm".

    >>> isinstance(tf.test.is_cpu_target_available("x86"), bool)
    True
    """
    known = {"x86": ("x86_64", "amd64", "i386", "i686"), "arm": ("arm64", "aarch64", "armv7l")}
    if target not in known:
        raise AssertionError(f"Unknown CPU target: {target}")
    return platform.machine().lower() in known[target]


# ---- decorators of tests


def disable_with_predicate(pred: Callable[..., Any], skip_message: str) -> Callable[..., Any]:
    """Decorates a test that is skipped where `pred()` holds.

    Args:
        pred: A function of nothing.
        skip_message: Why it is skipped.

    Returns:
        A decorator of tests.

    >>> @tf.test.disable_with_predicate(lambda: False, "never")
    ... def test(self):
    ...     return "ran"
    >>> test(None)
    'ran'
    """

    def decorate(function: Callable) -> Callable:
        @wraps(function)
        def decorated(self: Any, *args: Any, **kwargs: Any) -> Any:
            return self.skipTest(skip_message) if pred() else function(self, *args, **kwargs)

        return decorated

    return decorate


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """Decorates a class of tests; they run once, as they are.

    Args:
        cls: The class.
        only_as_function: Taken and not used.

    Returns:
        The class, or a decorator.

    >>> tf.test.with_eager_op_as_function(int) is int
    True
    """
    return (lambda cls: cls) if cls is None else cls
