"""`strategy.extended`: what libraries use of a strategy."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from tapeflow.core import nest
from tapeflow.core.apply import as_tensor
from tapeflow.function.tracing.sameness import the_same

from .reducing import reduced_value
from .replicas import reduce_op as _reduce_op
from .values import PerReplica
from .variables import Copy

if TYPE_CHECKING:
    from .strategy import Strategy

__all__ = ["StrategyExtended"]


class StrategyExtended:
    """What libraries use of a strategy, `strategy.extended`.

    >>> v = tf.Variable(3.)
    >>> extended = tf.distribute.MirroredStrategy().extended
    >>> extended.update(v, lambda variable, g: variable.assign_sub(g), args=(1.,)).numpy()
    np.float32(2.0)
    """

    experimental_require_static_shapes = False

    def __init__(self, container_strategy: "Strategy") -> None:
        self._container = container_strategy

    @property
    def worker_devices(self) -> tuple[str, ...]:
        """Where replicas compute."""
        return self._container.device_names

    @property
    def parameter_devices(self) -> tuple[str, ...]:
        """Where variables are."""
        return getattr(self._container, "_parameter_devices", None) or self._container.device_names

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
        """`fn(var, …)`, once for all copies of the variable, which have one value.

        Args:
            args: A tuple of its other arguments.

        Returns:
            What `fn` gives.

        Raises:
            ValueError: If replicas have different values of an argument.
        """

        def one(leaf: Any) -> Any:
            if not isinstance(leaf, PerReplica):
                return leaf
            if not the_same(list(map(as_tensor, leaf.values))):
                raise ValueError(
                    f"extended.update would give each copy of variable '{var.name}' another value: {leaf}. A variable "
                    "has one value for all replicas: combine the values first, by strategy.reduce."
                )
            return leaf.values[0]

        found = fn(var, *nest.map_structure(one, tuple(args)), **nest.map_structure(one, kwargs or {}))
        return found if group else (found,)

    def reduce_to(self, reduce_op: Any, value: Any, destinations: Any, options: Any = None) -> Any:
        """The values of all replicas combined.

        Args:
            destinations: Taken and not used: the result is where it is asked for.

        Returns:
            The value.
        """
        op = _reduce_op(reduce_op)
        return nest.map_structure(lambda leaf: reduced_value(self._container, op, leaf, None), value)

    def batch_reduce_to(self, reduce_op: Any, value_destination_pairs: Any, options: Any = None) -> list[Any]:
        """The same for several values, as each replica has them.

        Returns:
            The values.
        """
        count = self._container.num_replicas_in_sync
        totals = [self.reduce_to(reduce_op, value, where) for value, where in value_destination_pairs]
        return totals if count == 1 else [PerReplica([total] * count) for total in totals]

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
        """What a copy of a variable is part of.

        Returns:
            The variable.
        """
        return value.of if isinstance(value, Copy) else value

    def variable_created_in_scope(self, v: Any) -> bool:
        """Whether a variable belongs to the strategy."""
        return getattr(v, "distribute_strategy", None) is self._container or not self._container._mirrors

    def colocate_vars_with(self, colocate_with_variable: Any) -> Any:
        """A context in which variables are on the device of another.

        Returns:
            A context manager that does nothing: copies are where the replicas are.
        """
        return nullcontext()
