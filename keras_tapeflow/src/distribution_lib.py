"""`keras.distribution` on meshes of XLA: tensors and variables are spread over devices, and XLA divides the work.

What Keras keeps of a mesh and of a layout is jax's own: `jax.sharding.Mesh` and `NamedSharding`. A mesh of one device
is no mesh: everything stays as it is without a distribution, and jax is not asked.
"""

import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend.common import global_state
from keras.src.utils import rng_utils

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
    return _processes().count() if "tapeflow.engines.xla.processes" in sys.modules else 1


def process_id() -> int:
    """Which of them this one is."""
    return _processes().number() if "tapeflow.engines.xla.processes" in sys.modules else 0


def _processes() -> Any:
    return loaded("tapeflow.engines.xla.processes")


def initialize(job_addresses: str | None, num_processes: int | None, process_id: int | None) -> None:
    """Meets the other processes: those that are named, or that the environment describes. All draw the same random
    numbers from then on.

    Raises:
        RuntimeError: If XLA is in use already.
        ValueError: If the arguments do not belong together.
    """
    if (job_addresses, num_processes, process_id) == (None, None, None) and not any(map(os.environ.get, _DESCRIBING)):
        return  # one process, which need not load jax
    addresses = job_addresses.split(",") if job_addresses else []
    if len(addresses) > 1 and num_processes not in (None, len(addresses)):
        raise ValueError(
            f"The provided job_addresses {addresses} has {len(addresses)} jobs, but num_processes is {num_processes}"
        )
    processes, job = _processes(), None
    if addresses or num_processes is not None:
        count = num_processes or len(addresses)
        if count > 1 and (not addresses or process_id is None):
            raise ValueError(
                f"{count} processes need the address of the first one (job_addresses) and this one's process_id; got "
                f"{job_addresses!r} and {process_id!r}."
            )
        job = processes.Job(addresses[0] if addresses else "", count, process_id or 0, tuple(addresses))
    processes.start(job)
    if processes.count() > 1:
        _draw_the_same(processes)


_DESCRIBING = ("TF_CONFIG", "TAPEFLOW_WORKERS", "SLURM_PROCID", "OMPI_COMM_WORLD_SIZE")


def _draw_the_same(processes: Any) -> None:
    seed = rng_utils.get_random_seed()
    seed = np.random.SeedSequence().entropy % 2**31 if seed is None else seed
    rng_utils.set_random_seed(int(processes.from_chief("seed", str(seed))))


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


def sharding_of_variable(variable: Any) -> Any:
    """jax's sharding for a variable, by its layout; None on a mesh of one device.

    Raises:
        IndivisibleError: If its sizes are not multiples of the mesh's.
    """
    sharding = sharding_of(variable._layout)
    if sharding is not None:
        try:
            sharding.shard_shape(tuple(variable.shape))
        except ValueError as error:
            raise IndivisibleError(
                f"Variable {variable.path!r} of shape {tuple(variable.shape)} cannot be divided as its layout "
                f"{tuple(sharding.spec)} says, on a mesh of {dict(sharding.mesh.shape)}. Leave it out of the "
                "LayoutMap, or change its size."
            ) from error
    return sharding


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


def batches(found: Iterable, size: int | None, shared: bool = False) -> Iterator:
    """The batches of an epoch, spread by the distribution in use. `size`: that of all but perhaps the last one.
    `shared`: each process has all of them; otherwise each has its own part."""
    distribution = in_use()
    if distribution is None:
        return iter(found)
    shared = shared and distribution.auto_shard_dataset
    return (on_mesh(batch, distribution, size, shared) for batch in found)


def on_mesh(batch: Any, distribution: Any, size: int | None = None, shared: bool = False) -> Any:
    """A batch, divided among the devices; one that cannot be divided goes to all of them, which gives the same
    numbers.

    Raises:
        IndivisibleError: If all batches will be of this size, or other processes have the rest of it.
    """
    parts = 1 if shared else min(num_processes(), distribution.num_model_replicas)
    axis = distribution.batch_dim_name
    count = distribution.device_mesh.shape[distribution.device_mesh.axis_names.index(axis)]

    def spread_part(x: Any) -> Any:
        if x is None or not isinstance(x, (Tensor, np.ndarray, np.generic)) or not len(sizes_of(x)):
            return x
        array = np.asarray(x.array if type(x) is EagerTensor else x)
        if array.dtype.kind in "OSU":
            return x
        layout, rows = distribution.get_data_layout(array.shape), len(array) * parts
        if rows % count:
            if rows == size or parts > 1:
                raise IndivisibleError(
                    f"A batch of {rows} cannot be divided evenly among the {count} devices of the mesh's axis "
                    f"{axis!r}. Give a batch_size that is a multiple of {count}."
                )
            layout = type(layout)([None] * array.ndim, layout.device_mesh)
            return spread(EagerTensor(array), sharding_of(layout))
        if shared:
            return spread(EagerTensor(array), sharding_of(layout))
        return distribute_data_input(array, layout, axis)

    return tree.map_structure(spread_part, batch)


def collected(x: Any) -> Any:
    """A result that this process can read: what is spread over several goes to all of them, which all call this."""
    if num_processes() > 1 and type(x) is DeviceTensor and not x.held.is_fully_addressable:
        return spread(x, _meshes().sharding(_meshes().mesh(x.sharding.mesh)))
    return x


# ---- files


def saving() -> Any:
    """A context in which files are written that all processes write alike: values that are spread over processes can
    be read, one by one."""
    return _meshes().collecting() if num_processes() > 1 else nullcontext()


def together(what: str) -> None:
    """Waits for the other processes, if there are any."""
    if num_processes() > 1:
        _processes().barrier(what)


def for_this_process(callbacks: Any) -> Any:
    """The callbacks without those that write a log, which the first process does for all."""
    if num_processes() == 1 or process_id() == 0 or callbacks is None:
        return callbacks
    import keras

    logs = (keras.callbacks.CSVLogger, keras.callbacks.TensorBoard)
    return [each for each in tree.flatten(callbacks) if not isinstance(each, logs)]
