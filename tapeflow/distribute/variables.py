"""The variables of a strategy.

A `MirroredVariable` is one variable with one value: its copies, `values`, are other names of it, so they cannot
differ. What replicas assign becomes one value first, by the variable's aggregation. A `SyncOnReadVariable` has a
variable for each replica, which the replica alone reads and changes; they become one value when it is read from
outside.
"""

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from tapeflow.core.convert import to_tensor
from tapeflow.core.devices import raw, tensor_of
from tapeflow.core.frames import Frame, current, entered
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.changes import Change
from tapeflow.core.variables.parts import Elements, Part, Rows
from tapeflow.core.variables.policies import VariableAggregation, VariableSynchronization
from tapeflow.core.variables.variable import ResourceVariable, Variable, become, sibling

from .combining import combined, reduced
from .contexts import here
from .replicas import ReduceOp
from .values import DistributedValues, PerReplica

_TENSORS = (Tensor, Variable, np.ndarray, np.generic)


def creator(strategy: Any) -> Callable[..., Any]:
    """What makes `tf.Variable`s for a strategy (see `tf.variable_creator_scope`)."""

    def create(next_creator: Callable[..., Any], **arguments: Any) -> Any:
        synchronization = arguments.get("synchronization")
        if synchronization is VariableSynchronization.NONE:
            raise ValueError(
                "`NONE` variable synchronization mode is not supported with tf.distribute strategy. Please change the "
                f"`synchronization` for variable: {arguments.get('name')}"
            )
        kind = SyncOnReadVariable if synchronization is VariableSynchronization.ON_READ else MirroredVariable
        make = lambda: strategy.as_first_made(kind.of_strategy(next_creator(**arguments), strategy))
        replica = here().replica
        return make() if replica is None else replica.created(make)

    create.of_strategy = True  # type: ignore[attr-defined]
    return create


def kind_of_variable(variable: Variable) -> Any:
    """The class of a variable, by its synchronization."""
    return SyncOnReadVariable if variable.synchronization is VariableSynchronization.ON_READ else MirroredVariable


class _OfStrategy(ResourceVariable, DistributedValues):
    """What both kinds have in common."""

    distribute_strategy: Any

    @property
    def synchronization(self) -> VariableSynchronization:
        """When the values of replicas become one."""
        found = super().synchronization
        return VariableSynchronization.ON_WRITE if found is VariableSynchronization.AUTO else found

    @classmethod
    def of_strategy(cls, variable: Variable, strategy: Any) -> Any:
        """A variable that was just made, as one of the strategy."""
        if isinstance(variable, _OfStrategy):
            return variable
        variable.__dict__["distribute_strategy"] = strategy
        become(variable, cls)
        return variable

    def name_of_copy(self, k: int) -> str:
        return self._name if not k else f"{self._name.removesuffix(':0')}/replica_{k}:0"

    def __repr__(self) -> str:
        lines = ",\n".join(f"  {k}: {value!r}" for k, value in enumerate(self.values))
        return f"{type(self).__name__}:{{\n{lines}\n}}"

    __str__ = __repr__


class MirroredVariable(_OfStrategy):
    """One variable for all replicas of a strategy. What they assign becomes one value by its aggregation.

    >>> with tf.distribute.MirroredStrategy().scope():
    ...     v = tf.Variable(3.)
    >>> type(v).__name__, len(v.values)
    ('MirroredVariable', 1)
    """

    @property
    def values(self) -> tuple[Any, ...]:
        """The copy of each replica: other names for the one value."""
        return tuple([Copy(self, k) for k in range(len(self.distribute_strategy.numbers))])

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        if isinstance(value, PerReplica):
            value = combined(list(value.values), self.aggregation, self._name)
        self._check_summed(value)
        return super().assign(value, use_locking, name, read_value)

    def assign_add(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        self._check_summed(delta)
        return super().assign_add(delta, use_locking, name, read_value)

    def assign_sub(
        self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> Any:
        self._check_summed(delta)
        return super().assign_sub(delta, use_locking, name, read_value)

    def _check_summed(self, value: Any) -> None:
        """A number in the program is one number, not one for each replica."""
        summed = self.aggregation is VariableAggregation.SUM and here().replica is not None
        if summed and not isinstance(value, _TENSORS) and not hasattr(value, "__tf_tensor__"):
            raise ValueError(
                f"A non-DistributedValues value {value!r} cannot be reduced with the given reduce op {ReduceOp.SUM}. "
                f"Variable '{self._name}' adds up what replicas assign: give it a tensor, tf.constant({value!r})."
            )

    def put_value(self, tensor: Tensor, read_value: bool = True) -> Any:
        replica = here().replica
        if replica is None:
            return super().put_value(tensor, read_value)
        replica.update(self, tensor, self.aggregation, lambda value: ResourceVariable.put_value(self, value, False))
        return self if read_value else None

    def update_all(self, delta: Tensor, change: Change, read_value: bool) -> Any:
        replica = here().replica
        if replica is None:
            return super().update_all(delta, change, read_value)
        apply = lambda value: ResourceVariable.update_all(self, value, change, False)
        replica.update(self, delta, self.aggregation, apply)
        return self if read_value else None

    def update_part(self, what: str, part: Part, value: Any, change: Change, stretch: bool = False) -> Any:
        replica = here().replica
        if replica is None:
            return super().update_part(what, part, value, change, stretch)
        given, aggregation, of_rows = (
            to_tensor(value, self._dtype),
            self.aggregation,
            isinstance(part, (Rows, Elements)),
        )
        if of_rows:
            given = given, part.indices
        else:  # as in TensorFlow, slices know nothing of aggregation: all replicas must assign the same
            aggregation = VariableAggregation.NONE

        def apply(found: Any) -> None:
            values, where = (found[0], type(part)(found[1])) if of_rows else (found, part)
            ResourceVariable.update_part(self, what, where, values, change, stretch)

        replica.update(self, given, aggregation, apply)
        return self


MirroredVariable.unread = MirroredVariable


class Copy(ResourceVariable):
    """The copy of a mirrored variable that a replica has: another name for it."""

    def __init__(self, of: MirroredVariable, k: int) -> None:
        self.__dict__.update(of=of, k=k)

    def __new__(cls, *_: Any) -> Any:
        return object.__new__(cls)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["of"], name)

    @property
    def name(self) -> str:
        return self.of.name_of_copy(self.k)

    _name = name  # type: ignore[assignment]

    @property
    def device(self) -> str:
        return self.of.distribute_strategy.device_names[self.k]

    def operand(self) -> Tensor:
        return self.of.operand()

    def put_value(self, tensor: Tensor, read_value: bool = True) -> Any:
        self.of.put_value(tensor, False)
        return self if read_value else None

    def update_all(self, delta: Tensor, change: Change, read_value: bool) -> Any:
        self.of.update_all(delta, change, False)
        return self if read_value else None

    def update_part(self, *args: Any, **kwargs: Any) -> Any:
        self.of.update_part(*args, **kwargs)
        return self


class SyncOnReadVariable(_OfStrategy):
    """A variable for each replica, which it alone reads and changes: sums of a metric, for example. Read from outside,
    they become one value by its aggregation.

    >>> with tf.distribute.MirroredStrategy().scope():
    ...     v = tf.Variable(0., synchronization=tf.VariableSynchronization.ON_READ,
    ...                     aggregation=tf.VariableAggregation.SUM)
    >>> v.assign(3.).numpy()
    np.float32(3.0)
    """

    @classmethod
    def of_strategy(cls, variable: Variable, strategy: Any) -> Any:
        made = super().of_strategy(variable, strategy)
        if "parts" not in made.__dict__:
            count, first = strategy.num_replicas_in_sync, made.__dict__["_value"]
            arrays = [first] * count
            if made.aggregation is VariableAggregation.SUM:  # the initial value counts once
                with entered(Frame()):
                    arrays = [raw(part) for part in split(tensor_of(first), count)]
            made.__dict__["parts"] = tuple(
                [sibling(made, made.name_of_copy(k), array) for k, array in enumerate(arrays)]
            )
        return made

    @property
    def values(self) -> tuple[Any, ...]:
        """The variable of each replica of this process."""
        return tuple([self.parts[k] for k in self.distribute_strategy.numbers])

    def _mine(self) -> ResourceVariable | None:
        """The variable of the replica that runs; None: all are meant."""
        if len(self.parts) == 1:
            return self.parts[0]
        replica = here().replica
        return (
            None if replica is None or replica.number is None else self.parts[min(replica.number, len(self.parts) - 1)]
        )

    def _of_all(self) -> bool:
        """Is it read and changed for all replicas?"""
        return here().replica is None

    # ---- reading

    def peek(self) -> Tensor:
        mine = self._mine()
        if mine is not None:
            return mine.peek()
        return combined_parts(self) if self._of_all() else super().peek()

    def operand(self) -> Tensor:
        return self.value()

    def _tensor_now(self) -> EagerTensor:
        with entered(Frame()):
            return self.peek()

    # ---- writing

    def put_value(self, tensor: Tensor, read_value: bool = True) -> Any:
        mine = self._mine()
        if mine is not None:
            mine.put_value(tensor, False)
        elif not self._of_all():
            super().put_value(tensor, False)
        else:
            summed = self.aggregation is VariableAggregation.SUM
            parts = split(tensor, len(self.parts)) if summed else [tensor] * len(self.parts)
            for part, value in zip(self.parts, parts):
                part.put_value(value, False)
        return self if read_value else None

    def update_all(self, delta: Tensor, change: Change, read_value: bool) -> Any:
        return self._changed(lambda v: v.update_all(delta, change, False), change.word, read_value)

    def update_part(self, what: str, part: Part, value: Any, change: Change, stretch: bool = False) -> Any:
        return self._changed(lambda v: ResourceVariable.update_part(v, what, part, value, change, stretch), what)

    def _changed(self, apply: Callable[[Any], Any], what: str, read_value: bool = True) -> Any:
        mine = self._mine()
        if mine is not None:
            apply(mine)
        elif not self._of_all():
            apply(super())
        elif not here().across:  # outside of everything, where there is one replica
            apply(self.parts[0])
        elif self.aggregation is VariableAggregation.SUM:
            raise ValueError(
                f"SyncOnReadVariable does not support `{what}` in cross-replica context when aggregation is set to "
                f"`tf.VariableAggregation.SUM`: '{self._name}' is a sum over replicas. Do it in strategy.run, or "
                "assign the whole sum."
            )
        else:
            for part in self.parts:
                apply(part)
        return self if read_value else None


SyncOnReadVariable.unread = SyncOnReadVariable


def combined_parts(variable: SyncOnReadVariable) -> Tensor:
    aggregation, graph = variable.aggregation, current().executor
    if graph in _totals and (known := _totals[graph].get(variable.serial)) and known[0] == _now(variable, graph):
        return graph.symbols[known[1]]
    if aggregation is VariableAggregation.ONLY_FIRST_REPLICA:
        return variable.distribute_strategy.values_of_all(variable.values)[0]
    op = ReduceOp.from_variable_aggregation(aggregation)
    values = variable.distribute_strategy.values_of_all(variable.values)
    return ops.cast(reduced(op, values), dtype=variable.dtype.np)


_totals: WeakKeyDictionary[Any, dict[int, tuple[Any, int]]] = WeakKeyDictionary()


def remember_total(variable: SyncOnReadVariable, graph: Any, total: Any) -> None:
    """What reading a variable from outside gives in a graph, until it is changed again: its replicas have exchanged it
    with all else that they exchange."""
    _totals.setdefault(graph, {})[variable.serial] = _now(variable, graph), graph.index_of(total)


def _now(variable: SyncOnReadVariable, graph: Any) -> list:
    return [graph.latest.get(part.serial) for part in variable.parts]


def split(tensor: Tensor, count: int) -> list:
    """Parts whose sum it is."""
    if not tensor.dtype.is_integer:
        return [tensor / count] * count
    part = tensor // count
    return [tensor - part * (count - 1), *[part] * (count - 1)]
