"""What the kernels on matrices share. Where LAPACK would give up (a singular matrix, one that is not positive
definite) there is no error under XLA: the result has inf or nan in it, as TensorFlow's has on XLA."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from tapeflow.core import broadcasting
from tapeflow.core.errors import invalid


def on_matrices(kernel=None, *, square=False):
    """A kernel that needs matrices, or `square` ones; it computes 16-bit floats in float32, and products in full
    precision."""
    if kernel is None:
        return functools.partial(on_matrices, square=square)

    @functools.wraps(kernel)
    def run(*arrays, **params):
        shape, dtype = arrays[0].shape, arrays[0].dtype
        if len(shape) < 2:
            raise invalid(f"Input tensor must have rank >= 2: a matrix, or a batch of them. Got shape {shape}.")
        if square and shape[-1] != shape[-2]:
            raise invalid(
                f"Input matrix must be square: the last two axes must have the same length. Got shape {shape}."
            )
        with jax.default_matmul_precision("highest"):
            out = kernel(*map(_widened, arrays), **params)
        if not _is_narrow(dtype):
            return out
        back = lambda x: x.astype(dtype) if x.dtype == np.float32 else x
        return tuple(map(back, out)) if isinstance(out, tuple) else back(out)

    return run


def with_nan_of(x, *outs):
    """Results with NaN for the matrices of `x` that have one: the choice of pivots, by comparing, passes it by."""
    return _nan_at(jnp.isnan(x).any(axis=(-2, -1)), outs)


def on_usable(function, x):
    """`function(x)`, and NaN for the matrices that have a NaN or an infinity: LAPACK's steps towards singular values
    go on for ever with them, and nothing interrupts them."""
    unusable = ~jnp.isfinite(x).all(axis=(-2, -1))
    out = function(jnp.where(unusable[..., None, None], jnp.eye(x.shape[-2], x.shape[-1], dtype=x.dtype), x))
    return _nan_at(unusable, out) if isinstance(out, (tuple, list)) else _nan_at(unusable, [out])[0]


def _nan_at(places, outs):
    spread = lambda out: places.reshape(places.shape + (1,) * (out.ndim - places.ndim))
    return tuple([jnp.where(spread(out), jnp.nan, out) for out in outs])


def _is_narrow(dtype):
    return dtype.itemsize <= 2 and jnp.issubdtype(dtype, jnp.floating)


def _widened(x):
    return x.astype(np.float32) if _is_narrow(x.dtype) else x


def adjoint(x):
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def hermitian_of_lower(x):
    """The Hermitian matrix that has this lower triangle; an imaginary part on the diagonal is not read."""
    below = jnp.tril(x, -1)
    along = jnp.eye(x.shape[-1], dtype=x.dtype) * jnp.real(x).astype(x.dtype)
    return below + adjoint(below) + along


def broadcast_batch(a, b):
    """Both with the leading axes that they have together."""
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return [jnp.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (a, b)]


def one_matrix_for_many(solve):
    """As on NumPy, which repeats by itself the leading axes that are left to broadcast."""
    return broadcasting.one_matrix_for_many(lambda a, b, **params: solve(*broadcast_batch(a, b), **params))
