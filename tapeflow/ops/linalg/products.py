"""Products of matrices, and the diagonals and bands of them. Rules are written with plain transposes, never
conjugates."""

import string
from functools import lru_cache, reduce
from math import prod

import numpy as np

from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.dtypes import ANY, NUMERIC
from tapeflow.core.errors import InvalidArgumentError, invalid
from tapeflow.core.fitting import check_rank, differ, same_sizes, spreads
from tapeflow.core.primitive import LINEAR, Spec, primitive
from tapeflow.core.sizes import alike, brackets, larger, smaller
from tapeflow.core.tensor import sizes_of
from tapeflow.ops.batching import aligned, leading, matrices
from tapeflow.ops.broadcasting import LEADING_AXES

_FLOAT16 = np.dtype("float16")
_LABELS = string.ascii_letters


def _transposed(x):
    check_rank(x, 2)
    return Spec(shape=(*x.shape[:-2], x.shape[-1], x.shape[-2]), dtype=x.dtype)


matrix_transpose = primitive(
    "matrix_transpose(x)",
    kernel=lambda xp, x: xp.swapaxes(x, -1, -2),
    shape=_transposed,
    vjp=lambda ops, g: ops.matrix_transpose(g),
    jvp=LINEAR,
    batch=matrices,
    dtypes=ANY,
)

# ---- the matrix product


def _matmul_shape(a, b):
    if len(a.shape) < 2 or len(b.shape) < 2:
        raise _rank_too_small(a, b)
    if differ(a.shape[-1], b.shape[-2]):
        raise _misfit(a, b)
    try:
        batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except InvalidArgumentError:
        raise _misfit(a, b) from None
    return Spec(shape=(*batch, a.shape[-2], b.shape[-1]), dtype=a.dtype)


def _rank_too_small(a, b):
    return invalid(
        f"matmul needs tensors of rank 2 or more, got shapes {tuple(a.shape)} and {tuple(b.shape)}. "
        "For vectors use tf.tensordot(a, b, 1), tf.linalg.matvec(a, b) or tf.reduce_sum(a * b)."
    )


def _matmul(a, b):
    try:
        if a.ndim == 2 == b.ndim and a.dtype is not _FLOAT16 and len(b) != 1:
            return np.matmul(a, b)
        return _matmul_any(a, b)
    except ValueError:
        raise _misfit(a, b) from None


def _matmul_xla(xp, a, b):
    if a.ndim < 2 or b.ndim < 2:
        raise _rank_too_small(a, b)
    try:
        return xp.matmul(a, b)
    except (TypeError, ValueError):
        raise _misfit(a, b) from None


def _misfit(a, b):
    first = f"Matrix size-incompatible: In[0]: {brackets(a.shape)}, In[1]: {brackets(b.shape)}"
    if alike((a.shape[-1],), (b.shape[-2],)):
        first = f"In[0] and In[1] must have compatible batch dimensions: {brackets(a.shape)} vs. {brackets(b.shape)}"
    return invalid(
        f"{first}. Shapes {tuple(a.shape)} and {tuple(b.shape)} cannot be multiplied: the last axis of the first must "
        "be as long as the last but one of the second, and the leading axes must be equal or 1."
    )


def _matmul_any(a, b):
    if a.ndim < 2 or b.ndim < 2:
        raise _rank_too_small(a, b)
    if a.dtype is _FLOAT16:  # no BLAS for it: 100 times slower, and sums would lose digits
        return _matmul_any(a.astype(np.float32), b.astype(np.float32)).astype(_FLOAT16)
    if b.ndim == 2 < a.ndim and a.shape[-1] == b.shape[0] and a.size and a.flags.c_contiguous:  # one large product
        return _matmul_any(a.reshape(-1, a.shape[-1]), b).reshape(*a.shape[:-1], b.shape[1])
    if (
        a.ndim == 2 < b.ndim and b.shape[-1] == 1 and a.shape[1] == b.shape[-2] and b.size
    ):  # the same, for many vectors
        return np.matmul(b.reshape(-1, a.shape[1]), a.T).reshape(*b.shape[:-2], a.shape[0], 1)
    if a.shape[-1] == 1 == b.shape[-2] and a.shape[-2] * b.shape[-1] > 256 and a.dtype.kind == "f":
        return _outer(a, b)
    return np.matmul(a, b)


def _outer(a, b):
    """A column times a row. BLAS multiplies two columns by two rows eight times faster, even if the second are
    zeros."""
    columns, rows = np.zeros((*a.shape[:-1], 2), a.dtype), np.zeros((*b.shape[:-2], 2, b.shape[-1]), b.dtype)
    columns[..., :1], rows[..., :1, :] = a, b
    return np.matmul(columns, rows)


def _matmul_vjp_a(ops, g, b, a_shape):
    """g bᵀ; when `a` is one matrix for a whole batch, summed over the batch inside a single product."""
    if len(sizes_of(g)) > 2 and prod(a_shape[:-2]) == 1 and tuple(sizes_of(b)[:-2]) == tuple(sizes_of(g)[:-2]):
        columns = prod(sizes_of(g)[:-2]) * sizes_of(g)[-1]
        wide_g = ops.reshape(ops.transpose(g, perm=_rows_first(len(sizes_of(g)))), shape=(a_shape[-2], columns))
        wide_b = ops.reshape(ops.transpose(b, perm=_rows_first(len(sizes_of(b)))), shape=(a_shape[-1], columns))
        return ops.reshape(ops.matmul(wide_g, ops.matrix_transpose(wide_b)), shape=a_shape)
    return ops.matmul(g, ops.matrix_transpose(b))


def _matmul_vjp_b(ops, g, a, b_shape):
    """aᵀ g; when `b` is one matrix for a whole batch, summed over the batch inside a single product."""
    if len(sizes_of(g)) > 2 and prod(b_shape[:-2]) == 1 and tuple(sizes_of(a)[:-2]) == tuple(sizes_of(g)[:-2]):
        flat_a = ops.reshape(a, shape=(prod(sizes_of(a)[:-1]), b_shape[-2]))
        flat_g = ops.reshape(g, shape=(prod(sizes_of(g)[:-1]), b_shape[-1]))
        return ops.reshape(ops.matmul(ops.matrix_transpose(flat_a), flat_g), shape=b_shape)
    return ops.matmul(ops.matrix_transpose(a), g)


def _rows_first(rank):
    return (rank - 2, *range(rank - 2), rank - 1)


def _matmul_rows(op, args, batched, params):
    if (
        len(args[0].sizes) - batched[0] < 2 or len(args[1].sizes) - batched[1] < 2
    ):  # all rows together would pass for a matrix
        raise _rank_too_small(*[Spec(shape=tuple(x.sizes)[has:], dtype=x.dtype) for x, has in zip(args, batched)])
    return aligned(op, args, batched, params)


matmul = primitive(
    "matmul(a, b)",
    kernel={"numpy": _matmul, "jax": _matmul_xla, "native": "linalg.products.matmul"},
    makes_new=True,
    shape=_matmul_shape,
    vjp={"a": _matmul_vjp_a, "b": _matmul_vjp_b},
    jvp=LINEAR,
    dtypes=NUMERIC,
    broadcasts=LEADING_AXES,
    batch=_matmul_rows,
    clash=InvalidArgumentError,
)

# ---- two tensors contracted: "bqhd,bkhd->bhqk"


@lru_cache(4096)
def _contraction(equation):
    """A two-operand einsum as one batched matrix product: how to order the axes of a, b and the result (None: as they
    are), and how many of the labels are batch, rows, inner (summed over) and columns."""
    left, right, out = _terms(equation)
    batch = [x for x in left if x in right and x in out]
    rows = [x for x in left if x not in right]
    inner = [x for x in left if x in right and x not in out]
    cols = [x for x in right if x not in left]

    def axes(term, labels):
        order = tuple(term.index(x) for x in labels)
        return None if order == tuple(range(len(order))) else order

    orders = (
        axes(left, [*batch, *rows, *inner]),
        axes(right, [*batch, *inner, *cols]),
        axes([*batch, *rows, *cols], out),
    )
    return *orders, len(batch), len(rows), len(inner), len(cols)


def _terms(equation):
    inputs, _, out = equation.partition("->")
    left, _, right = inputs.partition(",")
    return left, right, out


def _contract(a, b, equation):
    axes_a, axes_b, axes_out, num_batch, num_rows, num_inner, num_cols = _contraction(equation)
    a = a if axes_a is None else a.transpose(axes_a)
    b = b if axes_b is None else b.transpose(axes_b)
    if a.shape[:num_batch] + a.shape[num_batch + num_rows :] != b.shape[: num_batch + num_inner]:
        raise _unequal(a, b, equation)
    if num_rows == num_inner == num_cols == 1:
        out = _matmul(a, b)
    else:
        batch, rows, inner = (
            a.shape[:num_batch],
            a.shape[num_batch : num_batch + num_rows],
            a.shape[num_batch + num_rows :],
        )
        cols = b.shape[num_batch + num_inner :]
        if inner:
            flat_a, flat_b = a.reshape((*batch, prod(rows), prod(inner))), b.reshape((*batch, prod(inner), prod(cols)))
            out = _matmul(flat_a, flat_b).reshape((*batch, *rows, *cols))
        else:
            out = a.reshape((*batch, *rows, *[1] * num_cols)) * b.reshape((*batch, *[1] * num_rows, *cols))
    return out if axes_out is None else out.transpose(axes_out)


def _unequal(a, b, equation):
    return invalid(
        f"Shapes {tuple(a.shape)} and {tuple(b.shape)} do not fit the equation {equation!r}: each letter is one "
        "axis, and stands for one size."
    )


def _contract_shape(a, b, equation):
    left, right, out = _terms(equation)
    sizes = dict(zip(left, a.shape))
    fits = len(left) == len(a.shape) and len(right) == len(b.shape)
    if not fits or any(differ(sizes.setdefault(label, size), size) for label, size in zip(right, b.shape)):
        raise _unequal(a, b, equation)
    return Spec(shape=tuple(sizes[x] for x in out), dtype=a.dtype)


@lru_cache(4096)
def _swapped(equation, which):
    """The equation of the gradient: it is a contraction of the other operand with the result."""
    left, right, out = _terms(equation)
    return f"{out},{right}->{left}" if which == "a" else f"{left},{out}->{right}"


def _contract_rows(op, args, batched, params):
    """The rows are one more label, of the operands that have them and of the result."""
    equation = params["equation"]
    left, right, out = _terms(equation)
    row = next(x for x in _LABELS if x not in equation)
    left, right = [row * b + term for b, term in zip(batched, (left, right))]
    return op(*args, equation=f"{left},{right}->{row}{out}")


# In `equation` no operand repeats a label, each label occurs in at least two of the three terms, and stands for one
# length: the public functions see to it.
contract = primitive(
    "contract(a, b, *, equation)",
    kernel={"numpy": _contract, "jax": lambda xp, a, b, equation: xp.einsum(equation, a, b)},
    shape=_contract_shape,
    vjp={
        "a": lambda ops, g, b, equation: ops.contract(g, b, equation=_swapped(equation, "a")),
        "b": lambda ops, g, a, equation: ops.contract(a, g, equation=_swapped(equation, "b")),
    },
    jvp=LINEAR,
    batch=_contract_rows,
    dtypes=NUMERIC,
    clash=InvalidArgumentError,
)

# ---- bands and diagonals


@lru_cache(256)
def _band(rows, cols, lower, upper):
    offset = np.arange(cols) - np.arange(rows)[:, None]
    mask = ((offset >= -lower) if lower >= 0 else True) & ((offset <= upper) if upper >= 0 else np.True_)
    return np.broadcast_to(mask, (rows, cols))


def _matrices(x, **_):
    check_rank(x, 2)
    return x


# Everything further than `lower` below or `upper` above the diagonal becomes 0; negative numbers keep that side whole.
band_part = primitive(
    "band_part(x, *, lower, upper)",
    kernel={
        "numpy": lambda x, lower, upper: np.where(_band(*x.shape[-2:], lower, upper), x, np.zeros((), x.dtype)),
        "jax": "linalg.products.band_part",
    },
    shape=_matrices,
    vjp=lambda ops, g, lower, upper: ops.band_part(g, lower=lower, upper=upper),
    jvp=LINEAR,
    batch=matrices,
)


def diagonal_length(rows, cols, k):
    return larger(smaller(rows + min(k, 0), cols - max(k, 0)), 0)


@lru_cache(256)
def diagonal_places(rows, cols, k, align):
    """Where the diagonals k[0] to k[1] of a matrix lie: flat positions in the matrix, flat positions in the packed
    form (highest diagonal first, one a row, `align`ed to the right or left as its side says), and the packed form's
    shape."""
    above, below = align.split("_")
    longest = max(diagonal_length(rows, cols, d) for d in range(k[0], k[1] + 1))
    flat, packed = [], []
    for row, d in enumerate(range(k[1], k[0] - 1, -1)):
        along = np.arange(diagonal_length(rows, cols, d))
        flat.append((along + max(-d, 0)) * cols + along + max(d, 0))
        side = above if d > 0 else below  # the main diagonal is never shorter than another
        packed.append(row * longest + along + (longest - len(along) if side == "RIGHT" else 0))
    shape = (longest,) if k[0] == k[1] else (k[1] - k[0] + 1, longest)
    return np.concatenate(flat), np.concatenate(packed), shape


def _diag_part(x, k, align):
    if k[0] == k[1]:
        return np.diagonal(x, k[0], -2, -1)
    *batch, rows, cols = x.shape
    flat, packed, shape = diagonal_places(rows, cols, k, align)
    out = np.zeros((*batch, prod(shape)), x.dtype)
    out[..., packed] = x.reshape(*batch, rows * cols)[..., flat]
    return out.reshape(*batch, *shape)


def _diag_part_shape(x, k, align):
    check_rank(x, 2)
    return Spec(shape=(*x.shape[:-2], *_packed_shape(x.shape[-2], x.shape[-1], k)), dtype=x.dtype)


def _packed_shape(rows, cols, k):
    longest = reduce(larger, [diagonal_length(rows, cols, d) for d in range(k[0], k[1] + 1)])
    return (longest,) if k[0] == k[1] else (k[1] - k[0] + 1, longest)


# Diagonals k[0] to k[1] of matrices, packed; unused places are 0.
diag_part = primitive(
    "diag_part(x, *, k, align)",
    kernel={"numpy": _diag_part, "jax": "linalg.products.diag_part"},
    shape=_diag_part_shape,
    jvp=LINEAR,
    batch=matrices,
    vjp=lambda ops, g, x_shape, k, align: ops.diag_matrix(g, k=k, rows=x_shape[-2], cols=x_shape[-1], align=align),
)


def _diag_matrix(x, k, rows, cols, align):
    flat, packed, shape = diagonal_places(rows, cols, k, align)
    batch = x.shape[: x.ndim - len(shape)]
    out = np.zeros((*batch, rows * cols), x.dtype)
    if k[0] == k[1]:
        if len(flat):
            out[..., flat[0] : flat[-1] + 1 : cols + 1] = x
    else:
        out[..., flat] = x.reshape(*batch, prod(shape))[..., packed]
    return out.reshape(*batch, rows, cols)


def _diag_matrix_shape(x, k, rows, cols, align):
    packed = _packed_shape(rows, cols, k)
    rank = len(packed)
    if (
        len(x.shape) < rank
        or not same_sizes(tuple(x.shape[-rank:]), packed)
        and not (rank == 1 and spreads(x.shape[-1:], packed))
    ):
        raise invalid(
            f"Diagonals {k[0]} to {k[1]} of a matrix with {rows} rows and {cols} columns have shape {packed}, which "
            f"{tuple(x.shape)} does not end with."
        )
    return Spec(shape=(*x.shape[:-rank], rows, cols), dtype=x.dtype)


# The adjoint of diag_part: matrices with the given diagonals, 0 elsewhere.
diag_matrix = primitive(
    "diag_matrix(x, *, k, rows, cols, align)",
    kernel={"numpy": _diag_matrix, "jax": "linalg.products.diag_matrix"},
    shape=_diag_matrix_shape,
    vjp=lambda ops, g, k, align: ops.diag_part(g, k=k, align=align),
    jvp=LINEAR,
    batch=leading,
)
