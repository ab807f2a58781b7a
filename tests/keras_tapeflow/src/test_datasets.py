"""Keras models take tf.data datasets: fit, evaluate, predict."""

import keras
import numpy as np
import pytest

import tapeflow as tf

X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
Y = (X.sum(1) > 0).astype(np.float32)


def model():
    made = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    made.compile("sgd", "mse")
    made.set_weights([np.full((3, 1), 0.1, np.float32), np.zeros(1, np.float32)])
    return made


class Steps(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.counts = []

    def on_epoch_begin(self, epoch, logs=None):
        self.counts.append(0)

    def on_train_batch_end(self, batch, logs=None):
        self.counts[-1] += 1


def data():
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(16)


def test_the_same_as_with_arrays():
    steps = Steps()
    history = model().fit(data().prefetch(2), epochs=3, verbose=0, callbacks=[steps], validation_data=data()).history
    other = model().fit(X, Y, batch_size=16, shuffle=False, epochs=3, verbose=0, validation_data=(X, Y)).history
    assert steps.counts == [3, 3, 3]
    np.testing.assert_allclose(history["loss"], other["loss"], rtol=1e-5)
    np.testing.assert_allclose(history["val_loss"], other["val_loss"], rtol=1e-5)


def test_evaluate_and_predict():
    m = model()
    assert m.evaluate(data(), verbose=0) == pytest.approx(m.evaluate(X, Y, verbose=0), rel=1e-5)
    np.testing.assert_allclose(m.predict(data().map(lambda x, y: x), verbose=0), m.predict(X, verbose=0), rtol=1e-5)


def test_endless_and_weighted():
    steps = Steps()
    model().fit(data().repeat(), steps_per_epoch=5, epochs=2, verbose=0, callbacks=[steps])
    assert steps.counts == [5, 5]
    weights = np.where(Y == 1, 3.0, 1.0).astype(np.float32)
    weighted = tf.data.Dataset.from_tensor_slices((X, Y, weights)).batch(16)
    by_class = model().fit(data(), class_weight={0: 1.0, 1: 3.0}, verbose=0).history["loss"]
    np.testing.assert_allclose(model().fit(weighted, verbose=0).history["loss"], by_class, rtol=1e-5)


def test_targets_belong_into_the_dataset():
    with pytest.raises(ValueError, match="the targets should be included"):
        model().fit(data(), Y)
