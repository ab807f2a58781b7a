"""Variables, conversion, shapes, and what a function would give: Keras' core operations. Loops and branches are in
`control.py`."""

from typing import Any

import numpy as np
from keras.src import tree
from keras.src.backend.common import KerasVariable, standardize_dtype
from keras.src.backend.common.dtypes import result_type
from keras.src.backend.common.keras_tensor import KerasTensor
from keras.src.backend.common.stateless_scope import StatelessScope, in_stateless_scope
from keras.src.backend.common.symbolic_scope import SymbolicScope

import tapeflow as tf
from tapeflow.core.errors import ValueNeeded
from tapeflow.core.frames import Frame, current, entered
from tapeflow.core.primitive import Spec
from tapeflow.core.sizes import Size, tensor_of
from tapeflow.core.tensor import Tensor, sizes_of, tensor_behind
from tapeflow.function.tracing.graph import Graph

from .. import distribution_lib
from ..replicas import SYNCHRONIZATION, aggregation
from .control import (
    associative_scan,
    cond,
    custom_gradient,
    fori_loop,
    map,
    remat,
    scan,
    switch,
    vectorized_map,
    while_loop,
)
from .parts import scatter, scatter_update, slice, slice_update, unstack
from .sparse import KINDS, IndexedSlices, SparseTensor, as_sparse, dense, is_sparse, on_values

__all__ = [
    "IS_THREAD_SAFE", "SUPPORTS_COMPLEX_DTYPES", "SUPPORTS_RAGGED_TENSORS", "SUPPORTS_SPARSE_TENSORS", "Variable",
    "associative_scan", "cast", "compute_output_spec", "cond", "convert_to_numpy", "convert_to_tensor",
    "custom_gradient", "device_scope", "fori_loop", "is_tensor", "map", "random_seed_dtype", "remat", "scan",
    "scatter", "scatter_update", "shape", "slice", "slice_update", "stop_gradient", "switch", "unstack",
    "vectorized_map", "while_loop",
]  # fmt: skip

SUPPORTS_SPARSE_TENSORS = True
SUPPORTS_RAGGED_TENSORS = False
SUPPORTS_COMPLEX_DTYPES = True
IS_THREAD_SAFE = True


class Variable(KerasVariable):
    """A Keras variable whose value is a `tf.Variable`, trainable when this one is: tapes watch it by themselves."""

    def _initialize(self, value: Any) -> None:
        self._shape = self._validate_shape(value.shape)  # which a distribution asks for
        if isinstance(value, tf.Variable):
            self._value = value  # the same, as on TensorFlow: a function of a saved model reads it
            return
        sharding = self._sharding()
        if sharding is not None:
            value = distribution_lib.spread(convert_to_tensor(value, self._dtype), sharding)
        self._value = tf.Variable(
            value, dtype=self._dtype, trainable=self._trainable, name=self._name,
            synchronization=SYNCHRONIZATION[self._synchronization],
            aggregation=aggregation(self._aggregation, self._dtype),
        )  # fmt: skip
        self._value._label = self.path  # what reports call it

    def _initialize_with_initializer(self, initializer: Any) -> None:
        made = lambda: initializer(self._shape, dtype=self._dtype)
        sharding = self._sharding()
        if sharding is not None and distribution_lib.is_large(self._shape, self._dtype):
            self._initialize(distribution_lib.made_spread(made, sharding))
        else:
            self._initialize(convert_to_tensor(made(), self._dtype))

    def _sharding(self) -> Any:
        """How the value is spread over devices; None where it is on one."""
        if self._layout is None:
            self._layout = distribution_lib.layout_of(self)
        return None if current().executor is not None else distribution_lib.sharding_of_variable(self)

    def _direct_assign(self, value: Any) -> None:
        self._value.assign(dense(value), read_value=False)

    def assign_add(self, value: Any) -> Tensor:
        if in_stateless_scope():
            return super().assign_add(value)
        value = convert_to_tensor(value, self._dtype)
        if type(value) is IndexedSlices:
            self._value.scatter_add(value)
        else:
            self._value.assign_add(dense(value), read_value=False)
        return self._value.value()

    def assign_sub(self, value: Any) -> Tensor:
        if in_stateless_scope():
            return super().assign_sub(value)
        value = convert_to_tensor(value, self._dtype)
        if type(value) is IndexedSlices:
            self._value.scatter_sub(value)
        else:
            self._value.assign_sub(dense(value), read_value=False)
        return self._value.value()

    @property
    def shape(self) -> tf.TensorShape:
        return tf.TensorShape(self._shape)

    def numpy(self) -> Any:
        return self.value.numpy()

    def _convert_to_tensor(self, value: Any, dtype: Any = None) -> Any:
        is_new = "_dtype" not in self.__dict__
        if is_new and isinstance(value, tf.Variable) and dtype in (None, value.dtype.name):
            return value
        return convert_to_tensor(value, dtype=dtype)

    def __tf_variable__(self) -> tf.Variable:
        """What a tape watches, and gives gradients of, in the place of this variable."""
        return self._value

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Tensor:
        return convert_to_tensor(self, dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.asarray(convert_to_numpy(self.value), dtype)

    def __deepcopy__(self, memo: dict) -> "Variable":
        made = object.__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update(self.__dict__)
        if self._value is not None:
            made._initialize(self._value.numpy())
        return made


# Keras marks what it takes for a frozen variable, the unpacked table of a quantised embedding, as not trainable; a
# tensor never is.
Tensor.trainable = property(lambda self: False, lambda self, value: None)
Tensor._keras_logits = property(
    fset=lambda self, value: None
)  # a hint that the old `K.softmax` leaves; nobody finds it


# ---- conversion


def convert_to_tensor(x, dtype=None, sparse=None, ragged=None):
    """Sparse tensors stay sparse, unless `sparse=False`; SciPy's and JAX' become `tf.SparseTensor`."""
    if isinstance(x, Tensor):
        return x if dtype is None else dense_tensor(x, dtype)
    if ragged:
        raise ValueError("`ragged=True` is not supported by the tapeflow backend.")
    if sparse is not False and not isinstance(x, _NEVER_SPARSE) and is_sparse(x):
        found = as_sparse(x)
        return found if dtype is None else on_values(lambda values: dense_tensor(values, dtype), found)
    return dense_tensor(x, dtype)


_NEVER_SPARSE = (Tensor, KerasVariable, np.ndarray, int, float, list, tuple)


def dense_tensor(x: Any, dtype: Any = None) -> Tensor:
    """`x` as a dense tensor, which is what most operations work on."""
    x = tensor_behind(x)
    if isinstance(x, Tensor):
        return x if dtype is None or x.dtype.name == (name := standardize_dtype(dtype)) else _cast(x, name)
    dtype = None if dtype is None else standardize_dtype(dtype)
    if isinstance(x, KerasVariable):
        return dense_tensor(x.value, dtype)
    if isinstance(x, tf.Variable):
        return dense_tensor(x.value(), dtype)
    if isinstance(x, KerasTensor):
        raise ValueError(f"A KerasTensor is symbolic: it has no value, and cannot become a tensor. Received: {x}.")
    if isinstance(x, Size) or isinstance(x, (list, tuple)) and any(isinstance(part, Size) for part in x):
        return convert_to_tensor(
            tensor_of(x), dtype
        )  # a shape that is not known: no number is asked for, so the trace is for any
    if not isinstance(x, _NEVER_SPARSE) and is_sparse(x):  # an embedding's gradient, for one
        return dense_tensor(dense(as_sparse(x)), dtype)
    if dtype is None:
        found = tree.flatten(x)
        if any(
            isinstance(leaf, (str, bytes)) or getattr(getattr(leaf, "dtype", None), "kind", "") in "SUO"
            for leaf in found
        ):
            return tf.convert_to_tensor(x)
        dtype = result_type(*[getattr(leaf, "dtype", type(leaf)) for leaf in found])
    if isinstance(x, (list, tuple)) and any(
        isinstance(tensor_behind(leaf), (Tensor, KerasVariable, tf.Variable)) for leaf in tree.flatten(x)
    ):
        return tf.stack([dense_tensor(part, dtype) for part in x])
    return tf.convert_to_tensor(np.asarray(x).astype(tf.as_dtype(dtype).np))


_NARROW = ("int8", "uint8", "int16", "uint16")


def _cast(x: Tensor, name: str) -> Tensor:
    """Floats beyond a narrow integer's range end at its border, as XLA has it (Keras' quantizers rely on it); NumPy
    would let them wrap."""
    return tf.saturate_cast(x, name) if name in _NARROW and x.dtype.is_floating else tf.cast(x, name)


def convert_to_numpy(x):
    if isinstance(x, KerasVariable):
        x = x.value
    return np.array(dense(as_sparse(x)) if is_sparse(x) else x)


def is_tensor(x):
    return isinstance(x, (Tensor, tf.Variable)) or type(x) in KINDS


def shape(x):
    """Sizes that are not known when a function is traced are tensors."""
    sizes = tuple(sizes_of(x))
    if None not in sizes or not is_tensor(x):
        return sizes
    found = tf.shape(x)
    return tuple([found[k] if size is None else size for k, size in enumerate(sizes)])


def cast(x, dtype):
    return convert_to_tensor(x, dtype=dtype)


def stop_gradient(variable):
    x = convert_to_tensor(variable)
    return on_values(tf.stop_gradient, x) if type(x) in KINDS else tf.stop_gradient(x)


def random_seed_dtype():
    return "int64"  # as on TensorFlow, whose numbers these are


def device_scope(device_name):
    if not isinstance(device_name, str):
        raise ValueError(f"A device is named by a text such as 'cpu:0'; received {device_name!r}.")
    return tf.device(device_name)


# ---- what a function would give


def compute_output_spec(fn, *args, **kwargs):
    """`fn` of KerasTensors, by shape rules alone. Twice where sizes are not known: what differs is not known of the
    result either."""
    unknown = any(isinstance(x, KerasTensor) and None in x.shape for x in tree.flatten((args, kwargs)))
    with StatelessScope(), SymbolicScope():
        first = _traced(fn, args, kwargs, 83)
        if not unknown:
            return tree.map_structure(_as_keras, first)
        second = _traced(fn, args, kwargs, 89)
        return tree.map_structure(_as_keras, first, second)


def _traced(fn: Any, args: tuple, kwargs: dict, size: int) -> Any:
    """What `fn` gives where the sizes that are not known are `size`: symbols of a graph, or, where it needs values, of
    zeros."""
    graph = Graph()
    graph.may_create = True

    def as_symbol(x):
        if not isinstance(x, KerasTensor):
            return x
        dtype, shape = tf.as_dtype(x.dtype).np, _sized(x, size)
        if not x.sparse:
            return graph.argument(Spec(shape=shape, dtype=dtype))
        return SparseTensor(*_one_entry(shape, lambda count: graph.argument(Spec(shape=count, dtype=dtype))))

    symbolic = tree.map_structure(as_symbol, (args, kwargs))
    try:
        with entered(graph.frame()):
            return fn(*symbolic[0], **symbolic[1])
    except ValueNeeded:

        def zeros(x):
            if not isinstance(x, KerasTensor):
                return x
            made = lambda shape: tf.zeros(shape, x.dtype)
            return SparseTensor(*_one_entry(_sized(x, size), made)) if x.sparse else made(_sized(x, size))

        values = tree.map_structure(zeros, (args, kwargs))
        with entered(Frame()):
            return fn(*values[0], **values[1])


def _one_entry(shape: tuple, made: Any) -> tuple:
    """Indices, values and shape of a sparse tensor with an entry, where there is room for one."""
    count = min(1, *shape) if shape else 1
    return np.zeros((count, len(shape)), np.int64), made((count,)), shape


def _sized(x: KerasTensor, size: int) -> tuple:
    return tuple([size if d is None else d for d in x.shape])


def _as_keras(x: Any, other: Any = None) -> Any:
    if not is_tensor(x) and not isinstance(x, KerasVariable):
        return x
    found = (
        tuple(x.sizes)
        if other is None
        else tuple([a if a == b else None for a, b in zip(sizes_of(x), sizes_of(other))])
    )
    return KerasTensor(found, standardize_dtype(x.dtype), sparse=type(x) is SparseTensor)
