"""`tf.recompute_grad` (gradient checkpointing): keep the arguments, forget the rest, compute it again for the
gradient."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from tapeflow.core import nest
from tapeflow.core.contracts import Observer
from tapeflow.core.frames import current, entered
from tapeflow.core.random.streams import snapshot
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.tape import seeds
from tapeflow.tape.gradient_tape import GradientTape

from .custom_gradient import apply_custom, is_opened

P = ParamSpec("P")
R = TypeVar("R")


class _Reads(Observer):
    """An observer that only collects the trainable variables that are read."""

    def __init__(self, _: bool) -> None:
        self.variables: dict[int, Variable] = {}

    def read(self, variable: Variable, tensor: Any) -> None:
        if tensor is not None and variable.trainable:
            self.variables[variable.serial] = variable

    def found(self, outputs: list) -> list[Variable]:
        return [v for _, v in sorted(self.variables.items())]


def recompute_grad(f: Callable[P, R]) -> Callable[P, R]:
    """`f` with less memory: a tape keeps its arguments only, and `f` runs a second time in the backward pass.

    Random numbers drawn inside are drawn again the same, so that the gradient belongs to the value that was seen.

    Args:
        f: A function of tensors.

    >>> cube = tf.recompute_grad(lambda x: x ** 3)
    >>> x = tf.constant(2.)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = cube(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(12.0)
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        def forward(*args: Any, **kwargs: Any) -> Any:
            frame = current()
            reads = frame.observers[-1]
            replay = snapshot()
            with entered(frame.silent().watched_by(reads)):
                outputs = f(*args, **kwargs)

            def backward(*gs: Any, variables: Any = ()) -> Any:
                leaves = nest.flatten(args)
                tensors = [a for a in leaves if isinstance(a, (Tensor, Variable)) or is_opened(a)]
                sources = [a for a in seeds.parts(tensors) if a.dtype.is_inexact]
                with replay(), GradientTape() as tape:
                    tape.watch([*sources, *variables])
                    again = nest.flatten(f(*args, **kwargs))
                wanted = [(y, g) for y, g in zip(again, gs) if g is not None and (is_opened(y) or y.dtype.is_inexact)]
                found = tape.gradient([y for y, _ in wanted], [*sources, *variables], [g for _, g in wanted])
                of_sources = {
                    s.serial: g for s, g in zip(sources, found)
                }  # what is given twice gets its whole gradient once

                def gradient(a: Any) -> Any:
                    if is_opened(a):
                        return a.__with_gradients__([gradient(part) for part in a.__gradient_parts__()])
                    return of_sources.pop(getattr(a, "serial", 0), None)

                given = [gradient(a) for a in leaves]
                return (given, found[len(sources) :]) if variables else given

            return outputs, backward

        return apply_custom(forward, args, kwargs, collect=_Reads)

    return decorated
