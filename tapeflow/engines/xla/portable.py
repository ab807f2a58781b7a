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
    """A `jax.export.Exported` of a function of JAX arrays with these (shapes, dtypes)."""
    run.__name__ = run.__qualname__ = "".join(c if c.isalnum() else "_" for c in name)
    given = [jax.ShapeDtypeStruct(shape, dtype) for shape, dtype in specs]
    with jax.enable_x64(True):
        return export.export(jax.jit(run), platforms=PLATFORMS)(*given)
