"""tf.random.Generator: its state, and what moves it."""

import sys
import threading

import numpy as np
import pytest

import tapeflow as tf


def test_states():
    g = tf.random.Generator.from_seed(1)
    assert g.state.numpy().tolist() == [1, 0, 0] and g.state.dtype == tf.int64 and g.algorithm == 1
    assert tf.random.create_rng_state(-1, "philox").numpy().tolist() == [-1, -1, -1]
    assert tf.random.create_rng_state(2**64 + 5, "threefry").numpy().tolist() == [5, 1]
    assert tf.random.create_rng_state([1, 2], 1).numpy().tolist() == [0, 1, 2]
    assert tf.random.create_rng_state([5, 6, 7, 8], 1).numpy().tolist() == [5, 6, 7]
    g = tf.random.Generator.from_key_counter(7, [2, 3], "philox")
    assert g.state.numpy().tolist() == [2, 3, 7] and g.key.numpy() == 7
    assert tf.random.Generator.from_state([1, 2, 3], "philox").state.numpy().tolist() == [1, 2, 3]
    a, b = (tf.random.Generator.from_non_deterministic_state() for _ in range(2))
    assert (a.state.numpy() != b.state.numpy()).any()


@pytest.mark.parametrize(
    "make",
    [
        lambda g: g.from_state([1, 2], "philox"),
        lambda g: g.from_key_counter(1, 2, "philox"),
        lambda g: g(),
        lambda g: g.from_seed(1, alg="dice"),
        lambda g: g.from_seed(1).uniform([2], dtype=tf.int32),
    ],
)
def test_errors(make):
    with pytest.raises(ValueError):
        make(tf.random.Generator)


DRAWS = {
    "normal": lambda g: g.normal([4]),
    "uniform": lambda g: g.uniform([4]),
    "integers": lambda g: g.uniform([4], 0, 10**6, tf.int32),
    "truncated": lambda g: g.truncated_normal([4]),
    "full": lambda g: g.uniform_full_int([4]),
    "binomial": lambda g: g.binomial([4], 10**6, 0.5),
    "seeds": lambda g: g.make_seeds(4)[0],
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_move_the_state(name):
    draw, g = DRAWS[name], tf.random.Generator.from_seed(5)
    twin = tf.random.Generator(copy_from=g)
    first, second = draw(g).numpy(), draw(g).numpy()
    assert (first != second).any()
    np.testing.assert_array_equal(draw(twin).numpy(), first)
    twin.reset_from_seed(5)
    twin.skip(200 * 7 // 4 if name == "binomial" else 4)
    np.testing.assert_array_equal(draw(twin).numpy(), second)  # skipping 4 is drawing 4; binomial numbers reserve more
    state = g.state.numpy()
    third = draw(g).numpy()
    g.reset(state)
    np.testing.assert_array_equal(draw(g).numpy(), third)


def test_skip_carries_into_the_high_word():
    g = tf.random.Generator.from_key_counter(9, [-1, 0], "philox")
    assert g.skip(1).numpy().tolist() == [-1, 0, 9]
    assert g.state.numpy().tolist() == [255, 1, 9]
    g.reset_from_key_counter(3, [0, 0])
    assert g.state.numpy().tolist() == [0, 0, 3]


def test_split_leads_apart():
    parts = tf.random.Generator.from_seed(1).split(3)
    again = tf.random.Generator.from_seed(1).split(3)
    values = [float(p.normal([])) for p in parts]
    assert len(set(values)) == 3 and values == [float(p.normal([])) for p in again]


def test_seeds_are_for_stateless_functions():
    seeds = tf.random.Generator.from_seed(1).make_seeds(2)
    assert seeds.shape == (2, 2)
    assert tf.random.stateless_normal([3], seeds[:, 0]).shape == (3,)


def test_numbers_and_states_are_tensorflows():
    g = tf.random.Generator.from_seed(7)
    np.testing.assert_array_equal(g.uniform([3]).numpy(), np.float32([0.39932835, 0.7840713, 0.67880154]))
    assert g.state.numpy().tolist() == [775, 0, 0]
    g = tf.random.Generator.from_seed(7)
    seeds = [784853886890614065, 8349095772848317176, -6877555611328403100]
    assert g.make_seeds(3).numpy().tolist() == [seeds, [0, 0, 0]]
    assert [s.state.numpy().tolist() for s in g.split(2)] == [
        [0, 0, -1197497836330322934],
        [0, 0, -4841905960414321989],
    ]
    assert g.binomial([5], 10.0, 0.3).numpy().tolist()[:4] == [5, 3, 2, 1]
    assert g.state.numpy().tolist() == [103687, 0, 0]
    assert g.uniform([3], 0, 10, tf.int32).numpy().tolist() == [1, 9, 9]
    assert g.uniform_full_int([3]).numpy().tolist() == [2759281668609745215, 2461232173459993609, 14348441867432110247]


@pytest.mark.parametrize("jit", [False, True])
def test_a_function_moves_the_state(jit):
    """It used to be run as plain Python."""
    g = tf.random.Generator.from_seed(7)
    draw = tf.function(lambda: g.uniform([2]), jit_compile=jit)
    np.testing.assert_array_equal(draw().numpy(), np.float32([0.39932835, 0.7840713]))
    np.testing.assert_array_equal(draw().numpy(), np.float32([0.32115912, 0.45382512]))
    assert g.state.numpy().tolist() == [1031, 0, 0]


@pytest.mark.parametrize("how", ["eager", "function", "both"])
def test_threads_draw_different_numbers(how):
    """`skip` used to read, compute and assign without a lock."""
    g = tf.random.Generator.from_seed(3)
    eager = lambda: g.uniform([], dtype=tf.float64)
    traced = tf.function(eager)
    traced()
    draws = {"eager": [eager] * 2, "function": [traced] * 2, "both": [eager, traced]}[how]
    found = [[] for _ in range(8)]
    work = lambda k: found[k].extend([float(draws[k % 2]()) for _ in range(200)])
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
        [t.start() for t in threads]
        [t.join() for t in threads]
    finally:
        sys.setswitchinterval(before)
    assert len({x for part in found for x in part}) == 1600


def test_the_global_one(monkeypatch):
    monkeypatch.setattr("tapeflow.api.random.generator._global", None)
    tf.random.set_seed(3)
    first = tf.random.get_global_generator().normal([3]).numpy()
    tf.random.set_global_generator(None)
    tf.random.set_seed(3)
    np.testing.assert_array_equal(tf.random.get_global_generator().normal([3]).numpy(), first)
    mine = tf.random.Generator.from_seed(1)
    tf.random.set_global_generator(mine)
    assert tf.random.get_global_generator() is mine
    tf.random.set_seed(None)


def test_gradients_reach_the_parameters():
    mean = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = tf.random.Generator.from_seed(1).normal([3], mean=mean)
    assert tape.gradient(y, mean).numpy() == 3
