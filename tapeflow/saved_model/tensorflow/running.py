"""Running the functions of a SavedModel, node by node. In a `tf.function` this writes their graph: of our primitives,
so that all that can be done with a graph can be done with it."""

from collections.abc import Sequence
from typing import Any

from tapeflow.api.arrays.casting import cast
from tapeflow.api.control import branches_and_loops as control
from tapeflow.core.apply import as_tensor
from tapeflow.core.contracts import LoopVariable
from tapeflow.core.dtypes import bool_
from tapeflow.core.errors import UnimplementedError, invalid
from tapeflow.core.frames import Frame, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.function.tracing.regions import inside_a_graph
from tapeflow.transforms.custom_gradient import custom_gradient

from .library import Body, Library, Reference, Step
from .operations import Operation, bound, constant_inputs

__all__ = ["Runner", "picked", "refusal"]

_EAGER = Frame()  # where what is known is computed while a graph is written


def refusal(bodies: Sequence[Body]) -> UnimplementedError | None:
    """An error that names what cannot run in some functions; None if all can."""
    missing = [one for body in bodies for one in body.missing]
    if not missing:
        return None
    by_operation: dict[tuple[str, str], list] = {}
    for one in missing:
        by_operation.setdefault((one.operation, one.why), []).append(one)
    lines = [
        f"  {op} ({len(found)} node{'s' if len(found) > 1 else ''}, such as {found[0].node!r} of "
        f"{found[0].function}): {why}"
        for (op, why), found in sorted(by_operation.items())
    ]
    return UnimplementedError(
        None, None, "Operations of this SavedModel cannot run here:\n" + "\n".join(lines) + "\nIts weights can be "
        "read by tf.train.load_checkpoint(folder + '/variables/variables')."
    )  # fmt: skip


class Runner:
    """Runs functions of a library."""

    def __init__(self, library: Library) -> None:
        self.library = library

    def run(self, name: str, arguments: Sequence[Any]) -> list[Any]:
        return self.body(self.library.body(name), arguments)

    def body(self, body: Body, arguments: Sequence[Any]) -> list[Any]:
        if body.missing:
            raise refusal([body])  # type: ignore[misc]
        if len(arguments) != len(body.arguments):
            raise invalid(f"{body.name} takes {len(body.arguments)} arguments, the graph gives {len(arguments)}.")
        values: dict[str, Any] = dict(zip(body.arguments, arguments))
        for step in body.steps:
            inputs = [picked(values, ref) for ref in step.inputs]
            try:
                values[step.name] = self._computed(step, inputs, body.name, values)
            except Exception as error:
                if not getattr(error, "__notes__", None):
                    error.add_note(f"In the node {step.name!r} ({step.operation.op}) of {body.name}, of a SavedModel.")
                raise
            for name in step.done:
                values.pop(name, None)
        return [picked(values, ref) for ref in body.outputs]

    def _computed(self, step: Step, inputs: list[Any], function: str, values: dict[str, Any]) -> Any:
        made = step.operation
        if made.gradient is not None:
            return self._with_gradient(made, inputs, function, values)
        if made.kind == "op":
            return self._operation(made, inputs)
        if made.kind == "constant":
            return EagerTensor(made.array)
        return getattr(self, f"_{made.kind}")(made, inputs)

    def _operation(self, made: Operation, inputs: list[Any]) -> Any:
        if made.op == "Identity" and not isinstance(inputs[0], Tensor):  # of a variable, a table, a list
            return inputs[0]
        given = bound(made, inputs)
        assert made.function is not None
        if made.pure and constant_inputs(inputs) and inside_a_graph():
            with entered(_EAGER):
                return made.function(**given)
        return made.function(**given)

    # ---- functions of functions

    def _call(self, made: Operation, inputs: list[Any]) -> list[Any]:
        return self.run(made.calls[0], inputs)

    def _branch(self, made: Operation, inputs: list[Any]) -> list[Any]:
        otherwise, then = made.calls
        condition, rest = self._truth(inputs[0]), inputs[1:]
        found = control.cond(condition, lambda: self._outputs(then, rest), lambda: self._outputs(otherwise, rest))
        return list(found)

    def _case(self, made: Operation, inputs: list[Any]) -> list[Any]:
        branches = [lambda name=name: self._outputs(name, inputs[1:]) for name in made.calls]
        return list(control.switch_case(inputs[0], branches))

    def _outputs(self, name: str, arguments: Sequence[Any]) -> list[Any]:
        return list(self.run(name, arguments))

    @staticmethod
    def _truth(condition: Any) -> Any:
        condition = as_tensor(condition)
        return condition if condition.dtype is bool_ else cast(condition, bool_)

    def _loop(self, made: Operation, inputs: list[Any]) -> list[Any]:
        """Variables, and what the body hands on as it is, are no state of the loop."""
        holds, step = made.calls
        kept = _handed_on(self.library.body(step))
        state = [k for k, x in enumerate(inputs) if k not in kept and isinstance(x, (Tensor, LoopVariable))]

        def all_of(own: Sequence[Any]) -> list[Any]:
            whole = list(inputs)
            for k, value in zip(state, own):
                whole[k] = value
            return whole

        condition = lambda *own: self._truth(self.run(holds, all_of(own))[0])

        def body(*own: Any) -> list[Any]:
            found = self.run(step, all_of(own))
            return [found[k] for k in state]

        start = [inputs[k] for k in state]
        if not state:
            raise invalid("A loop without anything that changes does not end.")
        try:
            last = control.while_loop(condition, body, start)
        except ValueError:  # sizes change from one iteration to the next
            if not inside_a_graph():
                raise
            last = control.while_loop(condition, body, start, [_open(x) for x in start])
        return all_of(last)

    # ---- gradients of their own

    def _with_gradient(self, made: Operation, inputs: list[Any], function: str, values: dict[str, Any]) -> list[Any]:
        """The inputs, with the gradient that `tf.custom_gradient` gave them."""
        name = self.library.gradients.get(made.gradient or "")
        tensors = [as_tensor(x) for x in inputs]

        def backward(*gs: Any) -> list[Any]:
            found = None if name is None else self.captured_by_gradient(name, function, values)
            if name is None or found is None:
                raise LookupError(
                    f"{function} has a gradient of its own (tf.custom_gradient), which is not in the SavedModel. Save "
                    "it with tf.saved_model.SaveOptions(experimental_custom_gradients=True)."
                )
            out = self.run(name, [*gs, *found])
            return [None] * (len(tensors) - len(out)) + out  # the first ones are what the function gave

        return list(custom_gradient(lambda *xs: ([ops.identity(x) for x in xs], backward))(*tensors))

    def captured_by_gradient(self, name: str, function: str, values: dict[str, Any]) -> list[Any] | None:
        """What the gradient `name` reads of the run of a function; None if it is not there."""
        return None


def _open(value: Any) -> Any:
    return TensorShape([None] * len(value.sizes)) if isinstance(value, Tensor) else None


def _handed_on(body: Body) -> set[int]:
    """Which outputs of a loop's body are the argument of the same number, maybe by way of Identity."""
    sources = {
        step.name: step.inputs[0] for step in body.steps if step.operation.op == "Identity" and len(step.inputs) == 1
    }
    found = set()
    for k, ref in enumerate(body.outputs):
        while ref.node in sources:
            ref = sources[ref.node]
        if k < len(body.arguments) and ref.node == body.arguments[k]:
            found.add(k)
    return found


def picked(values: dict[str, Any], ref: Reference) -> Any:
    """A result of a node."""
    value = values[ref.node]
    if not isinstance(value, (list, tuple)):
        return value
    fields = getattr(value, "_fields", None)
    if ref.output is not None and fields is not None and ref.output in fields:
        part = getattr(value, ref.output)
        return part[ref.number] if isinstance(part, (list, tuple)) else part
    if fields is not None and ref.output is None:
        value = [x for part in value for x in (part if isinstance(part, (list, tuple)) else [part])]
    if ref.number >= len(value):
        raise invalid(f"{ref.node!r} has {len(value)} results, the graph reads number {ref.number}.")
    return value[ref.number]
