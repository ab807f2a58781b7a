"""What private modules say of AutoGraph: whether the code that runs now is converted, and how more of it would be."""

import enum
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from tapeflow.function.autograph import converted
from tapeflow.function.tracing.regions import enclosing_graph


class Status(enum.Enum):
    """Whether code is converted."""

    UNSPECIFIED = 0
    ENABLED = 1
    DISABLED = 2


def control_status_ctx() -> Any:
    """What holds where this is called: in a `tf.function` code is converted unless it says otherwise."""
    graph = enclosing_graph()
    status = Status.UNSPECIFIED if graph is None else Status.ENABLED if graph.autograph else Status.DISABLED
    return SimpleNamespace(status=status, options=None)


def tf_convert(
    f: Callable[..., Any], ctx: Any, convert_by_default: bool = True, user_requested: bool = False
) -> Callable[..., Any]:
    """The function as code under `ctx` would call it."""
    if ctx.status is Status.ENABLED or ctx.status is Status.UNSPECIFIED and convert_by_default:
        return converted(f)
    return f
