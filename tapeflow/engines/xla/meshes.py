"""Meshes: grids of devices with named axes, and values that are spread over them.

There are two ways to compute on a mesh. A program of whole arrays runs as on one device: XLA's partitioner divides the
work by where the inputs are, and puts in what devices have to tell each other. Or a function is run on each device
with its own part of the inputs (`on_each`), and says itself what is exchanged.

Whatever uses young names of jax is here and in `processes.py`. Meshes are made by `jax.sharding.Mesh`, whose axes are
divided as XLA sees fit; those of `jax.make_mesh` would have to be named by every operation.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from functools import cache
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec, Sharding

from tapeflow.core.devices import Mesh
from tapeflow.core.errors import FailedPreconditionError
from tapeflow.core.runtime.contexts import context_variable

from . import processes

KINDS = {"cpu": "XLA_CPU", "gpu": "GPU", "cuda": "GPU", "rocm": "GPU", "tpu": "TPU"}


# ---- making them


def mesh_of(jax_devices: Any, axes: Sequence[str]) -> Mesh:
    """The mesh of jax's devices, as an array with as many axes as there are names."""
    return mesh(jax.sharding.Mesh(np.asarray(jax_devices), tuple(axes)))


@cache
def mesh(grid: jax.sharding.Mesh) -> Mesh:
    """What tensors on jax's mesh are on."""
    platform = grid.devices.flat[0].platform
    return Mesh(KINDS.get(platform, platform.upper()), tuple(grid.shape.items()), grid)


@cache
def sharding(mesh: Mesh, axes: tuple = ()) -> NamedSharding:
    """How a value is spread whose k-th axis is divided along `axes[k]` of the mesh; None: it is not divided."""
    return NamedSharding(mesh.grid, PartitionSpec(*axes))


def layout(array: Any, mesh: Mesh) -> Sharding:
    """How an array is spread over a mesh, or will be: what is not on it goes to every device."""
    found = getattr(array, "sharding", None)
    return found if isinstance(found, NamedSharding) and found.mesh == mesh.grid else sharding(mesh)


# ---- values


def spread(array: Any, to: Sharding, may_alias: bool | None = None) -> Any:
    """The array, spread over a mesh: each device gets its own part only. Every process gives the whole value."""
    if isinstance(array, jax.Array) and len(array.sharding.device_set) > 1:
        if may_alias is None and array.sharding == to:
            return array
        with (
            _turn(array.sharding.device_set, array.is_fully_addressable),
            jax.enable_x64(True),
        ):  # devices exchange parts: it is a program, too
            return jax.block_until_ready(jax.device_put(array, to, may_alias=may_alias))
    with jax.enable_x64(True):
        if to.is_fully_addressable:
            return jax.device_put(array, to, may_alias=may_alias)
        array = np.asarray(array)
        return jax.make_array_from_callback(array.shape, to, lambda index: array[index])


def joined(part: Any, to: Sharding) -> Any:
    """The array of which each process gives its part; one process gives all of it."""
    with jax.enable_x64(True):
        return jax.make_array_from_process_local_data(to, np.asarray(part))


def constrained(x: Any, *, mesh: Mesh | None, axes: tuple) -> Any:
    """The kernel of `laid_out`: inside a program, XLA is told how to spread a value."""
    return x if mesh is None else jax.lax.with_sharding_constraint(x, sharding(mesh, axes))


def whole(held: Any) -> np.ndarray:
    """A copy on the host, put together from the parts of this process's devices. Nobody keeps it."""
    if held.is_fully_replicated:
        return _read_only(np.array(held.addressable_data(0)))
    if not held.is_fully_addressable:
        if _collecting.get():
            return whole(spread(held, NamedSharding(held.sharding.mesh, PartitionSpec())))
        raise FailedPreconditionError(
            None,
            None,
            f"A tensor of shape {tuple(held.shape)} is spread over several processes ({held.sharding.spec}), and this "
            "one has only its own parts, tensor.addressable_shards. All processes together can collect it: "
            "strategy.gather, or keras.distribution.distribute_tensor with a layout of None on every axis.",
        )
    found = np.empty(held.shape, held.dtype)
    for shard in held.addressable_shards:
        if shard.replica_id == 0:
            found[shard.index] = shard.data
    return _read_only(found)


def own_rows(held: Any) -> list[np.ndarray]:
    """The rows that this process has of an array whose first axis is divided among devices, one for each. On CPUs it
    is the same memory."""
    parts = {shard.index[0].start or 0: shard.data for shard in held.addressable_shards}
    return [_read_only(np.asarray(parts[k])[0, ...]) for k in sorted(parts)]


_collecting: ContextVar[bool] = context_variable("tapeflow_collecting", False)


@contextmanager
def collecting() -> Iterator[None]:
    """While it is open, what is spread over processes can be read: all of them read the same, in the same order, one
    value at a time."""
    token = _collecting.set(True)
    try:
        yield
    finally:
        _collecting.reset(token)


class Part:
    """What one device has of a value: not jax's own view of it, which would be gone when a program is given the
    whole."""

    def __init__(self, shard: Any) -> None:
        self._shard = shard
        self.device, self.index, self.replica_id = shard.device, shard.index, shard.replica_id

    @property
    def data(self) -> Any:
        with jax.enable_x64(True):
            return jax.numpy.copy(self._shard.data)

    def __repr__(self) -> str:
        return f"<part {self.index} on {self.device}>"


def parts(held: Any) -> list[Part]:
    """Those on this process's devices."""
    return [Part(shard) for shard in held.addressable_shards]


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


# ---- running

_one_at_a_time = threading.RLock()
_left_running: list = []  # by whom Ctrl-C cut off while it waited


def run(program: Callable, arrays: Iterable, mesh: Mesh) -> Any:
    """The results of a compiled program on a mesh."""
    with turn(mesh) as finish:
        return finish(program(*arrays))


@contextmanager
def turn(mesh: Mesh) -> Iterator[Callable]:
    """The time of one program on a mesh; `finish` waits for its results where that has to be.

    CPU devices of one process share a pool of threads. Programs that are sent one after the other would fill it with
    parts that wait for each other, and for ever: there, each is waited for before the next one starts.
    """
    with _turn(mesh.grid.devices.flat, not mesh.grid.is_multi_process) as finish:
        yield finish


@contextmanager
def _turn(jax_devices: Iterable, here: bool = True) -> Iterator[Callable]:
    with nullcontext() if here else processes.watched(), _one_after_the_other(jax_devices) as finish:
        yield finish


@contextmanager
def _one_after_the_other(jax_devices: Iterable) -> Iterator[Callable]:
    if next(iter(jax_devices)).platform != "cpu":
        yield lambda out: out
        return
    with _one_at_a_time:
        while _left_running:
            jax.block_until_ready(_left_running[-1])
            _left_running.pop()
        yield _finished


def _finished(out: Any) -> Any:
    _left_running.append(out)
    try:
        jax.block_until_ready(out)
    except Exception:
        _left_running.clear()
        raise
    _left_running.clear()  # (not after Ctrl-C)
    return out


def giving(run: Callable, layouts: Sequence[Sharding]) -> Callable:
    """`run`, whose last results are spread in these layouts."""

    def giving_so(*arrays: Any) -> tuple:
        out = run(*arrays)
        first = len(out) - len(layouts)
        return (*out[:first], *map(jax.lax.with_sharding_constraint, out[first:], layouts))

    giving_so.__name__ = giving_so.__qualname__ = getattr(run, "__name__", "run")
    return giving_so


def on_each(run: Callable, mesh: Mesh, in_axes: Any, out_axes: Any) -> Callable:
    """`run` as a function of whole arrays that calls it on each device with the device's part. `in_axes` and
    `out_axes` say for each array, as tuples of names of axes, how it is divided.

    jax does not check that what is said to be the same everywhere is.
    """
    spec = lambda axes: jax.tree.map(lambda a: PartitionSpec(*a), axes, is_leaf=_is_axes)
    return jax.shard_map(run, mesh=mesh.grid, in_specs=spec(in_axes), out_specs=spec(out_axes), check_vma=False)


def _is_axes(x: Any) -> bool:
    return isinstance(x, tuple) and all(a is None or isinstance(a, str) for a in x)
