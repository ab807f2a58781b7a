"""Arguments that do not fit: a TypeError, with TensorFlow's first sentence."""

import inspect
import re
from collections.abc import Iterable
from typing import Any


class Unfit(Exception):
    """Why arguments do not fit, in a few words; `help` is a sentence more."""

    def __init__(self, reason: Any, help: str = "") -> None:
        super().__init__(reason)
        self.help = f" {help}" if help else ""


def refused(reason: Any, args: tuple, kwargs: dict, signature: Any, help: str = "") -> TypeError:
    return TypeError(
        f"Binding inputs to tf.function failed due to `{reason}`. Received args: {args} and kwargs: {kwargs} for "
        f"signature: {signature}.{help and f' {help}' or getattr(reason, 'help', '')}"
    )


def bound(signature: inspect.Signature, args: tuple, kwargs: dict) -> inspect.BoundArguments:
    """As in a call of the Python function."""
    try:
        return signature.bind(*args, **kwargs)
    except TypeError as error:
        raise refused(error, args, kwargs, signature) from None


def without_collisions(names: Iterable[str]) -> None:
    """Names of keywords become names in a graph, where letters, digits and underscores are allowed."""
    names = list(names)
    clean = [re.sub(r"\W", "_", name) for name in names]
    if len(set(clean)) < len(clean):
        raise ValueError(
            "Name collision after sanitization. Please rename tf.function input parameters. "
            f"Original: {sorted(names)}, Sanitized: {sorted(set(clean))}"
        )
