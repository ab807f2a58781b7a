"""What functions that make something for a replica are told, and how values of replicas are combined."""

import enum
from typing import Any

from tapeflow.core.variables.policies import VariableAggregation

__all__ = ["InputContext", "ReduceOp", "ValueContext", "reduce_op"]


class ReduceOp(enum.Enum):
    """How the values of replicas are combined.

    >>> [op.name for op in tf.distribute.ReduceOp]
    ['SUM', 'MEAN']
    """

    SUM = "SUM"
    MEAN = "MEAN"

    @staticmethod
    def from_variable_aggregation(aggregation: VariableAggregation) -> "ReduceOp":
        """What a variable's `aggregation` means for its updates."""
        found = {VariableAggregation.SUM: ReduceOp.SUM, VariableAggregation.MEAN: ReduceOp.MEAN}.get(aggregation)
        if found is None:
            raise ValueError(
                f"Could not convert from `tf.VariableAggregation` {aggregation} to `tf.distribute.ReduceOp` type"
            )
        return found


def reduce_op(given: Any) -> ReduceOp:
    """A ReduceOp, or its name in any case."""
    if isinstance(given, str):
        given = given.upper()
    try:
        return ReduceOp(given)
    except ValueError:
        raise ValueError(f"{given!r} is not a valid ReduceOp: it is tf.distribute.ReduceOp.SUM or MEAN.") from None


class InputContext:
    """What a function that makes a dataset for one worker is told.

    >>> tf.distribute.InputContext(num_replicas_in_sync=2).get_per_replica_batch_size(8)
    4
    """

    def __init__(
        self, num_input_pipelines: int = 1, input_pipeline_id: int = 0, num_replicas_in_sync: int = 1
    ) -> None:
        self.num_input_pipelines, self.input_pipeline_id = num_input_pipelines, input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size: int) -> int:
        """The part of a batch that each replica gets.

        Args:
            global_batch_size: The size of a batch for all replicas.

        Raises:
            ValueError: If replicas cannot share it evenly.
        """
        if global_batch_size % self.num_replicas_in_sync:
            raise ValueError(
                f"The `global_batch_size` {global_batch_size} is not divisible by `num_replicas_in_sync` "
                f"{self.num_replicas_in_sync}"
            )
        return global_batch_size // self.num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.InputContext(input pipeline id {self.input_pipeline_id}, total: "
            f"{self.num_input_pipelines})"
        )


class ValueContext:
    """What a function that makes a value for one replica is told.

    >>> tf.distribute.experimental.ValueContext().replica_id_in_sync_group
    0
    """

    def __init__(self, replica_id_in_sync_group: int = 0, num_replicas_in_sync: int = 1) -> None:
        self.replica_id_in_sync_group, self.num_replicas_in_sync = replica_id_in_sync_group, num_replicas_in_sync

    def __str__(self) -> str:
        return (
            f"tf.distribute.ValueContext(replica id {self.replica_id_in_sync_group},  total replicas in sync: "
            f"{self.num_replicas_in_sync})"
        )
