"""One event file: records of events, written when enough of them wait or enough time has passed, by any thread."""

import itertools
import os
import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

from tapeflow.api.strings.paths import file_errors, local_path
from tapeflow.core.errors import FailedPreconditionError

from .protos import messages

__all__ = ["EventFile"]

_number = itertools.count().__next__  # of this process's files, so that no two have one name


class EventFile:
    """A new file in a directory. `add` puts an event in the queue; `max_queue` of them, or `flush_millis`, and they
    are on disk."""

    def __init__(self, logdir: Any, max_queue: int, flush_millis: int, suffix: str) -> None:
        directory = local_path(logdir)
        if os.path.exists(directory) and not os.path.isdir(directory):
            raise FailedPreconditionError(
                None,
                None,
                f"The log directory {directory!r} is a file; it is left as it is. Give the path of a directory: one "
                "is made if it is missing.",
            )
        self._event, self._masked = messages().Event, _masked_crc()
        name = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}.{_number()}{suffix}"
        self.path = os.path.join(directory, name)
        with file_errors(self.path):
            os.makedirs(directory, exist_ok=True)
            self._file = open(self.path, "xb")  # noqa: SIM115 - open until `close`
        self._max_queue, self._seconds = max_queue, flush_millis / 1000
        self._waiting: list[bytes] = []
        self._condition = threading.Condition()
        self._closed = False
        self._flusher: threading.Thread | None = None
        self.add(file_version="brain.Event:2")
        self.flush()

    def add(self, **fields: Any) -> None:
        """An event with these fields, of now."""
        event = self._event(wall_time=time.time(), **fields).SerializeToString()
        with self._condition:
            self._waiting.append(event)
            if len(self._waiting) > self._max_queue:
                self._write()
            elif self._flusher is None:
                # It waits for time to pass. A daemon: a program may end without it, after `close`.
                self._flusher = threading.Thread(target=self._flush_from_time_to_time, name="tf.summary", daemon=True)
                self._flusher.start()

    def flush(self) -> None:
        """All events so far are in the file."""
        with self._condition:
            self._write()

    def close(self) -> None:
        """Flush, and be done."""
        with self._condition:
            if not self._closed:
                self._write()
                self._file.close()
                self._closed = True
                self._condition.notify_all()

    def _write(self) -> None:
        waiting, self._waiting = self._waiting, []
        if self._closed or not waiting:
            return
        for event in waiting:
            size = struct.pack("<Q", len(event))
            self._file.write(
                size + struct.pack("<I", self._masked(size)) + event + struct.pack("<I", self._masked(event))
            )
        self._file.flush()

    def _flush_from_time_to_time(self) -> None:
        with self._condition:
            while not self._closed:
                self._condition.wait(self._seconds)
                self._write()


def _masked_crc() -> Callable[[bytes], int]:
    """The checksum of records: by the fast library if it is there."""
    try:
        from google_crc32c import value
    except ImportError:
        from tensorboardX.record_writer import masked_crc32c

        return masked_crc32c

    def masked(data: bytes) -> int:
        crc = value(data)
        return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF

    return masked
