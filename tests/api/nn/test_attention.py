"""Attention against the formula in NumPy, head by head."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.api.nn.attention import attention
from tests.rounding import close

RNG = np.random.default_rng(0)
QUERY, KEY, VALUE = (RNG.normal(size=shape) for shape in ((2, 3, 4, 5), (2, 6, 2, 5), (2, 6, 2, 7)))
BIAS, MASK = RNG.normal(size=(2, 4, 3, 6)), RNG.random((2, 4, 3, 6)) > 0.3
MASK[..., 0] = True


def by_hand(soft_cap=None, causal=False):
    key, value = (np.repeat(x, 2, axis=2) for x in (KEY, VALUE))  # two heads of the query share one
    logits = np.einsum("bqhs,bkhs->bhqk", QUERY, key) / np.sqrt(5)
    logits = logits if soft_cap is None else np.tanh(logits / soft_cap) * soft_cap
    seen = MASK & np.tri(3, 6, dtype=bool) if causal else MASK
    weights = np.exp(np.where(seen, logits + BIAS, -np.inf))
    return np.einsum("bhqk,bkhs->bqhs", weights / weights.sum(-1, keepdims=True), value)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("soft_cap", [None, 2.0])
def test_values(soft_cap, causal):
    found = attention(*map(tf.constant, (QUERY, KEY, VALUE)), bias=tf.constant(BIAS), mask=tf.constant(MASK),
        is_causal=causal, soft_cap=soft_cap)  # fmt: skip
    close(found.numpy(), by_hand(soft_cap, causal), terms=20, size=np.abs(VALUE).max())


def test_rows_that_see_nothing_have_gradients_that_are_numbers():
    query = tf.Variable(QUERY)
    with tf.GradientTape() as tape:
        y = attention(query, tf.constant(KEY), tf.constant(VALUE), mask=tf.zeros([2, 4, 3, 6], tf.bool))
    assert np.isfinite(tape.gradient(y, query).numpy()).all()
