"""`model.export` as ONNX and StableHLO: what the files compute is what the model predicts."""

import keras
import numpy as np
import onnxruntime
import pytest
from keras import layers

import tapeflow as tf
from tests.rounding import close


def normal(*shape):
    return np.random.default_rng(0).normal(size=shape).astype(np.float32)


def convolutional():
    return keras.Sequential(
        [
            keras.Input((12, 12, 3)),
            layers.Conv2D(4, 3, padding="same", activation="relu"),
            layers.BatchNormalization(),
            layers.MaxPooling2D(),
            layers.DepthwiseConv2D(3, strides=2),
            layers.AveragePooling2D(2, padding="same", strides=1),
            layers.GlobalAveragePooling2D(),
            layers.Dropout(0.3),
            layers.Dense(5, activation="softmax"),
        ]
    ), [(normal(n, 12, 12, 3),) for n in (1, 3)]


def recurrent():
    model = keras.Sequential(
        [
            keras.Input((None, 4)),
            layers.Bidirectional(layers.LSTM(3, return_sequences=True)),
            layers.GRU(4),
            layers.Dense(2),
        ]
    )
    return model, [(normal(2, 5, 4),), (normal(3, 2, 4),)]


def recurrent_with_state():
    x, h, c = keras.Input((5, 3)), keras.Input((4,)), keras.Input((4,))
    model = keras.Model([x, h, c], layers.LSTM(4, return_state=True)(x, initial_state=[h, c]))
    return model, [(normal(n, 5, 3), normal(n, 4), normal(n, 4)) for n in (1, 2)]


def transformer():
    tokens = keras.Input((None,), dtype="int32")
    x = layers.Embedding(20, 8, mask_zero=True)(tokens)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 4)(x, x, use_causal_mask=True))
    x = layers.Dense(8)(layers.Dense(16, activation="gelu")(x))
    model = keras.Model(tokens, layers.Dense(3)(layers.GlobalAveragePooling1D()(x)))
    return model, [(np.array([[1, 2, 3, 0]], np.int32),), (np.array([[1, 2], [3, 4]], np.int32),)]


def generator():
    model = keras.Sequential(
        [
            keras.Input((6,)),
            layers.Dense(3 * 3 * 4),
            layers.Reshape((3, 3, 4)),
            layers.Conv2DTranspose(4, 4, strides=2, padding="same"),
            layers.LeakyReLU(),
            layers.UpSampling2D(interpolation="bilinear"),
            layers.Conv2DTranspose(3, 3, strides=2, activation="tanh"),
        ]
    )
    return model, [(normal(n, 6),) for n in (1, 2)]


MODELS = [convolutional, recurrent, recurrent_with_state, transformer, generator]


def by_onnx(path, inputs):
    session = onnxruntime.InferenceSession(str(path))
    return session.run(None, {i.name: x for i, x in zip(session.get_inputs(), inputs, strict=True)})


def by_jax(path, inputs):
    import jax

    return jax.export.deserialize(path.read_bytes()).call(*inputs)


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
@pytest.mark.parametrize(("format", "run"), [("onnx", by_onnx), ("stablehlo", by_jax)], ids=["onnx", "stablehlo"])
def test_predictions(make, format, run, tmp_path):
    keras.utils.set_random_seed(0)
    model, batches = make()
    model.export(tmp_path / "model", format=format, verbose=False)
    for inputs in batches:
        want = tf.nest.flatten(model(inputs[0] if len(inputs) == 1 else list(inputs), training=False))
        for got, expected in zip(run(tmp_path / "model", inputs), want, strict=True):
            close(np.asarray(got), expected.numpy(), terms=100, size=1.0)


def test_what_draws_random_numbers_is_refused(tmp_path):
    class Noisy(layers.Layer):
        def call(self, x):
            return x + keras.random.normal((3,))

    model = keras.Sequential([keras.Input((3,)), Noisy()])
    with pytest.raises(tf.export.CannotBeExported, match="cannot be exported to ONNX"):
        model.export(tmp_path / "model", format="onnx")


def test_unknown_formats_are_named_with_those_there_are(tmp_path):
    """Keras' list had not those of this backend."""
    model = keras.Sequential([keras.Input((3,)), layers.Dense(1)])
    with pytest.raises(ValueError, match=r"Unrecognized format=stone.*'onnx', 'tensorflow', 'stablehlo'"):
        model.export(tmp_path / "model", format="stone")


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_saved_models_of_tensorflow(make, tmp_path):
    """TensorFlow is not here: what it needs is in the files."""
    from tapeflow.io.model_messages import SavedModel, parsed

    model, _ = make()
    model.export(tmp_path / "model", format="tensorflow", verbose=False)
    [meta] = parsed(SavedModel, str(tmp_path / "model" / "saved_model.pb")).meta_graphs
    assert set(meta.signature_def) == {"serve", "serving_default"}
    assert len(meta.signature_def["serve"].inputs) == len(model.inputs)
    variables = [o for o in meta.object_graph_def.nodes if o.HasField("variable")]
    assert len(variables) == len(model.variables) - sum("seed" in v.path for v in model.variables)
