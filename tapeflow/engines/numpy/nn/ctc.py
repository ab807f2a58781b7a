"""NumPy kernels of `ops/nn/ctc.py`: scans through the frames, and the two decoders."""

import numpy as np

# In place of log 0: finite, so that differences of impossible states are numbers; exp of it is 0.
IMPOSSIBLE = -1e30


def _moved(row, by):
    """The values of states `by` places back; impossible where there are none."""
    out = np.full_like(row, IMPOSSIBLE)
    out[:, by:] = row[:, : row.shape[1] - by]
    return out


def ctc_forward(emissions, skip):
    out = np.empty_like(emissions)
    if not len(out):
        return out
    out[0] = IMPOSSIBLE
    out[0, :, :2] = emissions[0, :, :2]
    for t in range(1, len(out)):
        before = out[t - 1]
        one, two = _moved(before, 1), np.where(skip, _moved(before, 2), IMPOSSIBLE)
        top = np.maximum(np.maximum(before, one), two)
        total = np.exp(before - top) + np.exp(one - top) + np.exp(two - top)
        np.add(top + np.log(total), emissions[t], out=out[t])
    return np.maximum(out, IMPOSSIBLE, out=out)


def path_scan(x, weights, reverse):
    out = x.copy()
    states = x.shape[-1]
    for t in range(len(weights[0]) - 1, -1, -1) if reverse else range(len(weights[0])):
        for by, weight in enumerate(weights[:, t]):
            if reverse:
                out[t, :, : states - by] += weight[:, by:] * out[t + 1, :, by:]
            else:
                out[t + 1, :, by:] += weight[:, by:] * out[t, :, : states - by]
    return out


def ctc_greedy(logits, lengths, merge_repeated, blank):
    frames, batch, _ = logits.shape
    inside = np.arange(frames)[:, None] < lengths
    best = np.where(inside, logits.argmax(-1), blank)
    score = -np.sum(np.where(inside, logits.max(-1, initial=-np.inf), 0), axis=0, dtype=logits.dtype)[:, None]
    new = best != blank
    if merge_repeated:
        new[1:] &= best[1:] != best[:-1]
    labels = np.full((batch, frames), -1, np.int64)
    for b in range(batch):
        found = best[new[:, b], b]
        labels[b, : len(found)] = found
    return labels, score


def ctc_beam_search(logits, lengths, beam_width, top_paths):
    frames, batch, _ = logits.shape
    labels = np.full((batch, top_paths, frames), -1, np.int64)
    scores = np.full((batch, top_paths), -np.inf, logits.dtype)
    shifted = logits - logits.max(-1, keepdims=True, initial=-np.inf)
    log_probs = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
    for b in range(batch):
        for k, (score, path) in enumerate(_beams(log_probs[: lengths[b], b].astype(float), beam_width)[:top_paths]):
            labels[b, k, : len(path)] = path
            scores[b, k] = score
    return labels, scores


def _beams(log_probs, width):
    """(log-probability, labels), best first: prefix beam search, where each prefix has a probability of ending in a
    blank and one of ending in its last label. The blank is the last class."""
    beams = {(): (0.0, -np.inf)}
    for frame in log_probs:
        grown: dict = {}
        for path, (blank, label) in beams.items():
            total = np.logaddexp(blank, label)
            _add(grown, path, total + frame[-1], label + frame[path[-1]] if path else -np.inf)
            for c, p in enumerate(frame[:-1]):
                _add(grown, (*path, c), -np.inf, (blank if path and path[-1] == c else total) + p)
        best = sorted(grown.items(), key=lambda item: -np.logaddexp(*item[1]))
        beams = dict(best[:width])
    return [(np.logaddexp(*ends), path) for path, ends in beams.items()]


def _add(beams, path, blank, label):
    old = beams.get(path, (-np.inf, -np.inf))
    beams[path] = np.logaddexp(old[0], blank), np.logaddexp(old[1], label)
