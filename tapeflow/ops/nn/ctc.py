"""Connectionist temporal classification: sums over all alignments of a label sequence with a longer sequence of
frames.

The states are the labels with blanks before, between and after them. From one frame to the next a path stays in its
state, goes on by one, or (`skip`) leaves out a blank between two different labels. All arrays are (frames, batch,
states), in logarithms.

The derivative of the forward pass is a linear recurrence with the transitions' posterior weights, run backwards in
time; the derivative of that recurrence is the same one run forwards. So two primitives give gradients of every order.
"""

import numpy as np

from tapeflow.core.dtypes import BOOL, FLOATING, INDEX
from tapeflow.core.fitting import check_exact_rank, check_same
from tapeflow.core.primitive import CUT, LINEAR, Spec, primitive, recorded as ops
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.numpy.nn import ctc as kernels
from tapeflow.ops.batching import all_batched, rows_from, rows_to

# ---- rows in a map


def _as_examples(*axes, out):
    """Rows become more examples; `axes` says which axis of each argument they are, `out` which axis of the results."""

    def rule(op, args, batched, params):
        args = all_batched(args, batched)
        sizes = args[0].sizes[0], args[0].sizes[axes[0] + 1]
        found = op(*[_folded(a, axis) for a, axis in zip(args, axes)], **params)
        return (
            tuple([_unfolded(f, out, sizes) for f in found])
            if isinstance(found, tuple)
            else _unfolded(found, out, sizes)
        )

    return rule


def _folded(x, axis):
    _, *shape = x.sizes
    shape[axis] *= x.sizes[0]
    return ops.reshape(rows_to(x, axis), shape=tuple(shape))


def _unfolded(x, axis, sizes):
    return rows_from(ops.reshape(x, shape=(*x.sizes[:axis], *sizes, *x.sizes[axis + 1 :])), axis)


# ---- all alignments


def _posterior(ops, y, emissions, skip):
    """The states that a path can be in, and the weights of transitions: the share of its end state's probability that
    came along each. (None where there are no transitions.)"""
    frames, _, states = sizes_of(y)
    possible = ops.greater(y, kernels.IMPOSSIBLE / 2)
    if frames < 2:
        return possible, None
    whole, later, earlier = (None, None, None), ((1, None, None),), ((None, frames - 1, None),)
    rest = ops.masked(ops.getitem(emissions - y, index=later), ops.getitem(possible, index=later))
    past = ops.getitem(y, index=earlier)
    weights = []
    for by in range(min(3, states)):
        end = (by, None, None)
        begin = ops.getitem(past, index=(whole, whole, (None, states - by, None)))
        weight = ops.exp(begin + ops.getitem(rest, index=(whole, whole, end)))
        if by == 2:
            weight = ops.masked(weight, ops.getitem(skip, index=(whole, end)))
        weights.append(ops.unslice(weight, index=(whole, whole, end), shape=tuple(sizes_of(rest))))
    return possible, ops.stack(*weights, axis=0)


def _ctc_forward_vjp(ops, g, y, emissions, skip):
    possible, weights = _posterior(ops, y, emissions, skip)
    g = ops.masked(g, possible)
    return g if weights is None else ops.path_scan(g, weights, reverse=True)


def _ctc_forward_jvp(ops, t, y, emissions, skip):
    possible, weights = _posterior(ops, y, emissions, skip)
    return ops.masked(
        t if weights is None else ops.path_scan(ops.masked(t, possible), weights, reverse=False), possible
    )


def _ctc_forward_shape(emissions, skip):
    check_exact_rank(emissions, 3, "emissions")
    check_same("skip and the batch and states of emissions", skip.shape, emissions.shape[1:])
    return emissions


# log of the total probability of all paths up to each frame that end in each state.
ctc_forward = primitive(
    "ctc_forward(emissions, skip)",
    kernel={"numpy": kernels.ctc_forward, "jax": "nn.ctc.ctc_forward"},
    shape=_ctc_forward_shape,
    vjp={"emissions": _ctc_forward_vjp},
    jvp={"emissions": _ctc_forward_jvp},
    batch=_as_examples(1, 0, out=1),
    dtypes={"emissions": FLOATING, "skip": BOOL},
)


def _path_scan_weights_vjp(ops, g, y, weights, reverse):
    """What flows along a transition is the product of what arrives at its end and what left its beginning."""
    other = ops.path_scan(g, weights, reverse=not reverse)
    early, late = (other, y) if reverse else (y, other)
    frames, _, states = sizes_of(y)
    whole, shares = (None, None, None), []
    for by in range(sizes_of(weights)[0]):
        begin = ops.getitem(early, index=((None, frames - 1, None), whole, (None, states - by, None)))
        end = ops.getitem(late, index=((1, None, None), whole, (by, None, None)))
        shares.append(
            ops.unslice(begin * end, index=(whole, whole, (by, None, None)), shape=tuple(sizes_of(weights))[1:])
        )
    return ops.stack(*shares, axis=0)


def _path_scan_weights_jvp(ops, t, y, weights, reverse):
    """A change of the weights adds to what flows along each transition, and that flows on."""
    frames, _, states = y.sizes
    whole, flow = (None, None, None), ops.zeros_like(y)
    for by in range(weights.sizes[0]):
        early = ((None, frames - 1, None), whole, (None, states - by, None))
        late = ((1, None, None), whole, (by, None, None))
        change = ops.getitem(t, index=(by, whole, whole, (by, None, None)))
        source, target = (late, early) if reverse else (early, late)
        flow = flow + ops.unslice(change * ops.getitem(y, index=source), index=target, shape=tuple(y.sizes))
    return ops.path_scan(flow, weights, reverse=reverse)


def _path_scan_shape(x, weights, reverse):
    check_exact_rank(x, 3, "x")
    check_exact_rank(weights, 4, "weights")
    frames, *rest = x.shape
    check_same("Weights and the transitions of x", weights.shape[1:], (frames - 1, *rest))
    return x


# y[t+1, s] = x[t+1, s] + Σ_k weights[k, t, s] y[t, s-k] through time, or its transpose, backwards from the last frame.
path_scan = primitive(
    "path_scan(x, weights, *, reverse)",
    kernel={"numpy": kernels.path_scan, "jax": "nn.ctc.path_scan"},
    shape=_path_scan_shape,
    vjp={
        "x": lambda ops, g, weights, reverse: ops.path_scan(g, weights, reverse=not reverse),
        "weights": _path_scan_weights_vjp,
    },
    jvp={"x": LINEAR, "weights": _path_scan_weights_jvp},
    batch=_as_examples(1, 2, out=1),
    dtypes=FLOATING,
)


# ---- decoding: labels are padded with -1


def _check_frames(logits, lengths):
    check_exact_rank(logits, 3, "logits")
    check_same("sequence_length and the batch of logits", lengths.shape, logits.shape[1:2])


def _greedy_shape(logits, lengths, merge_repeated, blank):
    _check_frames(logits, lengths)
    frames, batch, _ = logits.shape
    return Spec(shape=(batch, frames), dtype=np.int64), Spec(shape=(batch, 1), dtype=logits.dtype)


ctc_greedy = primitive(
    "ctc_greedy(logits, lengths, *, merge_repeated, blank)",
    kernel={"numpy": kernels.ctc_greedy, "jax": "nn.ctc.ctc_greedy"},
    shape=_greedy_shape,
    outputs=("labels", "score"),
    vjp=CUT,
    batch=_as_examples(1, 0, out=0),
    dtypes={"logits": FLOATING, "lengths": INDEX},
)


def _beam_shape(logits, lengths, beam_width, top_paths):
    _check_frames(logits, lengths)
    frames, batch, _ = logits.shape
    return Spec(shape=(batch, top_paths, frames), dtype=np.int64), Spec(shape=(batch, top_paths), dtype=logits.dtype)


ctc_beam_search = primitive(
    "ctc_beam_search(logits, lengths, *, beam_width, top_paths)",
    kernel={"numpy": kernels.ctc_beam_search, "jax": "nn.ctc.ctc_beam_search"},
    shape=_beam_shape,
    outputs=("labels", "scores"),
    vjp=CUT,
    batch=_as_examples(1, 0, out=0),
    dtypes={"logits": FLOATING, "lengths": INDEX},
)
