"""`tf.compat.v1.random`: the old names of drawing; all others are those of `tf.random`."""

from .fallback import falling_back_to as _falling_back_to

__all__ = []

__getattr__ = _falling_back_to(
    "random", {"set_random_seed": "random.set_seed", "multinomial": "compat.v1.multinomial"}
)
