"""`tf.profiler.experimental`: the time between named points of a program, as a trace.

chrome://tracing and Perfetto open it.
"""

import gzip
import json
import logging
import os
import socket
import threading
import time
from typing import Any, NamedTuple

from tapeflow.core.errors import AlreadyExistsError, UnavailableError
from tapeflow.core.runtime.locks import Lock

from . import client as client, server as server

__all__ = ["Profile", "ProfilerOptions", "Trace", "client", "server", "start", "stop"]


class ProfilerOptions(NamedTuple):
    """How closely to look; accepted, and of no effect: what `Trace` marks is what is measured.

    Args:
        host_tracer_level: Taken and not used.
        python_tracer_level: Taken and not used.
        device_tracer_level: Taken and not used.
        delay_ms: Taken and not used.

    >>> tf.profiler.experimental.ProfilerOptions().host_tracer_level
    2
    """

    host_tracer_level: int = 2
    python_tracer_level: int = 0
    device_tracer_level: int = 1
    delay_ms: int | None = None


class _Running:
    """The one profiler of the process."""

    lock = Lock()
    logdir: str | None = None
    spans: list[dict]


def start(logdir: str, options: ProfilerOptions | None = None) -> None:
    """Begins to measure; `stop` writes what was measured under `logdir`.

    Raises:
        AlreadyExistsError: If a profiler is running.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as logdir:
    ...     tf.profiler.experimental.start(logdir)
    ...     with tf.profiler.experimental.Trace("step", step_num=1):
    ...         y = tf.square(3.)
    ...     tf.profiler.experimental.stop()
    """
    with _Running.lock:
        if _Running.logdir is not None:
            raise AlreadyExistsError(
                None, None, "Another profiler is running. Call tf.profiler.experimental.stop() first."
            )
        _Running.logdir, _Running.spans = os.fspath(logdir), []


def stop(save: bool = True) -> None:
    """Ends measuring, and writes a trace unless `save` is False: `plugins/profile/<time>/<host>.trace.json.gz`.

    Args:
        save: False throws away what was measured.

    Raises:
        UnavailableError: If no profiler is running.

    >>> tf.profiler.experimental.stop()
    Traceback (most recent call last):
    tapeflow.errors.UnavailableError: Cannot export profiling results. No profiler is running.
    """
    with _Running.lock:
        logdir, _Running.logdir = _Running.logdir, None
        if logdir is None:
            raise UnavailableError(None, None, "Cannot export profiling results. No profiler is running.")
        spans, _Running.spans = _Running.spans, []
    if not save:
        return
    directory = os.path.join(logdir, "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, f"{socket.gethostname()}.trace.json.gz")
    with gzip.open(path, "wt", encoding="utf-8") as file:
        json.dump({"displayTimeUnit": "ms", "traceEvents": spans}, file)
    logging.getLogger("tapeflow").info(
        "The profile in %s has the %d spans that tf.profiler.experimental.Trace marked, and no "
        "single operations: open it in chrome://tracing or Perfetto. For the time of each Python "
        "function use cProfile or py-spy.", path, len(spans),
    )  # fmt: skip


class Profile:
    """A context that is measured: `start` and `stop` around it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as logdir, tf.profiler.experimental.Profile(logdir):
    ...     y = tf.square(3.)
    """

    def __init__(self, logdir: str, options: ProfilerOptions | None = None) -> None:
        self._logdir, self._options = logdir, options

    def __enter__(self) -> None:
        start(self._logdir, self._options)

    def __exit__(self, *_: Any) -> None:
        stop()


class Trace:
    """A named span of time, with anything that describes it; kept while a profiler runs.

    >>> with tf.profiler.experimental.Trace("train", step_num=3, batch_size=32) as span:
    ...     span.set_metadata(loss=0.5)
    """

    def __init__(self, name: str, **kwargs: Any) -> None:
        self._name, self._about = name, kwargs

    def __enter__(self) -> "Trace":
        self._start = time.perf_counter_ns()
        return self

    def set_metadata(self, **kwargs: Any) -> None:
        """More that describes it."""
        self._about.update(kwargs)

    def __exit__(self, *_: Any) -> None:
        end = time.perf_counter_ns()
        with _Running.lock:
            if _Running.logdir is not None:
                about = {
                    key: value if isinstance(value, (int, float, str)) else str(value)
                    for key, value in self._about.items()
                }
                place = {"pid": os.getpid(), "tid": threading.get_native_id()}
                span = {
                    "name": self._name,
                    "ph": "X",
                    "ts": self._start / 1000,
                    "dur": (end - self._start) / 1000,
                    "args": about,
                }
                _Running.spans.append(span | place)
