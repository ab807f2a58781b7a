"""Running sums, products and log-sum-exps along an axis.

`linear_scan` is what their gradients are made of: a recurrence without divisions, so that a zero or an infinity on the
way harms nothing but itself.
"""

import numpy as np

from tapeflow.core.dtypes import FLOATING, INEXACT, NUMERIC
from tapeflow.core.fitting import along_axis, check_axes, check_same
from tapeflow.core.primitive import LINEAR, primitive
from tapeflow.ops import batching

_FLOAT16 = np.dtype("float16")
_ALONG_AXIS = dict(shape=along_axis, batch=batching.shift("axis"))


def _ahead(x, axis, reverse):
    """`x` with the scanned axis first, in scanning order: a view."""
    moved = x.swapaxes(0, axis)
    return moved[::-1] if reverse else moved


def _accumulate(ufunc):
    start = ufunc.identity if ufunc.identity is not None else -np.inf

    def kernel(x, axis, exclusive, reverse):
        out = np.empty(x.shape, np.float32 if x.dtype is _FLOAT16 else x.dtype)
        source, target = _ahead(x, axis, reverse), _ahead(out, axis, reverse)
        if exclusive and len(target):
            target[0] = start
            source, target = source[:-1], target[1:]
        ufunc.accumulate(source, 0, out.dtype, target)
        return out.astype(x.dtype, copy=False)

    return kernel


cumsum = primitive(
    "cumsum(x, *, axis, exclusive, reverse)",
    kernel={"numpy": _accumulate(np.add), "jax": "math.scans.cumsum"},
    vjp=lambda ops, g, axis, exclusive, reverse: ops.cumsum(g, axis=axis, exclusive=exclusive, reverse=not reverse),
    jvp=LINEAR,
    dtypes=NUMERIC,
    **_ALONG_AXIS,
)


def _cumprod_vjp(ops, g, x, axis, exclusive, reverse):
    """dx[k] = (product before k) * sum over j >= k of g[j] * (product after k up to j)."""
    step = -1 if reverse else 1
    before = ops.cumprod(x, axis=axis, exclusive=True, reverse=reverse)
    if exclusive:
        after = ops.linear_scan(x, g, axis=axis, reverse=not reverse)
        return before * ops.shift(after, axis=axis, by=-step)
    return before * ops.linear_scan(ops.shift(x, axis=axis, by=-step), g, axis=axis, reverse=not reverse)


def _cumprod_jvp(ops, t, x, axis, exclusive, reverse):
    """dy[k] = x[k] dy[k-1] + (product before k) t[k]."""
    before = ops.cumprod(x, axis=axis, exclusive=True, reverse=reverse)
    out = ops.linear_scan(x, before * t, axis=axis, reverse=reverse)
    return ops.shift(out, axis=axis, by=-1 if reverse else 1) if exclusive else out


cumprod = primitive(
    "cumprod(x, *, axis, exclusive, reverse)",
    kernel={"numpy": _accumulate(np.multiply), "jax": "math.scans.cumprod"},
    vjp=_cumprod_vjp,
    jvp=_cumprod_jvp,
    dtypes=NUMERIC,
    **_ALONG_AXIS,
)


def _cumulative_logsumexp_vjp(ops, g, x, y, axis, exclusive, reverse):
    """dx[k] = sum over j of g[j] * exp(x[k] - y[j]), by way of neighbours: y[k] - y[j] is never positive on that way.

    Where y is still -inf, nothing has been added: its weights are 0, not exp(-inf + inf).
    """
    step = -1 if reverse else 1
    floor, to_next = _steps_between(ops, y, axis, step)
    sums = ops.linear_scan(ops.exp(to_next), g, axis=axis, reverse=not reverse)
    if not exclusive:
        return ops.exp(x - floor) * sums
    return ops.shift(ops.exp(ops.shift(x, axis=axis, by=step) - floor) * sums, axis=axis, by=-step)


def _steps_between(ops, y, axis, step):
    """y, with 0 for -inf; and y[k] - y[k+1], 0 for the last."""
    floor = ops.where(ops.equal(y, -np.inf), ops.zeros_like(y), y)
    return floor, ops.shift(ops.shift(y, axis=axis, by=step) - floor, axis=axis, by=-step)


def _cumulative_logsumexp_jvp(ops, t, x, y, axis, exclusive, reverse):
    """dy[k] = exp(y[k-1] - y[k]) dy[k-1] + exp(x[k] - y[k]) t[k]."""
    step = -1 if reverse else 1
    floor, to_next = _steps_between(ops, y, axis, step)
    if exclusive:
        x, t = ops.shift(x, axis=axis, by=step), ops.shift(t, axis=axis, by=step)
    carried = ops.exp(ops.shift(to_next, axis=axis, by=step))
    return ops.linear_scan(carried, ops.exp(x - floor) * t, axis=axis, reverse=reverse)


cumulative_logsumexp = primitive(
    "cumulative_logsumexp(x, *, axis, exclusive, reverse)",
    kernel={"numpy": _accumulate(np.logaddexp), "jax": "math.scans.cumulative_logsumexp"},
    vjp=_cumulative_logsumexp_vjp,
    jvp=_cumulative_logsumexp_jvp,
    dtypes=FLOATING,
    **_ALONG_AXIS,
)

# ---- what the gradients need


def _linear_scan(a, b, axis, reverse):
    out = np.empty_like(b)
    _scan_into(_ahead(out, axis, reverse), _ahead(a, axis, reverse), _ahead(b, axis, reverse))
    return out


def _scan_into(out, a, b):
    """Row by row; long and narrow arrays as blocks side by side, which are then joined: 2 sqrt(n) steps instead of
    n."""
    n = len(b)
    if not b.size:
        return
    if n < 256 or b[0].size > 256:
        out[0] = b[0]
        for k in range(1, n):
            np.add(b[k], a[k] * out[k - 1], out=out[k, ...])
        return
    size = int(n**0.5)
    whole = n - n % size
    blocks = lambda z: z[:whole].reshape(-1, size, *z.shape[1:]).swapaxes(0, 1)
    inner_a, inner_b = blocks(a), blocks(b)
    sums, factors = np.empty(inner_b.shape, b.dtype), np.empty(inner_a.shape, a.dtype)
    sums[0], factors[0] = inner_b[0], inner_a[0]
    for k in range(1, size):
        sums[k] = inner_b[k] + inner_a[k] * sums[k - 1]
        factors[k] = inner_a[k] * factors[k - 1]
    carry = np.zeros(sums.shape[1:], b.dtype)  # the value just before each block
    for j in range(1, len(carry)):
        carry[j] = sums[-1, j - 1] + _product(factors[-1, j - 1], carry[j - 1])
    out[:whole] = (sums + _product(factors, carry)).swapaxes(0, 1).reshape(whole, *b.shape[1:])
    for k in range(whole, n):
        out[k] = b[k] + a[k] * out[k - 1]


def _product(factor, carry):
    """A block's factor may be infinite where nothing is carried in: that stays nothing."""
    return np.where(carry == 0, carry, factor * carry)


def _linear_scan_vjp(ops, g, a, y, axis, reverse):
    step = -1 if reverse else 1
    total = ops.linear_scan(ops.shift(a, axis=axis, by=-step), g, axis=axis, reverse=not reverse)
    return total * ops.shift(y, axis=axis, by=step), total


def _linear_scan_jvp_a(ops, t, a, y, axis, reverse):
    return ops.linear_scan(a, t * ops.shift(y, axis=axis, by=-1 if reverse else 1), axis=axis, reverse=reverse)


def _linear_scan_shape(a, b, axis, reverse):
    check_axes(b, axis)
    check_same("Factors and terms of a scan", a.shape, b.shape)
    return b


# y[k] = b[k] + a[k] * y[k-1] along `axis`, starting from y[-1] = 0.
linear_scan = primitive(
    "linear_scan(a, b, *, axis, reverse)",
    kernel={"numpy": _linear_scan, "jax": "math.scans.linear_scan"},
    vjp={("a", "b"): _linear_scan_vjp},
    jvp={"a": _linear_scan_jvp_a, "b": LINEAR},
    dtypes=INEXACT,
    **_ALONG_AXIS | {"shape": _linear_scan_shape},
)


def _shift(x, axis, by):
    out = np.zeros_like(x)
    source, target = x.swapaxes(0, axis), out.swapaxes(0, axis)
    if by > 0:
        target[by:] = source[:-by]
    else:
        target[:by] = source[-by:]
    return out


# y[k] = x[k - by] along `axis`, with zeros where that is outside.
shift = primitive(
    "shift(x, *, axis, by)",
    kernel={"numpy": _shift, "jax": "math.scans.shift"},
    vjp=lambda ops, g, axis, by: ops.shift(g, axis=axis, by=-by),
    jvp=LINEAR,
    dtypes=NUMERIC,
    **_ALONG_AXIS,
)
