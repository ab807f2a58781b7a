"""One training by several processes: each has a part of every batch, and all have the same losses.

    tapeflow launch --workers 2 examples/several_workers.py
    tapeflow launch --workers 2 --restarts 1 examples/several_workers.py --kill 1

The second one kills a worker in the middle. The other says which one was lost; all start again, and go on with the
epoch that `BackupAndRestore` has kept. On several machines, a launcher such as Slurm starts the processes.
"""

import argparse
import os
import tempfile
from pathlib import Path

import numpy as np

import tapeflow as tf
from tapeflow import keras


def data(rows: int = 500) -> tf.data.Dataset:
    """Points in the plane, and which of two moons they are on."""
    rng = np.random.default_rng(0)
    moon = rng.integers(0, 2, rows)
    angle = rng.uniform(0, np.pi, rows)
    x = np.where(moon, 1 - np.cos(angle), np.cos(angle)) + rng.normal(0, 0.1, rows)
    y = np.where(moon, 0.5 - np.sin(angle), np.sin(angle)) + rng.normal(0, 0.1, rows)
    points = np.stack([x, y], 1).astype("float32")
    return tf.data.Dataset.from_tensor_slices((points, moon.astype("float32")[:, None])).batch(64)


def network() -> keras.Model:
    layers = [keras.layers.Dense(32, "tanh"), keras.layers.Dense(32, "tanh"), keras.layers.Dense(1, "sigmoid")]
    model = keras.Sequential([keras.Input((2,)), *layers])
    model.compile(keras.optimizers.Adam(0.01), "binary_crossentropy", metrics=["accuracy"])
    return model


class Kill(keras.callbacks.Callback):
    """Ends this worker in an epoch, once."""

    def __init__(self, epoch: int, mark: Path) -> None:
        super().__init__()
        self.epoch, self.mark = epoch, mark

    def on_epoch_begin(self, epoch: int, logs: dict | None = None) -> None:
        if epoch == self.epoch and not self.mark.exists():
            self.mark.touch()
            os._exit(9)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--kill", type=int, help="the worker to kill, in the fourth epoch")
    parser.add_argument("--backup", type=Path, default=Path(tempfile.gettempdir()) / "several_workers")
    options = parser.parse_args()

    keras.distribution.initialize()  # meets the others, before anything is computed
    keras.utils.set_random_seed(1)
    distribution = keras.distribution.DataParallel()
    keras.distribution.set_distribution(distribution)
    number = distribution.data_shard_id
    print(f"worker {number} of {distribution.num_processes}", flush=True)

    model = network()
    callbacks: list = [keras.callbacks.BackupAndRestore(options.backup)]
    if options.kill == number:
        callbacks.append(Kill(3, options.backup.with_suffix(".killed")))
    history = model.fit(data(), epochs=options.epochs, verbose=0, callbacks=callbacks)
    losses = " ".join(f"{loss:.5f}" for loss in history.history["loss"])
    print(f"losses: {losses}", flush=True)
    loss, accuracy = model.evaluate(data(), verbose=0)
    print(f"afterwards: loss {loss:.5f}, accuracy {accuracy:.3f}", flush=True)


if __name__ == "__main__":
    main()
