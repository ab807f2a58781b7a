"""Replicas as the devices of a mesh: each runs the same function, compiled once, on its own part of the inputs."""

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from tapeflow.core.devices import Device, Mesh

from . import devices, exchanges, meshes, processes
from .collectives import AXIS


def mesh(places: Sequence[Device]) -> Mesh | None:
    """The mesh of these devices; None if XLA does not have all of them."""
    there = devices.logical()
    found = [there.get(Device("XLA_CPU", place.number) if place.is_host else place) for place in places]
    return None if None in found else meshes.mesh_of(found, [AXIS])


def mesh_of_workers(each: int) -> Mesh:
    """The mesh of so many devices of each process, one process after the other.

    Raises:
        ValueError: If processes have different numbers of devices.
    """
    return meshes.mesh_of(exchanges.devices_of_each(each), [AXIS])


def program(local: Callable, mesh: Mesh, shared: Sequence[bool], same: Sequence[bool]) -> Callable:
    """`local`, a function of JAX arrays, as a function of NumPy arrays and lists of them: an array for what is
    `shared` by all replicas, and for the rest one of each. It gives the same: one array where results are the `same`,
    and lists. It waits for them."""
    part = lambda array, whole: array if whole else array[0]

    def on_one(*arrays: Any) -> tuple:
        found = local(*[part(a, whole) for a, whole in zip(arrays, shared)])
        return tuple([y if whole else jax.numpy.asarray(y)[None] for y, whole in zip(found, same)])

    axes = lambda whole: () if whole else (AXIS,)
    run = meshes.on_each(on_one, mesh, tuple(map(axes, shared)), tuple(map(axes, same)))
    compiled: Any = devices.compiled(run, mesh)

    here = not mesh.grid.is_multi_process
    parted, everywhere, compared = meshes.sharding(mesh, (AXIS,)), meshes.sharding(mesh), set()
    again = ComeAgain(parted, everywhere)

    def call(*arrays: Any) -> list:
        sent = [again.on_mesh(k, [a] if whole else a, whole) for k, (a, whole) in enumerate(zip(arrays, shared))]
        if not here and (kinds := tuple([(a.shape, str(a.dtype)) for a in sent])) not in compared:
            compared.add(kinds)
            with jax.enable_x64(True):
                processes.compare(getattr(local, "__name__", "replicas"), lambda: compiled.lower(*sent).as_text())
        with jax.enable_x64(True):
            found = meshes.run(compiled, sent, mesh)
            return [_seen(y, [_own(y)])[0] if whole else _seen(y, meshes.own_rows(y)) for y, whole in zip(found, same)]

    return call


# ---- values that stay on the devices

_NOT_THERE: tuple[list[weakref.ref], Any] = [], None
_there: dict[int, tuple[list[weakref.ref], Any]] = {}  # by the identity of the host's first array


def _own(held: Any) -> np.ndarray:
    """What all devices have, for the host: on CPUs the same memory."""
    array = np.asarray(held.addressable_data(0))
    if array.flags.writeable:
        array.flags.writeable = False
    return array


def _seen(held: Any, arrays: list[np.ndarray]) -> list[np.ndarray]:
    """The arrays of the host, of which the devices have the values. They stay there: the next program that is given
    these very arrays, which nobody can change, takes them from there. (So weights are not sent to all devices at each
    step, nor what each replica counts.)"""
    key = id(arrays[0])
    _there[key] = [weakref.ref(array, lambda _: _there.pop(key, None)) for array in arrays], held
    return arrays


class ComeAgain:
    """Arrays of the host on their way to the devices: one for all, or one for each device. What comes again is sent
    once."""

    def __init__(self, parted: Any, everywhere: Any) -> None:
        self.parted, self.everywhere = parted, everywhere
        self.seen: dict[int, Callable] = {}  # by input: the last array for all,
        self.kept: dict[int, tuple] = {}  # and one that came again, with what was sent
        self.numbers: dict[tuple, Any] = {}  # single numbers that were sent, by value

    def on_mesh(self, k: int, arrays: Sequence[Any], whole: bool) -> Any:
        to = self.everywhere if whole else self.parted
        known, held = _there.get(id(arrays[0]), _NOT_THERE)
        if len(known) == len(arrays) and held.sharding == to and all(r() is a for r, a in zip(known, arrays)):
            return held
        if not np.ndim(arrays[0]):
            return self._number(arrays, whole)
        return self._for_all(k, arrays[0]) if whole else self._sent(np.stack(arrays), to)

    def _number(self, arrays: Sequence[Any], whole: bool) -> Any:
        key = whole, *[(a.dtype, a.tobytes()) for a in arrays]
        if key not in self.numbers:
            if len(self.numbers) >= _MOST_NUMBERS:
                self.numbers.clear()
            to = self.everywhere if whole else self.parted
            self.numbers[key] = self._sent(np.asarray(arrays[0]) if whole else np.stack(arrays), to)
        return self.numbers[key]

    def _for_all(self, k: int, array: Any) -> Any:
        before, held = self.kept.get(k, (None, None))
        if before is array:
            return held
        self.kept.pop(k, None)
        if type(array) is not np.ndarray:
            return self._sent(array, self.everywhere)
        last, self.seen[k] = self.seen.get(k), weakref.ref(array)
        if last is None or last() is not array:
            return self._sent(array, self.everywhere)
        # held, lest it be changed in place
        self.kept[k] = array, meshes.spread(array, self.everywhere, may_alias=False)
        return self.kept[k][1]

    def _sent(self, array: Any, to: Any) -> Any:
        """jax sends it as it is called, if all devices are of this process."""
        return array if to.is_fully_addressable else meshes.joined(array, to)


_MOST_NUMBERS = 256
