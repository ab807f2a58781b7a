"""The table of docs/saved_models.md: models that TensorFlow saved, read here, with the same results and gradients.

    python scripts/tensorflow_model_table.py write FOLDER     # where TensorFlow is installed
    python scripts/tensorflow_model_table.py read FOLDER      # here: prints the table

The models of `keras.applications` have random weights and small images.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import numpy as np

# The sides of images that each takes; the others take 32.
SIDES = {"InceptionV3": 75, "InceptionResNetV2": 75, "Xception": 71}
MODELS = """MobileNet MobileNetV2 MobileNetV3Small MobileNetV3Large EfficientNetB0 EfficientNetV2B0 DenseNet121
    ResNet50 ResNet50V2 ResNet101 InceptionV3 InceptionResNetV2 Xception NASNetMobile ConvNeXtTiny VGG16 VGG19
    DenseNet169
    DenseNet201 ResNet101V2 ResNet152 ResNet152V2 EfficientNetB1 EfficientNetB2 EfficientNetB3 EfficientNetV2B1
    EfficientNetV2S ConvNeXtSmall""".split()


# The largest number in images, where it is not 255. With random weights, models that do not scale images give
# probabilities of exactly 0 and 1 for such numbers, and gradients that are what rounding leaves (at most
# 1e-31 of NASNetMobile; TensorFlow takes some of them for zero).
LARGEST = {"NASNetMobile": 1}


def mlp(layers):
    return [layers.Dense(1024, "relu"), layers.Dense(1024, "relu"), layers.Dense(10)]


def cnn(layers):
    blocks = [(layers.Conv2D(n, 3, padding="same", activation="relu"), layers.MaxPooling2D()) for n in (32, 64, 128)]
    return [part for block in blocks for part in block] + [layers.Flatten(), layers.Dense(10)]


def lstm(layers):
    return [layers.LSTM(64), layers.Dense(4)]


def transformer(layers):
    x = start = layers.Input((None, 32))
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(4, 8)(x, x))
    return start, layers.LayerNormalization()(x + layers.Dense(32)(layers.Dense(64, "gelu")(x)))


# The models of the benchmarks: what makes the layers, and the shape of what they take.
OTHERS = {
    "MLP": (mlp, (784,)), "CNN": (cnn, (32, 32, 3)), "LSTM": (lstm, (None, 16)),
    "Transformer block": (transformer, (None, 32)),
}  # fmt: skip


def given(name):
    """What a model is called with."""
    if name in OTHERS:
        return np.random.default_rng(0).normal(size=(2, *[n or 12 for n in OTHERS[name][1]])).astype(np.float32)
    side = SIDES.get(name, 32)
    found = np.random.default_rng(0).uniform(0, LARGEST.get(name, 255), (2, side, side, 3))
    return found.astype(np.float32)


def answers(tf, model, x):
    """What it gives, and the gradient of a weighted sum of it by each variable, as the norm and the first numbers."""
    variables = sorted(model.trainable_variables, key=lambda v: v.name)
    with tf.GradientTape() as tape:
        y = model.serve(x)
        total = tf.reduce_sum(y * tf.range(float(y.shape[-1])))
    found = {"y": y.numpy()}
    for k, g in enumerate(tape.gradient(total, variables)):
        array = tf.convert_to_tensor(g).numpy().ravel()
        found[f"g{k}"] = np.array([np.sqrt(np.sum(array.astype(np.float64) ** 2)), *array[:8]])
    return found


def write(folder, names):
    import keras
    import tensorflow as tf

    for name in names or [*OTHERS, *MODELS]:
        place = folder / name
        if (place / "answers.npz").exists():
            continue
        side = SIDES.get(name, 32)
        if not (place / "saved_model.pb").exists() and not export(keras, name, side, place):
            continue
        loaded = tf.saved_model.load(str(place))
        np.savez(place / "answers.npz", **answers(tf, loaded, tf.constant(given(name))))
        print(name, flush=True)


def export(keras, name, side, place):
    """Is it saved now?"""
    keras.utils.set_random_seed(0)
    try:
        if name in OTHERS:
            make, shape = OTHERS[name]
            parts = make(keras.layers)
            is_graph = isinstance(parts, tuple)
            model = keras.Model(*parts) if is_graph else keras.Sequential([keras.Input(shape), *parts])
            model.export(str(place), verbose=False)
            return True
        make = getattr(keras.applications, name)
        model = make(weights=None, input_shape=(side, side, 3), classes=10, classifier_activation="softmax")
        model.export(str(place), verbose=False)
    except (ValueError, TypeError) as error:
        print(name, "is not made:", str(error)[:100])
        return False
    return True


def shape_of(name, x):
    return [None, *(OTHERS[name][1] if name in OTHERS else x.shape[1:])]


def read(folder, names):
    import tapeflow as tf

    print("| model | operations | results differ by | gradients differ by |")
    print("|---|---|---|---|")
    for name in names or [*OTHERS, *MODELS]:
        place = folder / name
        if not (place / "answers.npz").exists():
            continue
        with np.load(place / "answers.npz") as stored:
            wanted = dict(stored)
        model = tf.saved_model.load(place)
        x = tf.constant(given(name))
        found = answers(tf, model, x)
        results = np.abs(found["y"] - wanted["y"]).max()
        largest = max(float(w[0]) for k, w in wanted.items() if k != "y")
        gradients = max(
            np.abs(found[k] - w).max() / max(float(w[0]), 1e-3 * largest) for k, w in wanted.items() if k != "y"
        )
        count = len(model.serve.get_concrete_function(tf.TensorSpec(shape_of(name, x))).graph.nodes)
        print(f"| {name} | {count} | {results:.0e} | {gradients:.0e} |", flush=True)


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]), sys.argv[3:])
