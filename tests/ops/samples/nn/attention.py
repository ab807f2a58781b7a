import numpy as np
from scipy import special

from tests.ops.samples.sample import normal, of


def _weights(query, key, bias, mask, causal):
    """Of all heads, those that share a key side by side."""
    group = query.shape[2] // key.shape[2] if key.shape[2] else 1
    key = np.repeat(key, group, axis=2)
    logits = np.einsum("bqhd,bkhd->bhqk", query, key) + bias
    seen = mask & (np.tri(*logits.shape[-2:], dtype=bool) if causal else True)
    return special.softmax(np.where(seen, logits, np.finfo(float).min / 2), axis=-1), key, group, seen


def _attention(query, key, value, bias, mask, causal):
    weights, _, group, _ = _weights(query, key, bias, mask, causal)
    return np.einsum("bhqk,bkhd->bqhd", weights, np.repeat(value, group, axis=2))


def _shared(x, group):
    batch, length, heads, size = x.shape
    return x.reshape(batch, length, heads // group, group, size).sum(3)


def _gradients(query, key, value, bias, mask, g_out, causal):
    weights, keys, group, seen = _weights(query, key, bias, mask, causal)
    slope = np.einsum("bqhd,bkhd->bhqk", g_out, np.repeat(value, group, axis=2))
    slope = np.where(seen, weights * (slope - np.sum(weights * slope, -1, keepdims=True)), 0)
    return (
        np.einsum("bhqk,bkhd->bqhd", slope, keys),
        _shared(np.einsum("bhqk,bqhd->bkhd", slope, query), group),
        _shared(np.einsum("bhqk,bqhd->bkhd", weights, g_out), group),
    )


_QUERY, _KEY, _VALUE = normal(2, 3, 4, 2), normal(2, 5, 2, 2, seed="key"), normal(2, 5, 2, 3, seed="value")
_NONE, _ALL = np.zeros((1, 1, 1, 1)), np.ones((1, 1, 1, 1), bool)
_MASK = normal(2, 4, 3, 5) > -0.7
_MASK[..., 0] = True
_BLIND = np.zeros((1, 1, 3, 5), bool)
_BLIND[..., 1:, 1:] = True  # the first query sees nothing
_CASES = [
    ((_QUERY, _KEY, _VALUE, _NONE, _ALL), False),
    ((_QUERY, _KEY, _VALUE, normal(2, 4, 3, 5, seed="bias"), _MASK), False),
    ((_QUERY, _KEY, _VALUE, normal(1, 4, 1, 5, seed="bias"), _BLIND), False),
    ((_QUERY[:, :, :2], _KEY, _VALUE, _NONE, _ALL), True),
    ((_QUERY, _KEY, _VALUE, normal(4, 1, 5)[None], _MASK[:, :1]), True),
]
_EMPTY = (_QUERY[:, :0], _KEY, _VALUE, _NONE, _ALL)

SAMPLES = {
    "attention": [
        *(of(*args, causal=causal, reference=_attention) for args, causal in _CASES),
        of(*_EMPTY, causal=False, reference=_attention),
    ],
    "attention_grad": [
        *(of(*args, normal(*args[0].shape[:3], 3, seed="g"), causal=causal, reference=_gradients)
          for args, causal in _CASES),
        of(*_EMPTY, np.zeros((2, 0, 4, 3)), causal=False, reference=_gradients),
    ],
}  # fmt: skip
