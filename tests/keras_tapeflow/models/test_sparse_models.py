"""Models of sparse data: layers, `fit` of sparse arrays and generators, sparse gradients in optimizers, layers that
make sparse tensors."""

import keras
import numpy as np
import pytest

import tapeflow as tf
from tests.rounding import close

rng = np.random.default_rng(0)
X = (rng.normal(size=(20, 6)) * (rng.random((20, 6)) < 0.3)).astype(np.float32)
Y = X @ rng.normal(size=(6, 1)).astype(np.float32)


def linear(**how):
    inputs = keras.Input((6,), sparse=True)
    model = keras.Model(inputs, keras.layers.Dense(1, kernel_initializer="zeros")(inputs))
    model.compile("sgd", "mse", **how)
    return model


def scipy_matrix():
    return pytest.importorskip("scipy.sparse").coo_matrix(X)


@pytest.mark.parametrize("made", [lambda: tf.sparse.from_dense(X), scipy_matrix], ids=["tensor", "scipy"])
@pytest.mark.parametrize("jit", [True, False])
def test_fit_is_that_of_dense_data(made, jit):
    sparse, dense = linear(jit_compile=jit), linear(jit_compile=False)
    for model, x in ((sparse, made()), (dense, X)):
        model.fit(x, Y, batch_size=8, epochs=3, shuffle=False, validation_split=0.2, verbose=0)
    np.testing.assert_allclose(sparse.get_weights()[0], dense.get_weights()[0], rtol=1e-5)
    np.testing.assert_allclose(sparse.predict(made(), verbose=0), dense.predict(X, verbose=0), rtol=1e-5)
    np.testing.assert_allclose(sparse.evaluate(made(), Y, verbose=0), dense.evaluate(X, Y, verbose=0), rtol=1e-5)


def test_batches_are_sparse_and_shuffled():
    seen = []

    class Seeing(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(1)

        def call(self, x):
            seen.append(x)
            return self.dense(x)

    model = Seeing()
    model.compile("sgd", "mse", run_eagerly=True)
    model.fit(tf.sparse.from_dense(X), Y, batch_size=8, verbose=0)
    batches = [x for x in seen if isinstance(x, tf.SparseTensor)]
    assert [x.shape[0] for x in batches] == [8, 8, 4]
    rows = np.concatenate([tf.sparse.to_dense(x).numpy() for x in batches])
    assert not np.array_equal(rows, X)
    np.testing.assert_array_equal(rows[np.lexsort(rows.T)], X[np.lexsort(X.T)])


def test_a_generator_may_give_sparse_batches():
    model = linear()
    model.fit(
        ((m, Y[:8]) for m in [scipy_matrix().tocsr()[:8], tf.sparse.from_dense(X[:8])]),
        steps_per_epoch=2,
        shuffle=False,
        verbose=0,
    )
    assert np.abs(model.get_weights()[0]).sum() > 0


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "adagrad", "rmsprop", "ftrl", "lion", "adadelta"])
def test_an_embedding_learns_the_same_eagerly_in_graphs_and_of_dense_gradients(optimizer):
    """Its gradient has the rows that were taken, some of them twice."""
    ids = np.array([[1, 1, 3], [4, 1, 0]])
    start = rng.normal(size=(6, 2)).astype(np.float32)

    def trained(dense, **how):
        class Mean(keras.Model):
            def __init__(self):
                super().__init__()
                self.table = self.add_weight(shape=(6, 2))
                self.table.assign(start)

            def call(self, x):
                taken = (
                    keras.ops.matmul(keras.ops.one_hot(x, 6), self.table)
                    if dense
                    else keras.ops.take(self.table, x, axis=0)
                )
                return keras.ops.mean(taken, axis=1)

        model = Mean()
        model.compile(keras.optimizers.get({"class_name": optimizer, "config": {"learning_rate": 0.1}}), "mse", **how)
        model.fit(ids, np.ones((2, 2), np.float32), epochs=4, verbose=0, shuffle=False)
        return model.table.numpy()

    expected = trained(True, jit_compile=False)
    # Steps go by the sign of a sum of roundings where a gradient is nearly 0; four of them, of a tenth each.
    close(trained(False, run_eagerly=True), expected, terms=40, size=1.0)
    close(trained(False, jit_compile=False), expected, terms=40, size=1.0)


def test_a_model_with_an_embedding_runs_as_a_graph(caplog):
    model = keras.Sequential([keras.layers.Embedding(10, 2), keras.layers.Flatten(), keras.layers.Dense(1)])
    model.compile("sgd", "mse", jit_compile=False)
    with caplog.at_level("INFO", "tapeflow"):
        model.fit(np.zeros((6, 3), int), np.zeros((6, 1)), batch_size=2, verbose=0)
    assert "runs as plain Python" not in caplog.text


def test_a_gradient_reaches_sparse_inputs_of_layers():
    layer, x = keras.layers.Dense(2), tf.sparse.from_dense(X)
    layer.build((None, 6))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = keras.ops.sum(layer(x))
    np.testing.assert_allclose(
        tape.gradient(y, x).values, np.broadcast_to(layer.kernel.numpy().sum(1), X.shape)[X != 0], rtol=1e-5
    )


def test_saved_and_loaded(tmp_path):
    model = linear()
    model.save(tmp_path / "m.keras")
    loaded = keras.models.load_model(tmp_path / "m.keras")
    assert loaded.inputs[0].sparse
    np.testing.assert_array_equal(loaded(tf.sparse.from_dense(X)), model(tf.sparse.from_dense(X)))


@pytest.mark.parametrize(
    ("layer", "data"),
    [
        (lambda **how: keras.layers.CategoryEncoding(5, **how), [[1, 2], [3, 3]]),
        (lambda **how: keras.layers.IntegerLookup(vocabulary=[1, 2, 3], **how), [[1, 2], [3, 9]]),
        (lambda **how: keras.layers.StringLookup(vocabulary=["a", "b"], **how), [["a", "b"], ["x", "b"]]),
        (lambda **how: keras.layers.TextVectorization(vocabulary=["a", "b"], **how), ["a b a", "x b"]),
        (lambda **how: keras.layers.Hashing(4, **how), [["a", "b"], ["x", "b"]]),
        (lambda **how: keras.layers.Discretization(bin_boundaries=[0.0, 1.0], **how), [[0.5, 2.0], [-1.0, 0.2]]),
    ],
    ids=["category", "integer", "string", "text", "hashing", "discretization"],
)
@pytest.mark.parametrize("mode", ["multi_hot", "count"])
def test_layers_that_encode_give_sparse_tensors(layer, data, mode):
    found = layer(output_mode=mode, sparse=True)(data)
    assert isinstance(found, tf.SparseTensor)
    np.testing.assert_array_equal(tf.sparse.to_dense(found), layer(output_mode=mode)(data))


def test_a_text_as_numbers_is_not_sparse():
    with pytest.raises(ValueError, match="output_mode"):
        keras.layers.TextVectorization(output_mode="int", sparse=True)
    assert keras.layers.TextVectorization(output_mode="count", sparse=True).get_config()["sparse"]


def test_a_dataset_of_ragged_rows_is_filled_up():
    model = keras.Sequential([keras.layers.Embedding(4, 2), keras.layers.GlobalAveragePooling1D()])
    ragged = tf.ragged.constant([[1, 2, 3], [1]])
    np.testing.assert_array_equal(
        model.predict(ragged, verbose=0), model.predict(ragged.to_tensor().numpy(), verbose=0)
    )
