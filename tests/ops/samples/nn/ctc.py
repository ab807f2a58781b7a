from itertools import product

import numpy as np
from scipy import special

from tests.ops.samples.sample import normal, of

_SKIP = np.array([[False, False, False, True, False], [False, False, False, False, False]])


def _moves(skip, end):
    return [end - by for by in (0, 1, 2) if end - by >= 0 and (by < 2 or skip[end])]


def _ctc_forward(emissions, skip):
    """Every path by itself."""
    frames, batch, states = emissions.shape
    out = np.full(emissions.shape, -1e30)
    for t, b, end in product(range(frames), range(batch), range(states)):
        paths = [[end]]
        for _ in range(t):
            paths = [[before, *path] for path in paths for before in _moves(skip[b], path[0])]
        scores = [sum(emissions[k, b, s] for k, s in enumerate(path)) for path in paths if path[0] < 2]
        out[t, b, end] = special.logsumexp(scores) if scores else -1e30
    return out


def _path_scan(x, weights, reverse):
    """As a triangular system, one example at a time."""
    frames, batch, states = x.shape
    out = np.empty_like(x)
    for b in range(batch):
        system = np.eye(frames * states)
        for by, t, s in product(range(len(weights)), range(frames - 1), range(states)):
            if s >= by:
                system[(t + 1) * states + s, t * states + s - by] = -weights[by, t, b, s]
        out[:, b] = np.linalg.solve(system.T if reverse else system, x[:, b].ravel()).reshape(frames, states)
    return out


def _beams(logits, lengths, beam_width, top_paths):
    """Every labelling of every path."""
    log_probs = special.log_softmax(logits, axis=-1)
    blank = logits.shape[-1] - 1
    labels, scores = np.full((logits.shape[1], top_paths, logits.shape[0]), -1), np.empty((logits.shape[1], top_paths))
    for b, frames in enumerate(lengths):
        found = {}
        for path in product(range(blank + 1), repeat=frames):
            merged = tuple(c for k, c in enumerate(path) if c != blank and (k == 0 or path[k - 1] != c))
            found[merged] = np.logaddexp(
                found.get(merged, -np.inf), sum(log_probs[t, b, c] for t, c in enumerate(path))
            )
        best = sorted(found.items(), key=lambda item: -item[1])[:top_paths]
        for k, (path, score) in enumerate(best):
            labels[b, k, : len(path)], scores[b, k] = path, score
    return labels, scores


_GREEDY = np.array([[0, 1], [0, 2], [2, 1], [0, 1], [1, 0]])

SAMPLES = {
    "ctc_forward": [
        of(-np.abs(normal(4, 2, 5)), _SKIP, reference=_ctc_forward),
        of(-np.abs(normal(3, 1, 1)), np.zeros((1, 1), bool), reference=_ctc_forward),
        of(-np.abs(normal(1, 2, 5)), _SKIP, reference=_ctc_forward),
    ],
    "path_scan": [
        of(normal(3, 2, 4), normal(3, 2, 2, 4, seed="w"), reverse=reverse, reference=_path_scan)
        for reverse in (False, True)
    ],
    "ctc_greedy": [
        of(
            np.eye(3)[_GREEDY],
            np.array([5, 4]),
            merge_repeated=True,
            blank=2,
            reference=lambda *_, **__: (np.array([[0, 0, 1, -1, -1], [1, 1, -1, -1, -1]]), np.array([[-5.0], [-4.0]])),
        ),
        of(
            np.eye(3)[_GREEDY],
            np.array([5, 0]),
            merge_repeated=False,
            blank=1,
            reference=lambda *_, **__: (np.array([[0, 0, 2, 0, -1], [-1, -1, -1, -1, -1]]), np.array([[-5.0], [0.0]])),
        ),
    ],
    "ctc_beam_search": [of(normal(4, 2, 3), np.array([4, 3]), beam_width=100, top_paths=2, reference=_beams)],
}
