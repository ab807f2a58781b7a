"""`tf.derivatives`: derivatives of functions, over the tape."""

from tapeflow.transforms.derivatives import (
    grad as grad,
    hessian as hessian,
    hvp as hvp,
    jacobian as jacobian,
    jvp as jvp,
    laplacian as laplacian,
    per_example_gradients as per_example_gradients,
    value_and_grad as value_and_grad,
    vjp as vjp,
    vmap as vmap,
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
