"""Running sums, products and log-sum-exps along an axis, and the linear recurrence.

Sums and log-sum-exps are scanned in parallel. Partial products that no step on the way has can overflow, or meet a
zero: up to a few hundred steps, products are made one after the other, as on NumPy.
"""

import jax.numpy as jnp
from jax import lax

from .reduction import wide

_LONG = 256  # steps from which products are scanned in parallel
_UNROLL = 16  # steps that XLA makes one computation of


def _scanned(scan, x, axis, exclusive, reverse, start):
    """`scan(x, axis, reverse)`; `exclusive` begins with `start` and leaves the last element out."""
    if exclusive:
        x = _moved(x, axis, -1 if reverse else 1, start)
    return scan(wide(x), axis, reverse).astype(x.dtype)


def _moved(x, axis, by, fill):
    """y[k] = x[k - by], and `fill` where that is outside."""
    by = min(max(by, -x.shape[axis]), x.shape[axis])
    padding = [(0, 0, 0)] * x.ndim
    padding[axis] = (by, -by, 0)
    return lax.pad(x, jnp.asarray(fill, x.dtype), padding)


def cumsum(x, axis, exclusive, reverse):
    return _scanned(lax.cumsum, x, axis, exclusive, reverse, 0)


def cumulative_logsumexp(x, axis, exclusive, reverse):
    return _scanned(lax.cumlogsumexp, x, axis, exclusive, reverse, -jnp.inf)


def cumprod(x, axis, exclusive, reverse):
    return _scanned(_cumprod, x, axis, exclusive, reverse, 1)


def _cumprod(x, axis, reverse):
    if x.shape[axis] >= _LONG:
        return lax.associative_scan(_product, x, reverse=reverse, axis=axis)
    first = jnp.ones((*x.shape[:axis], *x.shape[axis + 1 :]), x.dtype)
    return _one_by_one(lambda y, x: x * y, first, x, axis, reverse)


def _one_by_one(step, first, elements, axis, reverse):
    """y[k] = step(y[k - 1], elements[k]) from y[-1] = first; `elements` is an array, or a tuple of them."""
    ahead = (
        tuple(jnp.moveaxis(e, axis, 0) for e in elements)
        if isinstance(elements, tuple)
        else jnp.moveaxis(elements, axis, 0)
    )

    def both(y, element):
        y = step(y, element)
        return y, y

    _, out = lax.scan(both, first, ahead, reverse=reverse, unroll=_UNROLL)
    return jnp.moveaxis(out, 0, axis)


def _product(a, b):
    """A product of several elements may be infinite where those before it are zero: that stays zero."""
    ab = a * b
    if not jnp.issubdtype(ab.dtype, jnp.inexact):
        return ab
    return jnp.where((a == 0) & ~jnp.isnan(b) | (b == 0) & ~jnp.isnan(a), jnp.zeros_like(ab), ab)


def linear_scan(a, b, axis, reverse):
    """y[k] = b[k] + a[k] y[k-1]: steps of it, as pairs of a and b, join to steps from further back."""
    if b.shape[axis] < _LONG:
        first = jnp.zeros((*b.shape[:axis], *b.shape[axis + 1 :]), b.dtype)
        return _one_by_one(lambda y, ab: ab[1] + ab[0] * y, first, (a, b), axis, reverse)
    _, out = lax.associative_scan(_joined, (a, b), reverse=reverse, axis=axis)
    return out


def _joined(first, then):
    return _product(then[0], first[0]), then[1] + _product(then[0], first[1])


def shift(x, axis, by):
    return _moved(x, axis, by, 0)
