"""What Keras asks about devices. Work is not spread over several: `keras.distribution` lists them, and one of them
will do."""

from typing import Any

from tapeflow.api.config import devices


def list_devices(device_type: str | None = None) -> list[str]:
    """The devices of a type, as "cpu:0"; without one, accelerators if there are any, or else the CPU."""
    kind = device_type.upper() if device_type else None
    found = [(d.device_type.lower(), d.name.rpartition(":")[2]) for d in devices.list_logical_devices(kind)]
    if kind is None:
        found = [d for d in found if d[0] != "cpu"] or found
    return [f"{kind}:{number}" for kind, number in found]


def get_device_count(device_type: str | None = None) -> int:
    """How many devices of a type there are."""
    return len(list_devices(device_type))


def num_processes() -> int:
    """Training is one process."""
    return 1


def process_id() -> int:
    """The one process is the first."""
    return 0


def initialize(job_addresses: str | None, num_processes: int | None, process_id: int | None) -> None:
    """Refuses, unless it is one process that is asked for."""
    if num_processes not in (None, 1) or job_addresses is not None and "," in job_addresses:
        raise NotImplementedError(
            "Keras on tapeflow trains in one process; keras.distribution.initialize got "
            f"num_processes={num_processes}, job_addresses={job_addresses!r}. KERAS_BACKEND=jax has several."
        )


def distribute_tensor(tensor: Any, layout: Any) -> Any:
    """The tensor, for a layout on a single device."""
    _only_one_device(getattr(layout, "device_mesh", None))
    return tensor


def _to_backend_mesh(device_mesh: Any) -> Any:
    _only_one_device(device_mesh)
    return device_mesh


def _to_backend_layout(tensor_layout: Any) -> Any:
    _only_one_device(tensor_layout.device_mesh)
    return tensor_layout


def _only_one_device(mesh: Any) -> None:
    if mesh is not None and mesh.devices.size > 1:
        raise NotImplementedError(
            f"Keras on tapeflow does not spread tensors over devices; the mesh has {mesh.devices.ravel().tolist()}. "
            "Give it one device, or take KERAS_BACKEND=jax."
        )
