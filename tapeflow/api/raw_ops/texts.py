"""Operations of `tf.raw_ops` on strings."""

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from tapeflow.api import strings
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import float32
from tapeflow.core.tensor import EagerTensor

__all__ = ["TEXTS"]

_Split = namedtuple("StringSplitV2", "indices values shape")


def _split(input: Any, sep: Any, maxsplit: int = -1) -> Any:
    """The parts of each string of a vector, as the three tensors of a sparse one."""
    separator = as_tensor(sep).numpy()
    separator = separator.decode() if isinstance(separator, bytes) else separator.item().decode()
    ragged = strings.split(as_tensor(input), separator or None, maxsplit)
    sparse = ragged.to_sparse()
    return _Split(sparse.indices, sparse.values, sparse.dense_shape)


def _bytes_split(input: Any, delimiter: Any, skip_empty: bool = True) -> Any:
    """`StringSplit` of TensorFlow 1: any of the delimiter's characters separates."""
    marks = as_tensor(delimiter).numpy()
    marks = marks if isinstance(marks, bytes) else marks.item()
    rows = []
    for text in as_tensor(input).numpy().tolist():
        parts = [b""]
        for k in range(len(text)):
            if not marks or text[k : k + 1] in [marks[m : m + 1] for m in range(len(marks))]:
                parts += [text[k : k + 1], b""] if not marks else [b""]
            else:
                parts[-1] += text[k : k + 1]
        rows.append([part for part in parts if part or not skip_empty])
    indices = [[r, c] for r, row in enumerate(rows) for c in range(len(row))]
    values = np.empty(len(indices), object)
    values[:] = [part for row in rows for part in row]
    shape = np.array([len(rows), max(map(len, rows), default=0)], np.int64)
    return _Split(EagerTensor(np.array(indices, np.int64).reshape(-1, 2)), EagerTensor(values), EagerTensor(shape))


def _replace(input: Any, pattern: Any, rewrite: Any, replace_global: bool = True) -> Any:
    text = lambda value: value if isinstance(value, str) else as_tensor(value).numpy().item().decode()
    plain = lambda value: value.decode() if isinstance(value, bytes) else text(value)
    return strings.regex_replace(input, plain(pattern), plain(rewrite), replace_global)


TEXTS: dict[str, Callable] = dict(
    StringLower=lambda input, encoding="": strings.lower(input, encoding),
    StringUpper=lambda input, encoding="": strings.upper(input, encoding),
    StringStrip=lambda input: strings.strip(input),
    StringLength=lambda input, unit="BYTE": strings.length(input, unit),
    StringJoin=lambda inputs, separator="": strings.join(list(inputs), separator),
    StringSplit=_bytes_split,
    StringSplitV2=_split,
    Substr=lambda input, pos, len, unit="BYTE": strings.substr(input, pos, len, unit),
    RegexReplace=_replace,
    StaticRegexReplace=_replace,
    RegexFullMatch=lambda input, pattern: strings.regex_full_match(input, pattern),
    StaticRegexFullMatch=lambda input, pattern: strings.regex_full_match(input, pattern),
    StringToNumber=lambda string_tensor, out_type=float32: strings.to_number(string_tensor, out_type),
    AsString=lambda input, precision=-1, scientific=False, shortest=False, width=-1, fill="": strings.as_string(
        input, precision, scientific, shortest, width, fill
    ),
    StringToHashBucket=lambda string_tensor, num_buckets: strings.to_hash_bucket(string_tensor, num_buckets),
    StringToHashBucketFast=lambda input, num_buckets: strings.to_hash_bucket_fast(input, num_buckets),
    StringToHashBucketStrong=lambda input, num_buckets, key: strings.to_hash_bucket_strong(input, num_buckets, key),
    ReduceJoin=lambda inputs, reduction_indices, keep_dims=False, separator="": strings.reduce_join(
        inputs, reduction_indices, keep_dims, separator
    ),
)
