"""XLA, by way of `jax` (the extra `xla`): kernels for JAX's arrays, in one file for each file of `tapeflow/ops` that
needs some.

A primitive whose kernel is written over `xp` needs none. Another one names its kernel: `kernel={"numpy": f, "jax":
"sorting.sort"}` is the function `sort` in `sorting.py` here. Kernels are called under `jax.jit`: shapes and parameters
are static, values are not there.
"""

import contextlib
import logging
import os
from collections.abc import Callable
from typing import Any

from tapeflow.core.contracts import Operation
from tapeflow.core.runtime.undisturbed import loaded
from tapeflow.names.extras import install

try:
    import jax
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"XLA needs jax, which is not installed: {install('xla')}.") from error

with contextlib.suppress(ImportError):  # what jax loads when it compiles for the first time: Ctrl-C must not meet that
    import jaxlib.mlir.dialects.mhlo

# It tells which accelerators this machine lacks, in the middle of the log of a program that never asked for one.
_LOG = logging.getLogger("jax._src.xla_bridge")
if _LOG.level == logging.NOTSET:
    _LOG.setLevel(logging.WARNING)

# A folder where compiled programs stay, for the next process that compiles the same. JAX alone would keep those only
# that took a second.
if os.environ.get("TAPEFLOW_COMPILATION_CACHE"):
    jax.config.update("jax_compilation_cache_dir", os.environ["TAPEFLOW_COMPILATION_CACHE"])
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)


def kernel(prim: Operation) -> Callable:
    """The kernel of a primitive as a function of JAX arrays and the parameters."""
    return prim.on("jax", jax.numpy, _named)


def _named(place: str) -> Callable:
    module, _, name = place.rpartition(".")
    return getattr(loaded(f"{__name__}.{module}"), name)


def constant(array: Any) -> Any:
    """A NumPy array as what kernels take; texts stay where they are."""
    return array if array.dtype.kind == "O" else jax.numpy.asarray(array)
