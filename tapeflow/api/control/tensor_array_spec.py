"""`tf.TensorArraySpec`."""

from typing import Any

from tapeflow.core.composite import TypeSpec, spec_of
from tapeflow.core.dtypes import as_dtype, float32
from tapeflow.core.shapes import TensorShape

from .tensor_array import TensorArray

__all__ = ["TensorArraySpec"]


class TensorArraySpec(TypeSpec):
    """What is known of a TensorArray before it is there.

    Args:
        element_shape: The shape of each entry; None: not known.
        dynamic_size: Whether the array may grow.
        infer_shape: Whether all entries have one shape.

    >>> tf.type_spec_from_value(tf.TensorArray(tf.float32, size=3, element_shape=[2]))
    TensorArraySpec(TensorShape([2]), tf.float32, False, True)
    """

    __slots__ = ("_element_shape", "_dtype", "_dynamic_size", "_infer_shape")

    value_type = TensorArray

    def __init__(
        self, element_shape: Any = None, dtype: Any = float32, dynamic_size: bool = False, infer_shape: bool = True
    ) -> None:
        self._element_shape, self._dtype = TensorShape(element_shape), as_dtype(dtype)
        self._dynamic_size, self._infer_shape = dynamic_size, infer_shape

    @staticmethod
    def from_value(value: TensorArray) -> "TensorArraySpec":
        """The spec of an array."""
        if not isinstance(value, TensorArray):
            raise TypeError(f"Expected value to be a TensorArray, but got: {type(value)}.")
        return spec_of(value)

    def _parts(self) -> tuple:
        return repr(self._element_shape), self._dtype, self._dynamic_size, self._infer_shape

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Is it an array, or the spec of one, of this dtype, shape and kind?"""
        other = spec_of(spec_or_value) if isinstance(spec_or_value, TensorArray) else spec_or_value
        return (
            isinstance(other, TensorArraySpec)
            and self._dtype is other._dtype
            and self._dynamic_size == other._dynamic_size
            and self._element_shape.is_compatible_with(other._element_shape)
        )

    def __repr__(self) -> str:
        return f"TensorArraySpec({self._element_shape!r}, {self._dtype!r}, {self._dynamic_size}, {self._infer_shape})"
