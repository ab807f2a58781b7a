"""`tf.fingerprint`: a few bytes that tell the rows of a tensor apart."""

from typing import Any

import numpy as np

from tapeflow.core.apply import array_of
from tapeflow.core.convert import to_tensor
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.engines.numpy.strings.fingerprints import farm

__all__ = ["fingerprint"]


def fingerprint(data: Any, method: str = "farmhash64", name: str | None = None) -> Tensor:
    """8 bytes for each row of `data` that tell it from others, by FarmHash: the same on every machine.

    Args:
        data: Elements of any dtype, a row for each fingerprint.
        method: `farmhash64`.

    >>> tf.fingerprint(["abc"]).numpy().tolist()
    [[105, 243, 231, 116, 160, 179, 165, 36]]
    """
    if method != "farmhash64":
        raise InvalidArgumentError(None, None, f"Unsupported fingerprint algorithm: {method}. There is farmhash64.")
    rows = array_of(data)
    if not rows.ndim:
        raise InvalidArgumentError(None, None, "fingerprint takes a tensor with rows, got a scalar.")
    if rows.dtype == object:
        hashes = [_of_strings(row) for row in rows]
    else:
        hashes = [farm(np.ascontiguousarray(row).tobytes()) for row in rows]
    return EagerTensor(np.array(hashes, np.uint64).astype("<u8").view(np.uint8).reshape(-1, 8))


def _of_strings(row: Any) -> int:
    """Of a string, its own; of several, that of theirs one after the other."""
    if isinstance(row, bytes):
        return farm(row)
    return farm(b"".join(farm(text).to_bytes(8, "little") for text in np.ravel(row).tolist()))
