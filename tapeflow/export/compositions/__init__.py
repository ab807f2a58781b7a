"""Primitives as others: what a format without an operator of that name writes in its place.

A composition takes the inputs and parameters of its primitive. It serves every format, and one that has an operator
of its own for the primitive does not need it. Compositions are as exact as the primitive's own kernel, also at zeros
and infinities; where that cannot be had with the operators that formats have, there is none.
"""

from collections.abc import Callable

from . import arithmetic, arrays, networks, training

COMPOSITIONS: dict[str, Callable] = {**arithmetic.TABLE, **arrays.TABLE, **networks.TABLE, **training.TABLE}
