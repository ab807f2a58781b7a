"""Preprocessing layers and datasets that Keras writes with TensorFlow's functions. The numbers are TensorFlow's."""

import numpy as np
import pytest

import tapeflow as tf

keras, layers = tf.keras, tf.keras.layers
LINES = ["the cat sat on the mat", "The dog! sat.", "a cat and a dog"]
VECTORIZED = [
    (dict(max_tokens=6, output_sequence_length=6), ["", "[UNK]", "the", "sat", "dog", "cat"], [[2, 4, 1, 1, 5, 0]]),
    (
        dict(output_mode="multi_hot"),
        ["[UNK]", "the", "sat", "dog", "cat", "a", "on", "mat", "and"],
        [[1, 1, 0, 1, 1, 1, 0, 0, 0]],
    ),
    (
        dict(output_mode="tf_idf"),
        ["[UNK]", "the", "sat", "dog", "cat", "a", "on", "mat", "and"],
        [[0.8047, 0.6931, 0, 0.6931, 0.6931, 0.9163, 0, 0, 0]],
    ),
]


@pytest.mark.parametrize("options, vocabulary, want", VECTORIZED, ids=["int", "multi_hot", "tf_idf"])
def test_texts_are_vectorized(options, vocabulary, want):
    layer = layers.TextVectorization(**options)
    layer.adapt(LINES)
    assert layer.get_vocabulary() == vocabulary
    np.testing.assert_allclose(layer(["the dog ate a cat"]), want, atol=1e-4)


def test_a_vocabulary_from_a_dataset():
    layer = layers.TextVectorization(output_sequence_length=3)
    layer.adapt(tf.data.Dataset.from_tensor_slices(LINES).batch(2))
    assert layer.get_vocabulary()[2:5] == ["the", "sat", "dog"]
    [found] = tf.data.Dataset.from_tensor_slices(["the cat", "dog"]).batch(2).map(layer)
    assert found.numpy().tolist() == [[2, 5, 0], [4, 0, 0]]


def test_lookups(tmp_path):
    assert layers.StringLookup(vocabulary=["a", "b"])(np.array(["a", "z"])).numpy().tolist() == [1, 0]
    assert layers.StringLookup(vocabulary=["a", "b"], invert=True)(np.array([0, 1, 2])).numpy().tolist() == [
        b"[UNK]",
        b"a",
        b"b",
    ]
    assert layers.StringLookup(vocabulary=["a", "b"], output_mode="one_hot")(
        tf.constant(["a", "c"])
    ).numpy().tolist() == [
        [0, 1, 0],
        [1, 0, 0],
    ]
    lookup = layers.IntegerLookup()
    lookup.adapt(np.array([5, 5, 7]))
    assert lookup(np.array([7, 5, 1])).numpy().tolist() == [2, 1, 0]
    inputs = keras.Input((2,), dtype="string")
    keras.Model(inputs, layers.StringLookup(vocabulary=["a", "b"])(inputs)).save(tmp_path / "model.keras")
    assert keras.models.load_model(tmp_path / "model.keras")(tf.constant([["b", "x"]])).numpy().tolist() == [[2, 0]]


def test_hashing():
    assert layers.Hashing(5)(np.array([["a"], ["b"]])).numpy().tolist() == [[4], [2]]
    assert layers.Hashing(5)(np.array([[1], [2]])).numpy().tolist() == [[4], [4]]
    assert layers.HashedCrossing(5)((np.array([1, 2]), np.array([3, 4]))).numpy().tolist() == [1, 2]


def test_statistics_from_datasets():
    layer = layers.Normalization()
    layer.adapt(tf.data.Dataset.from_tensor_slices(np.arange(12.0).reshape(4, 3)).batch(2))
    np.testing.assert_allclose(layer(np.ones((1, 3))), [[-1.0435, -1.3416, -1.6398]], atol=1e-4)
    bins = layers.Discretization(num_bins=3)
    bins.adapt(np.arange(12.0))
    assert bins(np.array([1.0, 6.0, 11.0])).numpy().tolist() == [0, 1, 2]


@pytest.mark.parametrize("data", [lambda x, y: (x, y), lambda x, y: (x.numpy(), y)], ids=["tensor", "array"])
def test_a_model_of_texts_is_trained(data):
    inputs = keras.Input((1,), dtype="string")
    words = layers.TextVectorization(vocabulary=["the", "cat", "dog"], output_sequence_length=4)(inputs)
    outputs = layers.Dense(1)(layers.GlobalAveragePooling1D()(layers.Embedding(5, 3)(words)))
    model = keras.Model(inputs, outputs)
    model.compile(keras.optimizers.SGD(0.1), "mse")
    x, y = data(tf.constant([["the cat"], ["dog"], ["a the dog"]]), np.array([1.0, 2.0, 3.0]))
    losses = model.fit(x, y, epochs=8, batch_size=2, verbose=0).history["loss"]
    assert losses[-1] < losses[0]
    np.testing.assert_allclose(model.predict(x, verbose=0), model(x), rtol=1e-5)


def test_datasets_from_arrays():
    windows = keras.utils.timeseries_dataset_from_array(np.arange(6.0), np.arange(6.0), 3, batch_size=2)
    assert [(x.numpy().tolist(), y.numpy().tolist()) for x, y in windows][1] == ([[2, 3, 4], [3, 4, 5]], [2, 3])
    left, right = keras.utils.split_dataset(tf.data.Dataset.range(6), left_size=0.5)
    assert [[int(v) for v in part] for part in (left, right)] == [[0, 1, 2], [3, 4, 5]]


def test_datasets_from_folders(tmp_path):
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.txt").write_text(f"hello {name}")
    dataset = keras.utils.text_dataset_from_directory(tmp_path, batch_size=2, shuffle=False, verbose=False)
    assert dataset.class_names == ["a", "b"]
    [(texts, labels)] = dataset
    assert texts.numpy().tolist() == [b"hello a", b"hello b"] and labels.numpy().tolist() == [0, 1]


def test_pictures_from_folders(tmp_path):
    image = pytest.importorskip("PIL.Image")
    for name in "ab":
        (tmp_path / name).mkdir()
        image.fromarray(np.full((5, 5, 3), 7, "uint8")).save(tmp_path / name / "1.png")
    dataset = keras.utils.image_dataset_from_directory(
        tmp_path, image_size=(4, 4), batch_size=2, shuffle=False, verbose=False
    )
    [(pictures, labels)] = dataset
    assert (
        pictures.shape == (2, 4, 4, 3) and float(tf.reduce_mean(pictures)) == 7 and labels.numpy().tolist() == [0, 1]
    )
