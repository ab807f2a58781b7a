"""Replicas as the devices of a mesh: each runs the same function, compiled once, on its own part of the inputs."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from tapeflow.core.devices import Device, Mesh

from . import devices, meshes, processes
from .collectives import AXIS


def mesh(places: Sequence[Device]) -> Mesh | None:
    """The mesh of these devices; None if XLA does not have all of them."""
    there = devices.logical()
    found = [there.get(Device("XLA_CPU", place.number) if place.is_host else place) for place in places]
    return None if None in found else meshes.mesh_of(found, [AXIS])


def mesh_of_workers() -> Mesh:
    """The mesh of the first devices of all processes."""
    return meshes.mesh_of(list(processes.one_of_each().devices), [AXIS])


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
    parted, compared = meshes.sharding(mesh, (AXIS,)), set()

    def call(*arrays: Any) -> list:
        sent = [a if whole else np.stack(a) for a, whole in zip(arrays, shared)]
        if not here:
            sent = [a if whole else meshes.joined(a, parted) for a, whole in zip(sent, shared)]
            if (kinds := tuple([(a.shape, str(a.dtype)) for a in sent])) not in compared:
                compared.add(kinds)
                with jax.enable_x64(True):
                    processes.compare(getattr(local, "__name__", "replicas"), lambda: compiled.lower(*sent).as_text())
        with jax.enable_x64(True):
            found = meshes.run(compiled, sent, mesh)
            return [meshes.whole(y) if whole else meshes.own_rows(y) for y, whole in zip(found, same)]

    return call
