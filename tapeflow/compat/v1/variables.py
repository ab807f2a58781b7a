"""Variables of version 1: assignments, `get_variable` and variable scopes, initializers, which have nothing to do."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from tapeflow.api.arrays.building import zeros as _zeros
from tapeflow.api.arrays.constants import convert_to_tensor as _convert_to_tensor
from tapeflow.api.runtime import get_current_name_scope, name_scope
from tapeflow.core.dtypes import as_dtype, float32
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import Tensor, sizes_of
from tapeflow.core.variables.variable import Variable

from .fallback import found

__all__ = [
    "AUTO_REUSE", "assign", "assign_add", "assign_sub", "get_variable", "get_variable_scope", "global_variables",
    "global_variables_initializer", "initialize_all_variables", "is_variable_initialized",
    "local_variables_initializer", "scatter_add", "scatter_sub", "scatter_update", "tables_initializer",
    "trainable_variables", "variable_scope", "variables_initializer",
]  # fmt: skip

AUTO_REUSE = "AUTO_REUSE"


def assign(
    ref: Any, value: Any, validate_shape: bool | None = None, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """`ref.assign(value)`.

    Returns:
        The variable; inside a function its new value.

    >>> v = tf.Variable(1.)
    >>> tf.compat.v1.assign(v, 5.).numpy()
    np.float32(5.0)
    """
    return ref.assign(value)


def assign_add(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """`ref.assign_add(value)`.

    Returns:
        The variable; inside a function its new value.

    >>> tf.compat.v1.assign_add(tf.Variable(1.), 2.).numpy()
    np.float32(3.0)
    """
    return ref.assign_add(value)


def assign_sub(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """`ref.assign_sub(value)`.

    Returns:
        The variable; inside a function its new value.

    >>> tf.compat.v1.assign_sub(tf.Variable(1.), 2.).numpy()
    np.float32(-1.0)
    """
    return ref.assign_sub(value)


def global_variables_initializer() -> None:
    """Nothing: variables have their values from the moment they are made.

    >>> tf.compat.v1.global_variables_initializer()
    """


def variables_initializer(var_list: Any, name: str = "init") -> None:
    """Nothing: variables have their values from the moment they are made.

    Args:
        var_list: Taken and not used.

    >>> tf.compat.v1.variables_initializer([tf.Variable(1.)])
    """


def initialize_all_variables() -> None:
    """Nothing: variables have their values from the moment they are made.

    >>> tf.compat.v1.initialize_all_variables()
    """


def local_variables_initializer() -> None:
    """Nothing: variables have their values from the moment they are made.

    >>> tf.compat.v1.local_variables_initializer()
    """


def tables_initializer(name: str = "init_all_tables") -> None:
    """Nothing: tables have their entries from the moment they are made.

    >>> tf.compat.v1.tables_initializer()
    """


def is_variable_initialized(variable: Any) -> Tensor:
    """True.

    Args:
        variable: Taken and not used.

    >>> tf.compat.v1.is_variable_initialized(tf.Variable(1.)).numpy()
    np.True_
    """
    return _convert_to_tensor(True)


def global_variables(scope: Any = None) -> list[Any]:
    """An empty list, as in TensorFlow where operations are eager: there is no graph with a collection. A module knows
    its variables.

    Returns:
        No variables.

    >>> tf.compat.v1.global_variables()
    []
    """
    return []


def trainable_variables(scope: Any = None) -> list[Any]:
    """An empty list, as in TensorFlow where operations are eager: there is no graph with a collection. A module knows
    its variables.

    Returns:
        No variables.

    >>> tf.compat.v1.trainable_variables()
    []
    """
    return []


def _rows(variable: Any, indices: Any, updates: Any) -> IndexedSlices:
    return IndexedSlices(_convert_to_tensor(updates, variable.dtype), _convert_to_tensor(indices))


def scatter_update(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """`ref.scatter_update`, for rows.

    Args:
        indices: Which rows.
        updates: A row for each of them.

    Returns:
        The variable; inside a function its new value.

    >>> tf.compat.v1.scatter_update(tf.Variable([1., 2.]), [0], [5.]).numpy()
    array([5., 2.], dtype=float32)
    """
    return ref.scatter_update(_rows(ref, indices, updates))


def scatter_add(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """`ref.scatter_add`, for rows.

    Args:
        indices: Which rows.
        updates: A row for each of them.

    Returns:
        The variable; inside a function its new value.

    >>> tf.compat.v1.scatter_add(tf.Variable([1., 2.]), [0], [5.]).numpy()
    array([6., 2.], dtype=float32)
    """
    return ref.scatter_add(_rows(ref, indices, updates))


def scatter_sub(ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None) -> Any:
    """`ref.scatter_sub`, for rows.

    Args:
        indices: Which rows.
        updates: A row for each of them.

    Returns:
        The variable; inside a function its new value.

    >>> tf.compat.v1.scatter_sub(tf.Variable([1., 2.]), [0], [5.]).numpy()
    array([-4.,  2.], dtype=float32)
    """
    return ref.scatter_sub(_rows(ref, indices, updates))


# ---- variables by name


def get_variable(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None,
    trainable: bool | None = None, collections: Any = None, caching_device: Any = None, partitioner: Any = None,
    validate_shape: bool = True, use_resource: Any = None, custom_getter: Any = None, constraint: Any = None,
    synchronization: Any = None, aggregation: Any = None,
) -> Variable:  # fmt: skip
    """A new variable. As in TensorFlow where operations are eager, variables are not shared by name: keep the object.

    Raises:
        ValueError: If there is neither a shape nor values.

    >>> tf.compat.v1.get_variable("w", [2], initializer=tf.ones_initializer()).numpy()
    array([1., 1.], dtype=float32)
    """
    dtype = (
        as_dtype(dtype or getattr(initializer, "dtype", None) or float32)
        if not callable(initializer)
        else as_dtype(dtype or float32)
    )
    if initializer is not None and not callable(initializer):
        value = _convert_to_tensor(initializer, dtype)
        if shape is not None and not sizes_of(value).is_compatible_with(shape):
            raise ValueError(
                f"If initializer is a constant, do not specify shape: it has shape {tuple(value.shape)}, and {shape} "
                "was given."
            )
    elif shape is None:
        raise ValueError(f"Shape of a new variable ({name}) must be fully defined, but instead was <unknown>.")
    elif initializer is not None:
        made = initializer() if isinstance(initializer, type) else initializer
        value = (
            made(shape, dtype=dtype)
            if hasattr(made, "get_config") or not hasattr(made, "__code__")
            else made(shape, dtype)
        )
    elif dtype.is_floating:
        value = found("keras.initializers.GlorotUniform")()(tuple(shape), dtype=dtype.name)
    else:
        value = _zeros(shape, dtype)
    return Variable(value, trainable=trainable, name=name, constraint=constraint, dtype=dtype)


class VariableScope(SimpleNamespace):
    """What programs ask of a scope. Where its variables are cached is said and never needed: they are read at once."""

    def set_caching_device(self, caching_device: Any) -> None:
        """Remembers it."""
        self.caching_device = caching_device


def _scope(reuse: bool) -> VariableScope:
    name = get_current_name_scope()
    return VariableScope(
        name=name, reuse=reuse, original_name_scope=f"{name}/", caching_device=None, use_resource=True
    )


@contextmanager
def variable_scope(
    name_or_scope: Any, default_name: str | None = None, values: Any = None, initializer: Any = None,
    regularizer: Any = None, caching_device: Any = None, partitioner: Any = None, custom_getter: Any = None,
    reuse: Any = None, dtype: Any = None, use_resource: Any = None, constraint: Any = None,
    auxiliary_name_scope: bool = True,
) -> Iterator[VariableScope]:  # fmt: skip
    """Names of variables made inside start with the scope's.

    Args:
        initializer: Taken and not used: give it to `get_variable`.
        dtype: Taken and not used: give it to `get_variable`.
        constraint: Taken and not used: give it to `get_variable`.

    >>> with tf.compat.v1.variable_scope("layer"):
    ...     tf.compat.v1.get_variable("w", [1]).name
    'layer/w:0'
    """
    name = getattr(name_or_scope, "name", name_or_scope or default_name)  # that of the outermost scope is empty
    if name is None:
        raise ValueError("If default_name is None then name_or_scope is required")
    with name_scope(name):
        yield _scope(bool(reuse))


def get_variable_scope() -> VariableScope:
    """The scope that is open, with its `name`.

    >>> with tf.compat.v1.variable_scope("layer"):
    ...     tf.compat.v1.get_variable_scope().name
    'layer'
    """
    return _scope(False)
