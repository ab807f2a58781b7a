"""Atomic writes: files that exist either as they were or as they are to be, even after a crash in the middle."""

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from typing import BinaryIO

from tapeflow.core.runtime.files import WINDOWS, patiently, replace

from .leftovers import remove, sweep, temporary

__all__ = ["made_whole", "replacing", "sync", "whole"]

_COMMITTED = ".whole"  # of several files that take their places together
_UNKNOWN = {errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM, errno.EBADF, errno.EISDIR, errno.ENOSYS}


@contextlib.contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A new file to write, which takes the place of `path` at the end, once every byte of it is on the disk; never
    after an error.

    >>> import pathlib, tempfile
    >>> from tapeflow.storage.whole_files import replacing
    >>> path = tempfile.mkdtemp() + "/note"
    >>> with replacing(path) as file:
    ...     _ = file.write(b"tape")
    >>> pathlib.Path(path).read_text()
    'tape'
    """
    path = _behind_links(path)
    made = temporary(path)
    try:
        with open(made, "xb") as file:
            sweep(os.path.dirname(path), os.fstat(file.fileno()).st_mtime)
            yield file
            file.flush()
            os.fsync(file.fileno())
        _take_place(made, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.remove(made)
        raise
    sync(os.path.dirname(path))


@contextlib.contextmanager
def made_whole(path: str) -> Iterator[str]:
    """The same for who writes by name: where to make the file, in an empty folder. Other files that are made there, or
    a folder, take their places beside or instead of `path`, all of them or none: until they have, `whole` says where
    they are.

    >>> import os, pathlib, tempfile
    >>> from tapeflow.storage.whole_files import made_whole
    >>> folder = tempfile.mkdtemp()
    >>> with made_whole(folder + "/index") as made:
    ...     _ = pathlib.Path(made).write_text("part"), pathlib.Path(made).with_name("part").write_text("1, 2, 3")
    >>> sorted(os.listdir(folder))
    ['index', 'part']
    """
    path = _behind_links(path)
    folder, name = os.path.split(path)
    room = temporary(path)
    os.mkdir(room)
    try:
        sweep(folder, os.stat(room).st_mtime)
        made = os.path.join(room, name)
        yield made
        _sync_all(room)
        if os.listdir(room) == [name] and (os.path.isfile(made) or not os.path.lexists(path)):
            _take_place(made, path)
        else:
            _put_in_place(path)  # what an earlier program did not come to
            patiently(os.rename, room, path + _COMMITTED)
            sync(folder)
            _put_in_place(path)
    finally:
        remove(room)
    sync(folder)


def whole(path: str) -> str:
    """Where to read what `made_whole` wrote: `path`, unless a program was killed while it put several files into their
    places."""
    committed = os.path.join(path + _COMMITTED, os.path.basename(path))
    return committed if os.path.exists(committed) else path


def sync(path: str) -> None:
    """Waits until a file, or the names in a folder, are on the disk. Where a system cannot do that for folders
    (Windows) it does not wait."""
    path = path or "."
    try:
        descriptor = os.open(path, os.O_RDWR if WINDOWS and os.path.isfile(path) else os.O_RDONLY)
    except OSError as error:
        if error.errno in _UNKNOWN:
            return
        raise
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _UNKNOWN:
            raise
    finally:
        os.close(descriptor)


def _sync_all(folder: str) -> None:
    for at, _, names in os.walk(folder, topdown=False):
        for name in names:
            sync(os.path.join(at, name))
        sync(at)


def _behind_links(path: str) -> str:
    """A link stays a link: the file that it names is replaced."""
    return os.path.realpath(path) if os.path.islink(path) else path


def _take_place(made: str, path: str) -> None:
    """With the permissions of the file that was there."""
    with contextlib.suppress(OSError):
        if os.path.isfile(path):
            shutil.copymode(path, made)
    replace(made, path)


def _put_in_place(path: str) -> None:
    """Each file of a committed folder is linked beside its place first: the folder stays whole until all are there."""
    folder, committed = os.path.dirname(path), path + _COMMITTED
    if not os.path.isdir(committed):
        return
    for at, _, names in os.walk(committed):
        there = os.path.normpath(os.path.join(folder, os.path.relpath(at, committed)))
        os.makedirs(there, exist_ok=True)
        sweep(there, os.stat(there).st_mtime)
        for name in names:
            made, target = temporary(os.path.join(there, name)), os.path.join(there, name)
            try:
                _linked(os.path.join(at, name), made)
                _take_place(made, target)
            finally:
                remove(made)
        sync(there)
    done = temporary(committed)
    patiently(os.rename, committed, done)
    remove(done)


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # not every file system has links
        shutil.copyfile(source, target)
        sync(target)
