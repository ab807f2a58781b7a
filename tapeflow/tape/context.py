"""Entering a tape and leaving it, and what it is told to watch in between."""

import contextlib
import logging
from collections.abc import Iterator
from typing import Any, Self

from tapeflow.core import nest
from tapeflow.core.composite import CompositeTensor
from tapeflow.core.errors import user_line
from tapeflow.core.frames import current, enter
from tapeflow.core.signatures import unannotated
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable, unwrapped
from tapeflow.vectorize.mapped import MappedTensor

from .recording import Pause, Recording


class TapeContext:
    """The part of `GradientTape` that is a context: while it is open, a recording of it observes."""

    @unannotated
    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = bool(persistent)
        self._watch_accessed_variables = watch_accessed_variables
        self._recording: Recording | Any = None  # None before the tape is entered
        self._active = False
        self._pause: Pause | None = None
        self._inside: Any = None  # the frames of its context
        self._outside: Any = None

    # ---- the context

    def __enter__(self) -> Self:
        if self._active:
            raise ValueError(
                "Tape is already recording. A tape can be entered again only after it was left; make a second tape "
                "to nest."
            )
        self._active = True
        try:
            if self._recording is None or self._recording.spent:
                self._recording = Recording(self._watch_accessed_variables)
            self._observe()
        except BaseException:  # Ctrl-C: nobody will call __exit__
            if self._outside is not None:
                enter(self._outside)
            self._active = False
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._active:
            try:
                self._leave()
            except BaseException:  # Ctrl-C, perhaps before it was left
                self._leave()
                raise
            finally:
                self._active = False

    _active = False  # also where __init__ was cut short

    def __del__(self) -> None:
        """Ctrl-C at the first instruction of `__exit__` is the one that nobody can catch. What nobody can ask any more
        stops recording."""
        if self._active:
            self.__exit__()

    def _observe(self) -> None:
        self._outside = outside = current()
        self._inside = outside.watched_by(self._recording)
        enter(self._inside)

    def _leave(self) -> None:
        """Out of the current frame, wherever this tape stands in it: tapes need not be left in the order they were
        entered."""
        frame = current()
        if frame is self._inside:
            enter(self._outside)
        else:
            for observer in frame.observers:  # it, or a pause of it that an exception has cut short
                if getattr(observer, "recording", observer) is self._recording:
                    frame = frame.without(observer)
            enter(frame)
        self._inside = self._outside = None

    def _renew(self) -> None:
        """An empty record in the place of the old one, without leaving the context."""
        self._leave()
        before, self._recording = self._recording, Recording(self._watch_accessed_variables)
        self._recording.follow(before)
        self._observe()

    def _is_outside(self, value: Any) -> bool:
        """Was the tape opened outside the mapped function that the value is a row of?"""
        frame = current()
        while type(value) is MappedTensor and frame.below is not None:
            if frame.executor is value.owner:
                return self._recording in frame.below.audience
            frame = frame.below
        return False

    # ---- what is recorded

    def watch(self, tensor: Any) -> None:
        """Starts to record what is computed from `tensor`: a tensor, a variable, or a nested structure of them.

        Returns:
            None.
        """
        if not self._active:
            raise RuntimeError(
                "Cannot watch: the tape is not recording. Call tape.watch(x) inside the tape's `with` block."
            )
        for leaf in nest.flatten(tensor):
            self._watch_one(leaf)

    def _watch_one(self, value: Any) -> None:
        if isinstance(value, CompositeTensor):
            for part in value.__gradient_parts__():
                self._watch_one(part)
            return
        given = value
        value = unwrapped(value)
        if not isinstance(value, (Tensor, Variable)):
            raise ValueError(
                f"Passed in object {given!r} of type {type(given).__name__!r}, not tf.Tensor or tf.Variable or "
                "ExtensionType. Make a tensor of it first: x = tf.constant(value); tape.watch(x)."
            )
        if value.dtype.kind == "s":
            raise TypeError("Cannot watch a string tensor: only floating and complex tensors have gradients.")
        if not value.dtype.is_inexact:
            logging.getLogger("tapeflow").warning(
                "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r; its gradient will be "
                "None.",
                value.dtype,
            )
        if isinstance(value, Variable):
            self._recording.watch_variable(value)
            value.forget_operand()
        elif value.dtype.is_inexact:
            if self._is_outside(value):
                raise opened_outside("watch")
            self._recording.watch(value)

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """A context in which the tape records nothing: what is computed there is a constant.

        Returns:
            A context manager.
        """
        if self._recording is None or self._recording.spent and not self._active:
            raise RuntimeError(
                "Trying to exit or pause a tape that is not recording: stop_recording() belongs inside the tape's "
                "`with` block."
            )
        if not self._active or self._pause is not None:
            raise ValueError(
                "Tape is not recording: stop_recording() was called outside the tape's `with` block or inside "
                "another stop_recording()."
            )
        recording = self._recording
        self._pause = pause = Pause(recording)
        enter(current().exchanged(recording, pause))
        try:
            yield
        finally:
            self._pause = None
            goes_on = self._active and not recording.spent
            enter(current().exchanged(pause, recording) if goes_on else current().without(pause))

    def reset(self) -> None:
        """Drops everything recorded and watched. To be called inside the tape's `with` block.

        Returns:
            None.
        """
        if not self._active or self._pause is not None:
            raise ValueError(
                "Tape is not recording: reset() belongs inside the tape's `with` block, outside stop_recording()."
            )
        if self._recording not in current().observers and self._recording in current().audience:
            raise ValueError("reset() belongs outside the mapped function, where the tape was opened.")
        self._renew()

    def watched_variables(self) -> tuple[Variable, ...]:
        """The variables watched so far, in the order they were created.

        Returns:
            A tuple of variables.
        """
        if self._recording is None:
            return ()
        return tuple(v for _, v in sorted(self._recording.variables.items()))


def opened_outside(what: str) -> ValueError:
    return ValueError(
        f"A tape that was opened outside a mapped function sees all rows as one tensor; it cannot {what} what belongs "
        f"to a single row, at {user_line()}. Open a tape inside the function, or ask this one outside, for the "
        "results of the map."
    )
