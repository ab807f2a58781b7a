"""Everything that saves a program's state: for each, how state n is written and which is found."""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

import tapeflow as tf

Format = tuple[Callable[[int], None], Callable[[], int]]


def only(values: Any) -> int:
    """What all these numbers are."""
    [found] = {number for value in values for number in np.ravel(value).tolist()}
    return int(found)


def checkpoint(folder: str) -> Format:
    v = tf.Variable(np.zeros(300))
    saved = tf.train.Checkpoint(v=v)

    def save(n: int) -> None:
        v.assign(np.full(300, float(n)))
        saved.write(folder + "/ck")

    return save, lambda: only([tf.train.load_variable(folder + "/ck", "v/.ATTRIBUTES/VARIABLE_VALUE")])


def manager(folder: str) -> Format:
    """As a program that is started again: it restores, goes on and saves."""

    def objects() -> Any:
        v = tf.Variable(np.zeros(300))
        return v, tf.train.CheckpointManager(tf.train.Checkpoint(v=v), folder, max_to_keep=1)

    def save(n: int) -> None:
        v, kept = objects()
        kept.restore_or_initialize()
        v.assign(np.full(300, float(n)))
        kept.save()

    def read() -> int:
        v, kept = objects()
        assert kept.restore_or_initialize() == tf.train.latest_checkpoint(folder)
        return only([v.numpy()])

    return save, read


def saved_model(folder: str) -> Format:
    module = tf.Module()
    module.v = tf.Variable(np.zeros(300))

    def save(n: int) -> None:
        module.v.assign(np.full(300, float(n)))
        tf.saved_model.save(module, folder + "/model")

    return save, lambda: only([tf.saved_model.load(folder + "/model").v.numpy()])


def dataset(folder: str) -> Format:
    def save(n: int) -> None:
        tf.data.Dataset.from_tensor_slices(np.full(50, n)).save(folder + "/elements")

    return save, lambda: only(tf.data.Dataset.load(folder + "/elements").as_numpy_iterator())


# ---- Keras


def keras_model() -> Any:
    import keras

    assert keras.config.backend() == "tapeflow"
    model = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(4), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    return model


def fill(model: Any, n: int) -> None:
    model.set_weights([np.full(w.shape, n) for w in model.get_weights()])


def of_keras(name: str, write: Callable[[Any, str], None]) -> Callable[[str], Format]:
    def make(folder: str) -> Format:
        model, other, path = keras_model(), keras_model(), os.path.join(folder, name)

        def save(n: int) -> None:
            fill(model, n)
            write(model, path)

        def read() -> int:
            if name.endswith("folder"):
                import keras

                return only(keras.saving.load_model(path).get_weights())
            other.load_weights(path)
            return only(other.get_weights())

        return save, read

    return make


def model_checkpoint(model: Any, path: str) -> None:
    import keras

    callback = keras.callbacks.ModelCheckpoint(path, save_weights_only=path.endswith(".weights.h5"))
    callback.set_model(model)
    callback.on_epoch_end(0, {})


def backup(folder: str, double: bool = False) -> Format:
    """Weights and the epoch that they belong to."""
    import keras

    path = folder + "/backup"

    def callback(model: Any) -> Any:
        made = keras.callbacks.BackupAndRestore(path, double_checkpoint=double)
        made.set_model(model)
        return made

    model, other = keras_model(), keras_model()
    saving, restoring = callback(model), callback(other)

    def save(n: int) -> None:
        fill(model, n)
        saving.on_epoch_end(n - 1)

    def read() -> int:
        other._initial_epoch = None
        restoring.on_train_begin()
        found = only(other.get_weights())
        assert other._initial_epoch == found, "an epoch, and the weights of another"
        return found

    return save, read


def export(folder: str) -> Format:
    model = keras_model()

    def save(n: int) -> None:
        fill(model, n)
        model.export(folder + "/served", verbose=False)

    return save, lambda: only(v.numpy() for v in tf.saved_model.load(folder + "/served").variables)


FORMATS = {
    "checkpoint": checkpoint,
    "manager": manager,
    "saved_model": saved_model,
    "dataset": dataset,
    "keras": of_keras("m.keras", lambda model, path: model.save(path)),
    "h5": of_keras("m.h5", lambda model, path: model.save(path)),
    "weights": of_keras("m.weights.h5", lambda model, path: model.save_weights(path)),
    "sharded": of_keras("m.weights.json", lambda model, path: model.save_weights(path, max_shard_size=6e-8)),
    "folder": of_keras("folder", lambda model, path: model.save(path, zipped=False)),
    "export": export,
    "model_checkpoint": of_keras("best.keras", model_checkpoint),
    "weights_checkpoint": of_keras("best.weights.h5", model_checkpoint),
    "backup": backup,
    "double_backup": lambda folder: backup(folder, double=True),
}
