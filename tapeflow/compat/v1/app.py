"""`tf.compat.v1.app`: the start of a program with flags (absl's, as in TensorFlow)."""

import sys as _sys
from collections.abc import Callable
from typing import Any

__all__ = ["run"]


def __getattr__(name: str) -> Any:
    if name == "flags":
        from absl import flags

        return flags
    raise AttributeError(f"module 'tf.compat.v1.app' has no attribute {name!r}")


def run(main: Callable[..., Any] | None = None, argv: list[Any] | None = None) -> None:
    """Reads the flags from the command line, calls `main` (that of the program, by default), and ends the program.

    >>> tf.compat.v1.app.run(lambda argv: None, ["program"])
    Traceback (most recent call last):
    SystemExit
    """
    from absl import app

    app.run(main or _sys.modules["__main__"].main, argv)
