"""Writers of event files, and the one that is the default."""

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow.function.tracing.effects import at_every_run

from .event_files import EventFile
from .state import state

__all__ = ["SummaryWriter", "create_file_writer", "create_noop_writer", "flush"]

_QUEUE, _MILLIS = 10, 2 * 60 * 1000


class SummaryWriter:
    """What summaries are written with; `create_file_writer` makes one.

    >>> isinstance(tf.summary.create_noop_writer(), tf.summary.SummaryWriter)
    True
    """

    records = False  # whether anything comes of what it is given

    def add(self, **fields: Any) -> None:
        """Writes an event with these fields.

        Args:
            **fields: The fields of the event, such as `step` and `summary`.
        """

    @contextmanager
    def _defaulting(self, step: Any) -> Iterator["SummaryWriter"]:
        before = state.writer, state.step
        state.writer = self
        if step is not None:
            state.step = step
        try:
            yield self
        finally:
            self.flush()
            state.writer = before[0]
            if step is not None:
                state.step = before[1]

    def as_default(self, step: Any = None) -> Any:
        """A context in which summaries go to this writer, with this step if one is given. They are on disk when it
        ends.

        Args:
            step: The step of summaries that are given none; None leaves it as it was.

        Returns:
            A context manager, whose value is the writer.

        Raises:
            RuntimeError: If the writer is closed.
        """
        return self._defaulting(step)

    def set_as_default(self, step: Any = None) -> None:
        """From now on, in this thread, summaries go to this writer.

        Args:
            step: The step of summaries that are given none; None leaves it as it was.

        Raises:
            RuntimeError: If the writer is closed.
        """
        self.as_default()  # fails if it is closed
        state.writer = self
        if step is not None:
            state.step = step

    def init(self) -> None:
        """Nothing: a writer is ready when it is made."""

    def flush(self) -> None:
        """All summaries so far are on disk."""

    def close(self) -> None:
        """Flushes, and ends writing."""


class _FileWriter(SummaryWriter):
    """Writes to one event file, until it is closed, nobody has it any more, or the program ends."""

    records = True

    def __init__(self, file: EventFile) -> None:
        self._file, self._closed = file, False
        self._finish = weakref.finalize(self, file.close)

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError(f"SummaryWriter {self!r} is already closed")

    def add(self, **fields: Any) -> None:
        self._check_open()
        self._file.add(**fields)

    def as_default(self, step: Any = None) -> Any:
        self._check_open()
        return super().as_default(step)

    def init(self) -> None:
        self._check_open()

    @at_every_run()
    def flush(self) -> None:
        self._file.flush()

    @at_every_run()
    def close(self) -> None:
        self._closed = True
        self._finish()


class _NoopWriter(SummaryWriter):
    """Takes summaries, and does nothing with them."""


def create_file_writer(
    logdir: Any, max_queue: Any = None, flush_millis: Any = None, filename_suffix: Any = None, name: str | None = None,
    experimental_trackable: bool = False, experimental_mesh: Any = None,
) -> SummaryWriter:  # fmt: skip
    """A writer to a new event file in `logdir`, which is made if it is missing. Its queue is written when it has more
    than `max_queue` events (10) or `flush_millis` (two minutes) have passed, and when the writer is flushed or closed,
    or the program ends.

    Args:
        max_queue: How many events wait; None: 10.
        flush_millis: For how long they wait, in milliseconds; None: two minutes.
        filename_suffix: What the file's name ends with; None: ".v2".
        experimental_trackable: Taken and not used.
        experimental_mesh: Taken and not used.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as logdir:
    ...     writer = tf.summary.create_file_writer(logdir)
    ...     with writer.as_default():
    ...         written = [tf.summary.scalar("loss", 1 / (step + 1), step=step) for step in range(3)]
    ...     writer.close()
    >>> all(written)
    True
    """
    if logdir is None:
        raise ValueError(
            "Argument `logdir` cannot be None: give the path of a directory, or use tf.summary.create_noop_writer()."
        )
    plain = lambda given, default: default if given is None else given.numpy() if hasattr(given, "numpy") else given
    suffix = plain(filename_suffix, ".v2")
    suffix = suffix.decode() if isinstance(suffix, bytes) else str(suffix)
    return _FileWriter(EventFile(logdir, int(plain(max_queue, _QUEUE)), int(plain(flush_millis, _MILLIS)), suffix))


def create_noop_writer() -> SummaryWriter:
    """A writer that writes nothing, for the processes of a program that should not.

    >>> with tf.summary.create_noop_writer().as_default():
    ...     tf.summary.scalar("loss", 1., step=0).numpy()
    np.False_
    """
    return _NoopWriter()


def flush(writer: SummaryWriter | None = None, name: str | None = None) -> None:
    """Flushes a writer, or the default one, if there is one.

    >>> tf.summary.flush()
    """
    writer = state.writer if writer is None else writer
    if writer is not None:
        writer.flush()
