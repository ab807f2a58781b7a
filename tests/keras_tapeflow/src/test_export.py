"""Keras models as saved models."""

import numpy as np
import pytest

import tapeflow as tf

keras = tf.keras


def convolution(layers):
    image = [
        layers.Input([None, None, 3]),
        layers.Conv2D(4, 3, strides=2, padding="same"),
        layers.BatchNormalization(),
    ]
    return keras.Sequential([*image, layers.GlobalMaxPooling2D(), layers.Dense(2)]), (9, 8, 3)


def recurrent(layers):
    return keras.Sequential([layers.Input([None, 3]), layers.LSTM(4), layers.Dropout(0.5), layers.Dense(2)]), (5, 3)


def attention(layers):
    inputs = layers.Input([5, 8])
    attended = layers.LayerNormalization()(layers.MultiHeadAttention(2, 4)(inputs, inputs) + inputs)
    return keras.Model(inputs, layers.Dense(2)(layers.Flatten()(attended))), (5, 8)


@pytest.mark.parametrize("network", [convolution, recurrent, attention])
def test_export_serves_any_batch(network, tmp_path):
    model, shape = network(keras.layers)
    model.export(tmp_path / "m", verbose=False)
    loaded = tf.saved_model.load(tmp_path / "m")
    for batch in (1, 3):
        x = np.random.default_rng(batch).normal(size=(batch, *shape)).astype("float32")
        np.testing.assert_allclose(loaded.serve(x), model(x, training=False), rtol=1e-4, atol=1e-5)
    [out] = loaded.signatures["serving_default"](tf.constant(x)).values()
    np.testing.assert_allclose(out, loaded.serve(x))
    assert [v.shape for v in loaded.trainable_variables] == [tuple(v.shape) for v in model.trainable_variables]


def test_saving_a_model_itself(tmp_path):
    model = keras.Sequential([keras.layers.Input([3]), keras.layers.Dense(2, name="last")])
    tf.saved_model.save(model, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    x = tf.ones([4, 3])
    np.testing.assert_allclose(loaded(x), model(x))
    np.testing.assert_allclose(loaded.signatures["serving_default"](inputs=x)["output_0"], model(x))
    np.testing.assert_allclose(loaded.layers[0].kernel, model.layers[0].kernel)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(loaded(x))
    assert tape.gradient(loss, loaded.layers[0].kernel).shape == (3, 2)


def test_two_inputs_and_named_outputs(tmp_path):
    a, b = keras.layers.Input([3], name="a"), keras.layers.Input([4], name="b")
    model = keras.Model([a, b], {"y": keras.layers.Dense(2)(keras.layers.Concatenate()([a, b]))})
    model.export(tmp_path / "m", verbose=False)
    loaded, x = tf.saved_model.load(tmp_path / "m"), [tf.ones([2, 3]), tf.ones([2, 4])]
    np.testing.assert_allclose(loaded.serve(x)["y"], model(x)["y"])
    np.testing.assert_allclose(loaded.signatures["serve"](a=x[0], b=x[1])["y"], model(x)["y"])


def test_archive(tmp_path, capsys):
    model = keras.Sequential([keras.layers.Input([3]), keras.layers.Dropout(0.5)])
    archive = keras.export.ExportArchive()
    archive.track(model)
    spec = [keras.InputSpec(shape=(None, 3), dtype="float32")]
    archive.add_endpoint("infer", lambda x: model.call(x, training=False), spec)
    archive.add_endpoint("train", lambda x: model.call(x, training=True), spec)
    archive.add_variable_collection("mine", [tf.Variable(1.0)])
    with pytest.raises(ValueError, match="'infer' is already taken"):
        archive.add_endpoint("infer", model.call, spec)
    with pytest.raises(ValueError, match="must provide an `input_signature`"):
        archive.add_endpoint("other", model.call)
    with pytest.raises(ValueError, match="never been called"):
        archive.add_endpoint("other", tf.function(lambda x: x))
    archive.write_out(tmp_path / "m")
    assert "* Endpoint 'infer'" in capsys.readouterr().out
    loaded, ones = tf.saved_model.load(tmp_path / "m"), tf.ones([200, 3])
    assert loaded.infer(ones).numpy().min() == 1.0 and loaded.train(ones).numpy().min() == 0.0
    assert loaded.mine[0].numpy() == 1.0 and set(loaded.signatures) == {"infer", "train", "serving_default"}
    with pytest.raises(ValueError, match="No endpoints"):
        keras.export.ExportArchive().write_out(tmp_path / "n")
    with pytest.raises(ValueError, match="not yet been built"):
        keras.export.ExportArchive().track(keras.layers.Dense(2))


class Trained(tf.Module):
    """A model that learns after it was loaded: the step, with the optimizer's state, is a graph too."""

    def __init__(self):
        super().__init__()
        layers = keras.layers
        rest = [layers.Flatten(), layers.BatchNormalization(), layers.Dropout(0.01), layers.Dense(1)]
        self.model = keras.Sequential([layers.Input([3], dtype="int32"), layers.Embedding(8, 4), *rest])
        self.optimizer, self.loss = keras.optimizers.Adam(0.1), keras.losses.MeanSquaredError()

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.int32), tf.TensorSpec([None, 1])])
    def train(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.loss(y, self.model(x, training=True))
        variables = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return {"loss": loss}


def test_a_training_step_goes_on_after_loading(tmp_path):
    """Sizes were asked for by Keras' losses and the gradient of a variance, and slices kept a step from being a
    graph."""
    module = Trained()
    tf.saved_model.save(module, tmp_path / "m")
    loaded = tf.saved_model.load(tmp_path / "m")
    rng = np.random.default_rng(0)
    x = rng.integers(0, 8, [50, 3]).astype("int32")
    y = x.sum(1, keepdims=True).astype("float32") / 10
    losses = [float(loaded.train(x[: 50 - k % 3], y[: 50 - k % 3])["loss"]) for k in range(40)]  # of several sizes
    assert losses[-1] < 0.2 * losses[0]
    assert not np.allclose(loaded.model.layers[0].embeddings, module.model.layers[0].embeddings)
