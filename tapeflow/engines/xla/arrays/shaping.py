"""XLA kernels of `tapeflow.ops.arrays.shaping`."""

from typing import Any

import jax.numpy as jnp
import numpy as np


def size_tensor(sizes: Any, dtype: Any) -> Any:
    """Sizes may be symbols of jax, in a program for any size."""
    flat = np.array(sizes, object)
    if all(isinstance(d, (int, np.integer)) for d in flat.reshape(-1)):
        return jnp.asarray(np.array(sizes, dtype))
    return jnp.stack([jnp.asarray(d).astype(dtype) for d in flat.reshape(-1)]).reshape(flat.shape)
