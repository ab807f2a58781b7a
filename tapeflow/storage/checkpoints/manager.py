"""`tf.train.CheckpointManager`: keeps the last few checkpoints of a folder."""

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

from tapeflow.core.frames import Frame, entered, has_an_effect
from tapeflow.core.runtime.files import patiently

from .checkpoint import Checkpoint
from .options import CheckpointOptions
from .state import (
    CheckpointState,
    checkpoint_files,
    get_checkpoint_state,
    is_inside,
    latest_checkpoint,
    update_checkpoint_state,
)

__all__ = ["CheckpointManager", "checkpoints_iterator"]


class CheckpointManager:
    """Saves checkpoints under numbers and deletes the old ones; after a restart it goes on where it was.

    Args:
        checkpoint: The `tf.train.Checkpoint` to save.
        directory: The path of the folder.
        max_to_keep: How many checkpoints stay; None: all.
        keep_checkpoint_every_n_hours: One in so many hours stays for good; None: none does.
        checkpoint_name: What their names begin with.
        step_counter: A variable with the number of the step.
        checkpoint_interval: How many steps lie between two checkpoints at least; needs `step_counter`.
        init_fn: What `restore_or_initialize` calls where there is nothing to restore.
        last_checkpoint_step: The step of the last checkpoint, where it is known.

    Raises:
        ValueError: If `max_to_keep` is not positive, or there is an interval and no counter.

    >>> import os, tempfile
    >>> step = tf.Variable(0)
    >>> manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), tempfile.mkdtemp(), max_to_keep=2)
    >>> for _ in range(3):
    ...     path = manager.save()
    >>> [os.path.basename(path) for path in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable | None = None,
        last_checkpoint_step: Any = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}.")
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint, self._directory, self._max_to_keep = checkpoint, os.fsdecode(directory), max_to_keep
        self._every_n_hours, self._name = keep_checkpoint_every_n_hours, checkpoint_name
        self._step_counter, self._interval, self._init_fn = step_counter, checkpoint_interval, init_fn
        self._last_step = last_checkpoint_step
        self._latest: str | None = None
        self._preserved_at = time.time()
        self._kept: dict[str, float] = {}  # paths that may be deleted later, oldest first, and when they were made
        self._recover()

    def _recover(self) -> None:
        """What an earlier run left."""
        state = get_checkpoint_state(self._directory)
        if state is None:
            return
        self._latest = state.model_checkpoint_path
        self._preserved_at = state.last_preserved_timestamp or self._preserved_at
        paths, times = state.all_model_checkpoint_paths, state.all_model_checkpoint_timestamps
        self._kept = dict(zip(paths, times if len(times) == len(paths) else [time.time()] * len(paths), strict=True))

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint(self) -> Any:
        """What is saved."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps lie between two checkpoints at least, or None."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the newest checkpoint, or None."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of the checkpoints that are managed, oldest first."""
        return list(self._kept)

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: CheckpointOptions | None = None
    ) -> str | None:
        """Writes a checkpoint and returns its path; None where `checkpoint_interval` says that it is too early.

        Args:
            checkpoint_number: The number in the name; None: the checkpoint's own count.
            check_interval: False saves also when it is too early.
        """
        has_an_effect("writing a checkpoint", once=True)
        if self._interval is not None:
            step = int(self._step_counter)
            if check_interval and self._last_step is not None and step < int(self._last_step) + self._interval:
                return None
            self._last_step = step
        with entered(Frame()):
            count = self._checkpoint.save_counter.assign_add(1)
        checkpoint_number = count if checkpoint_number is None else checkpoint_number
        path = self._checkpoint.write(os.path.join(self._directory, f"{self._name}-{int(checkpoint_number)}"), options)
        self._kept.pop(path, None)  # written once more: it is the newest now
        self._kept[path], self._latest = time.time(), path
        self._record()  # first: whoever is stopped while deleting finds the new one
        if self._sweep():
            self._record()
        return path

    def _record(self) -> None:
        state = CheckpointState(self._latest or "", list(self._kept), list(self._kept.values()), self._preserved_at)
        update_checkpoint_state(self._directory, state)

    def _sweep(self) -> bool:
        """Deletes what is too much; true where something was."""
        before = len(self._kept)
        while self._max_to_keep is not None and len(self._kept) > self._max_to_keep:
            path, made = next(iter(self._kept.items()))
            del self._kept[path]
            if self._every_n_hours is not None and made - self._every_n_hours * 3600 >= self._preserved_at:
                self._preserved_at = made  # stays for good
                continue
            for file in (
                checkpoint_files(path) if is_inside(path, self._directory) else ()
            ):  # a state file may name any path
                with contextlib.suppress(FileNotFoundError):
                    patiently(os.remove, file)
        return len(self._kept) < before

    def restore_or_initialize(self) -> str | None:
        """Restores the newest checkpoint and returns its path; where there is none, calls `init_fn` and returns
        None."""
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._step_counter is not None:
                self._last_step = int(self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self) -> None:
        """Nothing: a checkpoint is on the disk when `save` returns."""


def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """The newest checkpoint of a folder, again and again as there are new ones, for a program that evaluates beside
    one that trains.

    After `timeout` seconds without a new one `timeout_fn` is asked whether to end; without it, it ends.

    Args:
        min_interval_secs: How many seconds lie between two of them at least.
        timeout: How many seconds to wait; None: for ever.
        timeout_fn: A function that says whether to end; None: to end.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> _ = tf.train.Checkpoint(v=tf.Variable(1.)).save(folder + "/ckpt")
    >>> [os.path.basename(path) for path in tf.train.checkpoints_iterator(folder, timeout=0)]
    ['ckpt-1']
    """
    seen = None
    while True:
        found = _wait_for_new(checkpoint_dir, seen, timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        started, seen = time.monotonic(), found
        yield found
        time.sleep(max(0.0, started + min_interval_secs - time.monotonic()))


def _wait_for_new(folder: Any, seen: str | None, timeout: float | None, pause: float = 0.25) -> str | None:
    deadline = None if timeout is None else time.monotonic() + timeout
    while True:
        found = latest_checkpoint(folder)
        if found is not None and found != seen:
            return found
        if deadline is not None and time.monotonic() + min(pause, timeout or 0) >= deadline:
            return None
        time.sleep(pause if timeout is None else min(pause, timeout))
