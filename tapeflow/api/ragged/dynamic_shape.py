"""`tf.experimental.DynamicRaggedShape`: the shape of a ragged tensor with the lengths of its rows, which is what
`tf.shape` gives of one."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeflow.core.dtypes import DType, as_dtype, int64
from tapeflow.core.tensor import EagerTensor, Tensor, sizes_of
from tapeflow.core.tensor_like import DTypeLike, TensorLike

from .tensor import RaggedTensor


class DynamicRaggedShape:
    """The shape of a ragged tensor: the number of rows, then for each axis its size or, of a ragged one, the length
    of each row.

    Args:
        lengths: Sizes, and tuples of the lengths of rows.
        num_row_partitions: How many axes are kept as rows; the others are those of the values.
        dtype: int32 or int64, of the sizes.

    >>> tf.shape(tf.ragged.constant([[1, 2], [3], []]))
    <DynamicRaggedShape lengths=[3, (2, 1, 0)] num_row_partitions=1>
    """

    def __init__(
        self, lengths: Sequence[int | Sequence[int]], num_row_partitions: int | None = None, dtype: DTypeLike = int64
    ) -> None:
        self._lengths = [int(n) if np.ndim(n) == 0 else tuple(map(int, n)) for n in lengths]  # type: ignore[arg-type]
        ragged = [axis for axis, n in enumerate(self._lengths) if isinstance(n, tuple)]
        self._partitions = (max(ragged, default=0)) if num_row_partitions is None else num_row_partitions
        self._dtype = as_dtype(dtype)
        if any(axis == 0 or axis > self._partitions for axis in ragged):
            raise ValueError(f"The first axis, and those of the values, are not ragged: got lengths {lengths}.")

    @classmethod
    def from_tensor(cls, t: TensorLike, dtype: DTypeLike | None = None) -> "DynamicRaggedShape":
        """The shape of a tensor or a ragged tensor.

        Args:
            t: A tensor, ragged or not.

        Returns:
            Its shape.

        >>> tf.experimental.DynamicRaggedShape.from_tensor([[1, 2], [3, 4]])
        <DynamicRaggedShape lengths=[2, 2] num_row_partitions=0>
        """
        if not isinstance(t, RaggedTensor):
            return cls([int(n) for n in np.shape(t)], 0, dtype or int64)
        lengths: list = [len(t._splits) - 1]
        for level in t._levels():
            lengths.append(tuple(np.diff(level._splits).tolist()) if level._uniform is None else level._uniform)
        lengths += tuple(sizes_of(t.flat_values))[1:]
        return cls(lengths, t.ragged_rank, dtype or t.row_splits.dtype)

    @classmethod
    def from_lengths(
        cls,
        lengths: Sequence[int | Sequence[int]],
        num_row_partitions: int | None = None,
        dtype: DTypeLike = int64,
    ) -> "DynamicRaggedShape":
        """A shape by its lengths.

        Args:
            lengths: The number of rows, then sizes, and tuples of the lengths of rows.
            num_row_partitions: How many axes are kept as rows; None: as few as can be.

        Returns:
            The shape.

        >>> tf.experimental.DynamicRaggedShape.from_lengths([2, (1, 2), 3])
        <DynamicRaggedShape lengths=[2, (1, 2), 3] num_row_partitions=1>
        """
        return cls(lengths, num_row_partitions, dtype)

    @property
    def rank(self) -> int:
        return len(self._lengths)

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def num_row_partitions(self) -> int:
        """How many axes are kept as rows."""
        return self._partitions

    @property
    def inner_rank(self) -> int:
        """How many axes the values have."""
        return self.rank - self._partitions

    @property
    def inner_shape(self) -> Tensor:
        """The shape of the values."""
        count = self._lengths[0]
        for n in self._lengths[1 : self._partitions + 1]:
            count = sum(n) if isinstance(n, tuple) else count * n
        return EagerTensor(np.array([count, *self._lengths[self._partitions + 1 :]], self._dtype.np))

    def static_lengths(self, ragged_lengths: bool = True) -> list[Any]:
        """The size of each axis, and of ragged ones the length of each row.

        Args:
            ragged_lengths: False: None in the place of the lengths of rows.

        Returns:
            A list with an entry for each axis.
        """
        return [n if ragged_lengths or not isinstance(n, tuple) else None for n in self._lengths]

    def is_uniform(self, axis: int) -> bool:
        """Does the axis have one size in all rows?"""
        return not isinstance(self._lengths[axis], tuple)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            chosen = range(self.rank)[key]
            first = not chosen or chosen[0] == 0 and chosen.step == 1
            if not first and not all(map(self.is_uniform, chosen)):
                raise ValueError("Only the first axes of a ragged shape are one: use shape[:k].")
            lengths = [self._lengths[k] for k in chosen]
            partitions = min(self._partitions, max(len(lengths) - 1, 0)) if chosen and not chosen[0] else 0
            return DynamicRaggedShape(lengths, partitions, self._dtype)
        size = self._lengths[key]
        if isinstance(size, tuple):
            raise ValueError(f"Index {key} is not uniform: its rows have the lengths {size}.")
        return EagerTensor(self._dtype.np.type(size))

    def __len__(self) -> int:
        return self.rank

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, DynamicRaggedShape) and (self._lengths, self._partitions, self._dtype) == (
            other._lengths,
            other._partitions,
            other._dtype,
        )

    def __hash__(self) -> int:
        return hash((tuple(self._lengths), self._partitions))

    def __repr__(self) -> str:
        return f"<DynamicRaggedShape lengths={self._lengths} num_row_partitions={self._partitions}>"
