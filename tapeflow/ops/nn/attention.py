"""Scaled dot-product attention, without keeping its weights: softmax(query · key + bias) · value, head by head.

As separate operations, a tape keeps the weights, a number for each pair of positions. Here the backward pass makes
them again, block by block, from queries and keys: memory grows with the length of the sequences alone (Dao et al.,
2022: FlashAttention). Rules of forward mode and of second order are written with all weights at once.

Queries are (batch, length, heads, size), keys and values (batch, keys, shared heads, size): heads of the query may
share one of them. `bias` and `allowed` broadcast to (batch, heads, length, keys). Queries come scaled.
"""

import numpy as np

from tapeflow.core.dtypes import BOOL, FLOATING
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import same_sizes, spreads
from tapeflow.core.primitive import Spec, primitive, recorded
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.numpy.nn import attention as kernels
from tapeflow.ops.batching import apart, end_to_end, rows_of, spread

# ---- shapes


def _attention_shape(query, key, value, bias, allowed, *, causal):
    for name, x in (("query", query), ("key", key), ("value", value), ("bias", bias), ("allowed", allowed)):
        if len(x.shape) != 4:
            raise invalid(f"attention takes tensors of rank 4; {name} has shape {tuple(x.shape)}.")
    (batch, length, heads, size), (keys, shared) = query.shape, key.shape[1:3]
    if not same_sizes((batch, size), (key.shape[0], key.shape[3])) or not same_sizes(key.shape[:3], value.shape[:3]):
        raise invalid(
            f"query {tuple(query.shape)}, key {tuple(key.shape)} and value {tuple(value.shape)} do not go together: "
            "attention takes (batch, length, heads, size), (batch, keys, shared heads, size) and (batch, keys, shared "
            "heads, any size)."
        )
    if None not in (heads, shared) and (heads % shared if shared else heads):
        raise invalid(f"{heads} heads of the query cannot share {shared} of the key.")
    for name, x in (("bias", bias), ("allowed", allowed)):
        if not spreads(tuple(x.shape), (batch, heads, length, keys)):
            raise invalid(
                f"{name} of shape {tuple(x.shape)} does not broadcast to (batch, heads, length, keys), here "
                f"{(batch, heads, length, keys)}."
            )
    return Spec(shape=(batch, length, heads, value.shape[3]), dtype=value.dtype)


def _attention_grad_shape(query, key, value, bias, allowed, g, *, causal):
    out = _attention_shape(query, key, value, bias, allowed, causal=causal)
    if not same_sizes(tuple(g.shape), out.shape):
        raise invalid(f"a gradient of shape {tuple(g.shape)} is not one of an attention of shape {out.shape}.")
    return query, key, value


# ---- rules, of arrays (batch, shared heads, heads that share one, length, size)


class _AtOnce:
    """All weights at once, made of other primitives: what can be differentiated further."""

    def __init__(self, ops, query, key, bias, allowed, causal):
        self.ops, self.shared = ops, sizes_of(key)[2]
        self.query, self.key = self.heads(query), self.heads(key)
        self.bias_shape = sizes_of(bias)
        logits = self.products(self.query, self.key) + self.spread(ops.cast(bias, dtype=_wide(query)))
        allowed = self.spread(allowed)
        if causal:
            length, keys = sizes_of(logits)[-2:]
            allowed = ops.logical_and(allowed, np.tri(length, keys, dtype=bool))
        self.weights = ops.softmax(ops.where(allowed, logits, np.finfo(_wide(query)).min / 2), axis=4)
        self.allowed = allowed

    def heads(self, x):
        batch, length, heads, size = sizes_of(x)
        x = self.ops.reshape(
            self.ops.cast(x, dtype=_wide(x)), shape=(batch, length, self.shared, heads // self.shared, size)
        )
        return self.ops.transpose(x, perm=(0, 2, 3, 1, 4))

    def lengths(self, x, like):
        """Undoes `heads`."""
        batch, shared, group, length, size = sizes_of(x)
        x = self.ops.reshape(self.ops.transpose(x, perm=(0, 3, 1, 2, 4)), shape=(batch, length, shared * group, size))
        return self.ops.cast(x, dtype=_dtype(like))

    def spread(self, x):
        batch, heads, rows, columns = sizes_of(x)
        split = (1, 1) if heads == 1 else (self.shared, heads // self.shared)
        return self.ops.reshape(x, shape=(batch, *split, rows, columns))

    def products(self, a, b):
        return self.ops.matmul(a, self.ops.matrix_transpose(b))

    def over_queries(self, weights, x):
        """Sums over the queries, and over the heads that share one."""
        found = self.ops.matmul(self.ops.matrix_transpose(weights), x)
        return self.ops.reduce_sum(found, axis=(2,), keepdims=True)

    def softmax_slope(self, x):
        """What the softmax makes of a change of the logits, or of a gradient: the same, as it is symmetric."""
        return self.weights * (x - self.rows(self.weights * x))

    def rows(self, x):
        return self.ops.reduce_sum(x, axis=(4,), keepdims=True)

    def seen(self, x):
        """Gradients of logits that count; the others were replaced by a number."""
        return self.ops.where(self.allowed, x, 0)

    def to_bias(self, x, like):
        """A gradient of the logits as one of what was added to them, which was spread."""
        ops, (batch, shared, group, length, keys) = self.ops, sizes_of(x)
        x = ops.reshape(x, shape=(batch, shared * group, length, keys))
        spread = tuple(i for i, n in enumerate(self.bias_shape) if n == 1)
        return ops.cast(ops.reduce_sum(x, axis=spread, keepdims=True) if spread else x, dtype=_dtype(like))


def _dtype(x):
    return np.dtype(getattr(x.dtype, "np", x.dtype))


def _wide(x):
    return np.dtype(np.float32) if _dtype(x).itemsize < 4 else _dtype(x)


def _bias_vjp(ops, g, query, key, value, bias, allowed, causal):
    made = _AtOnce(ops, query, key, bias, allowed, causal)
    slope = made.products(made.heads(g), made.heads(value))
    return made.to_bias(made.seen(made.softmax_slope(slope)), bias)


def _tangent(made, t):
    """Of the output, for a tangent of the logits."""
    return made.softmax_slope(made.seen(t))


def _query_jvp(ops, t, query, key, value, bias, allowed, causal):
    made = _AtOnce(ops, query, key, bias, allowed, causal)
    return made.lengths(ops.matmul(_tangent(made, made.products(made.heads(t), made.key)), made.heads(value)), value)


def _key_jvp(ops, t, query, key, value, bias, allowed, causal):
    made = _AtOnce(ops, query, key, bias, allowed, causal)
    return made.lengths(ops.matmul(_tangent(made, made.products(made.query, made.heads(t))), made.heads(value)), value)


def _bias_jvp(ops, t, query, key, value, bias, allowed, causal):
    made = _AtOnce(ops, query, key, bias, allowed, causal)
    shape = sizes_of(made.weights)
    logits = ops.broadcast_to(made.spread(ops.cast(t, dtype=_wide(query))), shape=shape)
    return made.lengths(ops.matmul(_tangent(made, logits), made.heads(value)), value)


def _grad_vjp(ops, g, query, key, value, bias, allowed, g_out, causal):
    """The gradient of <g_out, J(a, b, e)>, where J(a, b, e) is the tangent of the output for the tangents a, b and e
    of query, key and value: that is what <(a, b, e), gradients> is."""
    made = _AtOnce(ops, query, key, bias, allowed, causal)
    a, b, e = map(made.heads, g)
    values, incoming = made.heads(value), made.heads(g_out)
    change = made.seen(made.products(a, made.key) + made.products(made.query, b))  # of the logits
    slope = made.products(incoming, values)  # of the weights
    p_change = made.softmax_slope(change)
    p_slope = made.softmax_slope(slope)
    logits_slope = made.seen(p_slope)
    of_weights = (
        change * (slope - made.rows(made.weights * slope))
        - slope * made.rows(made.weights * change)
        + made.products(incoming, e)
    )
    of_logits = made.seen(made.softmax_slope(of_weights))
    return (
        made.lengths(ops.matmul(of_logits, made.key) + ops.matmul(logits_slope, b), query),
        made.lengths(made.over_queries(of_logits, made.query) + made.over_queries(logits_slope, a), key),
        made.lengths(made.over_queries(p_change, incoming), value),
        made.to_bias(of_logits, bias),
        made.lengths(ops.matmul(p_change, values) + ops.matmul(made.weights, e), g_out),
    )


# ---- maps: rows and examples become one axis


def _rows(op, args, batched, params):
    size = rows_of(args, batched)
    whole = sizes_of(args[0])[1 if batched[0] else 0]
    merged = []
    for i, (x, b) in enumerate(zip(args, batched)):
        x = x if b else spread(x, size)
        if i in (3, 4) and sizes_of(x)[1] != whole:  # one bias or mask for all examples
            x = recorded.broadcast_to(x, shape=(size, whole, *sizes_of(x)[2:]))
        merged.append(end_to_end(x))
    out = op(*merged, **params)
    back = lambda o: apart(o, size, whole)
    return tuple(map(back, out)) if isinstance(out, tuple) else back(out)


_INPUTS = {"query key value": FLOATING, "bias": FLOATING, "allowed": BOOL}

attention = primitive(
    "attention(query, key, value, bias, allowed, *, causal)",
    kernel={"numpy": kernels.attention, "jax": "nn.attention.attention"},
    shape=_attention_shape,
    vjp={
        ("query", "key", "value"): lambda ops, g, query, key, value, bias, allowed, causal: ops.attention_grad(
            query, key, value, bias, allowed, g, causal=causal
        ),
        "bias": _bias_vjp,
    },
    jvp={
        "query": _query_jvp,
        "key": _key_jvp,
        "value": lambda ops, t, query, key, bias, allowed, causal: ops.attention(
            query, key, t, bias, allowed, causal=causal
        ),
        "bias": _bias_jvp,
    },
    batch=_rows,
    dtypes=_INPUTS,
    makes_new=True,
)

# The gradients of query, key and value, whose weights are made again.
attention_grad = primitive(
    "attention_grad(query, key, value, bias, allowed, g_out, *, causal)",
    kernel={"numpy": kernels.attention_grad, "jax": "nn.attention.attention_grad"},
    shape=_attention_grad_shape,
    vjp={("query", "key", "value", "bias", "g_out"): _grad_vjp},
    batch=_rows,
    dtypes={"query key value g_out": FLOATING, "bias": FLOATING, "allowed": BOOL},
    outputs=("of_query", "of_key", "of_value"),
    makes_new=True,
)
