"""`tf.ragged`: making ragged tensors, and functions of their values."""

from tapeflow.api.ragged.crosses import (
    cross as cross,
    cross_hashed as cross_hashed,
)
from tapeflow.api.ragged.functions import (
    boolean_mask as boolean_mask,
    constant as constant,
    map_flat_values as map_flat_values,
    range as range,
    row_splits_to_segment_ids as row_splits_to_segment_ids,
    segment_ids_to_row_splits as segment_ids_to_row_splits,
    stack as stack,
    stack_dynamic_partitions as stack_dynamic_partitions,
)

__all__ = [
    "boolean_mask", "constant", "cross", "cross_hashed", "map_flat_values", "range", "row_splits_to_segment_ids",
    "segment_ids_to_row_splits", "stack", "stack_dynamic_partitions",
]  # fmt: skip
