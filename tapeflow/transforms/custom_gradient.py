"""`tf.custom_gradient`: a function with a backward rule (a pullback) of its own."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ParamSpec, TypeVar, overload

from tapeflow.core import nest
from tapeflow.core.apply import tell
from tapeflow.core.composite import CompositeTensor
from tapeflow.core.contracts import BackwardRule, RowExecutor
from tapeflow.core.convert import to_tensor
from tapeflow.core.frames import current, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.record import Inside, Pullback, Pushforward, Recorder
from tapeflow.core.slices import IndexedSlices, SparseGradient
from tapeflow.core.tensor import EagerTensor, Tensor, tensor_behind
from tapeflow.core.variables.variable import Variable
from tapeflow.tape import seeds
from tapeflow.tape.recording import Recording
from tapeflow.tape.unconnected import edges, leading_to

P = ParamSpec("P")
R = TypeVar("R")


@overload
def custom_gradient(f: Callable[P, tuple[R, Callable[..., Any]]]) -> Callable[P, R]: ...
@overload
def custom_gradient(
    f: None = None,
) -> Callable[[Callable[P, tuple[R, Callable[..., Any]]]], Callable[P, R]]: ...
def custom_gradient(f: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Decorates `f`, which returns `(outputs, backward)`: `backward` takes one gradient per output and returns one per
    argument.

    Arguments that are not tensors may be left out of what `backward` returns. If `f` reads variables, `backward` must
    take a keyword `variables` and return `(gradients, gradients of the variables)`; the variables come in the order of
    their creation.

    Args:
        f: A function of tensors that returns its result and a function `backward`.

    Returns:
        A function with the parameters of `f` that returns the result alone.

    >>> @tf.custom_gradient
    ... def log1pexp(x):
    ...     e = tf.exp(x)
    ...     return tf.math.log(1 + e), lambda g: g * (1 - 1 / (1 + e))
    >>> x = tf.constant(100.)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = log1pexp(x)
    >>> tape.gradient(y, x).numpy()          # the formula alone would give nan
    np.float32(1.0)
    """
    if f is None:
        return custom_gradient

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        return apply_custom(f, *_positional(f, args, kwargs))

    return decorated


def grad_pass_through(f: Callable[P, R]) -> Callable[P, R]:
    """`f` forwards, the identity backwards: the straight-through estimator.

    Args:
        f: A function of tensors.

    >>> x = tf.constant(2.6)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = tf.grad_pass_through(tf.round)(x)
    >>> y.numpy(), tape.gradient(y, x).numpy()
    (np.float32(3.0), np.float32(1.0))
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        @functools.wraps(f)
        def with_identity(*args: Any, **kwargs: Any) -> Any:
            def backward(*gs: Any, variables: Any = None) -> Any:
                return gs if variables is None else (gs, [None] * len(variables))

            return f(*args, **kwargs), backward

        return apply_custom(with_identity, args, kwargs)

    return decorated


def _positional(f: Callable, args: tuple, kwargs: dict) -> tuple[tuple, dict]:
    """Arguments given by keyword count as the positional ones they are, so that the rule applies to them too."""
    if not kwargs:
        return args, kwargs
    try:
        parameters = list(inspect.signature(f).parameters.values())[len(args) :]
    except (TypeError, ValueError):
        return args, kwargs
    kwargs = dict(kwargs)
    for parameter in parameters:
        if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD or parameter.name not in kwargs:
            break
        if parameter.default is not parameter.empty:  # an option: stays one
            break
        args = (*args, kwargs.pop(parameter.name))
    return args, kwargs


def apply_custom(f: Callable, args: tuple, kwargs: dict, collect: Callable = Recording) -> Any:
    """Run `f`, and tell whoever watches that its outputs come from `args` by the rule that it returned."""
    inside = collect(True)
    frame = current()
    args = nest.map_structure(tensor_behind, args)
    with entered(frame.watched_by(inside)):
        outputs, backward = _checked_result(f, f(*args, **kwargs))
        results = [o if is_opened(o) else to_tensor(o) for o in nest.flatten(outputs)]
        flat = seeds.parts(results)
    whole = nest.flatten(args)
    leaves = [part for leaf in whole for part in (seeds.parts([leaf]) if is_opened(leaf) else [leaf])]
    if any(map(is_opened, whole)):
        backward = _giving_parts(backward, [leaf if is_opened(leaf) else None for leaf in whole])
    variables = [
        v
        for v in _variables_of(inside, flat)
        if not any(v.serial == a.serial for a in leaves if isinstance(a, Variable))
    ]
    if variables and not _takes_variables(backward):
        raise TypeError(
            f"{_name(f)} reads variables ({', '.join(v.name for v in variables)}), so its backward function must "
            "accept a keyword `variables` and return (gradients of the arguments, gradients of these variables)."
        )
    fresh = tuple(o._twin() for o in flat)
    positions = [k for k, a in enumerate(leaves) if isinstance(a, (Tensor, Variable))]
    inputs = tuple(to_tensor(leaves[k]) for k in positions) + tuple(v.value() for v in variables)
    if any(map(is_opened, results)):
        backward = _of_composites(backward, results)
    rule = CustomRule(_name(f), backward, inputs, positions, len(leaves), variables)
    rule.announce(inputs, fresh, flat)
    return nest.pack_as(outputs, _as_results(results, fresh))


# ---- composites among arguments and results: a rule is about the tensors in them that have gradients


def is_opened(value: Any) -> bool:
    return isinstance(value, CompositeTensor) and not isinstance(value, IndexedSlices)


def _giving_parts(backward: Callable, composites: list) -> Callable:
    """The user's backward function, giving a gradient for each part of an argument. `composites` has those that are
    composites, and None for the others."""

    def opened(given: Any) -> list:
        flat = nest.flatten(given)
        if len(flat) != len(composites):
            return flat  # an error, which says how many there should be
        return [part for leaf, g in zip(composites, flat) for part in seeds.parts_of_gradient(leaf, g)]

    @functools.wraps(backward)
    def of_parts(*gs: Any, **kwargs: Any) -> Any:
        found = backward(*gs, **kwargs)
        return (opened(found[0]), *found[1:]) if "variables" in kwargs else opened(found)

    return of_parts


def _as_results(results: list, tensors: Iterable) -> list:
    """The results with other tensors in them."""
    rest = iter(tensors)

    def one(value: Any) -> Any:
        if not is_opened(value):
            return next(rest)
        return value.__with_gradients__([one(part) for part in value.__gradient_parts__()])

    return [one(value) for value in results]


def _of_composites(backward: Callable, results: list) -> Callable:
    """The user's backward function for gradients of tensors: it takes those of the results, which are composites."""

    @functools.wraps(backward)
    def on_tensors(*gs: Any, **kwargs: Any) -> Any:
        return backward(*_as_results(results, gs), **kwargs)

    return on_tensors


def _checked_result(f: Callable, result: Any) -> tuple:
    if not isinstance(result, tuple) or len(result) != 2:
        raise TypeError(
            f"{_name(f)} is decorated with tf.custom_gradient, so it must return (outputs, backward function); it "
            f"returned {type(result).__name__}. Write `return y, lambda g: ...`."
        )
    if not callable(result[1]):
        raise TypeError(
            f"The second value that {_name(f)} returns must be its backward function; it is {result[1]!r}."
        )
    return result


def _variables_of(inside: Any, outputs: list) -> list[Variable]:
    """The variables that the outputs depend on, in the order of their creation."""
    if not isinstance(inside, Recording):
        return inside.found(outputs)
    needed = leading_to(edges(inside), {o.serial for o in outputs})
    return [v for i, v in sorted(inside.variables.items()) if not needed.isdisjoint(inside.reads[i])]


def _takes_variables(backward: Callable) -> bool:
    parameters = inspect.signature(backward).parameters.values()
    return any(p.name == "variables" or p.kind is p.VAR_KEYWORD for p in parameters)


def _name(f: Callable) -> str:
    return getattr(f, "__name__", repr(f))


class Rule(BackwardRule):
    """Stands where a primitive stands in a record: a tape asks it for its recorder, an accumulator for its
    pushforward."""

    kind = "custom gradient"
    kept: tuple = ()  # tensors that it holds: a record shows them, for they are memory that the tape keeps
    body: Sequence[int] | None = ()
    inside: Callable[[tuple[int, ...]], tuple[Inside, ...]] | None = (
        None  # of a call: what is in it, from the wanted inputs
    )

    def announce(self, inputs: tuple[Any, ...], outs: tuple[Any, ...], body: Sequence[Tensor]) -> None:
        """Tell those who watch, here and in the frames below a mapped function, that `outs` come from `inputs` by this
        rule."""
        frame = current()
        self.body = [tensor.serial for tensor in body]
        if (
            frame.executor is not None
        ):  # those below first, as of operations: the others may compute with the outputs at once
            frame.executor.announce(self, inputs, outs, body)
        tell(frame.observers, self, inputs, {}, outs)

    def lifted(self, executor: RowExecutor, inputs: list[bool], outs: list[bool]) -> "Rule":
        return LiftedRule(self, executor, inputs, outs)

    def pushforward(self, mask: int, count: int) -> Pushforward:
        return Pushforward(None, mask)

    def recorder(self, mask: int, count: int) -> Recorder:
        def pull(g: tuple, saved: tuple, wanted: tuple[int, ...]) -> list:
            given = self.gradients(g)
            return [given[k] for k in wanted]

        # Not remembered here: rule and recorder would keep each other alive.
        return joint_recorder(pull, lambda x, y: self.kept, mask, count, f"{self.kind} {self.name}", self.inside)


def joint_recorder(
    pull: Callable, save: Callable, mask: int, count: int, title: str, inside: Callable | None = None
) -> Recorder:
    """The recorder of what computes all its gradients at once: `pull(gradients of the outputs, saved, wanted)` gives
    those of the inputs that are wanted, where `saved` is `save(inputs, outputs)`. `title` is for texts
    (`Pullback.title`); `inside(wanted)` says what is in it (`Pullback.inside`)."""
    wanted = tuple([k for k in range(count) if mask >> k & 1])
    alone = len(wanted) == 1

    def on_tensors(ops: Any, g: tuple, saved: tuple) -> Any:
        found = pull(g, saved, wanted)
        return found[0] if alone else found

    def on_arrays(ops: Any, g: tuple, saved: tuple) -> Any:
        found = pull(tuple([None if part is None else EagerTensor(part) for part in g]), saved, wanted)
        return _bare(found[0]) if alone else [_bare(part) for part in found]

    restricted = lambda positions: (
        joint_recorder(pull, save, sum(1 << wanted[k] for k in positions), count, title, inside).pullback
    )
    pullback = Pullback(
        on_tensors,
        on_arrays,
        unusual=True,
        holomorphic=False,
        takes_sparse=True,
        restricted=restricted,
        title=title,
        inside=None if inside is None else functools.partial(inside, wanted),
    )
    ids = lambda x: x[wanted[0]].serial if alone else tuple([x[k].serial for k in wanted])
    record = lambda new, y, p, *x: (new, ids(x), pullback, save(x, y))
    return Recorder(record, record, pullback)


class CustomRule(Rule):
    """The backward function that a user's function returned."""

    def __init__(
        self, name: str, backward: Callable, inputs: tuple, positions: list[int], arity: int, variables: list
    ) -> None:
        self.name, self.backward, self.variables = name, backward, variables
        self.specs = [(tuple(x.sizes), x.dtype) for x in inputs]
        self.positions, self.arity = positions, arity

    def gradients(self, gs: tuple) -> list:
        """What the user's backward function gives, checked: one for each tensor argument and each variable."""
        if not self.variables:
            given = self.backward(*gs)
            of_variables: Sequence = ()
        else:
            result = self.backward(*gs, variables=self.variables)
            if not isinstance(result, tuple) or len(result) != 2 or not isinstance(result[1], (list, tuple)):
                raise TypeError(
                    f"The backward function of {self.name} takes `variables`, so it must return (gradients, variable "
                    f"gradients), the second a list with one for each of {len(self.variables)} variables; it returned "
                    f"{type(result).__name__}."
                )
            given, of_variables = result
            if len(of_variables) != len(self.variables):
                raise ValueError(
                    f"The backward function of {self.name} returned {len(of_variables)} variable gradients for "
                    f"{len(self.variables)} variables ({', '.join(v.name for v in self.variables)})."
                )
        flat = nest.flatten(given)
        if len(flat) == self.arity:
            flat = [flat[k] for k in self.positions]
        elif len(flat) != len(self.positions):
            raise ValueError(
                f"The backward function of {self.name} returned {len(flat)} gradients, but the function takes "
                f"{self.arity} arguments, {len(self.positions)} of them tensors. Return one for each (None where "
                "there is none)."
            )
        return [self._checked(k, g) for k, g in enumerate([*flat, *of_variables])]

    def _checked(self, k: int, g: Any) -> Any:
        if g is None:
            return None
        shape, dtype = self.specs[k]
        if isinstance(g, IndexedSlices):
            return SparseGradient(g.values, g.indices, shape)
        if isinstance(g, (Tensor, Variable)) and g.dtype is not dtype:
            raise ValueError(
                f"The backward function of {self.name} returned a {g.dtype.name} gradient for argument {k}, which is "
                f"{dtype.name}. Convert it with tf.cast(g, tf.{dtype.name})."
            )
        g = to_tensor(g, dtype)
        if tuple(g.sizes) != shape:
            raise ValueError(
                f"The backward function of {self.name} returned a gradient of shape {tuple(g.shape)} for argument "
                f"{k}, which has shape {shape}. A gradient has the shape of its argument."
            )
        return g


class LiftedRule(Rule):
    """A rule from inside a mapped function, for the frame below: it takes and gives gradients of all rows."""

    def __init__(self, rule: Rule, executor: RowExecutor, inputs: list[bool], outs: list[bool]) -> None:
        self.rule, self.executor, self.batched, self.outs = rule, executor, inputs, outs
        self.name = rule.name

    def gradients(self, gs: tuple) -> list:
        executor = self.executor.again()
        with entered(executor.frame()):
            found = self.rule.gradients(tuple(self._of_one_row(executor, g, b) for g, b in zip(gs, self.outs)))
            found = [g.dense(ops) if type(g) is SparseGradient else g for g in found]
        return [self._of_all_rows(g, batched) for g, batched in zip(found, self.batched)]

    def _of_one_row(self, executor: RowExecutor, g: Any, batched: bool) -> Any:
        if g is None or batched:
            return None if g is None else executor.mapped(g)
        # An output that is the same for all rows: its gradient comes once, and what each row makes of it is added up.
        return g / executor.size if any(self.outs) else g

    def _of_all_rows(self, g: Any, batched: bool) -> Any:
        if g is None:
            return None
        if batched:
            return self.executor.rows(g)
        if self.executor.owns(g):
            return ops.reduce_sum(g.held, axis=(0,), keepdims=False)
        return g * self.executor.size if any(self.outs) else g  # the same from every row


def _bare(g: Any) -> Any:
    if type(g) is SparseGradient:
        return SparseGradient(_bare(g.values), _bare(g.indices), g.shape)
    return None if g is None else g.array
