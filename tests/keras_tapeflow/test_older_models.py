"""Configurations of Keras 2 in the words of Keras 3: what changes nothing is let go, the rest is refused by name."""

import pytest

import tapeflow as tf  # noqa: F401  (chooses how Keras computes)

keras = pytest.importorskip("keras")
from keras_tapeflow.older_models import compile_arguments, modern  # noqa: E402


def layer(name, **config):
    return {"class_name": name, "config": {"name": "x", **config}}


def test_words_that_change_nothing():
    assert modern(layer("LSTM", units=2, time_major=False, implementation=2))["config"] == {"name": "x", "units": 2}
    assert modern(layer("Conv2DTranspose", filters=2, groups=1))["config"] == {"name": "x", "filters": 2}
    assert modern(layer("LeakyReLU", alpha=0.5))["config"] == {"name": "x", "negative_slope": 0.5}
    assert modern(layer("Mine", anything=5)) == layer("Mine", anything=5)
    assert (
        modern(layer("Dense", units=1, dtype={"class_name": "Policy", "config": {"name": "mixed_float16"}}))["config"][
            "dtype"
        ]
        == "mixed_float16"
    )


@pytest.mark.parametrize(
    ("config", "match"),
    [
        (layer("LSTM", units=2, time_major=True), "LSTM of Keras 2 has time_major=True"),
        (layer("Conv2DTranspose", filters=2, groups=2), "Conv2DTranspose of Keras 2 has groups=2"),
        (layer("BatchNormalization", virtual_batch_size=4), "virtual_batch_size=4"),
        (layer("Bidirectional", layer=layer("GRU", units=2, time_major=True)), "GRU of Keras 2 has time_major=True"),
    ],
)
def test_words_that_change_something(config, match):
    with pytest.raises(ValueError, match=match):
        modern(config)


def test_calls_with_tensors_by_keyword():
    made = modern(layer("Attention") | {"inbound_nodes": [[["a", 0, 0, {"value": ["b", 0, 1]}]]]})
    [node] = made["inbound_nodes"]
    assert node["kwargs"]["value"]["config"]["keras_history"] == ["b", 0, 1]
    plain = [[["a", 0, 0, {}], ["b", 0, 0, {}]]]
    assert modern(layer("Add") | {"inbound_nodes": plain})["inbound_nodes"] == plain


def test_how_a_model_was_compiled():
    loss = {
        "class_name": "BinaryCrossentropy",
        "config": {"reduction": "auto", "axis": -1, "fn": "binary_crossentropy"},
    }
    metric = {"class_name": "MeanMetricWrapper", "config": {"name": "acc", "fn": "binary_accuracy"}}
    optimizer = {
        "class_name": "Custom>SGD",
        "config": {"learning_rate": 0.5, "decay": 0.0, "is_legacy_optimizer": True},
    }
    found = compile_arguments({"optimizer_config": optimizer, "loss": {"a": loss, "b": "mse"}, "metrics": [[metric]]})
    assert isinstance(found["loss"]["a"], keras.losses.BinaryCrossentropy) and found["loss"]["b"] == "mse"
    assert found["metrics"] == [["binary_accuracy"]] and float(found["optimizer"].learning_rate) == 0.5
    optimizer["config"]["decay"] = 0.1
    with pytest.raises(ValueError, match=r"SGD of Keras 2 has decay=0\.1"):
        compile_arguments({"optimizer_config": optimizer})
