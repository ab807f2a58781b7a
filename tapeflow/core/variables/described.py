"""What a variable is, apart from its value: shape, dtype, name, and how it was made."""

from typing import TYPE_CHECKING

from tapeflow.core.dtypes import DType, resource
from tapeflow.core.shapes import TensorShape

from .policies import VariableAggregation, VariableSynchronization

if TYPE_CHECKING:
    from tapeflow.core.tensor import EagerTensor, Tensor


class Handle:
    """TensorFlow has a tensor that stands for the variable; here the variable does, and this has only its dtype."""

    dtype = resource


class Described:
    """The part of `Variable` that says what it is."""

    _shape: TensorShape
    _dtype: DType
    _name: str
    _trainable: bool
    _value: "Tensor"
    _synchronization: VariableSynchronization
    _aggregation: VariableAggregation

    def _tensor_now(self) -> "EagerTensor":
        raise NotImplementedError  # the variable knows

    @property
    def shape(self) -> TensorShape:
        """The shape; its open sizes may change with the value."""
        return self._shape

    @property
    def sizes(self) -> TensorShape:
        """The same as `shape`, by the name that tensors have for what can be computed with."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The same as `shape`."""
        return self._shape

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return self._value.ndim

    @property
    def dtype(self) -> DType:
        """The dtype, which never changes."""
        return self._dtype

    @property
    def name(self) -> str:
        """The name given, after the names of the open `tf.name_scope`s."""
        return self._name

    @property
    def trainable(self) -> bool:
        """Whether tapes watch the variable by themselves."""
        return self._trainable

    @property
    def device(self) -> str:
        """Where the value is."""
        return self._tensor_now().device

    @property
    def handle(self) -> Handle:
        """TensorFlow's inner name of the variable."""
        return Handle()

    @property
    def synchronization(self) -> VariableSynchronization:
        """When replicas exchange its value."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """What becomes of values from several replicas."""
        return self._aggregation

    @property
    def initializer(self) -> None:
        """None: a variable has its value from the start."""
        return None
