"""A strategy: functions run on every replica, and their results combined."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cached_property
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.composite import CompositeTensor
from tapeflow.core.devices import Device
from tapeflow.core.frames import current
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.function.autograph.convert import converted
from tapeflow.function.tracing.concrete import in_function
from tapeflow.function.tracing.graph import Graph
from tapeflow.function.tracing.polymorphic import BoundFunction, Function
from tapeflow.function.tracing.regions import enclosing_graph

from .at_once import NotAtOnce, run_at_once
from .contexts import Marker, entered_context, here
from .datasets import DistributedDataset, DistributedDatasetsFromFunction
from .extended import StrategyExtended
from .reducing import gathered, reduced_value
from .replicas import InputContext, ValueContext, reduce_op as _reduce_op
from .turns import run_by_turns
from .values import DistributedValues, PerReplica, selected
from .variables import creator, kind_of_variable
from .workers import everywhere_of

__all__ = ["Strategy"]


class Strategy:
    """Runs functions on every replica, and combines their results. The default one has one replica.

    >>> strategy = tf.distribute.get_strategy()
    >>> with strategy.scope():
    ...     v = tf.Variable(3.)
    >>> strategy.run(lambda x: v * x, args=(tf.constant(2.),)).numpy(), strategy.num_replicas_in_sync
    (np.float32(6.0), 1)
    """

    device_names: tuple[str, ...] = ("/job:localhost/replica:0/task:0/device:CPU:0",)
    places: tuple[Device | None, ...] = (None,)  # where replicas compute, if not where they would by themselves
    _resolver: Any = None
    _mirrors = False  # are its variables of kinds of their own?
    _is_default = False

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas compute together."""
        return len(self.device_names)

    @property
    def numbers(self) -> Sequence[int]:
        """Those of the replicas of this process."""
        return range(self.num_replicas_in_sync)

    def of_all(self, value: Any) -> Any:
        """A value of replicas, with those of other processes.

        Args:
            value: What `run` gave.

        Returns:
            The value: there are no other processes.
        """
        return value

    def values_of_all(self, parts: Sequence[Variable], read: Callable[[Variable], Any] = Variable.peek) -> list[Any]:
        """The values of a variable that each replica has one of.

        Args:
            parts: The variable of each replica.
            read: How one is read.

        Returns:
            A list of them, one for each replica.
        """
        return [read(part) for part in parts]

    def as_first_made(self, variable: Any) -> Any:
        """A new variable, with the value that it has in the first process.

        Args:
            variable: The variable.

        Returns:
            The variable.
        """
        return variable

    def take_turns(self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        """`fn` for each replica, where no program of XLA does it for all.

        Args:
            args: A tuple of its arguments.

        Returns:
            What all of them give.
        """
        return run_by_turns(self, fn, args, kwargs)

    @property
    def cluster_resolver(self) -> Any:
        """What knows the other machines, if there is one."""
        return self._resolver

    @property
    def extended(self) -> StrategyExtended:
        """What libraries use of a strategy."""
        return StrategyExtended(self)

    @cached_property
    def _creator(self) -> Callable[..., Any] | None:
        return creator(self) if self._mirrors else None

    def adopt(self, variable: Variable) -> None:
        """Has a variable that was made elsewhere be one of this strategy from now on.

        Args:
            variable: The variable, which keeps its value.
        """
        if self._mirrors:
            kind_of_variable(variable).of_strategy(variable, self)

    @cached_property
    def _markers(self) -> dict[tuple[bool, bool], Marker]:
        return {kind: Marker() for kind in ((False, False), (False, True), (True, False), (True, True))}

    @property
    def _itself(self) -> "Strategy | None":
        """None for the default one, whose scope changes nothing."""
        return None if self._is_default or type(self) is Strategy else self

    @contextmanager
    def scope(self) -> Iterator["Strategy"]:
        """The context in which variables are made for this strategy.

        Raises:
            RuntimeError: In the scope of another strategy, and in a replica of several.
        """
        now = here()
        if self._itself is None:
            yield self
            return
        if now.replica is not None:
            raise _only_across()
        if now.strategy is not None and now.strategy is not self:
            raise RuntimeError(
                f"Mixing different tf.distribute.Strategy objects: {self} is not {now.strategy}. Leave the scope of "
                "one before that of the other."
            )
        with entered_context(self, across=True):
            yield self

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: dict[Any, Any] | None = None, options: Any = None
    ) -> Any:
        """`fn` on every replica.

        Args:
            args: A tuple or list of its arguments; of values for all replicas each gets its own.

        Returns:
            What `fn` gives: a value for each replica, or one, where all give the same object.

        Raises:
            ValueError: If `args` is neither.
            RuntimeError: In a replica.
        """
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
        self._check_across()
        if type(self).scope is Strategy.scope:
            return self._run(fn, tuple(args), kwargs or {})
        with self.scope():  # which does more, in a strategy of the program's own
            return self._run(fn, tuple(args), kwargs or {})

    def _run(self, fn: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
        graph = enclosing_graph()
        if self.num_replicas_in_sync > 1:
            return self._run_all(fn, args, kwargs, graph)
        if graph is not None and graph.autograph:
            fn = converted(fn)  # it belongs to the function that is traced, as what that calls itself
        args, kwargs = selected(0, 1, (args, kwargs))
        with entered_context(self._itself):
            return fn(*args, **kwargs)

    def _run_all(self, fn: Callable[..., Any], args: tuple, kwargs: dict, graph: Any) -> Any:
        if graph is None:
            whole = fn.function if isinstance(fn, BoundFunction) else fn
            if isinstance(whole, Function):
                return self._compiled(whole, whole.python_function, whole)(args, kwargs)
            if in_function.get() and (key := identity(fn)) is not None:
                return self._compiled(key, fn, None)(args, kwargs)
            self._say_that_they_take_turns()
            return self.take_turns(fn, args, kwargs)
        inner = fn.python_function if isinstance(fn, (Function, BoundFunction)) else fn
        fn = converted(inner) if graph.autograph else inner
        if type(current().executor) is Graph:
            try:
                return run_at_once(self, fn, args, kwargs)
            except NotAtOnce as reason:
                logging.getLogger("tapeflow").info("Each replica is traced by itself: %s", reason)
        return self.take_turns(fn, args, kwargs)

    def _compiled(self, key: Any, fn: Callable[..., Any], like: Function | None) -> Function:
        """A tf.function that runs a function on every replica, so that all of it is one graph. It is known by `key`,
        and has the options of another one."""
        known: dict[Any, Function] = self.__dict__.setdefault("_functions", {})
        if key not in known:
            while len(known) >= _MOST_FUNCTIONS:
                del known[next(iter(known))]
            jit, retracing = (False, False) if like is None else (like.jit_compile, like.reduce_retracing)

            def replicated(args: tuple, kwargs: dict) -> Any:
                graph = enclosing_graph()
                if graph is None:  # Python is asked for values: it runs as it is
                    return self.take_turns(fn, args, kwargs)
                with graph_autograph(graph, like is None or like.autograph):
                    return self._run_all(fn, args, kwargs, graph)

            known[key] = Function(replicated, None, False, jit, retracing)
        return known[key]

    def _say_that_they_take_turns(self) -> None:
        if not self.__dict__.setdefault("_said", False):
            self.__dict__["_said"] = True
            logging.getLogger("tapeflow").info(
                "Outside of a tf.function the replicas of %s take turns. Call strategy.run in one to have them run in "
                "parallel.", self,
            )  # fmt: skip

    def _check_across(self) -> None:
        if here().replica is not None:
            raise _only_across()

    def reduce(self, reduce_op: Any, value: Any, axis: Any) -> Any:
        """The values of all replicas summed or averaged; over `axis` too when it is given.

        Args:
            value: A value for each replica, or tuples and dicts of them.
            axis: The axis, or axes, of each to sum or average over; None: none.

        Returns:
            The value, as a tensor. The mean of whole numbers is float64.

        Raises:
            ValueError: If there is no such `reduce_op`, or for the sum of what is no value of replicas.
            InvalidArgumentError: If values have different shapes.
        """
        self._check_across()
        op = _reduce_op(reduce_op)
        return nest.map_structure(lambda leaf: reduced_value(self, op, self.of_all(leaf), axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas joined along `axis`.

        Returns:
            The value, as a tensor.

        Raises:
            ValueError: If values do not have the axis.
            InvalidArgumentError: If other sizes differ.
        """
        self._check_across()
        return nest.map_structure(lambda leaf: gathered(self.of_all(leaf), axis), value)

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The value of each replica here.

        Returns:
            A tuple: of the values, of the structure of each replica, or of the one value that all have.
        """
        if isinstance(value, DistributedValues):
            return value.values
        if isinstance(value, (list, tuple, dict)):
            count = len(self.numbers)
            return tuple([selected(k, count, value) for k in range(count)])
        return (value,)

    unwrap = experimental_local_results

    def group(self, value: Any, name: str | None = None) -> Any:
        """What waits for the value of every replica.

        Returns:
            The value of the first.
        """
        return nest.map_structure(lambda leaf: leaf.values[0] if isinstance(leaf, DistributedValues) else leaf, value)

    # ---- input

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> DistributedDataset:
        """The dataset as the replicas read it: each gets a part of each batch.

        Raises:
            ValueError: If elements have no first axis to divide.
        """
        return DistributedDataset(dataset, self.num_replicas_in_sync, everywhere_of(self.places))

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[..., Any], options: Any = None
    ) -> DistributedDataset:
        """What `dataset_fn(input_context)` makes, as the replicas read it: each gets a batch of its own."""
        made = dataset_fn(self._input_context())
        return DistributedDatasetsFromFunction(made, self.num_replicas_in_sync, everywhere_of(self.places))

    def _input_context(self) -> InputContext:
        count = self.num_replicas_in_sync
        return InputContext(count // len(self.numbers), self.numbers[0] // len(self.numbers), count)

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn: Callable[..., Any]) -> Any:
        """What `value_fn(context)` gives for each replica.

        Returns:
            A `tf.distribute.DistributedValues`; of one replica, the value itself.
        """
        count = self.num_replicas_in_sync
        made = [value_fn(ValueContext(k, count)) for k in self.numbers]
        return PerReplica(made) if len(made) > 1 else made[0]

    def make_dataset_iterator(self, dataset: Any) -> Any:
        """The batches of a dataset.

        Returns:
            A `tf.distribute.DistributedIterator`.
        """
        return iter(self.experimental_distribute_dataset(dataset))

    def make_input_fn_iterator(self, input_fn: Callable[..., Any], replication_mode: Any = None) -> Any:
        """The batches of the dataset that `input_fn(input_context)` makes.

        Returns:
            A `tf.distribute.DistributedIterator`.
        """
        return iter(self.distribute_datasets_from_function(input_fn))

    def experimental_run(self, fn: Callable[..., Any], input_iterator: Any = None) -> Any:
        """`fn` of the next batch on every replica.

        Returns:
            What `fn` gives.
        """
        return self.run(fn, args=() if input_iterator is None else (input_iterator.get_next(),))

    # ---- nothing to do on one machine

    def configure(self, *args: Any, **kwargs: Any) -> None:
        """Nothing."""

    def update_config_proto(self, config_proto: Any) -> Any:
        """The same.

        Returns:
            `config_proto`.
        """
        return config_proto

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """A context in which variables are on the device of another.

        Returns:
            A context manager that does nothing.
        """
        return nullcontext()

    def __repr__(self) -> str:
        count = self.num_replicas_in_sync
        name = "Strategy" if type(self).__name__.startswith("_") else type(self).__name__
        return f"<tf.distribute.{name} with {count} replica{'s' if count > 1 else ''}>"


_MOST_FUNCTIONS = 32  # that are remembered; the oldest goes
_PLAIN = (bool, int, float, str, bytes, type(None))


def identity(fn: Any) -> Any:
    """What tells a Python function from others: its code and what it refers to. A function that is defined anew in
    each step is the same one. None if it refers to values of the step."""
    own = getattr(fn, "__self__", None)
    python = getattr(fn, "__func__", fn)
    code = getattr(python, "__code__", None)
    if code is None:
        return None
    try:
        cells = [cell.cell_contents for cell in python.__closure__ or ()]
    except ValueError:  # one is empty yet
        return None
    found: list[Any] = [code]
    for value in (own, *cells, *(python.__defaults__ or ()), *(python.__kwdefaults__ or {}).values()):
        if isinstance(value, (Tensor, np.ndarray, np.generic, CompositeTensor)):
            return None
        found.append((type(value), value) if isinstance(value, _PLAIN) else _Same(value))
    return tuple(found)


class _Same:
    """An object as a key: it is equal to itself alone, and stays."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, _Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


@contextmanager
def graph_autograph(graph: Any, on: bool) -> Iterator[None]:
    """Whether Python statements of the functions of replicas are converted."""
    before, graph.autograph = graph.autograph, on
    try:
        yield
    finally:
        graph.autograph = before


def _only_across() -> RuntimeError:
    return RuntimeError(
        "Method requires being in cross-replica context, use get_replica_context().merge_call(): this is called in "
        "the function that strategy.run is given."
    )
