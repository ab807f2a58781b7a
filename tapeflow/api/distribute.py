"""`tf.distribute`: strategies over one replica, this process's CPU. Programs written for several devices run on it unchanged."""

import enum
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.tensor import Tensor

from . import math, nest

__all__ = [
    "InputContext", "MirroredStrategy", "OneDeviceStrategy", "ReduceOp", "ReplicaContext", "Strategy", "experimental_set_strategy",
    "get_replica_context", "get_strategy", "has_strategy", "in_cross_replica_context",
]  # fmt: skip


class ReduceOp(enum.Enum):
    """How the values of replicas are combined.

    >>> [op.name for op in tf.distribute.ReduceOp]
    ['SUM', 'MEAN']
    """

    SUM = "SUM"
    MEAN = "MEAN"


class InputContext:
    """What a function that makes a dataset for one worker is told.

    >>> tf.distribute.InputContext(num_replicas_in_sync=2).get_per_replica_batch_size(8)
    4
    """

    def __init__(self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.num_input_pipelines, self.input_pipeline_id = num_input_pipelines, input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The part of a batch that each replica gets."""
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The global batch size {global_batch_size} must divide by the {self.num_replicas_in_sync} replicas."
            )
        return global_batch_size // self.num_replicas_in_sync


class Strategy:
    """Runs functions on every replica, of which there is one, and combines their results.

    >>> strategy = tf.distribute.get_strategy()
    >>> with strategy.scope():
    ...     v = tf.Variable(3.)
    >>> strategy.run(lambda x: v * x, args=(tf.constant(2.),)).numpy(), strategy.num_replicas_in_sync
    (np.float32(6.0), 1)
    """

    num_replicas_in_sync = property(lambda self: 1, doc="How many replicas compute together.")

    @contextmanager
    def scope(self) -> Iterator["Strategy"]:
        """The context in which variables are made for this strategy."""
        token = _current.set((self, True))
        try:
            yield self
        finally:
            _current.reset(token)

    def run(self, fn: Callable, args: tuple = (), kwargs: dict | None = None, options: Any = None) -> Any:
        """`fn` on every replica."""
        if not isinstance(args, (list, tuple)):
            raise ValueError(f"positional args must be a list or tuple, got {type(args)}")
        token = _current.set((self, False))
        try:
            return fn(*args, **(kwargs or {}))
        finally:
            _current.reset(token)

    def reduce(self, reduce_op: Any, value: Any, axis: Any = None) -> Any:
        """The values of all replicas summed or averaged; over `axis` too when it is given."""
        op = _reduce_op(reduce_op)
        if axis is None:
            return nest.map_structure(_value, value)
        over = math.reduce_sum if op is ReduceOp.SUM else math.reduce_mean
        return nest.map_structure(lambda v: over(v, axis=axis), value)

    def gather(self, value: Any, axis: int) -> Tensor:
        """The values of all replicas joined along `axis`."""
        return as_tensor(value)

    def experimental_local_results(self, value: Any) -> tuple:
        """The value of each replica here."""
        return (value,)

    def experimental_distribute_dataset(self, dataset: Any, options: Any = None) -> Any:
        """The dataset as the replicas read it."""
        return dataset

    def distribute_datasets_from_function(self, dataset_fn: Callable, options: Any = None) -> Any:
        """What `dataset_fn(input_context)` makes."""
        return dataset_fn(InputContext())

    def experimental_distribute_values_from_function(self, value_fn: Callable) -> Any:
        """What `value_fn(context)` gives for the replica."""
        return value_fn(InputContext())

    @property
    def extended(self) -> "Strategy":
        """The same object, which has what programs use of it."""
        return self

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        return self.scope()

    def __repr__(self) -> str:
        return f"<tf.distribute.{type(self).__name__} with 1 replica>"


def _value(value: Any) -> Any:
    return value if isinstance(value, Tensor) else to_tensor(value)


def _reduce_op(op: Any) -> ReduceOp:
    try:
        return op if isinstance(op, ReduceOp) else ReduceOp[str(op).upper()]
    except KeyError:
        raise ValueError(f"reduce_op must be SUM or MEAN, got {op!r}.") from None


class MirroredStrategy(Strategy):
    """The same variables on several devices. Here there is one device, so one replica; naming more raises ValueError.

    >>> strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
    >>> with strategy.scope():
    ...     v = tf.Variable(3.)
    >>> def step():
    ...     with tf.GradientTape() as tape:
    ...         loss = v * v
    ...     return tape.gradient(loss, v)
    >>> strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(step), axis=None).numpy()
    np.float32(6.0)
    """

    def __init__(self, devices: Any = None, cross_device_ops: Any = None) -> None:
        devices = [devices] if isinstance(devices, str) else devices
        if devices is not None and len(devices) != 1:
            raise ValueError(f"There is one device, /cpu:0; {list(devices)} names {len(devices)}.")


class OneDeviceStrategy(Strategy):
    """Everything on one device.

    >>> tf.distribute.OneDeviceStrategy("/cpu:0").num_replicas_in_sync
    1
    """

    def __init__(self, device: str) -> None:
        self._device = device


class ReplicaContext:
    """What code that runs on a replica can ask and do.

    >>> context = tf.distribute.get_replica_context()
    >>> context.num_replicas_in_sync, context.all_reduce("sum", tf.constant(2.)).numpy()
    (1, np.float32(2.0))
    """

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: int = 0) -> None:
        self.strategy, self.replica_id_in_sync_group = strategy, replica_id_in_sync_group

    num_replicas_in_sync = property(lambda self: self.strategy.num_replicas_in_sync)

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The values of all replicas combined."""
        _reduce_op(reduce_op)
        return nest.map_structure(_value, value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The values of all replicas joined."""
        return value

    def merge_call(self, merge_fn: Callable, args: tuple = (), kwargs: dict | None = None) -> Any:
        """`merge_fn(strategy, …)` once for all replicas."""
        with self.strategy.scope():
            return merge_fn(self.strategy, *args, **(kwargs or {}))


_default = Strategy()
_current: ContextVar[tuple[Strategy, bool]] = ContextVar("tapeflow_strategy", default=(_default, False))


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
    return None if across else ReplicaContext(strategy)


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Makes a strategy the current one from here on; None goes back to the default.

    >>> tf.distribute.experimental_set_strategy(None)
    """
    _current.set((_default, False) if strategy is None else (strategy, True))
