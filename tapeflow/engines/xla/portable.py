"""Portable programs by `jax.export`: StableHLO with the weights inside, in a file that needs jax alone.

Sizes that are not known are symbols of jax there: kernels compute with them while the program is written.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax import export

PLATFORMS = ("cpu", "cuda", "tpu")


def symbols(count: int) -> Sequence[Any]:
    """As many sizes that are not known."""
    return export.symbolic_shape(", ".join(f"n{k}" for k in range(count))) if count else ()


def exported(run: Callable, specs: Sequence[tuple], name: str) -> Any:
    """A `jax.export.Exported` of a function of JAX arrays with these (shapes, dtypes), for all of the `PLATFORMS` that
    have its operations: only CPUs decompose general matrices."""
    run.__name__ = run.__qualname__ = "".join(c if c.isalnum() else "_" for c in name)
    given = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in specs]
    program = jax.jit(run)
    try:
        return _written(program, given, PLATFORMS)
    except _CANNOT as error:
        alone = [platform for platform in PLATFORMS if _can(program, given, [platform])]
        if not alone:
            raise Unportable(str(error).splitlines()[-1]) from None
        # What each platform computes in its own way may not fit into one program.
        return _written(program, given, alone if _can(program, given, alone) else alone[:1])


class Unportable(Exception):
    """A program that no platform's compiler writes down for another version of itself."""


# Operations that a platform has not, or whose calls of its libraries may change.
_CANNOT = NotImplementedError, ValueError


def _written(program: Any, given: Sequence[Any], platforms: Sequence[str]) -> Any:
    """Read back before it replaces an older file."""
    with jax.enable_x64(True):
        made = export.export(program, platforms=platforms)(*given)
        again = export.deserialize(made.serialize())
    if (str(again.in_avals), str(again.out_avals)) != (str(made.in_avals), str(made.out_avals)):
        raise Unportable("what was written is read back as another program; please report this")
    return made


def _can(program: Any, given: Sequence[Any], platforms: Sequence[str]) -> bool:
    try:
        _written(program, given, platforms)
    except _CANNOT:
        return False
    return True
