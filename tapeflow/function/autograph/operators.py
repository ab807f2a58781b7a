"""The operators that converted code calls, as `ag__.if_stmt` and so on."""

from typing import Any

from tapeflow.core.errors import user_line

from .branches import if_exp, if_stmt
from .calling import called, called_for_loop
from .containers import changed, made, raises
from .logic import and_, assert_stmt, chained, not_, or_
from .loops import for_stmt, while_stmt
from .symbolic import Undefined, UndefinedReturnValue, is_symbolic, ld, ldu, rows

__all__ = [
    "Undefined", "UndefinedReturnValue", "and_", "assert_stmt", "called", "called_for_loop", "chained", "changed",
    "for_stmt", "if_exp", "if_stmt", "ld", "ldu", "made", "not_", "or_", "raises", "ret", "rows", "scope",
    "while_stmt",
]  # fmt: skip

scope = None  # marks where the body of a function is, while it is converted


def ret(value: Any, returned: Any) -> Any:
    """What a function returns at its end; `returned`: whether a `return` was on the way."""
    if is_symbolic(returned):
        raise ValueError(
            "A value must also be returned from the else branch, or after the loop: whether the function returns one "
            f"depends on a tensor, at {user_line()}. Return something in all cases."
        )
    return None if type(value) is UndefinedReturnValue else value
