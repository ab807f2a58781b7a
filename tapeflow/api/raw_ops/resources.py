"""Operations on what graphs hand on by reference: variables and lookup tables. A resource is the object itself."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api.arrays import indexing, properties
from tapeflow.api.arrays.constants import constant
from tapeflow.api.lookup.experimental import MutableHashTable
from tapeflow.api.lookup.initializers import TextFileInitializer, listed
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import int32, int64
from tapeflow.core.errors import FailedPreconditionError, invalid
from tapeflow.core.frames import has_an_effect
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable

__all__ = ["RESOURCES", "Table"]


class Table(MutableHashTable):
    """A lookup table of a graph: its values are of one kind, and the default comes with each question."""

    def __init__(self, key_dtype: Any, value_dtype: Any, fixed: bool) -> None:
        """`fixed`: a key may not change its value."""
        super().__init__(key_dtype, value_dtype, b"" if value_dtype.name == "string" else 0)
        self.fixed = fixed

    def fill(self, pairs: Any) -> None:
        """Add keys and values as Python has them."""
        for key, value in pairs:
            if self.fixed and key in self._values and self._values[key] != value:
                raise FailedPreconditionError(
                    None, None, f"HashTable has different value for same key. Key {key!r} has {self._values[key]!r} "
                    f"and trying to add value {value!r}"
                )  # fmt: skip
            self._values[key] = value


def _variable(resource: Any) -> Variable:
    if not isinstance(resource, Variable):
        raise invalid(f"A variable was expected, the graph gives {type(resource).__name__}.")
    return resource


def _table(resource: Any) -> Table:
    if not isinstance(resource, Table):
        raise invalid(f"A lookup table was expected, the graph gives {type(resource).__name__}.")
    return resource


def _found(table_handle: Any, keys: Any, default_value: Any) -> Tensor:
    table = _table(table_handle)
    default = as_tensor(default_value)
    if default.ndim == 0:
        default_array = default.numpy()
        values = table._values
        has_an_effect("reading a table")
        array = as_tensor(keys).numpy()
        found = [values.get(key, default_array) for key in np.asarray(array).reshape(-1).tolist()]
        out = np.empty(len(found), table.value_dtype.np)
        out[:] = [v.item() if isinstance(v, np.ndarray) else v for v in found]
        return as_tensor(out.reshape(np.shape(array)))
    return table.lookup(keys, default_value)


def _imported(table_handle: Any, keys: Any, values: Any) -> None:
    table = _table(table_handle)
    table.fill(zip(listed(as_tensor(keys), table.key_dtype), listed(as_tensor(values), table.value_dtype)))


def _from_file(
    table_handle: Any, filename: Any, key_index: int = 0, value_index: int = 0, vocab_size: int = -1,
    delimiter: str = "\t", offset: int = 0,
) -> None:  # fmt: skip
    table = _table(table_handle)
    path = as_tensor(filename).numpy()
    path = path if isinstance(path, bytes) else path.item()
    table.fill(
        TextFileInitializer(
            path.decode(), table.key_dtype, key_index, table.value_dtype, value_index,
            None if vocab_size < 0 else vocab_size, delimiter, value_index_offset=offset,
        )._items()
    )  # fmt: skip


def _gathered(resource: Any, indices: Any, batch_dims: int = 0) -> Tensor:
    """Rows of a variable, which have a sparse gradient."""
    return indexing.gather(_variable(resource), indices, axis=batch_dims, batch_dims=batch_dims)


def _assigned(name: str) -> Callable:
    def assign(resource: Any, value: Any) -> None:
        getattr(_variable(resource), name)(value, read_value=False)

    return assign


def _scattered(name: str) -> Callable:
    def scatter(resource: Any, indices: Any, updates: Any) -> None:
        getattr(_variable(resource), name)(IndexedSlices(as_tensor(updates), as_tensor(indices)))

    return scatter


RESOURCES: dict[str, Callable] = dict(
    # ---- variables
    ReadVariableOp=lambda resource: _variable(resource).value(),
    AssignVariableOp=_assigned("assign"),
    AssignAddVariableOp=_assigned("assign_add"),
    AssignSubVariableOp=_assigned("assign_sub"),
    ResourceGather=_gathered,
    ResourceGatherNd=lambda resource, indices: indexing.gather_nd(_variable(resource).value(), indices),
    ResourceScatterAdd=_scattered("scatter_add"),
    ResourceScatterSub=_scattered("scatter_sub"),
    ResourceScatterUpdate=_scattered("scatter_update"),
    VariableShape=lambda input, out_type=int32: properties.shape(_variable(input).value(), out_type),
    VarIsInitializedOp=lambda resource: constant(isinstance(resource, Variable)),
    DisableCopyOnRead=lambda resource: None,
    # ---- tables
    HashTableV2=lambda key_dtype, value_dtype: Table(key_dtype, value_dtype, fixed=True),
    MutableHashTableV2=lambda key_dtype, value_dtype: Table(key_dtype, value_dtype, fixed=False),
    LookupTableFindV2=_found,
    LookupTableSizeV2=lambda table_handle: constant(len(_table(table_handle)._values), int64),
    LookupTableImportV2=_imported,
    LookupTableInsertV2=lambda table_handle, keys, values: _table(table_handle).insert(keys, values),
    LookupTableExportV2=lambda table_handle: _table(table_handle).export(),
    InitializeTableV2=_imported,
    InitializeTableFromTextFileV2=_from_file,
)
# Version 1 hands tables on by their names.
RESOURCES |= {
    name.removesuffix("V2"): RESOURCES[name]
    for name in """HashTableV2 MutableHashTableV2 LookupTableFindV2 LookupTableSizeV2 LookupTableImportV2
        LookupTableInsertV2 LookupTableExportV2 InitializeTableV2 InitializeTableFromTextFileV2""".split()
}
