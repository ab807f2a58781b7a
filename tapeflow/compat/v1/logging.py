"""`tf.compat.v1.logging`: the log, by the names of version 1."""

import logging as _logging
from typing import Any

__all__ = [
    "DEBUG",
    "ERROR",
    "FATAL",
    "INFO",
    "WARN",
    "TaskLevelStatusMessage",
    "debug",
    "error",
    "fatal",
    "flush",
    "get_verbosity",
    "info",
    "log",
    "log_every_n",
    "log_first_n",
    "log_if",
    "set_verbosity",
    "vlog",
    "warn",
    "warning",
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


def debug(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Says it, at the level DEBUG.

    >>> tf.compat.v1.logging.debug is not None
    True
    """
    _logger.log(DEBUG, msg, *args, **kwargs)


def info(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Says it, at the level INFO.

    >>> tf.compat.v1.logging.info is not None
    True
    """
    _logger.log(INFO, msg, *args, **kwargs)


def warn(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Says it, at the level WARNING.

    >>> tf.compat.v1.logging.warn is not None
    True
    """
    _logger.log(WARN, msg, *args, **kwargs)


def warning(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Says it, at the level WARNING.

    >>> tf.compat.v1.logging.warning is not None
    True
    """
    _logger.log(WARN, msg, *args, **kwargs)


def error(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Says it, at the level ERROR.

    >>> tf.compat.v1.logging.error is not None
    True
    """
    _logger.log(ERROR, msg, *args, **kwargs)


def fatal(msg: Any, *args: Any, **kwargs: Any) -> None:
    """Says it, at the level CRITICAL.

    >>> tf.compat.v1.logging.fatal is not None
    True
    """
    _logger.log(FATAL, msg, *args, **kwargs)


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


def log_every_n(level: int, msg: Any, n: int, *args: Any) -> None:
    """Says it the first time, and then every `n`-th.

    >>> tf.compat.v1.logging.log_every_n(tf.compat.v1.logging.DEBUG, "step", 10)
    """
    _said[msg] = _said.get(msg, -1) + 1
    log_if(level, msg, _said[msg] % n == 0, *args)


def TaskLevelStatusMessage(msg: Any) -> None:
    """Says it, at the level ERROR.

    >>> tf.compat.v1.logging.TaskLevelStatusMessage is not None
    True
    """
    _logger.log(ERROR, msg)


def flush() -> None:
    """Nothing waits.

    >>> tf.compat.v1.logging.flush()
    """
