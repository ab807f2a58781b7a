"""`tf.xla`: older names for compilation, which `tf.function(jit_compile=True)` does."""

from . import experimental as experimental

__all__ = ["experimental"]
