"""Keras' TensorBoard callback on our summaries, read back by TensorBoard's own reader."""

import json

import numpy as np
import pytest

import tapeflow as tf

pytest.importorskip("tensorboard")
pytest.importorskip("tensorboardX")
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.util import tensor_util

keras = tf.keras


def read(path):
    return EventAccumulator(str(path), size_guidance={"tensors": 0}).Reload()


def values(events, tag):
    return {e.step: tensor_util.make_ndarray(e.tensor_proto) for e in events.Tensors(tag)}


def trained(tmp_path, epochs=2, model=None, **options):
    keras.utils.set_random_seed(0)
    if model is None:
        model = keras.Sequential(
            [keras.Input((4,)), keras.layers.Dense(3, activation="relu", name="hidden"), keras.layers.Dense(1)],
            name="net",
        )
    model.compile("sgd", "mse", metrics=["mae"])
    x = np.random.default_rng(0).normal(size=(16, 4)).astype("float32")
    callback = keras.callbacks.TensorBoard(tmp_path, **options)
    history = model.fit(
        x,
        x.sum(1, keepdims=True),
        batch_size=4,
        epochs=epochs,
        verbose=0,
        callbacks=[callback],
        validation_data=(x[:4], x[:4, :1]),
    )
    return history.history


def test_curves_of_epochs_are_the_history(tmp_path):
    history = trained(tmp_path, write_graph=False)
    train, validation = read(tmp_path / "train"), read(tmp_path / "validation")
    assert {"epoch_loss", "epoch_mae", "epoch_learning_rate"} == set(train.Tags()["tensors"])
    np.testing.assert_allclose(list(values(train, "epoch_loss").values()), history["loss"], rtol=1e-6)
    np.testing.assert_allclose(list(values(validation, "epoch_loss").values()), history["val_loss"], rtol=1e-6)
    # By the optimizer's count of steps, too: 4 batches in each epoch.
    assert list(values(validation, "evaluation_loss_vs_iterations")) == [4, 8]


def test_histograms_and_pictures_of_weights(tmp_path):
    trained(tmp_path, histogram_freq=1, write_images=True, write_graph=False)
    train = read(tmp_path / "train")
    histogram = values(train, "net/hidden/kernel/histogram")
    assert list(histogram) == [0, 1]
    assert histogram[0].shape == (30, 3) and histogram[0][:, 2].sum() == 12
    picture = values(train, "net/hidden/kernel/image")[0]
    assert picture[:2].tolist() == [b"4", b"3"]


def test_graph_of_the_model_and_of_the_training_step(tmp_path):
    trained(tmp_path, write_graph=True)
    train = read(tmp_path / "train")
    model = json.loads(values(train, "keras")[0].item())
    assert [layer["class_name"] for layer in model["config"]["layers"]][-2:] == ["Dense", "Dense"]
    assert train.SummaryMetadata("keras").plugin_data.plugin_name == "graph_keras_model"
    assert any(node.op == "matmul" for node in train.Graph().node)


def test_curves_of_batches(tmp_path):
    trained(tmp_path, update_freq="batch", write_steps_per_second=True)
    train = read(tmp_path / "train")
    assert list(values(train, "batch_loss")) == list(range(1, 9))
    assert list(values(train, "batch_steps_per_second")) == list(range(1, 9))
    trained(tmp_path / "second", update_freq=2)
    assert list(values(read(tmp_path / "second" / "train"), "batch_loss")) == [2, 4, 6, 8]


class Watched(keras.layers.Layer):
    def call(self, x):
        tf.summary.scalar("mean_output", tf.reduce_mean(x))
        return x


def test_a_layer_writes_summaries_of_its_own(tmp_path):
    """In the first step, which is eager, and in the graph after it."""
    model = keras.Sequential([keras.Input((4,)), Watched(), keras.layers.Dense(1)])
    trained(tmp_path, model=model, update_freq=2)
    assert list(values(read(tmp_path / "train"), "mean_output")) == [2, 4, 6, 8]


def test_a_layer_that_writes_is_not_tried_on_xla(tmp_path, monkeypatch):
    """XLA writes no summaries: fit failed at the step where it was to be tried."""
    monkeypatch.setattr("keras_tapeflow.src.steps._WORTH", 0)
    model = keras.Sequential([keras.Input((4,)), Watched(), keras.layers.Dense(1)])
    trained(tmp_path, model=model, update_freq="batch", epochs=30)
    assert model.train_function.chosen == "plan"
    assert list(values(read(tmp_path / "train"), "mean_output")) == list(range(1, 121))


def test_profiled_batches_leave_a_trace(tmp_path):
    trained(tmp_path, profile_batch=(2, 3), write_graph=False)
    [trace] = (tmp_path / "train").rglob("*.trace.json.gz")
    import gzip

    spans = json.loads(gzip.decompress(trace.read_bytes()))["traceEvents"]
    assert [span["args"]["step_num"] for span in spans] == [1, 2]
    assert "batch_3" in read(tmp_path / "train").Tags()["tensors"]
