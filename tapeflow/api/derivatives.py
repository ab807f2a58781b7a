"""`tf.derivatives`: derivatives of functions, over the tape."""

from tapeflow.transforms.derivatives import (
    grad,
    hessian,
    hvp,
    jacobian,
    jvp,
    laplacian,
    per_example_gradients,
    value_and_grad,
    vjp,
    vmap,
)

__all__ = [
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "laplacian",
    "per_example_gradients",
    "value_and_grad",
    "vjp",
    "vmap",
]
