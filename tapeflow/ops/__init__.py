"""Every primitive, by family. Importing this package declares them all."""

from tapeflow.engines import native  # it supplies kernels: before the first declaration

from . import collectives, for_core
from .arrays import casting, checks, indexing, joining, layouts, rows, scatter, segments, shaping, sorting, tables
from .image import geometry as image, suppression
from .linalg import (
    decompositions,
    determinants,
    lu_factor,
    matrix_functions,
    products as linalg,
    solvers,
    sparse,
    spectra,
)
from .math import arithmetic, bits, clipping, complex_numbers, elementwise, fft, logic, reduction, safe, scans, special
from .nn import activations, attention, conv, ctc, isotonic, losses, normalization, pooling, recurrent, updates
from .random import choices, draws as random, threefry
from .strings import parts, text as strings
