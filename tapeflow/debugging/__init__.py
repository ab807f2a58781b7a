"""`tf.debugging`: assertions, checks for NaN, and what the gradients of a training loop do."""

import sys as _sys
from typing import TYPE_CHECKING, Any

from tapeflow.api.assertions.shapes import (
    assert_rank as assert_rank,
    assert_rank_at_least as assert_rank_at_least,
    assert_rank_in as assert_rank_in,
    assert_scalar as assert_scalar,
    assert_shapes as assert_shapes,
)
from tapeflow.api.assertions.values import (
    Assert as Assert,
    assert_all_finite as assert_all_finite,
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_greater_equal as assert_greater_equal,
    assert_integer as assert_integer,
    assert_less as assert_less,
    assert_less_equal as assert_less_equal,
    assert_near as assert_near,
    assert_negative as assert_negative,
    assert_non_negative as assert_non_negative,
    assert_non_positive as assert_non_positive,
    assert_none_equal as assert_none_equal,
    assert_positive as assert_positive,
    assert_proper_iterable as assert_proper_iterable,
    assert_same_float_dtype as assert_same_float_dtype,
    assert_type as assert_type,
    check_numerics as check_numerics,
    disable_traceback_filtering as disable_traceback_filtering,
    enable_traceback_filtering as enable_traceback_filtering,
    get_log_device_placement as get_log_device_placement,
    is_numeric_tensor as is_numeric_tensor,
    is_traceback_filtering_enabled as is_traceback_filtering_enabled,
    set_log_device_placement as set_log_device_placement,
)
from tapeflow.inspect.numerics import (
    disable_check_numerics as disable_check_numerics,
    enable_check_numerics as enable_check_numerics,
)
from tapeflow.inspect.provenance import explain_gradients as explain_gradients
from tapeflow.names.missing import watch_over as _watch_over

from . import experimental as experimental

if TYPE_CHECKING:
    from keras_tapeflow.callbacks import GradientMonitorCallback as GradientMonitorCallback
    from tapeflow.debugging.gradient_monitor import GradientMonitor as GradientMonitor

__all__ = [
    "Assert",
    "GradientMonitor",
    "GradientMonitorCallback",
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "check_numerics",
    "disable_check_numerics",
    "disable_traceback_filtering",
    "enable_check_numerics",
    "enable_traceback_filtering",
    "experimental",
    "explain_gradients",
    "get_log_device_placement",
    "is_numeric_tensor",
    "is_traceback_filtering_enabled",
    "set_log_device_placement",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The monitor brings `tf.summary`, and its callback Keras: both are imported when they are asked for."""
        if name == "GradientMonitor":
            from .gradient_monitor import GradientMonitor as found
        elif name == "GradientMonitorCallback":
            from tapeflow.api.keras_loading import load

            load()
            from keras_tapeflow.callbacks import GradientMonitorCallback as found
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return globals().setdefault(name, found)


def __dir__() -> list[str]:
    return sorted(__all__)


_watch_over(_sys.modules[__name__], "tf.debugging")
