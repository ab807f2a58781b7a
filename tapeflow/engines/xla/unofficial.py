"""What several processes need of jax that has no public name. Whatever is under `jax._src` is used here alone.

Public are `jax.distributed.initialize`, by which processes meet, and `jax.experimental.multihost_utils`, by which they
exchange arrays through devices. Not public: a store of texts, and barriers, that ask no device; the service that all
meet in, as a process of its own (in the first worker, its end would abort the others); whether XLA has begun.

The coordinator's process loads this file by itself, without the package.
"""

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

TRIED = ("0.10.0", "0.10.2")  # versions of jax, oldest and newest

_STATE, _RUNTIME, _BRIDGE = "jax._src.distributed", "jaxlib._jax", "jax._src.xla_bridge"
_NEEDED = {
    _STATE: ("global_state.client", "global_state.service"),
    _RUNTIME: (
        "get_distributed_runtime_service", "DistributedRuntimeClient.key_value_set",
        "DistributedRuntimeClient.blocking_key_value_get", "DistributedRuntimeClient.wait_at_barrier",
        "DistributedRuntimeClient.shutdown",
    ),
    _BRIDGE: ("backends_are_initialized",),
}  # fmt: skip


def missing() -> list[str]:
    """The names that this version of jax does not have."""
    found = []
    for module, names in _NEEDED.items():
        try:
            holder = importlib.import_module(module)
        except ImportError:
            found.append(module)
            continue
        for name in names:
            value: Any = holder
            for part in name.split("."):
                value = getattr(value, part, found)
            if value is found:
                found.append(f"{module}.{name}")
    return found


def check() -> None:
    """Can this version of jax have several processes?

    Raises:
        ImportError: If it lacks something.
    """
    if lacks := missing():
        import jax

        raise ImportError(
            f"jax {jax.__version__} has no {', '.join(lacks)}, which several processes need and jax does not promise. "
            f"They were tried with jax {TRIED[0]} to {TRIED[-1]}: pip install 'jax=={TRIED[-1]}'. One process works "
            "with this version, too."
        )


def has_begun() -> bool:
    """Has XLA begun, with as many processes as it was told then?"""
    bridge: Any = sys.modules.get(_BRIDGE)
    return bool(bridge and bridge.backends_are_initialized())


def service(address: str, count: int) -> Any:
    """What so many processes meet in. It lasts as long as the object."""
    return importlib.import_module(_RUNTIME).get_distributed_runtime_service(address, count, recoverable=True)


@contextmanager
def served_elsewhere() -> Iterator[None]:
    """While it is open, `jax.distributed.initialize` starts no service: another process has it."""
    runtime: Any = importlib.import_module(_RUNTIME)
    real = runtime.get_distributed_runtime_service
    runtime.get_distributed_runtime_service = lambda *args, **kwargs: _Elsewhere()
    try:
        yield
    finally:
        runtime.get_distributed_runtime_service = real


class _Elsewhere:
    """Stands for the service."""

    def shutdown(self) -> None:
        pass


def client() -> Any:
    """The store of texts, which also has barriers."""
    return _state().client


def forget() -> None:
    """Has jax not wait for the others when this process ends."""
    state = _state()
    state.client = state.service = None


def _state() -> Any:
    return importlib.import_module(_STATE).global_state
