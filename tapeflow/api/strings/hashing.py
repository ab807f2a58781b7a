"""Strings to numbers of buckets, by the same hashes as TensorFlow's: an embedding trained there fits here."""

from typing import Any

from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import TextLike

__all__ = ["to_hash_bucket", "to_hash_bucket_fast", "to_hash_bucket_strong"]


def to_hash_bucket(input: TextLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A bucket from 0 up to, without, `num_buckets` for each string. `to_hash_bucket_fast` is what to use today.

    >>> tf.strings.to_hash_bucket(["hello", "world"], 10).numpy()
    array([8, 1])
    """
    return _bucket(input, num_buckets, "")


def to_hash_bucket_fast(input: TextLike, num_buckets: int, name: str | None = None) -> Tensor:
    """A bucket from 0 up to, without, `num_buckets` for each string: FarmHash, the same on every machine.

    >>> tf.strings.to_hash_bucket_fast(["hello", "world"], 10).numpy()
    array([6, 8])
    """
    return _bucket(input, num_buckets, "fast")


def to_hash_bucket_strong(input: TextLike, num_buckets: int, key: Any, name: str | None = None) -> Tensor:
    """A bucket for each string by SipHash with a key of two integers: nobody without it can fill one bucket on
    purpose.

    Args:
        key: Two integers.

    >>> tf.strings.to_hash_bucket_strong(["hello", "world"], 10, key=[1, 2]).numpy()
    array([2, 0])
    """
    key = tuple(int(k) % 2**64 for k in key)
    if len(key) != 2:
        raise invalid(f"Key must have 2 elements, got {len(key)}.")
    return _bucket(input, num_buckets, "strong", key)


def _bucket(input: Any, num_buckets: int, method: str, key: tuple[int, ...] = ()) -> Tensor:
    if num_buckets < 1:
        raise invalid(f"num_buckets must be at least 1, got {num_buckets}.")
    return ops.string_to_hash_bucket(input, num_buckets=int(num_buckets), method=method, key=key)
