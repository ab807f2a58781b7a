"""Lookups in tables that do not change."""

from typing import Any

import numpy as np

from tapeflow.core.dtypes import ANY
from tapeflow.core.primitive import CUT, Spec, primitive
from tapeflow.engines.numpy.strings.fingerprints import farm


class Table:
    """Keys and their values. What is no key has the default; or, with `buckets`, a number after those of the keys, by
    its hash."""

    def __init__(self, values: dict, dtype: Any, default: Any, buckets: int = 0) -> None:
        """`values`, as Python has them, and the dtype of the tensors that are made of them."""
        self.values, self.dtype, self.default, self.buckets = values, np.dtype(dtype), default, buckets

    def of(self, keys: np.ndarray) -> np.ndarray:
        get, other = self.values.get, self.bucket if self.buckets else lambda _: self.default
        found = [other(key) if (value := get(key)) is None else value for key in keys.reshape(-1).tolist()]
        return self.packed(found, keys.shape)

    def packed(self, values: list, shape: tuple) -> np.ndarray:
        """An array of values, filled one by one: NumPy would take a list of bytes for text of fixed width."""
        out = np.empty(len(values), self.dtype)
        for place, value in enumerate(values):
            out[place] = value
        return out.reshape(shape)

    def bucket(self, key: Any) -> int:
        return len(self.values) + farm(key if isinstance(key, bytes) else str(key).encode()) % self.buckets


table_lookup = primitive(
    "table_lookup(keys, *, table)",
    kernel={"numpy": lambda keys, table: table.of(keys)},
    shape=lambda keys, table: Spec(shape=keys.shape, dtype=table.dtype),
    vjp=CUT,
    dtypes=ANY,
    elementwise=True,
    moves=False,
    makes_new=True,
)
