"""A strategy: functions run on every replica, of which there is one, and their results combined."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

import numpy as np

from tapeflow.api import math, nest
from tapeflow.core.convert import to_tensor
from tapeflow.core.runtime.contexts import context_variable
from tapeflow.core.tensor import EagerTensor
from tapeflow.core.variables.variable import Variable
from tapeflow.function.autograph.convert import converted
from tapeflow.function.tracing.regions import enclosing_graph

from .datasets import DistributedDataset
from .replicas import DistributedValues, InputContext, PerReplica, ReduceOp, ValueContext, reduce_op

__all__ = [
    "ReplicaContext", "Strategy", "StrategyExtended", "experimental_set_strategy", "get_replica_context",
    "get_strategy", "has_strategy", "in_cross_replica_context",
]  # fmt: skip


class Strategy:
    """Runs functions on every replica, of which there is one, and combines their results.

    >>> strategy = tf.distribute.get_strategy()
    >>> with strategy.scope():
    ...     v = tf.Variable(3.)
    >>> strategy.run(lambda x: v * x, args=(tf.constant(2.),)).numpy(), strategy.num_replicas_in_sync
    (np.float32(6.0), 1)
    """

    _device = "/job:localhost/replica:0/task:0/device:CPU:0"
    _resolver: Any = None

    num_replicas_in_sync = property(lambda self: 1, doc="How many replicas compute together.")
    cluster_resolver = property(lambda self: self._resolver, doc="What knows the other machines, if there is one.")

    @property
    def extended(self) -> "StrategyExtended":
        """What libraries use of a strategy."""
        return StrategyExtended(self)

    @contextmanager
    def scope(self) -> Iterator["Strategy"]:
        """The context in which variables are made for this strategy."""
        token = _current.set((self, True))
        try:
            yield self
        finally:
            _current.reset(token)

    def run(
        self, fn: Callable[..., Any], args: Any = (), kwargs: dict[Any, Any] | None = None, options: Any = None
    ) -> Any:
        """`fn` on every replica.

        Args:
            args: A tuple or list of its arguments; of values for all replicas it gets its own.

        Returns:
            What `fn` gives.

        Raises:
            ValueError: If `args` is neither.
        """
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
        graph = enclosing_graph()
        if graph is not None and graph.autograph:
            fn = converted(fn)  # it belongs to the function that is traced, as what that calls itself
        args, kwargs = _own((tuple(args), kwargs or {}))
        token = _current.set((self, False))
        try:
            return fn(*args, **kwargs)
        finally:
            _current.reset(token)

    def reduce(self, reduce_op: Any, value: Any, axis: Any = None) -> Any:
        """The values of all replicas summed or averaged; over `axis` too when it is given.

        Args:
            axis: The axis of the batch to sum or average over; None: none.

        Returns:
            The value, as a tensor.

        Raises:
            ValueError: If there is no such `reduce_op`.
        """
        op, value = _reduce_op(reduce_op), _own(value)
        if axis is None:
            return nest.map_structure(_tensor, value)
        over = math.reduce_sum if op is ReduceOp.SUM else math.reduce_mean
        return nest.map_structure(lambda v: over(v, axis=axis), value)

    def gather(self, value: Any, axis: int) -> Any:
        """The values of all replicas joined along `axis`.

        Args:
            axis: Taken and not used: there is one replica.

        Returns:
            The value, as a tensor.
        """
        return nest.map_structure(_tensor, _own(value))

    def experimental_local_results(self, value: Any) -> tuple[Any, ...]:
        """The value of each replica here.

        Returns:
            A tuple of one value.
        """
        return value.values if isinstance(value, DistributedValues) else (value,)

    unwrap = experimental_local_results

    def group(self, value: Any, name: str | None = None) -> Any:
        """What waits for the value of every replica.

        Returns:
            The value.
        """
        return _own(value)

    # ---- input

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> DistributedDataset:
        """The dataset as the replicas read it."""
        return DistributedDataset(dataset)

    def distribute_datasets_from_function(
        self, dataset_fn: Callable[..., Any], options: Any = None
    ) -> DistributedDataset:
        """What `dataset_fn(input_context)` makes, as the replicas read it."""
        return DistributedDataset(dataset_fn(InputContext()))

    experimental_distribute_datasets_from_function = distribute_datasets_from_function

    def experimental_distribute_values_from_function(self, value_fn: Callable[..., Any]) -> PerReplica:
        """What `value_fn(context)` gives for each replica."""
        return PerReplica([value_fn(ValueContext())])

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

    # ---- nothing to do with one replica

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
        return f"<tf.distribute.{type(self).__name__} with 1 replica>"


class StrategyExtended:
    """What libraries use of a strategy, `strategy.extended`.

    >>> v = tf.Variable(3.)
    >>> extended = tf.distribute.MirroredStrategy().extended
    >>> extended.update(v, lambda variable, g: variable.assign_sub(g), args=(1.,)).numpy()
    np.float32(2.0)
    """

    experimental_require_static_shapes = False

    def __init__(self, container_strategy: Strategy) -> None:
        self._container = container_strategy

    worker_devices = property(lambda self: (self._container._device,), doc="Where replicas compute.")
    parameter_devices = property(lambda self: (self._container._device,), doc="Where variables are.")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._container, name)

    def update(
        self,
        var: Any,
        fn: Callable[..., Any],
        args: tuple[Any, ...] = (),
        kwargs: dict[Any, Any] | None = None,
        group: bool = True,
    ) -> Any:
        """`fn(var, …)` for the variable on every device.

        Args:
            args: A tuple of its other arguments.

        Returns:
            What `fn` gives.
        """
        found = fn(var, *_own(tuple(args)), **_own(kwargs or {}))
        return found if group else (found,)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """The values of all replicas combined.

        Returns:
            The value.
        """
        _reduce_op(reduce_op)
        return _own(value)

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """The same for several values.

        Returns:
            The values.
        """
        return [self.reduce_to(reduce_op, value, where) for value, where in value_destination_pairs]

    def call_for_each_replica(
        self, fn: Callable[..., Any], args: tuple[Any, ...] = (), kwargs: dict[Any, Any] | None = None
    ) -> Any:
        """`fn` on every replica.

        Args:
            args: A tuple of its arguments.

        Returns:
            What `fn` gives.
        """
        return self._container.run(fn, args, kwargs)

    def value_container(self, value: Any) -> Any:
        """What a variable of one replica is part of: itself.

        Returns:
            The variable.
        """
        return value

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable belongs to the strategy: they all may be used."""
        return True


class ReplicaContext:
    """What code that runs on a replica can ask and do.

    >>> context = tf.distribute.get_replica_context()
    >>> context.num_replicas_in_sync, context.all_reduce("sum", tf.constant(2.)).numpy()
    (1, np.float32(2.0))
    """

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: Any = 0) -> None:
        self.strategy, self.replica_id_in_sync_group = strategy, replica_id_in_sync_group

    num_replicas_in_sync = property(
        lambda self: self.strategy.num_replicas_in_sync, doc="How many replicas compute together."
    )

    @property
    def devices(self) -> tuple[str, ...]:
        """Where this replica computes."""
        return ("",) if self.strategy is _default else (self.strategy._device,)

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The values of all replicas combined.

        Returns:
            The value, as a tensor; tuples and dicts stay.
        """
        _reduce_op(reduce_op)
        return nest.map_structure(_tensor, value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The values of all replicas joined.

        Args:
            axis: Taken and not used: there is one replica.

        Returns:
            The value, as a tensor; tuples and dicts stay.
        """
        return nest.map_structure(_tensor, value)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: tuple[Any, ...] = (), kwargs: dict[Any, Any] | None = None
    ) -> Any:
        """`merge_fn(strategy, …)` once for all replicas.

        Args:
            args: A tuple of its arguments.

        Returns:
            What `merge_fn` gives.
        """
        with self.strategy.scope():
            return merge_fn(self.strategy, *args, **(kwargs or {}))


_reduce_op = reduce_op


def _tensor(value: Any) -> Any:
    return (
        value
        if hasattr(value, "dtype") and not isinstance(value, (Variable, np.ndarray, np.generic))
        else to_tensor(value)
    )


def _own(structure: Any) -> Any:
    """The replica's part of what may hold values of all of them."""
    return nest.map_structure(lambda leaf: leaf.values[0] if isinstance(leaf, DistributedValues) else leaf, structure)


# ---- which strategy


_default = Strategy()
_current: ContextVar[tuple[Strategy, bool]] = context_variable("tapeflow_strategy", (_default, False))


def get_strategy() -> Strategy:
    """The strategy whose scope is open, or the default one.

    >>> tf.distribute.get_strategy()
    <tf.distribute.Strategy with 1 replica>
    """
    return _current.get()[0]


def has_strategy() -> bool:
    """Whether a strategy other than the default one is in use.

    >>> tf.distribute.has_strategy()
    False
    """
    return get_strategy() is not _default


def in_cross_replica_context() -> bool:
    """Whether the code runs for all replicas, inside `strategy.scope()` but not inside `strategy.run`.

    >>> with tf.distribute.MirroredStrategy().scope():
    ...     tf.distribute.in_cross_replica_context()
    True
    """
    return _current.get()[1]


def get_replica_context() -> ReplicaContext | None:
    """The context of the replica that the code runs on; None inside `strategy.scope()`, which is for all of them.

    >>> tf.distribute.get_replica_context().replica_id_in_sync_group
    0
    """
    strategy, across = _current.get()
    if across:
        return None
    return ReplicaContext(strategy) if strategy is _default else ReplicaContext(strategy, EagerTensor(np.int32(0)))


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Makes a strategy the current one from here on; None goes back to the default.

    >>> tf.distribute.experimental_set_strategy(None)
    """
    _current.set((_default, False) if strategy is None else (strategy, True))
