"""`tf.keras.layers.TFSMLayer`: a saved model, TensorFlow's or our own, as a layer of another."""

import numpy as np
import pytest

import tapeflow as tf
from tests.saved_model.tensorflow.reading import unpacked

keras = pytest.importorskip("keras")
IMAGES = np.random.default_rng(0).normal(size=(4, 6, 6, 2)).astype(np.float32)


def test_its_weights_are_those_that_the_function_reads(tmp_path):
    """They were copies: training changed them, and not the function."""
    layer = keras.layers.TFSMLayer(str(unpacked("keras3", tmp_path)))
    model = keras.Sequential([layer, keras.layers.Dense(1)])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(IMAGES))
    assert len(layer.trainable_weights) == 6 and len(layer.non_trainable_weights) == 2
    assert all(g is not None for g in tape.gradient(loss, model.trainable_variables))
    before = layer(IMAGES).numpy()
    model.compile("sgd", "mse")
    model.fit(IMAGES, np.ones((4, 1)), verbose=0)
    assert np.abs(layer(IMAGES).numpy() - before).max() > 0


@pytest.mark.parametrize(("name", "endpoint"), [("keras2", "serving_default"), ("keras3", "serve")])
def test_in_a_functional_model_that_is_saved(name, endpoint, tmp_path):
    layer = keras.layers.TFSMLayer(unpacked(name, tmp_path), call_endpoint=endpoint)
    inputs = keras.Input([6, 6, 2])
    found = layer(inputs)
    outputs = keras.layers.Dense(3)(found["dense"] if isinstance(found, dict) else found)
    model = keras.Model(inputs, outputs)
    model.compile("adam", "mse")
    model.fit(IMAGES, np.ones((4, 3)), verbose=0)
    wanted = model.predict(IMAGES, verbose=0)
    layer.filepath = str(layer.filepath)
    model.save(tmp_path / "model.keras")
    with pytest.raises(ValueError, match="safe_mode=False"):  # which functions run is said by a file elsewhere
        keras.models.load_model(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras", safe_mode=False)
    np.testing.assert_allclose(again.predict(IMAGES, verbose=0), wanted, rtol=1e-5, atol=1e-5)


def test_a_model_of_our_own(tmp_path):
    original = keras.Sequential([keras.Input([3]), keras.layers.Dense(2)])
    original.export(tmp_path / "own", verbose=False)
    layer = keras.layers.TFSMLayer(str(tmp_path / "own"))
    x = np.ones((4, 3), np.float32)
    assert (layer(x).numpy() == original(x).numpy()).all() and len(layer.trainable_weights) == 2


def test_a_module_in_a_layer_of_ones_own(tmp_path):
    """As layers for TF-Hub's modules do: the function gets `training`, and the variables are tracked by hand."""

    class Module(keras.layers.Layer):
        def __init__(self, path):
            super().__init__()
            self.loaded = tf.saved_model.load(path)

        def call(self, x, training=False):
            return self.loaded(x, training=bool(training))

    layer = Module(unpacked("keras2", tmp_path))
    mean = next(v for v in layer.loaded.variables if "moving_mean" in v.name)
    before = mean.numpy()
    assert layer(IMAGES).shape == (4, 2) and (mean.numpy() == before).all()
    layer(IMAGES, training=True)
    assert (mean.numpy() != before).any()


def test_endpoints_that_are_not_there(tmp_path):
    with pytest.raises(ValueError, match="Select another endpoint"):
        keras.layers.TFSMLayer(str(unpacked("keras3", tmp_path)), call_endpoint="nowhere")
    with pytest.raises(OSError, match="does not exist"):
        keras.layers.TFSMLayer(str(tmp_path / "nowhere"))
