"""Paths as arguments, and file errors by the names of `tf.errors`."""

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tapeflow.core.errors import (
    AlreadyExistsError,
    FailedPreconditionError,
    NotFoundError,
    OpError,
    PermissionDeniedError,
    UnimplementedError,
    UnknownError,
)

__all__ = ["file_errors", "local_path"]

_KINDS: dict[int | None, type[OpError]] = {
    errno.ENOENT: NotFoundError,
    errno.EEXIST: AlreadyExistsError,
    errno.EACCES: PermissionDeniedError,
    errno.EPERM: PermissionDeniedError,
    errno.EISDIR: FailedPreconditionError,
    errno.ENOTDIR: FailedPreconditionError,
    errno.ENOTEMPTY: FailedPreconditionError,
}


def local_path(path: Any) -> str:
    """A path as text: from text, bytes, a `pathlib.Path` or a string tensor. Only local files are known.

    >>> from tapeflow.api.strings.paths import local_path
    >>> local_path(tf.constant("file:///data/train.tfrecord"))
    '/data/train.tfrecord'
    """
    if hasattr(path, "numpy"):
        path = path.numpy()
    try:
        text = os.fsdecode(path)
    except TypeError:
        raise TypeError(f"A path is text, bytes, a pathlib.Path or a scalar string tensor; got {path!r}.") from None
    scheme = re.match(r"([a-zA-Z][a-zA-Z0-9+.-]*)://", text)
    if scheme is None:
        return text
    if scheme[1] == "file":
        return text[len(scheme[0]) :]
    raise UnimplementedError(
        None,
        None,
        f"File system scheme '{scheme[1]}' not implemented (file: '{text}'): copy the file to this machine first.",
    )


@contextmanager
def file_errors(path: str) -> Iterator[None]:
    """What the operating system refuses, as one of `tf.errors` that names the path."""
    try:
        yield
    except OSError as error:
        kind = _KINDS.get(error.errno, UnknownError)
        raise kind(None, None, f"{path}; {os.strerror(error.errno) if error.errno else error}") from error
