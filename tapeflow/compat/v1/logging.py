"""`tf.compat.v1.logging`: the log, by the names of version 1."""

import logging as _logging
from typing import Any

__all__ = [
    "DEBUG", "ERROR", "FATAL", "INFO", "WARN", "debug", "error", "fatal", "flush", "get_verbosity", "info", "log",
    "log_first_n", "log_if", "set_verbosity", "vlog", "warn", "warning",
]  # fmt: skip

_logger = _logging.getLogger("tapeflow")
_said: dict[Any, int] = {}

DEBUG, INFO, WARN, ERROR, FATAL = _logging.DEBUG, _logging.INFO, _logging.WARNING, _logging.ERROR, _logging.CRITICAL


def set_verbosity(v: Any) -> None:
    """What is less important than `v` is not said; a level, or its name.

    >>> tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.WARN)
    >>> tf.compat.v1.logging.get_verbosity() == tf.compat.v1.logging.WARN
    True
    """
    _logger.setLevel(v)


def get_verbosity() -> int:
    """The level from which on something is said.

    >>> isinstance(tf.compat.v1.logging.get_verbosity(), int)
    True
    """
    return _logger.getEffectiveLevel()


def log(level: int, msg: Any, *args: Any, **kwargs: Any) -> None:
    """Says it, if the level is high enough.

    >>> tf.compat.v1.logging.log(tf.compat.v1.logging.DEBUG, "step %d", 3)
    """
    _logger.log(level, msg, *args, **kwargs)


vlog = log


def _saying(level: int, name: str) -> Any:
    def say(msg: Any, *args: Any, **kwargs: Any) -> None:
        _logger.log(level, msg, *args, **kwargs)

    say.__name__ = say.__qualname__ = name
    say.__doc__ = f"""Says it, at the level {_logging.getLevelName(level)}.

    >>> tf.compat.v1.logging.{name} is not None
    True
    """
    return say


debug, info, warn, warning = (
    _saying(DEBUG, "debug"),
    _saying(INFO, "info"),
    _saying(WARN, "warn"),
    _saying(WARN, "warning"),
)
error, fatal = _saying(ERROR, "error"), _saying(FATAL, "fatal")


def log_if(level: int, msg: Any, condition: Any, *args: Any) -> None:
    """Says it, if the condition holds.

    >>> tf.compat.v1.logging.log_if(tf.compat.v1.logging.ERROR, "never", False)
    """
    if condition:
        _logger.log(level, msg, *args)


def log_first_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Says it the first `n` times.

    >>> tf.compat.v1.logging.log_first_n(tf.compat.v1.logging.DEBUG, "once", 1)
    """
    _said[msg] = _said.get(msg, 0) + 1
    log_if(level, msg, _said[msg] <= n, *args)


def flush() -> None:
    """Nothing waits.

    >>> tf.compat.v1.logging.flush()
    """
