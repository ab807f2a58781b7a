"""`tf.random.experimental`: earlier names of the same things, and permutations."""

from typing import Any

from tapeflow.core.apply import as_tensor
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TensorLike
from tapeflow.vectorize.values import values_of

from .generator import (
    Algorithm as Algorithm,
    Generator as Generator,
    create_rng_state as create_rng_state,
    get_global_generator as get_global_generator,
    set_global_generator as set_global_generator,
)
from .stateless import (
    fold_in as stateless_fold_in,
    pair_of as _pair_of,
    split as stateless_split,
    stateless_shuffle as stateless_shuffle,
)

__all__ = [
    "Algorithm",
    "Generator",
    "create_rng_state",
    "get_global_generator",
    "index_shuffle",
    "set_global_generator",
    "stateless_fold_in",
    "stateless_shuffle",
    "stateless_split",
]


def index_shuffle(index: TensorLike, seed: TensorLike, max_index: TensorLike) -> Tensor:
    """Where each `index` goes in a random permutation of 0 … `max_index`, without writing the permutation out.

    Args:
        index: Integers from 0 to `max_index`.
        seed: A pair of integers.
        max_index: The largest number that is permuted.

    >>> tf.random.experimental.index_shuffle(tf.range(10), [1, 2], 9).numpy()
    array([5, 0, 1, 4, 3, 6, 9, 8, 7, 2], dtype=int32)
    """
    index, last = as_tensor(index), int(max_index)
    values = values_of(index)
    if values.size and not 0 <= values.min() <= values.max() <= last:
        raise invalid(f"index must be from 0 to max_index={last}, got values from {values.min()} to {values.max()}.")
    return ops.shuffled_index(_pair_of(seed), index, max_index=last)
