"""Tensor: a thin immutable handle on a value. `EagerTensor` is the one that holds a NumPy array.

Operators and methods that are operations (`+`, `[]`, …) are installed by `tapeflow.api.arrays.operators`, since core
knows none.
"""

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.names import attributes

from .dtypes import BY_NUMPY, DType
from .frames import current
from .shapes import TensorShape
from .typed import Value

# A tensor has identity for a tape only from the moment it is watched or recorded; 0 means never so far.
next_id = itertools.count(1).__next__


def identify(tensor: "Tensor") -> int:
    """Give the tensor an id, for good."""
    tensor.serial = next_id()
    return tensor.serial


class Tensor(Value):
    """A value with a shape and a dtype. Made by `tf.constant` and by every operation; never changed.

    >>> import tapeflow as tf
    >>> x = tf.constant([[1., 2.], [3., 4.]])
    >>> x.shape, x.dtype, (x @ x).numpy().tolist()
    (TensorShape([2, 2]), tf.float32, [[7.0, 10.0], [15.0, 22.0]])
    """

    # The dictionary is for what programs note on tensors (`x.term = "kl"`, Keras' `_keras_mask`). It costs 1 to
    # 4% of an operation on a small tensor. `_origin` is only set by `v[i]`: the variable and the index, for
    # v[i].assign(value).
    __slots__ = ("serial", "__dict__", "__weakref__")
    __array_priority__ = 100

    _origin: tuple[Any, Any]
    T: "Tensor"  # these two are operations, which `tapeflow.api.arrays.tensor_methods` installs
    mT: "Tensor"

    if TYPE_CHECKING:  # a symbol is on no device; operators are installed
        OVERLOADABLE_OPERATORS: frozenset[str]

        @property
        def device(self) -> str: ...
        @property
        def backing_device(self) -> str: ...
        @property
        def size(self) -> int: ...
        def cpu(self) -> "EagerTensor": ...
        def gpu(self, gpu_index: int = 0) -> "Tensor": ...
        def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]: ...

    @property
    def shape(self) -> TensorShape:
        """The sizes along the axes; None for one that is not known while a function is traced."""
        raise NotImplementedError  # each kind of tensor says it

    @property
    def sizes(self) -> TensorShape:
        """The shape to compute with: what is not known while a function is traced is a `core.sizes.Size` here, which
        adds and multiplies, where `shape` says None. The library itself asks for this."""
        return self.shape

    @property
    def dtype(self) -> DType:
        """What the elements are."""
        raise NotImplementedError

    def __init__(self, *_: Any, **__: Any) -> None:
        raise TypeError("tf.Tensor is not built directly; use tf.constant(value) or tf.convert_to_tensor(value).")

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def get_shape(self) -> TensorShape:
        """`shape`, as a method."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """States what is known of the shape; raises ValueError if the tensor's shape contradicts it.

        Args:
            shape: The sizes, None for those that are not known.

        Raises:
            ValueError: If it contradicts what is known.
        """
        if not self.shape.is_compatible_with(shape):
            raise ValueError(
                f"Tensor's shape {self.shape} is not compatible with supplied shape {TensorShape(shape)}."
            )

    def _twin(self) -> "Tensor":
        """Another tensor of the same value, which no tape knows."""
        raise NotImplementedError  # each kind of tensor says it

    @property
    def assign(self) -> Any:
        """Only on a part of a variable: `v[i].assign(value)`, `.assign_add(value)`, `.assign_sub(value)` change that
        part."""
        return self._assigner("assign")

    @property
    def assign_add(self) -> Any:
        return self._assigner("assign_add")

    @property
    def assign_sub(self) -> Any:
        return self._assigner("assign_sub")

    def _assigner(self, name: str) -> Any:
        try:
            variable, key = self._origin
        except AttributeError:
            raise AttributeError(
                f"'{type(self).__name__}' object has no attribute {name!r}. Tensors never change; only a tf.Variable "
                "can be assigned."
            ) from None
        return variable.part_assigner(name, key)

    def ref(self) -> "Reference":
        """A hashable handle, equal only to another handle on the same object: for sets and dict keys."""
        return Reference(self)

    experimental_ref = ref

    def __hash__(self) -> int:
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __copy__(self) -> "Tensor":
        return self

    def __deepcopy__(self, memo: dict) -> "Tensor":
        return self

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            f"'{type(self).__name__}' object does not support item assignment: tensors never change. "
            "Use tf.tensor_scatter_nd_update(x, indices, values), tf.where(mask, a, b), or a tf.Variable with "
            "v[i].assign(value)."
        )


attributes.say_instead(Tensor, attributes.FOR_TENSORS)


def sizes_of(value: Any) -> Any:
    """`value.sizes` of a tensor; of an array, a variable and everything else that has a shape, that."""
    return value.sizes if isinstance(value, Tensor) else value.shape


def tensor_behind(value: Any) -> Any:
    """The tensor that an array shows, as what NumPy's functions give on a tape does; everything else as it is."""
    tensor = value.__tf_shown__() if hasattr(type(value), "__tf_shown__") else None
    return value if tensor is None else tensor


class EagerTensor(Tensor):
    """A tensor on a NumPy array (or NumPy scalar). Only this class has `array`; its absence elsewhere is what sends an
    operation to the general path."""

    __slots__ = ("array",)

    def __init__(self, array: Any) -> None:
        self.array = array
        self.serial = 0

    @property
    def shape(self) -> TensorShape:
        return tuple.__new__(TensorShape, self.array.shape)

    sizes = shape

    @property
    def dtype(self) -> DType:
        return BY_NUMPY[self.array.dtype]

    @property
    def ndim(self) -> int:
        return self.array.ndim

    def _twin(self) -> "EagerTensor":
        return EagerTensor(self.array)

    @property
    def device(self) -> str:
        return "/job:localhost/replica:0/task:0/device:CPU:0"

    backing_device = device

    @property
    def size(self) -> int:
        """The number of elements."""
        return self.array.size

    def cpu(self) -> "EagerTensor":
        """The tensor on the CPU, where NumPy's arrays are: itself."""
        return self

    def numpy(self) -> Any:
        """A copy as a NumPy array; a NumPy scalar when the rank is 0, bytes for a scalar string."""
        self._leaves(".numpy()")
        array = self.array
        if array.ndim == 0:
            return array[()]
        return array.copy()

    def _leaves(self, how: str) -> None:
        """Tell whoever watches that the value goes where no derivative follows."""
        for observer in current().audience:
            observer.left(self, how)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        self._leaves("a NumPy conversion")
        array = np.asarray(self.array)
        if dtype is not None and array.dtype != dtype:
            return array.astype(dtype)
        if copy:
            return array.copy()
        view = array.view()
        view.flags.writeable = False
        return view

    def __buffer__(self, flags: int) -> memoryview:
        """The memory, for `memoryview(x)` (from Python 3.12 on); it cannot be written to."""
        array: Any = self.__array__()  # which type checkers of Python 3.11 do not know to have a buffer
        return memoryview(array)

    def __len__(self) -> int:
        if not self.array.ndim:
            raise TypeError("Scalar tensor has no `len()`. Its shape is ().")
        return self.array.shape[0]

    def __bool__(self) -> bool:
        array = self.array
        if array.size > 1:
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. The tensor has shape "
                f"{array.shape}; use tf.reduce_any(x) or tf.reduce_all(x), and & and | in place of `and` and `or`."
            )
        self._leaves("a Python truth value")
        return bool(array.reshape(())[()]) if array.size else False

    def _number(self, kind: type) -> Any:
        if self.array.ndim:
            raise TypeError(
                f"only 0-dimensional arrays can be converted to Python scalars: {kind.__name__}() of a tensor of "
                f"shape {self.array.shape}. Index or reduce it first."
            )
        self._leaves(f"{kind.__name__}()")
        return kind(self.array[()])

    def __float__(self) -> float:
        return self._number(float)

    def __int__(self) -> int:
        return self._number(int)

    def __complex__(self) -> complex:
        return self._number(complex)

    def __index__(self) -> int:
        if self.array.dtype.kind not in "iu":
            raise TypeError(
                f"Only an integer tensor can be used as an index, this one is {self.dtype.name}. Cast it: tf.cast(x, "
                "tf.int32)."
            )
        return self._number(int)

    def __format__(self, spec: str) -> str:
        return format(self.array[()] if self.array.ndim == 0 else self.array, spec)

    def __str__(self) -> str:
        return f"tf.Tensor({_text(self.array)}, shape={self.array.shape}, dtype={self.dtype.name})"

    def __repr__(self) -> str:
        return f"<tf.Tensor: shape={self.array.shape}, dtype={self.dtype.name}, numpy={representation(self.array)}>"

    def __reduce__(self):
        return EagerTensor, (self.array,)

    def __dir__(self) -> list[str]:
        absent = () if hasattr(self, "assign") else ("assign", "assign_add", "assign_sub")
        return [name for name in attributes.present(self) if name not in absent]


def _text(array: Any) -> str:
    """For `str`: on lines of its own when it takes several."""
    text = _scalar(array) if array.ndim == 0 else str(array)
    return f"\n{text}" if "\n" in text else text


def representation(array: Any) -> str:
    """For `repr` of tensors and variables."""
    text = _scalar(array) if array.ndim == 0 else repr(array)
    return f"\n{text}" if "\n" in text else text


def _scalar(array: Any) -> str:
    value = array[()]
    if array.dtype.kind == "O":
        return repr(value)
    return str(value) if array.dtype.kind != "V" else repr(value.item())


class Reference:
    """Compares and hashes by the identity of the object it refers to."""

    __slots__ = ("_object", "__weakref__")

    def __init__(self, object_: Any) -> None:
        self._object = object_

    def deref(self) -> Any:
        return self._object

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, Reference) and self._object is other._object

    def __hash__(self) -> int:
        return id(self._object)

    # In some order, which lasts as long as the objects: structures are sorted by the keys of their dictionaries.

    def __lt__(self, other: "Reference") -> bool:
        return id(self._object) < id(other._object) if isinstance(other, Reference) else NotImplemented

    def __gt__(self, other: "Reference") -> bool:
        return id(self._object) > id(other._object) if isinstance(other, Reference) else NotImplemented

    def __le__(self, other: "Reference") -> bool:
        return id(self._object) <= id(other._object) if isinstance(other, Reference) else NotImplemented

    def __ge__(self, other: "Reference") -> bool:
        return id(self._object) >= id(other._object) if isinstance(other, Reference) else NotImplemented

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._object!r}>"
