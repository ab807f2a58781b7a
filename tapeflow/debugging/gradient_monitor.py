"""`tf.debugging.GradientMonitor`: what the gradients of a training loop do, in TensorBoard and on the terminal."""

import math
import os
import sys
from typing import Any

from tapeflow.core.runtime.terminals import is_terminal
from tapeflow.inspect.monitor import Measured, Monitor
from tapeflow.inspect.monitor_view import Printed, Row, Screen, can_show, size_of, table
from tapeflow.summary.protos import messages, metadata, tensor_message
from tapeflow.summary.state import state, wanted
from tapeflow.summary.writers import SummaryWriter, create_file_writer

__all__ = ["GradientMonitor"]

_MOST_ROWS = 16
_SUMMARY = 110, 40  # columns and rows


class GradientMonitor(Monitor):
    """A context that monitors the gradients that tapes compute. For each variable it measures the norms of the
    gradient and of the weight, how much an update changes the weight, and how many units get no gradient. Problems are
    logged once: gradients that vanish, explode or are not finite, dead units, updates that are too large.

    It measures one step in `every`. It works around any loop of eager steps or of `tf.function`s, compiled or not; a
    function that was traced before is traced once more for the monitor. `step()` at the end of a step shows it at
    once.

    `writer`: a log directory, or a writer of `tf.summary`, for the scalars `gradients/<variable>/norm`,
    `/update_ratio`, `/dead_units` and `gradients/global_norm`; without one they go to the default writer, if there is
    one. `terminal`: whether to show a table on `stream` (`sys.stderr`); None shows it on a terminal. `history` has all
    the numbers, `warnings` the texts, `summary()` both as one text.

    Args:
        every: How many steps there are from one measurement to the next.
        writer: A log directory, or a writer of `tf.summary`; None: the default writer, if there is one.
        terminal: Show a table; None: where there is a terminal.
        stream: Where the table goes; None: `sys.stderr`.

    Raises:
        ValueError: If `every` is not at least 1.

    >>> v = tf.Variable([3., 4.], name="v")
    >>> with tf.debugging.GradientMonitor(every=2) as monitor:
    ...     for _ in range(3):
    ...         with tf.GradientTape() as tape:
    ...             loss = tf.reduce_sum(v * v)
    ...         v.assign_sub(0.05 * tape.gradient(loss, v), read_value=False)
    >>> [(m.step, m.name, round(m.gradient, 2), round(m.update, 2)) for m in monitor.history]
    [(1, 'v', 10.0, 0.1), (3, 'v', 8.1, 0.1)]
    """

    def __init__(self, every: int = 20, writer: Any = None, terminal: bool | None = None, stream: Any = None) -> None:
        super().__init__(every)
        if writer is not None and not isinstance(writer, (str, os.PathLike, SummaryWriter)):
            raise TypeError(f"writer must be a log directory or a writer of tf.summary, got {writer!r}.")
        self._given, self._terminal, self._stream = writer, terminal, stream
        self._writer: SummaryWriter | None = None
        self._view: Any = None
        self._latest: dict[str, Measured] = {}
        self._groups: dict[
            str, int
        ] = {}  # of variables whose gradients were taken together: the first name, and a number

    def begin(self) -> None:
        made_here = self._given is not None and not isinstance(self._given, SummaryWriter)
        self._writer = create_file_writer(self._given) if made_here else self._given
        stream = sys.stderr if self._stream is None else self._stream
        if is_terminal(stream) if self._terminal is None else self._terminal:
            self._view = Screen(stream) if is_terminal(stream) else Printed(stream)
            self._view.open()

    def end(self) -> None:
        view, writer, self._view, self._writer = self._view, self._writer, None, None
        if view is not None:
            view.close()
        if writer is not None:
            (writer.flush if writer is self._given else writer.close)()

    def summary(self) -> str:
        """The latest numbers of every variable, and all warnings.

        >>> print(tf.debugging.GradientMonitor().summary())
        No gradient of a variable was measured.
        """
        if not self._latest:
            return "No gradient of a variable was measured."
        lines = self._lines(list(self._latest.values()), *_SUMMARY, True)
        return "\n".join([*lines, *(["", *self.warnings] if self.warnings else [])])

    # ---- what was measured

    def deliver(self, found: list[Measured]) -> None:
        self._latest.update({m.name: m for m in found})
        number = self._groups.setdefault(found[0].name, len(self._groups) + 1)
        self._write(found, number)
        if self._view is not None:
            stream = self._view.stream
            columns, lines = size_of(stream)
            if isinstance(self._view, Screen):
                most = max(min(_MOST_ROWS, lines - 4), 1)
                self._view.draw(self._lines(list(self._latest.values()), columns - 1, most, can_show(stream)))
            else:
                self._view.draw(self._lines(found, columns, _MOST_ROWS, can_show(stream)))

    def _lines(self, found: list[Measured], width: int, most: int, fancy: bool) -> list[str]:
        rows = [
            Row(m.name, m.gradient, m.weight, m.update, m.dead, self.norms[m.name], self.notes.get(m.name, ""))
            for m in found
        ]
        title = f"gradients at step {max(m.step for m in found)}, global norm {_global_norm(found):.3g}"
        return [title[:width], *table(rows, width, most, fancy)]

    def _write(self, found: list[Measured], number: int) -> None:
        """One event for all of them."""
        writer = self._writer or (state.writer if wanted() is True else None)
        if writer is None or not writer.records:
            return
        scalars = {f"gradients/global_norm{f'_{number}' if number > 1 else ''}": _global_norm(found)}
        for m in found:
            scalars[f"gradients/{m.name}/norm"] = m.gradient
            scalars[f"gradients/{m.name}/update_ratio"] = m.update
            scalars[f"gradients/{m.name}/dead_units"] = m.dead
        unknown = {tag for tag, value in scalars.items() if math.isnan(value) and not tag.endswith("norm")}
        made, about = messages(), metadata("scalars")
        values = [
            made.Summary.Value(tag=tag, tensor=tensor_message(float(value)), metadata=about)
            for tag, value in scalars.items()
            if tag not in unknown
        ]
        writer.add(step=found[0].step, summary=made.Summary(value=values))


def _global_norm(found: list[Measured]) -> float:
    return math.hypot(*[m.gradient for m in found])
