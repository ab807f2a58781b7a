"""Terminals: where what was printed can be printed over."""

import functools
import os
from typing import Any

from .files import WINDOWS

__all__ = ["is_terminal"]


def is_terminal(stream: Any) -> bool:
    """Does the stream go to a terminal, which understands escape sequences?"""
    try:
        return bool(stream.isatty()) and _escapes()
    except (AttributeError, ValueError):  # no file at all, or one that is closed
        return False


@functools.cache
def _escapes() -> bool:
    if WINDOWS:
        os.system("")  # its console understands them from then on
    return True
