"""`fit`, `evaluate`, `predict` and the steps they take, on the tape."""

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from keras.src import backend, callbacks as callbacks_module, optimizers, tree
from keras.src.backend import config
from keras.src.trainers import trainer as base_trainer
from keras.src.trainers.data_adapters import array_slicing, data_adapter_utils
from keras.src.trainers.epoch_iterator import EpochIterator
from keras.src.utils import traceback_utils
from keras.src.utils.python_utils import pythonify_logs

import tapeflow as tf
from tapeflow.core.runtime.replicas import here
from tapeflow.core.tensor import sizes_of

from . import distribution_lib
from .batches import Batches
from .datasets import adapted
from .export_formats import with_own_formats
from .replicas import ReplicatedStep, in_scope, scaled, strategy_of, unscaled
from .steps import AUTO, Step
from .worker import CallbackList

_unpacked = data_adapter_utils.unpack_x_y_sample_weight


# Keras 3.15 calls it Trainer, later ones BaseTrainer.
Base = getattr(base_trainer, "BaseTrainer", None) or base_trainer.Trainer


class Trainer(Base):
    """The part of a Keras model that trains it."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Keras' `Model` has its own `export`, which asks for other backends by name: it gets our formats, too."""
        super().__init_subclass__(**kwargs)
        if cls.__module__ == "keras.src.models.model" and "export" in vars(cls):
            cls.export = with_own_formats(cls.export)

    def __init__(self) -> None:
        super().__init__()
        self._distribute_strategy = tf.distribute.get_strategy() if here().strategy is not None else None
        self.train_function = self.test_function = self.predict_function = None

    @property
    def distribute_strategy(self) -> Any:
        """The strategy in whose scope the model was made; or the current one."""
        return self._distribute_strategy or tf.distribute.get_strategy()

    def _aggregate_additional_loss(self, loss: Any) -> Any:
        return scaled(super()._aggregate_additional_loss(loss))

    # `compile(jit_compile="auto")` leaves the choice between a NumPy plan and XLA to the first steps. (Keras takes an
    # overridden `compile` for the user's own, and would not call it for a model that was loaded; it sets this
    # property.)
    @property
    def jit_compile(self) -> Any:
        return Base.jit_compile.fget(self)

    @jit_compile.setter
    def jit_compile(self, value: Any) -> None:
        Base.jit_compile.fset(self, value)
        self._choose_engine, self._asked_to_choose = getattr(self, "_asked_to_choose", False), False
        self.train_function = self.test_function = self.predict_function = None

    def _resolve_auto_jit_compile(self) -> Any:
        self._asked_to_choose = self._choose_engine = True
        return super()._resolve_auto_jit_compile()

    def _symbolic_build(self, iterator: Any = None, data_batch: Any = None) -> None:
        """As on TensorFlow, a model makes its variables in its first step where only that step knows what to do with a
        batch: without a `call` (a VAE or GAN whose `train_step` calls its parts), or with a `train_step` of its own,
        for which a tuple may be three images and not inputs, targets and weights."""
        own_steps = type(self).train_step is not Trainer.train_step or type(self).test_step is not Trainer.test_step
        if type(self).call.__module__ != "keras.src.models.model" and not own_steps:
            super()._symbolic_build(iterator, data_batch)

    # ---- one batch

    def train_step(self, data: Any) -> dict:
        x, y, sample_weight = _unpacked(data)
        with tf.GradientTape() as tape:
            y_pred = self._outputs_of(x, training=True)
            loss = self._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=True)
            self._loss_tracker.update_state(unscaled(tf.stop_gradient(loss)), sample_weight=_batch_size(x))
            if self.optimizer is not None:
                loss = self.optimizer.scale_loss(loss)
        variables = self.trainable_weights
        if variables:
            self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        else:
            warnings.warn("The model does not have any trainable weights.", stacklevel=2)
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def test_step(self, data: Any) -> dict:
        x, y, sample_weight = _unpacked(data)
        y_pred = self._outputs_of(x, training=False)
        loss = self._compute_loss(x=x, y=y, y_pred=y_pred, sample_weight=sample_weight, training=False)
        self._loss_tracker.update_state(unscaled(loss), sample_weight=_batch_size(x))
        return self.compute_metrics(x, y, y_pred, sample_weight=sample_weight)

    def predict_step(self, data: Any) -> Any:
        return self._outputs_of(_unpacked(data)[0], training=False)

    def _outputs_of(self, x: Any, training: bool) -> Any:
        return self(x, training=training) if self._call_has_training_arg else self(x)

    # ---- steps as functions of a list of batches

    def make_train_function(self, force: bool = False) -> Callable:
        if self.train_function is None or force:
            self.train_function = self._step(self.train_step, self._logs_of_all)
        return self.train_function

    def make_test_function(self, force: bool = False) -> Callable:
        if self.test_function is None or force:
            self.test_function = self._step(self.test_step, self._logs_of_all)
        return self.test_function

    def make_predict_function(self, force: bool = False) -> Callable:
        if self.predict_function is None or force:
            joined = lambda results: tree.map_structure(lambda *parts: tf.concat(parts, 0), *results)
            self.predict_function = self._step(self.predict_step, self._outputs_of_all, warm=0, merge=joined)
        return self.predict_function

    def _logs_of_all(self, logs: Any) -> Any:
        """What a step of several replicas reports: the metrics, read for all of them; or means."""
        found = self._get_metrics_result_or_logs(logs)
        if found is not logs:
            return found
        return self.distribute_strategy.reduce("MEAN", logs, axis=None)

    def _outputs_of_all(self, outputs: Any) -> Any:
        return self.distribute_strategy.gather(outputs, axis=0)

    def _step(self, function: Callable, together: Callable, **how: Any) -> Step:
        strategy = strategy_of(self)
        if strategy is not None:
            function, how = ReplicatedStep(strategy, function, together), {**how, "retracing": False}
            if len(strategy.numbers) < strategy.num_replicas_in_sync:  # eagerly, each operation would be an exchange
                how["warm"] = 0
        choose = getattr(self, "_choose_engine", True) and self.jit_compile
        if choose and strategy is not None:  # replicas are compiled, anyway
            return Step(function, False, self.run_eagerly, **how)
        jit = AUTO if choose else bool(self.jit_compile)
        return Step(function, jit, self.run_eagerly, **how)

    # ---- many batches

    @traceback_utils.filter_traceback
    @in_scope
    def fit(
        self, x: Any = None, y: Any = None, batch_size: Any = None, epochs: int = 1, verbose: Any = "auto",
        callbacks: Any = None, validation_split: float = 0.0, validation_data: Any = None, shuffle: bool = True,
        class_weight: Any = None, sample_weight: Any = None, initial_epoch: int = 0, steps_per_epoch: Any = None,
        validation_steps: Any = None, validation_batch_size: Any = None, validation_freq: Any = 1,
    ) -> Any:  # fmt: skip
        self._assert_compile_called("fit")
        most = config.max_epochs()
        if most and most < epochs:
            warnings.warn(f"Limiting epochs to {most}", stacklevel=2)
            epochs = most
        self._eval_epoch_iterator = None
        if validation_split and validation_data is None:
            (x, y, sample_weight), validation_data = array_slicing.train_validation_split(
                (x, y, sample_weight), validation_split=validation_split
            )
        batches = self._batches(x, y, sample_weight, batch_size, steps_per_epoch, shuffle, class_weight)
        self._symbolic_build(iterator=batches)
        batches.reset()
        callbacks = self._callback_list(callbacks, verbose, epochs, batches, add_history=True)
        self.stop_training = False
        self.make_train_function()
        callbacks.on_train_begin()
        logs: dict = {}
        for epoch in range(self._initial_epoch or initial_epoch, epochs):
            self.reset_metrics()
            callbacks.on_epoch_begin(epoch)
            logs = dict(self._get_metrics_result_or_logs(self._train_epoch(batches, callbacks)))
            if validation_data is not None and self._should_eval(epoch, validation_freq):
                found = self._validated(
                    validation_data, validation_batch_size or batch_size, validation_steps, callbacks
                )
                logs.update({f"val_{name}": value for name, value in found.items()})
            callbacks.on_epoch_end(epoch, logs)
            if self.stop_training:
                break
        if isinstance(self.optimizer, optimizers.Optimizer) and epochs > 0:
            self.optimizer.finalize_variable_values(self.trainable_weights)
        self._eval_epoch_iterator = None
        callbacks.on_train_end(logs=logs)
        return self.history

    def _train_epoch(self, batches: EpochIterator, callbacks: Any) -> dict:
        logs: dict = {}
        try:
            for first, last, data in batches:
                callbacks.on_train_batch_begin(first)
                logs = self.train_function(data)
                callbacks.on_train_batch_end(last, logs)
                if self.stop_training:
                    break
        except BaseException:  # our own callbacks, which have to end what they began, hear of it
            for callback in callbacks.callbacks:
                getattr(callback, "on_train_interrupted", lambda: None)()
            raise
        return logs

    def _validated(self, data: Any, batch_size: Any, steps: Any, callbacks: Any) -> dict:
        x, y, sample_weight = _unpacked(data)
        if self._eval_epoch_iterator is None:  # one for all epochs
            self._eval_epoch_iterator = self._batches(x, y, sample_weight, batch_size, steps)
        return self.evaluate(
            x=x, y=y, sample_weight=sample_weight, batch_size=batch_size, steps=steps, callbacks=callbacks,
            return_dict=True, _use_cached_eval_dataset=True,
        )  # fmt: skip

    @traceback_utils.filter_traceback
    @in_scope
    def evaluate(
        self, x: Any = None, y: Any = None, batch_size: Any = None, verbose: Any = "auto", sample_weight: Any = None,
        steps: Any = None, callbacks: Any = None, return_dict: bool = False, **kwargs: Any,
    ) -> Any:  # fmt: skip
        self._assert_compile_called("evaluate")
        cached = kwargs.pop("_use_cached_eval_dataset", False)
        if kwargs:
            raise ValueError(f"Arguments not recognized: {kwargs}")
        batches = self._eval_epoch_iterator if cached else self._batches(x, y, sample_weight, batch_size, steps)
        self._symbolic_build(iterator=batches)
        batches.reset()
        callbacks = self._callback_list(callbacks, verbose, 1, batches)
        self.make_test_function()
        self.stop_evaluating = False
        callbacks.on_test_begin()
        self.reset_metrics()
        logs: dict = {}
        for first, last, data in batches:
            callbacks.on_test_batch_begin(first)
            logs = self.test_function(data)
            callbacks.on_test_batch_end(last, logs)
            if self.stop_evaluating:
                break
        logs = pythonify_logs(self._get_metrics_result_or_logs(logs))
        callbacks.on_test_end(logs)
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    @traceback_utils.filter_traceback
    @in_scope
    def predict(
        self, x: Any, batch_size: Any = None, verbose: Any = "auto", steps: Any = None, callbacks: Any = None
    ) -> Any:
        batches = self._batches(x, None, None, batch_size, steps)
        callbacks = self._callback_list(callbacks, verbose, 1, batches)
        self.make_predict_function()
        self.stop_predicting = False
        callbacks.on_predict_begin()
        found = []
        for first, last, data in batches:
            callbacks.on_predict_batch_begin(first)
            found.append(tree.map_structure(distribution_lib.collected, self.predict_function(data)))
            callbacks.on_predict_batch_end(last, {"outputs": found[-1]})
            if self.stop_predicting:
                break
        callbacks.on_predict_end()
        return tree.map_structure(lambda *parts: np.concatenate([backend.convert_to_numpy(p) for p in parts]), *found)

    def _batches(
        self,
        x: Any,
        y: Any,
        sample_weight: Any,
        batch_size: Any,
        steps: Any,
        shuffle: bool = False,
        class_weight: Any = None,
    ) -> EpochIterator:
        return Batches(
            x=adapted(x, y, sample_weight, class_weight), y=y, sample_weight=sample_weight, batch_size=batch_size,
            steps_per_epoch=steps, shuffle=shuffle, class_weight=class_weight,
            steps_per_execution=self.steps_per_execution,
        )  # fmt: skip

    def _callback_list(self, callbacks: Any, verbose: Any, epochs: int, batches: EpochIterator, **more: Any) -> Any:
        if isinstance(callbacks, callbacks_module.CallbackList):
            return callbacks
        return CallbackList(
            distribution_lib.for_this_process(callbacks),
            add_progbar=verbose != 0,
            verbose=verbose,
            epochs=epochs,
            steps=batches.num_batches,
            model=self,
            **more,
        )

    # ---- a batch that is given

    @in_scope
    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None, return_dict: bool = False
    ) -> Any:
        self._assert_compile_called("train_on_batch")
        if class_weight is not None:
            if sample_weight is not None:
                raise ValueError(
                    "Arguments `sample_weight` and `class_weight` cannot be specified at the same time. "
                    f"Received: sample_weight={sample_weight}, class_weight={class_weight}"
                )
            sample_weight = data_adapter_utils.class_weight_to_sample_weights(y, class_weight)
        return self._on_batch((x, y, sample_weight), self.make_train_function, return_dict)

    @in_scope
    def test_on_batch(self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False) -> Any:
        self._assert_compile_called("test_on_batch")
        return self._on_batch((x, y, sample_weight), self.make_test_function, return_dict)

    def _on_batch(self, data: tuple, make: Callable, return_dict: bool) -> Any:
        self._symbolic_build(data_batch=data)
        function = make()
        self.reset_metrics()
        logs = pythonify_logs(function(list(distribution_lib.batches([data], None))))
        return logs if return_dict else self._flatten_metrics_in_order(logs)

    @in_scope
    def predict_on_batch(self, x: Any) -> Any:
        return tree.map_structure(
            backend.convert_to_numpy, self.make_predict_function()(list(distribution_lib.batches([(x,)], None)))
        )


def _batch_size(x: Any) -> int:
    return sizes_of(next(leaf for leaf in _leaves(x)))[0]


def _leaves(x: Any) -> Iterator:
    return (leaf for leaf in tree.flatten(x) if leaf is not None)
