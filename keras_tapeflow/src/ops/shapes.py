"""Shapes with sizes that depend on tensors."""

from typing import Any

import tapeflow as tf
from tapeflow.api.arguments import static_shape
from tapeflow.core.tensor import Tensor


def sizes(x: Tensor) -> tuple[Any, ...]:
    """The shape of `x`. A size that the signature of a `tf.function` leaves open is an object that computes as a
    number does, and goes where a number goes (see `tapeflow.core.sizes`); `x.shape` would say None."""
    found = tuple(x.sizes)
    return static_shape(tf.shape(x)) if None in found else found
