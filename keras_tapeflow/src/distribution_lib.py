"""`keras.distribution` on meshes of XLA: tensors and variables are spread over devices, and XLA divides the work.

What Keras keeps of a mesh and of a layout is jax's own: `jax.sharding.Mesh` and `NamedSharding`. A mesh of one device
is no mesh: everything stays as it is without a distribution, and jax is not asked.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend.common import global_state

import tapeflow as tf
from tapeflow.core.devices import DeviceTensor
from tapeflow.core.frames import current, entered
from tapeflow.core.runtime.undisturbed import loaded
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of
from tapeflow.ops.arrays.layouts import laid_out


class IndivisibleError(ValueError):
    """A batch that cannot be divided evenly among devices."""


# ---- which devices


def list_devices(device_type: str | None = None) -> list[str]:
    """The devices of a type in all processes, as "cpu:0"; without one, accelerators if there are any, or else the
    CPU.

    Raises:
        RuntimeError: If there are none of the type.
    """
    jax = _jax()
    if jax is not None:
        return [f"{d.platform}:{d.id}" for d in jax.devices(device_type and device_type.lower())]
    if device_type is None or device_type.lower() == "cpu":
        return ["cpu:0"]
    raise RuntimeError(f"Unknown backend {device_type}. Available backends are ['cpu'].")


def get_device_count(device_type: str | None = None) -> int:
    """How many devices of a type there are, in all processes."""
    return len(list_devices(device_type))


def _jax() -> Any:
    """jax, where it is installed."""
    try:
        return loaded("tapeflow.engines.xla").jax
    except ImportError:
        return None


def _meshes() -> Any:
    return loaded("tapeflow.engines.xla.devices").meshes


def _to_backend_device(device_name: Any) -> Any:
    """jax's device of that name."""
    jax = loaded("tapeflow.engines.xla").jax
    if isinstance(device_name, jax.Device):
        return device_name
    kind, _, number = str(device_name).partition(":")
    for device in jax.devices(kind):
        if device.id == int(number or 0):
            return device
    raise ValueError(f"Device not found: {device_name}. There are {list_devices(kind)}.")


# ---- processes


def num_processes() -> int:
    """How many processes train together."""
    return 1


def process_id() -> int:
    """Which of them this one is."""
    return 0


def initialize(job_addresses: str | None, num_processes: int | None, process_id: int | None) -> None:
    """Refuses, unless it is one process that is asked for."""
    if num_processes not in (None, 1) or job_addresses is not None and "," in job_addresses:
        raise NotImplementedError(
            "Keras on tapeflow trains in one process; keras.distribution.initialize got "
            f"num_processes={num_processes}, job_addresses={job_addresses!r}. KERAS_BACKEND=jax has several."
        )


# ---- layouts


def _to_backend_mesh(device_mesh: Any) -> Any:
    if device_mesh.devices.size == 1:
        return device_mesh
    devices = [_to_backend_device(d) for d in device_mesh.devices.ravel()]
    shaped = np.array(devices).reshape(device_mesh.devices.shape)
    return _meshes().mesh_of(shaped, device_mesh.axis_names).grid


def _to_backend_layout(tensor_layout: Any) -> Any:
    if tensor_layout.device_mesh is None:
        raise ValueError("Cannot create sharding when device mesh is not set for TensorLayout.")
    if tensor_layout.device_mesh.devices.size == 1:
        return tensor_layout
    meshes = _meshes()
    return meshes.sharding(meshes.mesh(tensor_layout.device_mesh.backend_mesh), tuple(tensor_layout.axes))


def sharding_of(layout: Any) -> Any:
    """jax's sharding for a layout of Keras, or one of jax's own; None for a mesh of one device."""
    layout = getattr(layout, "backend_layout", layout)
    layout = getattr(layout, "sharding", layout)  # jax's formats have one
    return None if layout is None or hasattr(layout, "device_mesh") else layout


def distribute_tensor(tensor: Any, layout: Any) -> Any:
    """The tensor, spread as the layout says: at once, or as a part of the function that is being traced."""
    sharding = sharding_of(layout)
    if sharding is None:
        return tensor
    meshes, frame = _meshes(), current()
    tensor = tf.convert_to_tensor(tensor)
    if isinstance(tensor, EagerTensor) and frame.executor is None and not frame.observers:
        return spread(tensor, sharding)
    mesh = meshes.mesh(sharding.mesh)
    with entered(frame if frame.executor is not None else frame.on(mesh)):
        return laid_out(tensor, mesh=mesh, axes=tuple(sharding.spec))


def spread(tensor: EagerTensor, sharding: Any) -> EagerTensor:
    """A computed tensor, spread."""
    array = tensor.held if type(tensor) is DeviceTensor else tensor.array
    return DeviceTensor(_meshes().spread(array, sharding))


def layout_of(variable: Any) -> Any:
    """The layout of a new Keras variable, from the distribution in use; None where there is none."""
    distribution = in_use()
    return None if distribution is None else distribution.get_variable_layout(variable)


_LARGE = 1 << 26  # bytes: a compilation is worth that it is never in the memory of the host as a whole


def is_large(shape: tuple, dtype: str) -> bool:
    """Whether a variable is better made where its parts will be."""
    return math.prod(shape) * tf.as_dtype(dtype).size >= _LARGE


def made_spread(make: Callable[[], Any], sharding: Any) -> EagerTensor:
    """What `make` gives, of which each device computes its own part."""
    mesh = _meshes().mesh(sharding.mesh)
    with entered(current().on(mesh)):
        made = tf.function(
            lambda: laid_out(make(), mesh=mesh, axes=tuple(sharding.spec)), autograph=False, jit_compile=True
        )
        return made()


# ---- batches


def in_use() -> Any:
    """The distribution that is set, if it is over more than one device."""
    found = global_state.get_global_attribute("distribution")
    return None if found is None or found.device_mesh.devices.size == 1 else found


def distribute_data_input(per_process_batch: Any, layout: Any, batch_dim_name: str) -> Any:
    """A batch, of which each process gives its part, spread as the layout says."""
    sharding = sharding_of(layout)
    if sharding is None:
        return per_process_batch
    return DeviceTensor(_meshes().joined(np.asarray(per_process_batch), sharding))


def distribute_dataset(distribution: Any, dataset: Any) -> Any:
    """This process's part of each batch of a dataset, where several train together; `Distribution` has it as a method.

    Raises:
        ValueError: If it is no dataset, or its batches cannot be divided.
    """
    several = getattr(distribution, "_is_multi_process", False)  # as Keras asks, whose attribute it is
    if not several or not distribution.auto_shard_dataset:
        return dataset
    if not isinstance(dataset, tf.data.Dataset):
        raise ValueError(
            f"The dataset type {type(dataset)} is not supported for auto-sharding in multi-process setting. Give a "
            "tf.data.Dataset, or this process's part of the data with auto_shard_dataset=False."
        )
    replicas, processes = distribution.num_model_replicas, distribution.num_processes
    size = batch_size(dataset)
    if replicas == 1:  # every process has all of it
        return dataset.prefetch(tf.data.AUTOTUNE)
    shared = replicas < processes  # several processes compute one replica, and read the same
    parts, what = (replicas, "replicas") if shared else (processes, "processes")
    if size % parts:
        raise ValueError(
            f"Global batch size must be divisible by the number of {what}. `global_batch_size`={size} and there are "
            f"{parts} {what}."
        )
    return dataset.rebatch(size // parts).shard(parts, distribution.data_shard_id).prefetch(tf.data.AUTOTUNE)


def batch_size(dataset: Any) -> int:
    """That of a dataset of batches."""
    sizes = [spec.shape[0] if spec.shape.rank else None for spec in tf.nest.flatten(dataset.element_spec)]
    found = None if None in sizes else sizes[0]
    if found is None:  # the last batch may be smaller; the first one says how large they are
        first = (
            next(iter(dataset.take(1)), None)
            if all(s.shape.rank for s in tf.nest.flatten(dataset.element_spec))
            else None
        )
        found = None if first is None else sizes_of(tf.nest.flatten(first)[0])[0]
    if found is None:
        raise ValueError(
            "The batch size of the input dataset is unknown. Please config the batch size for the input dataset, e.g "
            "via `dataset.batch(batch_size)`"
        )
    return found


def batches(found: Iterable, size: int | None) -> Iterator:
    """The batches of an epoch, spread by the distribution in use. `size`: that of all but perhaps the last one."""
    distribution = in_use()
    if distribution is None:
        return iter(found)
    return (on_mesh(batch, distribution, size) for batch in found)


def on_mesh(batch: Any, distribution: Any, size: int | None = None) -> Any:
    """A batch, divided among the devices; one that cannot be divided goes to all of them, which gives the same
    numbers.

    Raises:
        IndivisibleError: If all batches will be of this size.
    """

    def spread_part(x: Any) -> Any:
        if x is None or not isinstance(x, (Tensor, np.ndarray, np.generic)) or not len(sizes_of(x)):
            return x
        if isinstance(x, (np.ndarray, np.generic)) and x.dtype.kind in "OSU":
            return x
        layout = distribution.get_data_layout(tuple(sizes_of(x)))
        count = distribution.device_mesh.shape[distribution.device_mesh.axis_names.index(layout.axes[0])]
        rows = sizes_of(x)[0] * num_processes()
        if rows % count:
            if rows == size or num_processes() > 1:
                raise IndivisibleError(
                    f"A batch of {rows} cannot be divided evenly among the {count} devices of the mesh's axis "
                    f"{layout.axes[0]!r}. Give a batch_size that is a multiple of {count}."
                )
            layout = type(layout)([None] * len(layout.axes), layout.device_mesh)
        return distribute_data_input(x, layout, distribution.batch_dim_name)

    return tree.map_structure(spread_part, batch)
