"""Side effects in a graph: printing, assertions, `tf.py_function`. Their nodes are never removed, and keep their
order."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tapeflow.core import nest
from tapeflow.core.errors import ValueNeeded, user_call
from tapeflow.core.frames import Frame, entered
from tapeflow.core.primitive import Spec
from tapeflow.core.record import Pushforward, Recorder
from tapeflow.core.sizes import specialized
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.function.control.flow import Flow
from tapeflow.tape.gradient_tape import GradientTape

from .regions import inside_a_graph

AT_EVERY_RUN: dict[
    str, Callable
] = {}  # functions of this library that graphs call: a saved graph knows them by these names

_EAGER = Frame()  # the user's Python computes now, and no tape of the traced function hears of it


class Effect(Flow):
    """Calls `function` with tensors that have values; it returns a tuple of tensors, of these `specs`."""

    def __init__(
        self, function: Callable, specs: Sequence[Spec], name: str, differentiable: bool = False, checks: bool = False
    ) -> None:
        """`differentiable`: a tape sees what the function does. `checks`: it only raises, or does not."""
        self.function, self.given, self.name, self.differentiable, self.checks = (
            function,
            list(specs),
            name,
            differentiable,
            checks,
        )

    has_effect = True
    recipe: "Recipe | None" = None

    def run(self, *arrays: Any) -> tuple[Any, ...]:
        with entered(_EAGER):
            out = self.function(*[EagerTensor(a) for a in arrays])
        for tensor, spec in zip(out, self.given):
            if tuple(tensor.sizes) != tuple(spec.shape):
                raise ValueError(
                    f"{self.name} returned shape {tuple(tensor.shape)}, but {tuple(spec.shape)} was promised."
                )
        return tuple([t.array for t in out])

    def on_xla(self, engine: Any) -> Callable:
        if not self.checks:
            raise NotImplementedError
        return lambda *arrays: ()

    def specs(self) -> list[Spec]:
        return self.given

    def with_sizes(self, sizes: Any, extends: Any) -> "Effect":
        specs = [Spec(shape=specialized(s.shape, sizes), dtype=s.dtype) for s in self.given]
        made = Effect(self.function, specs, self.name, self.differentiable, self.checks)
        made.recipe = self.recipe
        return made

    def recorder(self, mask: int, count: int) -> Recorder | None:
        return super().recorder(mask, count) if self.differentiable else None

    def pulled(self, gs: Sequence, xs: Sequence, ys: Sequence, wanted: tuple[int, ...]) -> list:
        count, targets = len(xs), [k for k, g in enumerate(gs) if g is not None]

        def pull(*given: Tensor) -> tuple:
            sources = [given[k] for k in wanted]
            with GradientTape() as tape:
                tape.watch(sources)
                outs = self.function(*given[:count])
            found = tape.gradient(
                [outs[k] for k in targets], sources, list(given[count:]), unconnected_gradients="zero"
            )
            return tuple([g.dense() if isinstance(g, IndexedSlices) else g for g in found])

        specs = [Spec(shape=tuple(xs[k].sizes), dtype=xs[k].dtype.np) for k in wanted]
        again = Effect(pull, specs, f"the gradient of {self.name}", differentiable=True)
        again.has_effect = False  # it is called when somebody wants the gradient
        return list(again.entry(*xs, *[gs[k] for k in targets]))

    def pushforward(self, mask: int, count: int) -> Pushforward:
        return Pushforward(None, mask if self.differentiable else 0)

    def batch(self, op: Callable, args: list, batched: list[bool], params: dict) -> tuple:
        raise ValueNeeded(f"{self.name} happens once, not for each row of a map.")


class Recipe(NamedTuple):
    """What an effect calls: `function(*args, **kwargs)`, where these are `leaves` in a `structure`, those at
    `positions` being its inputs."""

    function: Callable
    structure: tuple
    leaves: list
    positions: list[int]


def called(recipe: Recipe, gives: bool) -> Callable:
    """A function of the tensors at the positions. It returns what the function does, or nothing."""

    def call(*tensors: Tensor) -> Any:
        own = list(recipe.leaves)
        for k, tensor in zip(recipe.positions, tensors):
            own[k] = tensor
        now, named = nest.packed(recipe.structure, iter(own), composites=True)
        out = recipe.function(*now, **named)
        return out if gives else ()

    return call


def later(
    function: Callable, args: tuple, kwargs: dict, name: str, specs: Sequence[Spec] = (), differentiable: bool = False,
    checks: bool = False,
) -> list[Tensor]:  # fmt: skip
    """Have `function(*args, **kwargs)` called at every run of the graph. The results are tensors of these `specs`."""
    # What a variable holds at this point of the program, not when the graph has run.
    leaves = [v.value() if isinstance(v, Variable) else v for v in nest.walked((args, kwargs), composites=True)]
    positions = [k for k, leaf in enumerate(leaves) if isinstance(leaf, Tensor) and not isinstance(leaf, EagerTensor)]

    recipe = Recipe(function, (args, kwargs), leaves, positions)
    effect = Effect(called(recipe, bool(specs)), specs, name, differentiable, checks)
    effect.recipe = recipe
    return list(effect.entry(*[leaves[k] for k in positions]))


def at_every_run(checks: bool = False) -> Callable:
    """Decorates a function that returns nothing and is called for what happens: in a graph, that happens at every run.

    `checks`: it raises, or does nothing. XLA leaves checks out.
    """

    def decorate(function: Callable) -> Callable:
        before = AT_EVERY_RUN.setdefault(function.__name__, function)
        if (before.__module__, before.__qualname__) != (function.__module__, function.__qualname__):
            raise ValueError(
                f"Graphs call two functions named {function.__name__}, and a saved graph has only the name."
            )
        AT_EVERY_RUN[function.__name__] = function  # perhaps anew: an import that Ctrl-C has cut begins again

        @functools.wraps(function)
        def decorated(*args: Any, **kwargs: Any) -> None:
            if inside_a_graph():
                name = user_call()  # of the function that calls this one, if it is not this one
                name = decorated.__name__ if name == "decorated" else name
                later(function, args, kwargs, f"tf.{name.strip('_')}", checks=checks)
            else:
                function(*args, **kwargs)

        return decorated

    return decorate
