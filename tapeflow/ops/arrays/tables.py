"""Looking up keys in tables that do not change."""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from tapeflow.core.dtypes import INTEGER, STRING
from tapeflow.core.primitive import CUT, Spec, primitive
from tapeflow.engines.numpy.strings.fingerprints import farm


class Source(NamedTuple):
    """The file that a table is from: what of its lines are keys and values, and a function that reads them."""

    path: str
    key_index: int
    value_index: int
    size: int | None
    delimiter: str
    offset: int
    read: Callable[[], dict]


class Entries:
    """What a table holds, which is a parameter: keys and values in one order, and what a key that is not there gets: a
    default, or one of some numbers after the table's own, by its hash."""

    def __init__(
        self, keys: np.ndarray, values: np.ndarray, default: np.ndarray, buckets: int = 0,
        source: Source | None = None,
    ) -> None:  # fmt: skip
        """`default` has no axes. `buckets`: how many numbers there are for other keys; 0: they get the default."""
        self.keys, self.values, self.default, self.buckets, self.source = keys, values, default, buckets, source
        self.found = dict(zip(keys.tolist(), values.tolist()))

    @functools.cached_property
    def content(self) -> tuple:
        """The same for all that hold the same keys and values."""
        return self.keys.dtype, self.values.dtype, tuple(self.found.items())

    def of(self, keys: np.ndarray) -> np.ndarray:
        found, default, out = self.found, self.default.item(), np.empty(keys.size, self.values.dtype)
        for place, key in enumerate(keys.reshape(-1).tolist()):
            value = found.get(key)
            out[place] = value if value is not None else self._bucket(key) if self.buckets else default
        return out.reshape(keys.shape)

    def _bucket(self, key: Any) -> int:
        text = key if isinstance(key, bytes) else str(key).encode()
        return len(self.keys) + farm(text) % self.buckets

    def __repr__(self) -> str:
        return f"<table of {len(self.keys)} keys>"


table_lookup = primitive(
    "table_lookup(keys, *, table)",
    kernel={"numpy": lambda keys, table: table.of(keys)},
    shape=lambda keys, table: Spec(shape=keys.shape, dtype=table.values.dtype),
    vjp=CUT,
    dtypes=STRING | INTEGER,
    elementwise=True,
)
