"""`tf.io.gfile`: files and folders of this machine, by TensorFlow's names."""

import os
import shutil
from collections.abc import Iterator
from typing import Any, NamedTuple

from tapeflow.api.strings.paths import file_errors, local_path
from tapeflow.core.errors import AlreadyExistsError, FailedPreconditionError, NotFoundError

from .file_objects import (
    GFile as GFile,
)
from .files import matches

__all__ = [
    "GFile", "copy", "exists", "get_registered_schemes", "glob", "isdir", "join", "listdir", "makedirs", "mkdir",
    "remove", "rename", "rmtree", "stat", "walk",
]  # fmt: skip


def exists(path: Any) -> bool:
    """Whether there is a file or folder at `path`.

    >>> tf.io.gfile.exists("no-such-file")
    False
    """
    return os.path.exists(local_path(path))


def isdir(path: Any) -> bool:
    """Whether `path` is a folder.

    >>> tf.io.gfile.isdir(".")
    True
    """
    return os.path.isdir(local_path(path))


def listdir(path: Any) -> list[str]:
    """The names in a folder, in no particular order.

    Raises:
        NotFoundError: If there is no such folder.

    >>> import tempfile
    >>> tf.io.gfile.listdir(tempfile.mkdtemp())
    []
    """
    path = local_path(path)
    if not os.path.isdir(path):
        raise NotFoundError(None, None, f"Could not find directory {path}")
    with file_errors(path):
        return os.listdir(path)


def glob(pattern: Any) -> list[str]:
    """The paths that fit a pattern, or one of several.

    >>> tf.io.gfile.glob("no-such-folder/*.txt")
    []
    """
    patterns = pattern if isinstance(pattern, (list, tuple)) else [pattern]
    return [path for one in patterns for path in matches(local_path(one))]


def mkdir(path: Any) -> None:
    """Make one folder, whose parent exists; nothing happens if it is there already.

    Raises:
        NotFoundError: If there is no parent.

    >>> import os, tempfile
    >>> tf.io.gfile.mkdir(os.path.join(tempfile.mkdtemp(), "runs"))
    """
    path = local_path(path)
    if not os.path.isdir(path):
        with file_errors(path):
            os.mkdir(path)


def makedirs(path: Any) -> None:
    """Make a folder and those above it; nothing happens if it is there already.

    Raises:
        FailedPreconditionError: If there is a file of that name.

    >>> import os, tempfile
    >>> tf.io.gfile.makedirs(os.path.join(tempfile.mkdtemp(), "runs", "first"))
    """
    path = local_path(path)
    if os.path.lexists(path) and not os.path.isdir(path):
        raise FailedPreconditionError(None, None, f"{path} is not a directory")
    with file_errors(path):
        os.makedirs(path, exist_ok=True)


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copy a file; a file that is there already is written over only if `overwrite`.

    Raises:
        AlreadyExistsError: If there is something at `dst`, and `overwrite` is False.
        NotFoundError: If there is nothing at `src`.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(folder + "/a", "tape")
    >>> tf.io.gfile.copy(folder + "/a", folder + "/b")
    >>> sorted(tf.io.gfile.listdir(folder))
    ['a', 'b']
    """
    src, dst = local_path(src), _free(dst, overwrite)
    with file_errors(src):
        shutil.copyfile(src, dst)


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Move a file or folder; what is there already is replaced only if `overwrite`.

    Raises:
        AlreadyExistsError: If there is something at `dst`, and `overwrite` is False.
        NotFoundError: If there is nothing at `src`.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.write_file(folder + "/a", "tape")
    >>> tf.io.gfile.rename(folder + "/a", folder + "/b")
    >>> tf.io.gfile.listdir(folder)
    ['b']
    """
    src, dst = local_path(src), _free(dst, overwrite)
    with file_errors(src):
        os.replace(src, dst)


def _free(path: Any, overwrite: bool) -> str:
    path = local_path(path)
    if not overwrite and os.path.lexists(path):
        raise AlreadyExistsError(None, None, f"file already exists: {path}. Give overwrite=True to replace it.")
    return path


def remove(path: Any) -> None:
    """Delete one file.

    Raises:
        NotFoundError: If there is no such file.
        FailedPreconditionError: If it is a folder.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/note.txt"
    >>> tf.io.write_file(path, "tape")
    >>> tf.io.gfile.remove(path)
    >>> tf.io.gfile.exists(path)
    False
    """
    path = local_path(path)
    if os.path.isdir(path) and not os.path.islink(path):
        raise FailedPreconditionError(
            None, None, f"{path}; Is a directory: tf.io.gfile.rmtree deletes one with all that is in it."
        )
    with file_errors(path):
        os.remove(path)


def rmtree(path: Any) -> None:
    """Delete a folder with everything in it.

    Raises:
        NotFoundError: If there is no such folder.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.io.gfile.rmtree(folder)
    >>> tf.io.gfile.isdir(folder)
    False
    """
    path = local_path(path)
    if not os.path.lexists(path):
        raise NotFoundError(None, None, f"{path} not found")
    with file_errors(path):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.remove(path)


def join(path: Any, *paths: Any) -> Any:
    """One path out of its parts.

    Args:
        path: The first part.
        *paths: The other parts; one that begins with `/` drops those before it.

    Returns:
        The path: str of str, bytes of bytes.

    >>> tf.io.gfile.join("runs", "first", "events")
    'runs/first/events'
    """
    return os.path.join(path, *paths)


class FileStatistics(NamedTuple):
    """What `stat` says: `length` in bytes, `mtime_nsec`, `is_directory`."""

    length: int
    mtime_nsec: int
    is_directory: bool


def stat(path: Any) -> FileStatistics:
    """Size, time of the last change in nanoseconds, and whether it is a folder.

    Returns:
        A named tuple: `length`, `mtime_nsec` and `is_directory`.

    Raises:
        NotFoundError: If there is nothing.

    >>> tf.io.gfile.stat(".").is_directory
    True
    """
    path = local_path(path)
    with file_errors(path):
        found = os.stat(path)
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(path))


def walk(top: Any, topdown: bool = True, onerror: Any = None) -> Iterator[tuple[str, list[str], list[str]]]:
    """(folder, folders in it, files in it) of a folder and of all below it.

    Args:
        top: The folder.
        topdown: False gives folders before those that they are in.
        onerror: A function that gets the OSError of a folder that cannot be listed; None passes it over.

    >>> list(tf.io.gfile.walk("no-such-folder"))
    []
    """
    return os.walk(local_path(top), topdown, onerror)


def get_registered_schemes() -> list[str]:
    """The kinds of addresses that paths may have: local files only.

    >>> tf.io.gfile.get_registered_schemes()
    ['', 'file']
    """
    return ["", "file"]
