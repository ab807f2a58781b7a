"""Callbacks for `fit` that Keras does not have. `tf.debugging` shows them."""

from typing import Any

import keras

from tapeflow.debugging.gradient_monitor import GradientMonitor

__all__ = ["GradientMonitorCallback"]


class GradientMonitorCallback(keras.callbacks.Callback):
    """`tf.debugging.GradientMonitor` during `fit`: the table on the terminal, scalars in `log_dir` for TensorBoard,
    and warnings in the log.

    Works in every mode: `run_eagerly`, `jit_compile`, `steps_per_execution`, and with a `train_step` of your own.
    `monitor` has what was measured.

    Args:
        every: It measures in one of so many steps.
        log_dir: Where scalars for TensorBoard go; None: nowhere.
        terminal: Show a table; None: where there is a terminal.

    >>> inputs = tf.keras.Input((2,))
    >>> model = tf.keras.Model(inputs, tf.keras.layers.Dense(1, name="last")(inputs))
    >>> model.compile("sgd", "mse")
    >>> callback = tf.debugging.GradientMonitorCallback(every=2)
    >>> history = model.fit(tf.ones([8, 2]), tf.ones([8, 1]), batch_size=2, verbose=0, callbacks=[callback])
    >>> [(m.step, m.name) for m in callback.monitor.history]
    [(1, 'last/kernel'), (1, 'last/bias'), (3, 'last/kernel'), (3, 'last/bias')]
    """

    def __init__(self, every: int = 20, log_dir: Any = None, terminal: bool | None = None) -> None:
        super().__init__()
        self.monitor = GradientMonitor(every, log_dir, terminal)
        self._is_on = False

    def on_train_begin(self, logs: Any = None) -> None:
        self.on_train_end()  # of a `fit` that did not come to its end
        self.monitor.__enter__()
        self._is_on = True

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        # What a step showed is seen when the next one begins. With a hook for batches, Keras would wait for every
        # step: 4% of one on XLA.
        self.monitor.step()

    def on_train_end(self, logs: Any = None) -> None:
        if self._is_on:
            self._is_on = False
            self.monitor.__exit__(None, None, None)

    on_train_interrupted = on_train_end  # by an error, of which Keras tells nobody
