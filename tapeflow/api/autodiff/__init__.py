"""`tf.autodiff`."""

from tapeflow.tape.gradient_tape import (
    GradientTape as GradientTape,
)
from tapeflow.transforms.forward import (
    ForwardAccumulator as ForwardAccumulator,
)

__all__ = ["ForwardAccumulator", "GradientTape"]
