"""The default writer and step of summaries, and whether to record, per thread."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapeflow.api.runtime import get_current_name_scope, name_scope
from tapeflow.core.convert import to_tensor
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.variable import Variable

__all__ = [
    "State",
    "chosen_step",
    "get_step",
    "record_if",
    "set_step",
    "should_record_summaries",
    "state",
    "summary_scope",
]


class State(threading.local):
    """What summaries go by in one thread."""

    writer: Any = None
    step: Any = None
    condition: Any = True  # of `record_if`: a boolean, a tensor, or a function that gives one


state = State()


def set_step(step: Any) -> None:
    """Makes `step` the step of summaries that are given none: a number, or a variable, whose value then counts.

    Args:
        step: A number or a variable; None for no step.

    >>> tf.summary.experimental.set_step(3)
    >>> tf.summary.experimental.get_step()
    3
    >>> tf.summary.experimental.set_step(None)
    """
    state.step = step


def get_step() -> Any:
    """What `set_step`, or `writer.as_default(step)`, was given; None if there is no step.

    Returns:
        A number, a tensor, a variable, or None.

    >>> tf.summary.experimental.get_step() is None
    True
    """
    return state.step


def chosen_step(step: Any) -> Any:
    """The step of a summary: a number, or an integer tensor."""
    step = state.step if step is None else step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    if isinstance(step, (bool, int, np.integer)):
        return int(step)
    if isinstance(step, Variable):
        step = step.value()
    elif not isinstance(step, Tensor) and hasattr(step, "value") and not callable(step.value):  # a variable of Keras
        step = step.value
    if not isinstance(step, Tensor):
        step = np.asarray(step)
        if step.dtype.kind not in "iu":
            raise TypeError(
                f"Cannot convert {step.tolist()!r} to EagerTensor of dtype int64: a step is a whole number."
            )
        step = to_tensor(step)
    if isinstance(step, Variable):
        step = step.value()
    if not step.dtype.is_integer or step.sizes.rank not in (0, None):
        raise ValueError(f"A step is one whole number, got a {step.dtype.name} tensor of shape {tuple(step.shape)}.")
    return step


@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """A context in which summaries are recorded only if the condition holds: a boolean, a tensor, or a function that
    gives one.

    Args:
        condition: A bool, a scalar tensor or variable of one, or a function that gives one.

    >>> with tf.summary.record_if(lambda: False):
    ...     bool(tf.summary.should_record_summaries())
    False
    """
    before, state.condition = state.condition, condition
    try:
        yield
    finally:
        state.condition = before


def should_record_summaries() -> Tensor:
    """Whether a summary would be recorded now: there is a default writer, and `record_if` allows it.

    >>> tf.summary.should_record_summaries().numpy()
    np.False_
    """
    condition = wanted()
    return condition if isinstance(condition, Tensor) else EagerTensor(np.bool_(condition))


def wanted() -> Any:
    """The same: a boolean where that is known, else a tensor of a graph."""
    if state.writer is None or not state.writer.records:
        return False
    condition = state.condition() if callable(state.condition) else state.condition
    if isinstance(condition, Variable):
        condition = condition.value()
    return condition if isinstance(condition, Tensor) and not isinstance(condition, EagerTensor) else bool(condition)


@contextmanager
def summary_scope(name: str | None, default_name: str = "summary", values: Any = None) -> Iterator[tuple[str, str]]:
    """The name of a summary, with the open name scopes before it, and a scope of that name: `(tag, scope)`.

    Args:
        name: The name; None or empty: `default_name`.
        default_name: The name where there is none.
        values: Taken and not used.

    >>> with tf.name_scope("train"), tf.summary.experimental.summary_scope("loss") as (tag, scope):
    ...     print(tag, scope)
    train/loss train/loss/
    """
    name = name or default_name
    around = get_current_name_scope()
    tag = f"{around.rstrip('/')}/{name}" if around else name
    with name_scope(re.sub(r"[^A-Za-z0-9_.\\\-/]", "", name) or default_name) as scope:
        yield tag, scope
