"""Complex numbers. The rules here deal with complex gradients themselves (`holomorphic=False`)."""

import numpy as np

from tapeflow.core.dtypes import NUMERIC

from .families import elementwise

conj = elementwise("conj(x)", kernel="conj", vjp=lambda ops, g: ops.conj(g), dtypes=NUMERIC, holomorphic=False)
