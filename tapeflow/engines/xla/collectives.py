"""Kernels of collectives: XLA's, between the devices of the mesh that is being compiled for. One replica alone, or a
program that is not for a mesh, has none."""

from typing import Any

from jax import lax

AXIS = "replica"  # of every mesh


def all_reduce(x: Any, count: int, mean: bool) -> Any:
    if count == 1:
        return x
    total = lax.psum(x, AXIS)
    return total / count if mean else total


def all_gather(x: Any, axis: int, count: int) -> Any:
    return x if count == 1 else lax.all_gather(x, AXIS, axis=axis, tiled=True)


def reduce_scatter(x: Any, axis: int, size: int, count: int) -> Any:
    if count == 1:
        return x
    return lax.psum_scatter(x, AXIS, scatter_dimension=axis, tiled=True)
