"""Connectionist temporal classification (see `ops/nn/ctc.py`): scans through the frames, all examples side by side."""

import jax
import jax.numpy as jnp
from jax import lax

IMPOSSIBLE = -1e30  # as in `engines/numpy/nn/ctc.py`


def _moved(row, by, fill):
    """The values of states `by` places back, or with a negative number `-by` places ahead; `fill` where there are
    none."""
    return lax.pad(row, jnp.asarray(fill, row.dtype), [(0, 0, 0), (by, -by, 0)])


# ---- all alignments


def ctc_forward(emissions, skip):
    if not len(emissions):
        return emissions

    def step(before, emission):
        one, two = _moved(before, 1, IMPOSSIBLE), jnp.where(skip, _moved(before, 2, IMPOSSIBLE), IMPOSSIBLE)
        top = jnp.maximum(jnp.maximum(before, one), two)
        total = jnp.exp(before - top) + jnp.exp(one - top) + jnp.exp(two - top)
        after = top + jnp.log(total) + emission
        return after, after

    first = jnp.where(jnp.arange(emissions.shape[-1]) < 2, emissions[0], IMPOSSIBLE)
    _, rest = lax.scan(step, first, emissions[1:])
    return jnp.maximum(jnp.concatenate([first[None], rest]), IMPOSSIBLE)


def path_scan(x, weights, reverse):
    def step(near, now):
        own, weight = now
        for by in range(len(weights)):
            own = own + (_moved(weight[by] * near, -by, 0) if reverse else weight[by] * _moved(near, by, 0))
        return own, own

    if len(x) < 2:
        return x
    weights = jnp.asarray(weights)
    first, others = (x[-1], x[:-1]) if reverse else (x[0], x[1:])
    _, rest = lax.scan(step, first, (others, jnp.moveaxis(weights, 1, 0)), reverse=reverse)
    return jnp.concatenate([rest, first[None]] if reverse else [first[None], rest])


# ---- decoding


def ctc_greedy(logits, lengths, merge_repeated, blank):
    frames, batch, _ = logits.shape
    inside = jnp.arange(frames)[:, None] < lengths
    best = jnp.where(inside, jnp.argmax(logits, -1), blank)
    score = -jnp.sum(jnp.where(inside, jnp.max(logits, -1, initial=-jnp.inf), 0), axis=0)[:, None]
    new = best != blank
    if merge_repeated:
        new = new.at[1:].set(new[1:] & (best[1:] != best[:-1]))
    place = jnp.where(new, jnp.cumsum(new, 0) - 1, frames)  # beyond the end: not stored
    labels = jnp.full((batch, frames), -1, int)
    return labels.at[jnp.arange(batch)[None], place].set(best, mode="drop"), score


def ctc_beam_search(logits, lengths, beam_width, top_paths):
    """Prefix beam search with a fixed number of beams; those that do not exist have probability 0."""
    wide = logits.astype(jnp.promote_types(logits.dtype, jnp.float32))
    search = jax.vmap(lambda log_probs, length: _beams(log_probs, length, beam_width), (1, 0))
    log_probs = jax.nn.log_softmax(wide, -1)
    if logits.shape[-1] == 1:  # nothing but the blank: a label that never comes
        log_probs = jnp.pad(log_probs, [(0, 0), (0, 0), (1, 0)], constant_values=-jnp.inf)
    labels, scores = search(log_probs, lengths)
    missing = max(top_paths - beam_width, 0)
    labels = jnp.pad(labels, [(0, 0), (0, missing), (0, 0)], constant_values=-1)
    scores = jnp.pad(scores, [(0, 0), (0, missing)], constant_values=-jnp.inf)
    return labels[:, :top_paths].astype(int), scores[:, :top_paths].astype(logits.dtype)


def _beams(log_probs, length, width):
    """(labels, log-probabilities) of one example's best prefixes."""
    frames = len(log_probs)
    nothing = jnp.full(width, -jnp.inf, log_probs.dtype)
    paths = jnp.full((width, max(frames, 1)), -1, jnp.int32)
    start = paths, jnp.zeros(width, jnp.int32), nothing.at[0].set(0), nothing

    def step(beams, now):
        t, frame = now
        grown = _grown(beams, frame)
        return jax.tree.map(lambda new, old: jnp.where(t < length, new, old), grown, beams), None

    (paths, _, blank, label), _ = lax.scan(step, start, (jnp.arange(frames), log_probs))
    scores = jnp.logaddexp(blank, label)
    return jnp.where(scores[:, None] > -jnp.inf, paths[:, :frames], -1), scores


def _grown(beams, frame):
    """The best of all beams as they are and with one more label. A beam with a label more can be another one as it is:
    its probability goes there."""
    paths, sizes, blank, label = beams
    width, classes = len(sizes), len(frame) - 1
    total = jnp.logaddexp(blank, label)
    last = jnp.take_along_axis(paths, jnp.maximum(sizes - 1, 0)[:, None], 1)[:, 0]
    some = sizes > 0
    again = some[:, None] & (last[:, None] == jnp.arange(classes))
    longer = jnp.where(again, blank[:, None], total[:, None]) + frame[:-1]

    stay_blank = total + frame[-1]
    stay_label = jnp.where(some, label + frame[jnp.maximum(last, 0)], -jnp.inf)
    parent = _parents(paths, sizes, total)
    known = some & (total > -jnp.inf) & (parent < width)
    source = jnp.where(known, parent, width), jnp.maximum(last, 0)
    stay_label = jnp.logaddexp(stay_label, longer.at[source].get(mode="fill", fill_value=-jnp.inf))
    longer = longer.at[source].set(-jnp.inf, mode="drop")

    scores = jnp.concatenate([jnp.logaddexp(stay_blank, stay_label), longer.ravel()])
    best, index = lax.top_k(scores, width)
    grew = index >= width
    beam = jnp.where(grew, (index - width) // classes, index)
    new = jnp.where(grew, (index - width) % classes, -1)
    at = jnp.where(grew, sizes[beam], paths.shape[1])
    paths = paths[beam].at[jnp.arange(width), at].set(new.astype(jnp.int32), mode="drop")
    kept = jnp.minimum(index, width - 1)
    blank = jnp.where(grew, -jnp.inf, stay_blank[kept])
    return paths, sizes[beam] + grew.astype(sizes.dtype), blank, jnp.where(grew, best, stay_label[kept])


def _parents(paths, sizes, total):
    """Which beam each beam would be without its last label; the number of beams if that is none of them."""
    shorter = jnp.where(jnp.arange(paths.shape[1]) < sizes[:, None] - 1, paths, -1)
    same = (shorter[:, None] == paths[None]).all(-1) & (sizes[:, None] - 1 == sizes[None]) & (total > -jnp.inf)
    return jnp.where(same.any(1), jnp.argmax(same, 1), len(sizes))
