"""Steps of an LSTM and of a GRU without their matrix products (see `ops/nn/recurrent.py`)."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.engines.native.calling import COUNT, POINTER, at, fits, function


def _step(name: str, sources: str, results: str) -> Callable:
    """A function of the library by what its arguments are, in their order: "g", rows of gates, or "s", states."""
    call: Any = function(name, *[POINTER] * len(sources + results), COUNT, COUNT)
    some_state, some_gates = sources.index("s"), sources.index("g")

    def kernel(*arrays: Any) -> Any:
        if call is None or not fits(*arrays):
            return None
        like = {"s": arrays[some_state], "g": arrays[some_gates]}
        if not like["s"].size or any(x.shape != like[kind].shape for x, kind in zip(arrays, sources)):
            return None
        outs = tuple([np.empty_like(like[kind]) for kind in results])
        width = like["s"].shape[-1]
        call(*map(at, arrays), *map(at, outs), like["s"].size // width, width)
        return outs

    return kernel


lstm_step, lstm_step_grad = _step("lstm_step", "gs", "ssg"), _step("lstm_step_grad", "gssss", "gs")
gru_step, gru_step_grad = _step("gru_step", "ggs", "sg"), _step("gru_step_grad", "ggss", "ggs")
