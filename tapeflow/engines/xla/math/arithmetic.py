"""Division and powers. Where NumPy's kernels refuse a value (a zero divisor, a negative power of an integer), these
give some integer."""

import jax.numpy as jnp

_is_integer = lambda x: jnp.issubdtype(x.dtype, jnp.integer)


def floordiv(a, b):
    """XLA cannot raise: a whole number by zero is -1, as in TensorFlow's compiled functions."""
    return (
        jnp.where(b == 0, jnp.asarray(-1).astype(a.dtype), jnp.floor_divide(a, b))
        if _is_integer(b)
        else jnp.floor(a / b)
    )


def floormod(a, b):
    """NumPy's remainder by an infinite divisor is the dividend, or the divisor where the signs differ; XLA's
    agrees."""
    return jnp.remainder(a, b)


def truncatediv(a, b):
    if not _is_integer(b):
        return jnp.trunc(a / b)
    quotient = jnp.floor_divide(a, b)
    return quotient + ((quotient < 0) & (quotient * b != a)).astype(quotient.dtype)


def truncatemod(a, b):
    return jnp.fmod(a, b)


def power(a, b):
    """NumPy's kernel takes roots for the powers ±0.5 and 1.5, also of -inf; here the exponent is not known."""
    return jnp.power(a, b)


def pow_slope(a, b):
    """A power 0 makes the slope 0, whatever a is."""
    return jnp.where(b == 0, jnp.zeros((), a.dtype), b * jnp.power(a, b - 1))
