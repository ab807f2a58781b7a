"""Operations that pass a value through unless something is wrong with it."""

import numpy as np

from tapeflow.core.dtypes import FLOATING
from tapeflow.core.errors import invalid
from tapeflow.ops.families import elementwise


def _check_numerics(x, message):
    if not np.isfinite(x).all():
        found = " and ".join(what for what, test in (("Inf", np.isinf), ("NaN", np.isnan)) if test(x).any())
        count = np.size(x) - np.count_nonzero(np.isfinite(x))
        raise invalid(f"{message} : Tensor had {found} values ({count} of {np.size(x)} elements).")
    return x


# Only the value on the way forward is checked; an infinite gradient passes.
check_numerics = elementwise(
    "check_numerics(x, *, message)",
    kernel={"numpy": _check_numerics, "jax": "arrays.checks.check_numerics"},
    vjp=lambda g: g,
    dtypes=FLOATING,
)
