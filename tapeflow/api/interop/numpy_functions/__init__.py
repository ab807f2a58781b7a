"""NumPy's functions on tensors. `FUNCTIONS` has them all by NumPy's names."""

from . import creation, elementwise, fourier, joining, linear, reductions, running, searching, shaping, statistics
from .registry import EXAMPLES, FUNCTIONS
