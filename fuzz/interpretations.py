"""One call, in each interpretation: `eager` is the reference, every other is a function (tf, call) -> outcome or pair
of outcomes."""

from dataclasses import replace

import numpy as np

from .calls import flat
from .compare import outcome
from .values import Array, row


def eager(tf, call):
    return outcome(lambda: flat(call.run(tf, call.tensors(tf)), tf))


def plan(tf, call):
    """In a tf.function, for these shapes."""
    return outcome(lambda: flat(tf.function(lambda *ts: call.run(tf, ts), autograph=False)(*call.tensors(tf)), tf))


def open_shapes(tf, call):
    """In a tf.function traced for tensors of unknown sizes."""
    ts = call.tensors(tf)
    signature = [tf.TensorSpec([None] * len(leaf.shape), t.dtype) for leaf, t in zip(call.leaves, ts)]
    return outcome(
        lambda: flat(tf.function(lambda *ts: call.run(tf, ts), input_signature=signature, autograph=False)(*ts), tf)
    )


def xla(tf, call):
    """Compiled by XLA."""
    return outcome(
        lambda: flat(
            tf.function(lambda *ts: call.run(tf, ts), jit_compile=True, autograph=False)(*call.tensors(tf)), tf
        )
    )


def without_denormals(call):
    """XLA computes with numbers below the smallest normal one as with zero."""
    return call.with_leaves([replace(leaf, fill="odd") if leaf.fill == "special" else leaf for leaf in call.leaves])


ROWS = 3


def mapped(tf, call):
    """vectorized_map over a stacked batch; and its reference, the rows one by one, stacked."""
    rows = [call.with_leaves([row(leaf, k) for leaf in call.leaves]) for k in range(ROWS)]
    apart = [eager(tf, r) for r in rows]
    failed = next((r for r in apart if r.error is not None), None)
    expected = failed or outcome(lambda: [np.stack(parts) for parts in zip(*(r.arrays for r in apart))])

    def together():
        stacked = [tf.stack(parts) for parts in zip(*(r.tensors(tf) for r in rows))]
        return flat(tf.vectorized_map(lambda ts: call.run(tf, ts), tuple(stacked)), tf)

    return expected, outcome(together)


def dense(call):
    return bool(call.leaves) and all(type(leaf) is Array for leaf in call.leaves)
