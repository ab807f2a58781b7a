"""Greatest common divisors and least common multiples: Euclid's steps on the absolute values.

Of the smallest integer the absolute value has no signed type, and steps on signed numbers never come to an end; as
unsigned numbers they do.
"""

import jax.numpy as jnp
import numpy as np
from jax import lax


def gcd(a, b):
    a, b = jnp.broadcast_arrays(a, b)

    def step(pair):
        a, b = pair
        ends = b == 0
        return jnp.where(ends, a, b), jnp.where(ends, b, lax.rem(a, jnp.where(ends, jnp.ones_like(b), b)))

    found, _ = lax.while_loop(lambda pair: (pair[1] != 0).any(), step, (_magnitude(a), _magnitude(b)))
    return found.astype(a.dtype)


def lcm(a, b):
    """As in NumPy, modulo the size of the type."""
    divisor = _magnitude(gcd(a, b))
    divisor = jnp.where(divisor == 0, jnp.ones_like(divisor), divisor)
    return (lax.div(*jnp.broadcast_arrays(_magnitude(a), divisor)) * _magnitude(b)).astype(a.dtype)


def _magnitude(x):
    unsigned = x.astype(np.dtype(f"u{x.dtype}") if jnp.issubdtype(x.dtype, jnp.signedinteger) else x.dtype)
    return jnp.where(x < 0, jnp.zeros_like(unsigned) - unsigned, unsigned)
