"""The devices of XLA, and eager execution on them.

An operation is compiled once for its parameters, and by jax for each kind of arguments; values stay where they are.
Measured on 4 floats on a CPU: 6 µs for an operation so, 7 by jax's own functions one after the other, of which many
kernels call several.
"""

import contextlib
import os
import sys
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import jax
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec, Sharding, SingleDeviceSharding

from tapeflow.core.contracts import Operation
from tapeflow.core.devices import HOST, Device, DeviceTensor, Mesh, Place, Serving
from tapeflow.core.errors import invalid
from tapeflow.core.frames import current
from tapeflow.core.runtime import settings

from . import kernel, meshes, processors as processors

# ---- which there are


@cache
def physical() -> dict[Device, Any]:
    """Every device that jax has here, with jax's object for it: accelerators, in jax's order, then the CPU."""
    found: dict[Device, Any] = {}
    for device in [*jax.local_devices(), *jax.local_devices(backend="cpu")]:
        kind = meshes.KINDS.get(device.platform, device.platform.upper())
        if device not in found.values():
            found[Device(kind, sum(d.kind == kind for d in found))] = device
    return found


class Visible:
    """What the program may use of the accelerators; None for all."""

    devices: list[Device] | None = None


@cache
def logical() -> dict[Device, Any]:
    """The devices that can be named. Those that are visible have numbers of their own."""
    found: dict[Device, Any] = {}
    for device, jax_device in physical().items():
        if device.kind == "XLA_CPU" or Visible.devices is None or device in Visible.devices:
            found[Device(device.kind, sum(d.kind == device.kind for d in found))] = jax_device
    return found


def show(devices: list[Device] | None) -> None:
    """Let the program use these accelerators only; what it knows of devices is no longer true."""
    Visible.devices = devices
    for answered in (logical, default, sharding):
        answered.cache_clear()
    for known in (_where, _SCALARS, _programs):
        known.clear()


@cache
def default() -> Device:
    """Where a program that names no device is compiled for."""
    return next((d for d in logical() if d.kind != "XLA_CPU"), HOST)


@cache
def sharding(device: Place) -> Sharding:
    """How jax is told to compute on a device; the host is its CPU. On a mesh: all of it on each device."""
    if isinstance(device, Mesh):
        return NamedSharding(device.grid, PartitionSpec())
    return SingleDeviceSharding(logical()[Device("XLA_CPU", 0) if device.is_host else device])


# ---- values


class _Where(dict):
    def __missing__(self, of: Any) -> Place:
        found: Place
        if isinstance(of, NamedSharding) and of.mesh.size > 1:
            found = meshes.mesh(of.mesh)
        else:
            [jax_device] = of.device_set
            found = next(d for d, j in logical().items() if j == jax_device)
        self[of] = found
        return found


_where = _Where()


def where(held: Any) -> Place:
    return _where[held.sharding]


def fetch(held: Any) -> np.ndarray:
    """A copy on the host, which nobody may change. jax keeps it, unless it was put together from parts."""
    return np.asarray(held) if len(held.sharding.device_set) == 1 else meshes.whole(held)


parts = meshes.parts
_SCALARS: dict[tuple, Any] = {}
_MOST_SCALARS = 4096


def put(array: Any, device: Place) -> Any:
    """The array on a device. Single numbers are kept there, since programs use the same ones again and again."""
    if not array.ndim and isinstance(array, (np.ndarray, np.generic)):
        key = array.dtype, array.tobytes(), device
        found = _SCALARS.get(key)
        if found is None:
            if len(_SCALARS) >= _MOST_SCALARS:
                _SCALARS.clear()
            found = _SCALARS[key] = _sent(array, device)
        return found
    return _sent(array, device)


def _sent(array: Any, device: Place) -> Any:
    with jax.enable_x64(True):
        if not device.is_host:
            return given(array, device)
        # For jax's CPU, which is where it computes by itself if there is nothing else: not bound to a device, such an
        # array mixes with NumPy's without being compiled for anew.
        return jax.device_put(array) if default().is_host else array


def given(array: Any, device: Place) -> Any:
    """Another array of the same value, on a device, for a program to give away. What is spread over a mesh stays
    so."""
    if isinstance(device, Mesh):
        return meshes.spread(array, meshes.layout(array, device), may_alias=False)
    with jax.enable_x64(True):
        return jax.device_put(array, sharding(device), may_alias=False)


def like(array: Any, held: Any) -> Any:
    """The array for a variable on a device, in the place of `held`."""
    device = where(held)
    return meshes.spread(array, held.sharding) if isinstance(device, Mesh) else put(array, device)


# ---- operations

_MOST_PROGRAMS = 32  # of one primitive on one device, by parameters: `x[i]` for each i is not worth a compilation each
_programs: dict[tuple, dict[Any, Any]] = {}


def compute(prim: Operation, args: tuple, params: dict, device: Place) -> Any:
    """The results on `device`; NotImplemented where there is no kernel, and for strings: these are computed on the
    host."""
    program = _program(prim, params, device)
    here = sharding(device)
    arrays = []
    for a in args:
        if type(a) is DeviceTensor:
            held = a.held
            arrays.append(held if held.sharding is here else brought(held, device))
        elif (array := a.array).dtype.kind == "O":
            return NotImplemented
        else:  # jax sends arrays itself, when it calls the program
            arrays.append(array if array.ndim else put(array, device))
    if program is None:
        return NotImplemented
    try:
        with jax.enable_x64(True):
            out = program(*arrays) if not isinstance(device, Mesh) else meshes.run(program, arrays, device)
    except Exception as error:
        raise without_notes(error) from error.__cause__
    return tuple([DeviceTensor(o) for o in out]) if prim.outputs else DeviceTensor(out)


def without_notes(error: Exception) -> Exception:
    """jax adds a note on its own frames to errors that pass through it, kernels' own errors, too."""
    error.__notes__ = []
    return error


def brought(held: Any, device: Place) -> Any:
    """An array on a device: from another one, if the program has said where it wants to be."""
    if where(held) == device:
        return held
    if current().device is None:
        raise invalid(
            f"Tensors on {where(held).short} and {device.short} do not meet by themselves. Name the device to compute "
            f"on: with tf.device({device.short!r})."
        )
    return _sent(held, device)


def compiled(run: Callable, device: Place, donated: tuple[int, ...] = ()) -> Callable:
    """`run`, a function of JAX arrays, compiled for a device, when it is called. On a mesh, XLA divides the work by
    where its inputs are, and decides where its results will be."""
    if not settings.tensor_float_32:
        run = jax.default_matmul_precision("float32")(run)  # while it is traced
    if isinstance(device, Mesh):
        return jax.jit(run, donate_argnums=donated)
    # Said of the inputs, too, jax compiles once, wherever they come from; where all come from NumPy that is so anyway,
    # and faster.
    of_inputs: dict[str, Any] = {} if device.is_host else {"in_shardings": sharding(device)}
    return jax.jit(run, out_shardings=sharding(device), donate_argnums=donated, **of_inputs)


def _program(prim: Operation, params: dict, device: Place) -> Callable | None:
    """The kernel with these parameters as a function of arrays, compiled; None if there is no kernel."""
    known = _programs.setdefault((prim, device, settings.tensor_float_32), {})
    try:
        key = tuple([(type(v), _key(v)) for v in params.values()])
        found = known.get(key, _MISSING)
    except TypeError:  # parameters that cannot be compared
        key, found = None, _MISSING
    if found is _MISSING:
        try:
            run = partial(kernel(prim), **params)
        except NotImplementedError:
            found = known[key] = None
        else:
            if key is None or len(known) >= _MOST_PROGRAMS:
                if isinstance(device, Mesh):
                    return compiled(run, device)  # as a whole, so that one can wait for it
                return partial(_one_by_one, run, device)
            found = known[key] = compiled(run, device)
    return found


_MISSING: Any = object()


def _key(value: Any) -> Any:
    """What tells parameters apart: 1 and 1.0 and True, 0.0 and -0.0 are equal to Python."""
    if type(value) is tuple:
        return tuple([(type(v), _key(v)) for v in value])
    return repr(value) if type(value) is float else value


def _one_by_one(run: Callable, device: Device, *arrays: Any) -> Any:
    """Without compiling the kernel as a whole: jax compiles its parts, which serve others, too."""
    with jax.default_device(logical()[device]):
        return jax.device_put(run(*[jax.device_put(a, sharding(device)) for a in arrays]), sharding(device))


# ---- variables


def part_shape(held: Any, index: Any) -> tuple:
    """The shape of `held[index]`."""
    if isinstance(index, jax.Array):
        return index.shape + held.shape[1:]
    return np.broadcast_to(False, held.shape)[index].shape


def change(held: Any, index: Any, values: Any, how: str) -> Any:
    """`held` with the part at `index`, or everything (None), set, added to, …: `how` is a method of jax's `.at`."""
    if isinstance(device := where(held), Mesh):
        program = _everywhere(how) if index is None else jax.jit(partial(_changed, index=index, how=how))
        with jax.enable_x64(True):
            return meshes.spread(meshes.run(program, [held, values], device), held.sharding)
    return _changed(held, values, index, how)


@cache
def _everywhere(how: str) -> Callable:
    return jax.jit(partial(_changed, index=None, how=how))


def _changed(held: Any, values: Any, index: Any, how: str) -> Any:
    with jax.enable_x64(True):
        if index is None:
            return getattr(jax.numpy, how)(held, values)
        if how == "divide" and held.dtype.kind in "iu":  # jax would divide as floats
            return held.at[index].set(held[index] // values)
        return getattr(held.at[index], how)(values)


# ---- processes that are forked


def _before_fork() -> None:
    """What is still being computed is waited for: in the child, nobody would."""
    if physical.cache_info().currsize:
        for array in jax.live_arrays():
            with contextlib.suppress(Exception):  # given away, or an error, which whoever reads it gets
                array.block_until_ready()


def _forked() -> None:
    """In a child process there are none of XLA's threads, and whoever waits for one waits for ever. What was computed
    can be read."""
    if physical.cache_info().currsize:
        Serving.lost = True
        for name in ("put", "given", "like", "compute", "compiled", "change"):
            globals()[name] = lost


def lost(*_: Any, **__: Any) -> Any:
    raise RuntimeError(
        "XLA cannot be used in this process: it was forked from one that had used XLA, whose threads do not come "
        "along. "
        'Start processes by spawn, multiprocessing.get_context("spawn"), or fork before the first use of '
        "jit_compile=True or of a device."
    )


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_child=_forked)

Serving.engine = sys.modules[__name__]
