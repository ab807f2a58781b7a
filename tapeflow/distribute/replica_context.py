"""Which strategy and which replica code runs for."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.apply import as_tensor
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor
from tapeflow.ops.collectives import all_gather, all_reduce

from .combining import floating
from .contexts import entered_context, here, set_for_good
from .reducing import as_one, axis_of
from .replicas import ReduceOp, reduce_op as _reduce_op
from .strategy import Strategy

__all__ = [
    "ReplicaContext", "experimental_set_strategy", "get_replica_context", "get_strategy", "has_strategy",
    "in_cross_replica_context",
]  # fmt: skip


class ReplicaContext:
    """What code that runs on a replica can ask and do.

    >>> context = tf.distribute.get_replica_context()
    >>> context.num_replicas_in_sync, context.all_reduce("sum", tf.constant(2.)).numpy()
    (1, np.float32(2.0))
    """

    def __init__(self, strategy: Strategy, replica_id_in_sync_group: Any = 0) -> None:
        self.strategy, self.replica_id_in_sync_group = strategy, replica_id_in_sync_group

    @property
    def num_replicas_in_sync(self) -> int:
        """How many replicas compute together."""
        replica = here().replica
        return self.strategy.num_replicas_in_sync if replica is None else replica.count

    @property
    def devices(self) -> Any:
        """Where this replica computes."""
        replica, names = here().replica, self.strategy.device_names
        if replica is None or replica.count == 1:
            return ("",) if self.strategy is _default else (names[0],)
        if replica.number is None:
            return [list(names)]
        return [[names[replica.number - self.strategy.numbers[0]]]]

    def all_reduce(self, reduce_op: Any, value: Any, options: Any = None) -> Any:
        """The values of all replicas combined; the gradient of a sum is the sum of the gradients.

        Args:
            value: A tensor or `tf.IndexedSlices`, or tuples and dicts of them.

        Returns:
            The value, as a tensor, the same in each replica; tuples and dicts stay.
        """
        op, count = _reduce_op(reduce_op), self.num_replicas_in_sync
        if count == 1:
            return nest.map_structure(as_one, value)
        return nest.map_structure(lambda leaf: _reduced(op, leaf, count), value)

    def all_gather(self, value: Any, axis: int, options: Any = None) -> Any:
        """The values of all replicas joined.

        Args:
            value: A tensor, or tuples and dicts of them.
            axis: The axis along which they are joined.

        Returns:
            The value, as a tensor, the same in each replica; tuples and dicts stay.

        Raises:
            ValueError: If a value does not have the axis.
        """
        count = self.num_replicas_in_sync
        if count == 1:
            return nest.map_structure(as_one, value)

        def one(leaf: Any) -> Any:
            tensor = as_tensor(leaf)
            return all_gather(tensor, axis=axis_of([tensor], axis), count=count)

        return nest.map_structure(one, value)

    def merge_call(
        self, merge_fn: Callable[..., Any], args: tuple[Any, ...] = (), kwargs: dict[Any, Any] | None = None
    ) -> Any:
        """`merge_fn(strategy, …)` once for all replicas, with the values of all of them.

        Args:
            args: A tuple of its arguments.

        Returns:
            What `merge_fn` gives.
        """
        replica = here().replica
        if replica is not None:
            return replica.merge(merge_fn, tuple(args), kwargs or {})
        with entered_context(None if self.strategy is _default else self.strategy, across=True):
            return merge_fn(self.strategy, *args, **(kwargs or {}))


def _reduced(op: ReduceOp, leaf: Any, count: int) -> Any:
    if isinstance(leaf, IndexedSlices):
        rows = all_gather(leaf.values, axis=0, count=count)
        indices = all_gather(as_tensor(leaf.indices), axis=0, count=count)
        return IndexedSlices(rows / count if op is ReduceOp.MEAN else rows, indices, leaf.dense_shape)
    if not hasattr(leaf, "dtype"):
        raise AttributeError(
            f"'{type(leaf).__name__}' object has no attribute 'dtype': all_reduce takes tensors, and got {leaf!r}. "
            f"Give tf.constant({leaf!r})."
        )
    tensor = as_tensor(leaf)
    mean = op is ReduceOp.MEAN
    return all_reduce(floating(tensor) if mean else tensor, count=count, mean=mean)


# ---- which strategy


# Names by which programs written for TensorFlow tell them apart.


class _DefaultDistributionStrategy(Strategy):
    _is_default = True


class _DefaultReplicaContext(ReplicaContext):
    pass


class _MirroredReplicaContext(ReplicaContext):
    pass


_default = _DefaultDistributionStrategy()


def get_strategy() -> Strategy:
    """The strategy whose scope is open, or the default one.

    >>> tf.distribute.get_strategy()
    <tf.distribute.Strategy with 1 replica>
    """
    return here().strategy or _default


def has_strategy() -> bool:
    """Whether a strategy other than the default one is in use.

    >>> tf.distribute.has_strategy()
    False
    """
    return here().strategy is not None


def in_cross_replica_context() -> bool:
    """Whether the code runs for all replicas, inside `strategy.scope()` but not inside `strategy.run`.

    >>> with tf.distribute.MirroredStrategy().scope():
    ...     tf.distribute.in_cross_replica_context()
    True
    """
    return here().across


def get_replica_context() -> ReplicaContext | None:
    """The context of the replica that the code runs on; None inside `strategy.scope()`, which is for all of them.

    >>> tf.distribute.get_replica_context().replica_id_in_sync_group
    0
    """
    now = here()
    if now.across:
        return None
    if now.replica is not None:
        return _kind_for(get_strategy())(get_strategy(), now.replica.id)
    if now.strategy is None:
        return _DefaultReplicaContext(_default)
    return _kind_for(now.strategy)(now.strategy, EagerTensor(np.int32(0)))


def _kind_for(strategy: Strategy) -> type[ReplicaContext]:
    if strategy is _default:
        return _DefaultReplicaContext
    return _MirroredReplicaContext if strategy._mirrors else ReplicaContext


def experimental_set_strategy(strategy: Strategy | None) -> None:
    """Makes a strategy the current one from here on; None goes back to the default.

    Raises:
        RuntimeError: In the scope of a strategy.

    >>> tf.distribute.experimental_set_strategy(None)
    """
    if here().inside:
        raise RuntimeError(
            "Must not be called inside a `tf.distribute.Strategy` scope. Call it before, or leave the scope first."
        )
    set_for_good(None if strategy is _default else strategy)
