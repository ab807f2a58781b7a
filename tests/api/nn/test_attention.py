"""Attention against the formula in NumPy, head by head."""

import tracemalloc

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.api.nn import attention as module
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


@pytest.fixture(params=["weights at once", "weights by blocks"])
def way(request, monkeypatch):
    """Short sequences, and those that are long enough not to keep the weights."""
    monkeypatch.setattr(module, "_KEPT", 1 << 20 if request.param == "weights at once" else 0)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("soft_cap", [None, 2.0])
@pytest.mark.usefixtures("way")
def test_values(soft_cap, causal):
    found = attention(*map(tf.constant, (QUERY, KEY, VALUE)), bias=tf.constant(BIAS), mask=tf.constant(MASK),
        is_causal=causal, soft_cap=soft_cap)  # fmt: skip
    close(found.numpy(), by_hand(soft_cap, causal), terms=20, size=np.abs(VALUE).max())


@pytest.mark.parametrize("in_function", [False, True])
@pytest.mark.parametrize("shape", [(2, 4, 3, 6), (3, 6)])
def test_gradients_are_the_same_both_ways(monkeypatch, shape, in_function):
    bias, mask = (tf.reshape(tf.constant(x)[:1, :1] if len(shape) == 2 else tf.constant(x), shape)
        for x in (BIAS, MASK))  # fmt: skip
    sources = [*map(tf.constant, (QUERY, KEY, VALUE)), bias]

    def gradients():
        with tf.GradientTape() as tape:
            tape.watch(sources)
            y = attention(*sources[:3], bias=sources[3], mask=mask, is_causal=True)
            target = tf.reduce_sum(y**2)
        return tape.gradient(target, sources)

    found = []
    for kept in (1 << 20, 0):
        monkeypatch.setattr(module, "_KEPT", kept)
        found.append((tf.function(gradients) if in_function else gradients)())
    for a, b in zip(*found):
        close(a.numpy(), b.numpy(), terms=100, size=10)


def test_memory_does_not_grow_with_the_square_of_the_length():
    """All weights of 3,000 positions are 36 MB, and a tape of separate operations kept them three times."""
    x = tf.random.normal([1, 3000, 1, 8])
    tracemalloc.start()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = attention(x, x, x, is_causal=True)
    tape.gradient(y, x)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6


@pytest.mark.usefixtures("way")
def test_rows_that_see_nothing_have_gradients_that_are_numbers():
    query = tf.Variable(QUERY)
    with tf.GradientTape() as tape:
        y = attention(query, tf.constant(KEY), tf.constant(VALUE), mask=tf.zeros([2, 4, 3, 6], tf.bool))
    assert np.isfinite(tape.gradient(y, query).numpy()).all()
