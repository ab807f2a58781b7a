"""Keras' callback for TensorBoard, on `tapeflow.summary` and `tapeflow.profiler`."""

import functools
import warnings
from types import ModuleType
from typing import Any

import tapeflow as tf

# ---- what Keras asks of a backend


def start_trace(logdir: str) -> None:
    tf.profiler.experimental.start(logdir)


def stop_trace(save: bool) -> None:
    tf.profiler.experimental.stop(save)


def start_batch_trace(batch: int) -> Any:
    trace = tf.profiler.experimental.Trace("Profiled batch", step_num=batch)
    trace.__enter__()
    return trace


def stop_batch_trace(batch_trace_context: Any) -> None:
    batch_trace_context.__exit__(None, None, None)


# ---- what it asks of TensorFlow


def adapt(module: ModuleType) -> None:
    """Makes the callback in Keras' module write with our summaries."""
    callback = module.TensorBoard
    made, batch_ended = callback.__init__, callback.on_train_batch_end

    @functools.wraps(made)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        profile_batch = kwargs.pop("profile_batch", 0)  # which Keras refuses to backends that it does not know
        made(self, *args, **kwargs)
        self._init_profile_batch(profile_batch)

    @functools.wraps(batch_ended)
    def on_train_batch_end(self: Any, batch: int, logs: Any = None) -> None:
        batch_ended(self, batch, logs)
        self._should_write_train_graph = self._should_write_train_graph or getattr(self, "_graph_to_come", False)

    def _write_keras_model_train_graph(self: Any) -> None:
        """The first steps run as plain Python; the graph is written after the first one that has one."""
        step = self.model.train_function
        traced = [
            f for f in (getattr(step, "plan", None), getattr(step, "program", None)) if f is not None and f._traces
        ]
        self._graph_to_come = not traced and not getattr(step, "eagerly", False)
        if traced:
            with self._train_writer.as_default():
                tf.summary.graph(traced[0].graph)

    def _push_writer(self: Any, writer: Any, step: int) -> None:
        """What layers write inside of a graph has the step of each run: it is a variable. (On TensorFlow it is that of
        the trace.)"""
        if self.update_freq == "epoch":
            return
        counter = self.__dict__.setdefault("_tapeflow_step", tf.Variable(0, dtype=tf.int64, trainable=False))
        counter.assign(step)
        contexts = writer.as_default(counter), tf.summary.record_if(lambda: counter % self.update_freq == 0)
        self._prev_summary_state.append(contexts)
        for context in contexts:
            context.__enter__()

    callback.__init__, callback.on_train_batch_end, callback._push_writer = __init__, on_train_batch_end, _push_writer
    callback._write_keras_model_train_graph = _write_keras_model_train_graph
    callback.summary = property(lambda self: tf.summary, doc="What it writes with.")
    module.keras_model_summary = keras_model_summary


def keras_model_summary(name: str, data: Any, step: Any = None) -> Any:
    """Writes a model's configuration, which TensorBoard shows as its conceptual graph. Returns whether it was
    written."""
    from tapeflow.summary.protos import metadata

    try:
        text = data.to_json()
    except Exception as error:  # a model that cannot be described trains all the same
        warnings.warn(f"Model failed to serialize as JSON. Ignoring... {error}", stacklevel=2)
        return False
    with tf.summary.experimental.summary_scope(name, "graph_keras_model") as (tag, _):
        return tf.summary.write(tag, text, step, metadata("graph_keras_model", None, b"1"))
