"""Where something is to be written: mistakes are said before the work is done, and name the path that was given."""

import contextlib
import os
from collections.abc import Iterator
from typing import Any

__all__ = ["place"]


@contextlib.contextmanager
def place(given: Any, what: str, folder: bool = False) -> Iterator[str]:
    """The path to write to, in a folder that is there or can be made. Errors of the system, such as a full disk, name
    it.

    Args:
        given: A path.
        what: What is written, for errors.
        folder: It becomes a folder, not a file.

    Raises:
        IsADirectoryError: If there is a folder in the place of the file.
        NotADirectoryError: If there is a file in the place of a folder.

    >>> import tempfile
    >>> from tapeflow.storage.places import place
    >>> with place(tempfile.mkdtemp() + "/note.txt", "a note") as path:
    ...     open(path, "w").close()
    """
    path = os.fspath(given)
    if not path:
        raise ValueError(f"The path of {what} is empty: name a {'folder' if folder else 'file'}.")
    if folder and os.path.exists(path) and not os.path.isdir(path):
        raise NotADirectoryError(f"{path} is a file, and {what} is a folder: name another one, or delete the file.")
    if not folder and os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a folder, and {what} is a file: name a file in it.")
    above = os.path.dirname(os.path.abspath(path))
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        raise NotADirectoryError(f"{path} cannot be written: {above} is a file, not a folder.")
    try:
        yield path
    except OSError as error:
        if error.errno is None or not str(error.filename or path).startswith(path):  # of what the user's code reads
            raise
        why = f"{error.strerror}, so {what} was not written, and what was there before stays as it was"
        raise type(error)(error.errno, why, path) from error
