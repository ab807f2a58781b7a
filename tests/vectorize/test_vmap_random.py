"""Random numbers in mapped functions: different or the same for each row, an error when nobody has said which."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import recorded
from tapeflow.core.random import streams
from tapeflow.vectorize.mapped import Vectorizer

ROWS = 5
X = tf.constant(np.linspace(1.0, 2.0, ROWS * 4).reshape(ROWS, 4).astype(np.float32))
LOGITS = tf.zeros([1, 1000])

# What is drawn for one row: each takes the row and returns a tensor of many numbers. First what does so by the key
# alone (and perhaps moves it), then draws whose parameters differ from row to row.
DRAWS = {
    "normal": lambda x: tf.random.normal([3, 2]),
    "normal with a location": lambda x: tf.random.normal([4], mean=x, stddev=2 * x),
    "truncated_normal": lambda x: tf.random.truncated_normal([6]),
    "uniform": lambda x: tf.random.uniform([6]),
    "uniform between bounds": lambda x: tf.random.uniform([4], 0.0, x),
    "uniform integers": lambda x: tf.random.uniform([6], 0, 10**6, tf.int32),
    "uniform with a seed": lambda x: tf.random.uniform([6], seed=3),
    "half precision": lambda x: tf.random.uniform([6], dtype=tf.float16),
    "categorical": lambda x: tf.random.categorical(LOGITS, 5),
    "shuffle": lambda x: tf.random.shuffle(tf.range(100)),
    "gamma": lambda x: tf.random.gamma([3], alpha=[1.0, 2.0]),
    "poisson": lambda x: tf.random.poisson([3], lam=[1e4, 2e4]),
    "dropout": lambda x: tf.nn.dropout(tf.ones([100]), 0.5),
    "generator": lambda x: tf.random.Generator.from_seed(1).normal([6]),
    "binomial": lambda x: tf.random.Generator.from_seed(1).binomial([6], 10**6, 0.5),
}

DRAWS_OF_ROWS = {
    "categorical": lambda x: tf.random.categorical(tf.math.log(x[None]), 200),
    "shuffle": lambda x: tf.random.shuffle(tf.concat([x, x + 1, x + 2], 0)),
    "gamma": lambda x: tf.random.gamma([3], alpha=x, beta=x),
    "poisson": lambda x: tf.random.poisson([3], lam=1e4 * x),
    "integers": lambda x: tf.random.uniform([4], 0, tf.cast(1e6 * x, tf.int32), tf.int32),
    "dropout": lambda x: tf.nn.dropout(tf.tile(x, [30]), 0.5),
}


ALL = DRAWS | {f"{name} of rows": draw for name, draw in DRAWS_OF_ROWS.items()}


def each(draws):
    return pytest.mark.parametrize("draw", draws.values(), ids=list(draws))


@pytest.fixture(autouse=True)
def _seeded():
    tf.random.set_seed(0)


def mapped(f, randomness, **options):
    return tf.vmap(f, randomness=randomness, **options)(X).numpy()


def all_differ(rows):
    return len({np.asarray(r).tobytes() for r in rows}) == len(rows)


# ---- the three choices


@each(DRAWS)
def test_different_numbers_for_each_row(draw):
    out = mapped(draw, "different")
    assert len(out) == ROWS and all_differ(out)


@pytest.mark.parametrize("name", DRAWS)
def test_the_same_numbers_for_all_rows(name):
    out = mapped(DRAWS[name], "same")
    if "bounds" in name:
        out = out / X.numpy()
    elif "location" in name:
        out = (out - X.numpy()) / (2 * X.numpy())
    np.testing.assert_allclose(out, np.broadcast_to(out[0], out.shape), rtol=1e-3)


@each(DRAWS)
def test_no_choice_is_an_error(draw):
    with pytest.raises(
        ValueError, match=r"Random numbers are drawn inside a mapped function, at .*test_vmap_random\.py"
    ):
        tf.vmap(draw)(X)


@each(ALL)
def test_vectorized_map_draws_different_numbers(draw):
    assert all_differ(tf.vectorized_map(draw, X, fallback_to_while_loop=False).numpy())


@each(ALL)
@pytest.mark.parametrize("randomness", ["same", "different"])
def test_a_seed_makes_it_reproducible(draw, randomness):
    first = mapped(draw, randomness)
    again = mapped(draw, randomness)
    tf.random.set_seed(0)
    np.testing.assert_array_equal(mapped(draw, randomness), first)
    np.testing.assert_array_equal(mapped(draw, randomness), again)


@each(DRAWS_OF_ROWS)
def test_the_same_numbers_are_those_of_one_row_alone(draw):
    """Parameters differ from row to row, the key does not: each row gives what it gives outside of a map."""
    out = mapped(draw, "same")
    for row, x in zip(out, X):
        tf.random.set_seed(0)
        np.testing.assert_allclose(row, draw(x), rtol=1e-6)


@each(ALL)
def test_each_row_draws_by_its_own_key(draw, monkeypatch):
    """A row of the map is what the function gives outside of one, with the row's key as the next key of the stream."""
    out = mapped(draw, "different")
    keys = []
    monkeypatch.setattr(Vectorizer, "_own_key", lambda self, key: keys.append(key) or key)
    tf.random.set_seed(0)
    mapped(draw, "different")
    for key, x, row in zip(recorded.split_key(keys[0], count=ROWS), X, out):
        monkeypatch.setattr(streams, "next_key", lambda _, key=key: key.array)
        monkeypatch.setattr(streams, "per_row", lambda _, key=key: key)  # a generator's keys are its own
        np.testing.assert_allclose(draw(x), row, rtol=1e-6, atol=1e-6)


def test_two_draws_in_one_function_differ():
    a, b = tf.vmap(lambda x: (tf.random.normal([4]), tf.random.normal([4])), randomness="different")(X)
    assert all_differ([*a.numpy(), *b.numpy()])
    a, b = tf.vmap(lambda x: (tf.random.normal([4]), tf.random.normal([4])), randomness="same")(X)
    assert not np.array_equal(a[0], b[0])


def test_rows_are_independent():
    out = tf.vmap(lambda x: tf.random.normal([500]), randomness="different")(tf.zeros([40])).numpy()
    correlation = np.corrcoef(out) - np.eye(40)
    assert np.abs(correlation).max() < 0.25 and abs(out.mean()) < 0.03 and abs(out.std() - 1) < 0.03


@pytest.mark.parametrize("chunk_size", [1, 2, 5, 100])
def test_chunks(chunk_size):
    assert all_differ(mapped(DRAWS["normal"], "different", chunk_size=chunk_size))
    out = mapped(DRAWS["normal"], "same", chunk_size=chunk_size)
    np.testing.assert_array_equal(out, np.stack([out[0]] * ROWS))
    assert not np.array_equal(mapped(DRAWS["normal"], "same", chunk_size=chunk_size)[0], out[0])


def test_no_rows():
    out = tf.vmap(
        lambda x: (tf.random.normal([2]), tf.random.gamma([3], x), tf.random.shuffle(x)), randomness="different"
    )(X[:0])
    assert [tuple(o.shape) for o in out] == [(0, 2), (0, 3, 4), (0, 4)]


# ---- nested maps


def nested(inner, outer, draw=lambda: tf.random.normal([3])):
    return tf.vmap(lambda x: tf.vmap(lambda e: draw(), randomness=inner)(x), randomness=outer)(X).numpy()


def test_nested_maps_all_different():
    out = nested("different", "different")
    assert out.shape == (ROWS, 4, 3)
    assert all_differ(out.reshape(-1, 3))


def test_nested_maps_differ_along_one_of_them():
    out = nested("different", "same")
    np.testing.assert_array_equal(out, np.broadcast_to(out[:1], out.shape))
    assert all_differ(out[0])
    out = nested("same", "different")
    np.testing.assert_array_equal(out, np.broadcast_to(out[:, :1], out.shape))
    assert all_differ(out[:, 0])


def test_nested_maps_the_same():
    out = nested("same", "same")
    np.testing.assert_array_equal(out, np.broadcast_to(out[0, 0], out.shape))


@pytest.mark.parametrize("inner,outer", [("error", "different"), ("different", "error")])
def test_nested_maps_with_an_error(inner, outer):
    with pytest.raises(ValueError, match="Random numbers are drawn"):
        nested(inner, outer)


@each(ALL)
def test_three_nested_maps(draw):
    f = lambda x: tf.vectorized_map(draw, tf.stack([x, x + 1]))
    out = tf.vmap(lambda i: tf.vmap(f, randomness="different")(X), randomness="different")(tf.range(2)).numpy()
    assert all_differ(out.reshape(2 * ROWS * 2, -1))


# ---- seeds and generators of one's own


def test_stateless_functions_need_no_choice():
    out = tf.vmap(lambda x: x + tf.random.stateless_normal([4], [1, 2]))(X)
    np.testing.assert_allclose(out, X + tf.random.stateless_normal([4], [1, 2]), rtol=1e-6)


SEEDS = [[1, 2], [-3, 4], [1, 3], [2**31 - 1, -(2**31)]]
STATELESS = {
    "normal": lambda seed: tf.random.stateless_normal([3], seed),
    "truncated_normal": lambda seed: tf.random.stateless_truncated_normal([3], seed),
    "uniform": lambda seed: tf.random.stateless_uniform([3], seed, -1, 1),
    "integers": lambda seed: tf.random.stateless_uniform([3], seed, 0, 10**6, tf.int32),
    "all integers": lambda seed: tf.random.stateless_uniform([3], seed, None, None, tf.uint32),
    "gamma": lambda seed: tf.random.stateless_gamma([2, 2], seed, [1.0, 3.0]),
    "poisson": lambda seed: tf.random.stateless_poisson([3], seed, 1e4),
    "binomial": lambda seed: tf.random.stateless_binomial([3], seed, 10**6, 0.3),
    "categorical": lambda seed: tf.random.stateless_categorical(LOGITS, 4, seed),
    "shuffle": lambda seed: tf.random.experimental.stateless_shuffle(tf.range(100), seed),
    "index_shuffle": lambda seed: tf.random.experimental.index_shuffle(tf.range(100), seed, 10**6),
    "parameterized_truncated_normal": lambda seed: tf.random.stateless_parameterized_truncated_normal(
        [3], seed, [0.0, 1.0, 2.0], 2.0
    ),
    "split": lambda seed: tf.random.split(seed, 3),
    "fold_in": lambda seed: tf.random.fold_in(seed, 7),
    "dropout": lambda seed: tf.nn.experimental.stateless_dropout(tf.ones([100]), 0.5, seed),
}


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
@each(STATELESS)
def test_stateless_functions_with_a_seed_for_each_row(draw, dtype):
    seeds = tf.constant(SEEDS, dtype)
    out = tf.vmap(draw)(seeds).numpy()
    assert all_differ(out)
    np.testing.assert_allclose(out, np.stack([draw(seed).numpy() for seed in seeds]), rtol=1e-6)


def test_fold_in_the_number_of_the_row():
    out = tf.vmap(lambda i: tf.random.fold_in([1, 2], i))(tf.range(4)).numpy()
    np.testing.assert_array_equal(out, np.stack([tf.random.fold_in([1, 2], i) for i in range(4)]))
    both = tf.vmap(tf.random.fold_in)(tf.constant(SEEDS), tf.constant([5, -1, 0, 7])).numpy()
    np.testing.assert_array_equal(both, np.stack([tf.random.fold_in(s, i) for s, i in zip(SEEDS, (5, -1, 0, 7))]))


def test_a_generator_moves_on_as_for_one_row():
    generator, twin = tf.random.Generator.from_seed(3), tf.random.Generator.from_seed(3)
    same = tf.vmap(lambda x: generator.normal([2]) + 0 * x[:2], randomness="same")(X)
    np.testing.assert_allclose(same, np.stack([twin.normal([2])] * ROWS))
    np.testing.assert_array_equal(generator.state, twin.state)
    different = tf.vmap(lambda x: generator.normal([2]), randomness="different")(X)
    assert all_differ(different.numpy())
    twin.normal([2])
    np.testing.assert_array_equal(generator.state, twin.state)
    np.testing.assert_array_equal(generator.normal([2]), twin.normal([2]))


def test_the_global_generator_may_be_first_used_in_a_map(monkeypatch):
    monkeypatch.setattr(tf.api.random.generator, "_global", None)
    draw = lambda x: tf.random.get_global_generator().normal([3])
    assert all_differ(tf.vectorized_map(draw, X).numpy())
    assert tf.random.get_global_generator().normal([3]).shape == (3,)


# ---- programs


def test_gradients_through_draws_in_a_map():
    """Reparameterised draws: the gradient for the location is that of the sum, for the scale the noise itself."""
    scale = tf.Variable(2.0)

    def loss(x):
        noise = tf.random.normal([4])
        return tf.reduce_sum((x + scale * noise) ** 2), noise

    with tf.GradientTape() as tape:
        tape.watch(X)
        losses, noise = tf.vmap(loss, randomness="different")(X)
    d_x, d_scale = tape.gradient(losses, [X, scale])
    assert all_differ(noise.numpy())
    np.testing.assert_allclose(d_x, 2 * (X + 2 * noise), rtol=1e-5)
    np.testing.assert_allclose(d_scale, tf.reduce_sum(2 * (X + 2 * noise) * noise), rtol=1e-5)


def test_gradients_of_gamma_draws_in_and_through_a_map():
    def slope(alpha):
        with tf.GradientTape() as tape:
            tape.watch(alpha)
            y = tf.random.gamma([3], alpha)
        return tape.gradient(y, alpha)

    alphas = tf.constant([0.5, 2.0, 2.0])
    inside = tf.vmap(slope, randomness="different")(alphas)
    assert inside.shape == (3,) and inside[1] != inside[2]
    tf.random.set_seed(0)
    with tf.GradientTape() as tape:
        tape.watch(alphas)
        y = tf.vmap(lambda a: tf.random.gamma([3], a), randomness="different")(alphas)
    np.testing.assert_allclose(tape.gradient(y, alphas), inside, rtol=1e-5)


def test_per_example_gradients_with_dropout():
    w = tf.constant(np.ones((4, 50), np.float32))

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(w)
            y = tf.reduce_sum(tf.nn.dropout(tf.linalg.matvec(w, x, transpose_a=True), 0.5))
        return tape.gradient(y, w)

    out = tf.vmap(gradient, randomness="different")(X).numpy()
    assert all_differ(out)
    kept = out[:, 0] / X.numpy()[:, :1]
    np.testing.assert_allclose(np.unique(kept.round(4)), [0.0, 2.0])
    same = tf.vmap(gradient, randomness="same")(X).numpy()
    np.testing.assert_allclose(
        same / X.numpy()[:, :, None], np.broadcast_to(same[0] / X.numpy()[0, :, None], same.shape), rtol=1e-5
    )


def test_monte_carlo_in_one_map():
    """The area of a quarter circle, from 200 estimates at once."""
    inside = lambda _: tf.reduce_mean(tf.cast(tf.reduce_sum(tf.random.uniform([100, 2]) ** 2, 1) < 1, tf.float32))
    estimates = tf.vmap(inside, randomness="different")(tf.range(200)).numpy()
    assert abs(estimates.mean() - np.pi / 4) < 0.01
    assert abs(estimates.std() - np.sqrt(np.pi / 4 * (1 - np.pi / 4) / 100)) < 0.01
