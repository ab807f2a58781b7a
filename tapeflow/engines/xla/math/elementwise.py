"""Functions of one number."""

import jax.numpy as jnp


def log_domain(x):
    return x if jnp.iscomplexobj(x) else jnp.where(x < 0, jnp.nan, x)
