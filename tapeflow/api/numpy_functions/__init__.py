"""NumPy's functions on tensors. `FUNCTIONS` has them all by NumPy's names."""

from . import creation, elementwise, fourier, linear, reductions, searching, shaping
from .registry import EXAMPLES, FUNCTIONS
