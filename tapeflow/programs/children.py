"""`multiprocessing` under `tapeflow run`: `import tensorflow` gives tapeflow in child processes, too.

Forked children have everything. Those of the methods "spawn" and "forkserver" begin with a command line that Python
makes, and run the program's file once more before they do their work; so the stand-in goes into that command line, and
into what the server of forks imports first.
"""

import functools
import multiprocessing
from multiprocessing import spawn
from pathlib import Path
from typing import Any


def prepare(first: str = "tapeflow.programs.child") -> None:
    """From now on, for this process and for those that its children start: they import this module before they do
    anything."""
    if "forkserver" in multiprocessing.get_all_start_methods():  # not on Windows
        multiprocessing.set_forkserver_preload([first])
    if not hasattr(spawn.get_command_line, "__wrapped__"):
        spawn.get_command_line = _importing(first, spawn.get_command_line)


def _importing(first: str, get_command_line: Any) -> Any:
    @functools.wraps(get_command_line)
    def changed(**options: Any) -> list[str]:
        words = get_command_line(**options)
        if "-c" in words:  # not in a program that was frozen into an executable
            place = words.index("-c") + 1
            words[place] = f"{_BEGINNING}; import {first}; {words[place]}"
        return words

    return changed


_HOME = str(Path(__file__).parents[2])
# Then it gets its parent's path.
_BEGINNING = f"import sys; sys.path.append({_HOME!r})"
