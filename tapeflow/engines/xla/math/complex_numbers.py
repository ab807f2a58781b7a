"""Complex numbers."""

import jax.numpy as jnp
from jax import lax


def complex_(a, b):
    return lax.complex(*jnp.broadcast_arrays(a, b))


def sign(x):
    """The direction of an infinite number is that of its infinite part; XLA's own sign makes it NaN."""
    if not jnp.iscomplexobj(x):
        return jnp.sign(x)
    infinite = jnp.isinf(x.real) | jnp.isinf(x.imag)
    corner = lax.complex(*[jnp.where(jnp.isinf(part), jnp.sign(part), part * 0) for part in (x.real, x.imag)])
    return jnp.sign(jnp.where(infinite, corner, x))
