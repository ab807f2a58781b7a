"""Files that exist either as they were or as they are to be: a crash in the middle leaves the old ones alone."""

import contextlib
import itertools
import os
import threading
from collections.abc import Iterator
from typing import BinaryIO

__all__ = ["replacing"]

_serial = itertools.count()


@contextlib.contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A new file to write, which takes the place of `path` at the end, once every byte of it is on the disk; never after an error.

    It is made in the same folder, since only a rename inside one file system is atomic.

    >>> import pathlib, tempfile
    >>> from tapeflow.api.whole_files import replacing
    >>> path = tempfile.mkdtemp() + "/note"
    >>> with replacing(path) as file:
    ...     _ = file.write(b"tape")
    >>> pathlib.Path(path).read_text()
    'tape'
    """
    temporary = f"{path}.tmp-{os.getpid()}-{threading.get_ident()}-{next(_serial)}"
    try:
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        raise
    _sync_folder(os.path.dirname(path) or ".")


def _sync_folder(folder: str) -> None:
    """Makes a rename last through a power cut, where the system can (Windows cannot open folders)."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
