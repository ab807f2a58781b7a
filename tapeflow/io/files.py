"""Whole files as strings, and the names of files."""

import fnmatch
import glob
import os
from typing import Any

from tapeflow.api.strings.host import one_string, string_tensor, strings_of
from tapeflow.api.strings.paths import file_errors, local_path
from tapeflow.core.errors import invalid
from tapeflow.core.frames import has_an_effect
from tapeflow.core.tensor import Tensor

__all__ = ["match_filenames_once", "matching_files", "read_file", "write_file"]


def read_file(filename: Any, name: str | None = None) -> Tensor:
    """Everything in a file, as one string.

    Raises:
        NotFoundError: If there is no such file.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "note.txt")
    >>> tf.io.write_file(path, "tape")
    >>> tf.io.read_file(path).numpy()
    b'tape'
    """
    has_an_effect("reading a file")
    path = _path(filename, "filename")
    with file_errors(path), open(path, "rb") as file:
        return string_tensor([file.read()], ())


def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    """One string as a file; folders that are missing are made.

    Args:
        contents: What to write, a scalar string.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "new", "note.txt")
    >>> tf.io.write_file(path, "tape")
    >>> os.path.getsize(path)
    4
    """
    has_an_effect("writing a file")
    path, data = _path(filename, "filename"), one_string(contents, "contents")
    with file_errors(path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)


def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The names of the files that fit a pattern, or one of several, in order.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for number in (2, 1):
    ...     tf.io.write_file(os.path.join(folder, f"part{number}.csv"), "")
    >>> [os.path.basename(path) for path in tf.io.matching_files(folder + "/*.csv").numpy()]
    [b'part1.csv', b'part2.csv']
    """
    has_an_effect("listing files")
    patterns = strings_of(pattern, "pattern")
    return string_tensor(sorted({os.fsencode(path) for one in patterns.flat for path in matches(local_path(one))}))


def match_filenames_once(pattern: Any, name: str | None = None) -> Tensor:
    """The same as `matching_files`: what TensorFlow keeps in a variable is a tensor here.

    >>> tf.io.match_filenames_once("no-such-folder/*").shape
    TensorShape([0])
    """
    return matching_files(pattern)


def matches(pattern: str) -> list[str]:
    """The paths that fit a pattern of `*`, `?` and `[abc]`. Names that begin with a dot count too, as in
    TensorFlow."""
    folder, last = os.path.split(pattern)
    folders = [folder] if not glob.has_magic(folder) else [path for path in matches(folder) if os.path.isdir(path)]
    if not glob.has_magic(last):
        return [path for path in (os.path.join(f, last) for f in folders) if os.path.lexists(path)]
    found = []
    for one in folders:
        if os.path.isdir(one or "."):
            fits = last.replace("[^", "[!")  # TensorFlow has both for a letter that is none of these
            found += [os.path.join(one, name) for name in fnmatch.filter(os.listdir(one or "."), fits)]
    return found


def _path(filename: Any, what: str) -> str:
    if isinstance(filename, (str, bytes, os.PathLike)):
        return local_path(filename)
    strings = strings_of(filename, what)
    if strings.ndim:
        raise invalid(f"Input {what} tensor must be scalar, but had shape: {list(strings.shape)}.")
    return local_path(strings[()])
