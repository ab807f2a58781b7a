"""`tf.feature_column`: descriptions of the features of an example, and what `tf.io.parse_example` needs to know of
them.

TensorFlow's layer that computes with them, `DenseFeatures`, is no part of Keras 3: use Keras' preprocessing layers for
that.
"""

import functools
import sys as _sys
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from tapeflow.api.strings.paths import file_errors, local_path
from tapeflow.core.dtypes import as_dtype, float32, int64, string
from tapeflow.core.tensor import sizes_of
from tapeflow.names.missing import watch_over as _watch_over

from . import columns as _columns

__all__ = [
    "bucketized_column", "categorical_column_with_hash_bucket", "categorical_column_with_identity",
    "categorical_column_with_vocabulary_file", "categorical_column_with_vocabulary_list", "crossed_column",
    "embedding_column", "indicator_column", "make_parse_example_spec", "numeric_column", "weighted_categorical_column",
]  # fmt: skip


def make_parse_example_spec(feature_columns: Any) -> dict[str, Any]:
    """What `tf.io.parse_example` needs to read all features of these columns.

    Args:
        feature_columns: Columns, in a list.

    Returns:
        A dict from names of features to `tf.io.FixedLenFeature` and `tf.io.VarLenFeature`.

    Raises:
        ValueError: If two columns ask for one feature in two ways.

    >>> tf.feature_column.make_parse_example_spec([tf.feature_column.numeric_column("price")])
    {'price': FixedLenFeature(shape=(1,), dtype=tf.float32, default_value=None)}
    """
    found: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, _columns.Column):
            raise ValueError(f"All feature_columns must be FeatureColumn instances. Given: {column}")
        for key, spec in column.parse_example_spec.items():
            if found.setdefault(key, spec) != spec:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {spec} and {found[key]}"
                )
    return found


def numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: Any = None,
    dtype: Any = float32,
    normalizer_fn: Callable[..., Any] | None = None,
) -> _columns.NumericColumn:
    """Real numbers, as many as `shape` says.

    Args:
        shape: How many numbers an example has.
        default_value: What stands for a missing feature; None: it has to be there.
        dtype: The dtype of the feature.
        normalizer_fn: A function of the tensor that scales it; kept in the column.

    >>> tf.feature_column.numeric_column("price", default_value=0.).default_value
    (0.0,)
    """
    _key(key)
    shape = tuple(int(size) for size in (shape if hasattr(shape, "__iter__") else [shape]))
    if any(size <= 0 for size in shape):
        raise ValueError(f"shape dimensions must be greater than 0. shape: {shape}, key: {key}")
    dtype = as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype!r}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    if default_value is not None:
        given = np.asarray(default_value)
        if given.ndim and sizes_of(given) != shape:
            raise ValueError(
                f"The shape of default_value must be equal to given shape. default_value: {default_value}, shape: "
                f"{shape}, key: {key}"
            )
        default_value = _nested(np.broadcast_to(given, shape).tolist())
    return _columns.NumericColumn(key, shape, default_value, dtype, normalizer_fn)


def _nested(values: Any) -> Any:
    return tuple(map(_nested, values)) if isinstance(values, list) else values


def bucketized_column(source_column: Any, boundaries: Any) -> _columns.BucketizedColumn:
    """A numeric column cut into ranges: below the first boundary, between two of them, from the last one on.

    Args:
        source_column: A column of `numeric_column`, with one axis.
        boundaries: Increasing numbers.

    >>> tf.feature_column.bucketized_column(tf.feature_column.numeric_column("age"), [18, 65]).num_buckets
    3
    """
    if not isinstance(source_column, _columns.NumericColumn):
        raise ValueError(f"source_column must be a column generated with numeric_column(). Given: {source_column}")
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries or list(boundaries) != sorted(set(boundaries)):
        raise ValueError(f"boundaries must be a sorted list. Given: {boundaries}")
    return _columns.BucketizedColumn(source_column, tuple(boundaries))


def categorical_column_with_vocabulary_list(
    key: str, vocabulary_list: Any, dtype: Any = None, default_value: int = -1, num_oov_buckets: int = 0
) -> _columns.VocabularyListCategoricalColumn:
    """Words of a list, by their place in it.

    Args:
        vocabulary_list: The words, or integers.
        dtype: The dtype of the feature; None: that of the words.
        default_value: The number of other words.

    >>> tf.feature_column.categorical_column_with_vocabulary_list("colour", ["red", "green"]).num_buckets
    2
    """
    words = tuple(vocabulary_list)
    if not words:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(words)) != len(words):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    if num_oov_buckets and default_value != -1:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")
    own = string if isinstance(words[0], (str, bytes)) else int64
    dtype = own if dtype is None else as_dtype(dtype)
    if (dtype is string) != (own is string):
        raise ValueError(f"dtype {dtype.name} and vocabulary dtype {own.name} do not match, column_name: {key}")
    return _columns.VocabularyListCategoricalColumn(key, words, dtype, default_value, num_oov_buckets)


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    dtype: Any = string,
    default_value: int | None = None,
    num_oov_buckets: int = 0,
    file_format: str | None = None,
) -> _columns.VocabularyFileCategoricalColumn:
    """Words of a file, one a line, by the number of their line.

    Args:
        vocabulary_file: The path of the file.
        vocabulary_size: How many lines count; None: all.
        dtype: The dtype of the feature: string or int64.
        default_value: The number of other words; None: -1.
        file_format: Kept in the column.

    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/colours.txt"
    >>> tf.io.write_file(path, "red\\ngreen\\n")
    >>> tf.feature_column.categorical_column_with_vocabulary_file("colour", path).num_buckets
    2
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        with file_errors(path := local_path(vocabulary_file)), open(path, "rb") as file:
            vocabulary_size = sum(1 for _ in file)
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size {vocabulary_size} in {key}.")
    if num_oov_buckets and default_value is not None:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if num_oov_buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")
    default = -1 if default_value is None else default_value
    return _columns.VocabularyFileCategoricalColumn(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, as_dtype(dtype), default, file_format
    )


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> _columns.IdentityCategoricalColumn:
    """Integers from 0 up to, without, `num_buckets`.

    Args:
        num_buckets: How many numbers there are.
        default_value: What other numbers count as; None: as a mistake.

    >>> tf.feature_column.categorical_column_with_identity("hour", 24).num_buckets
    24
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
    return _columns.IdentityCategoricalColumn(key, num_buckets, default_value)


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = string
) -> _columns.HashedCategoricalColumn:
    """Any words, by their hash.

    Args:
        dtype: string, or a dtype of integers.

    >>> tf.feature_column.categorical_column_with_hash_bucket("word", 1000).num_buckets
    1000
    """
    if hash_bucket_size is None or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
    if not (as_dtype(dtype).is_integer or as_dtype(dtype) is string):
        raise ValueError(f"dtype must be string or integer. dtype: {dtype!r}, column_name: {key}")
    return _columns.HashedCategoricalColumn(_key(key), hash_bucket_size, as_dtype(dtype))


def _key(key: Any) -> str:
    """The name of a feature."""
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got type {type(key)}, key: {key!r}.")
    return key


def crossed_column(keys: Any, hash_bucket_size: int, hash_key: int | None = None) -> _columns.CrossedColumn:
    """Combinations of features, by their hash.

    Args:
        keys: Names of features, or columns of categories, two or more.
        hash_key: A number that changes the hash.

    >>> tf.feature_column.crossed_column(["city", "hour"], 1000).name
    'city_X_hour'
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, _columns.Column)) or isinstance(
            key, (_columns.NumericColumn, _columns.HashedCategoricalColumn)
        ):
            raise ValueError(
                "Features are crossed by their names, or as columns of categories that are not hashed; bucketize "
                f"numbers first. Given: {key!r}"
            )
    return _columns.CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


_P = ParamSpec("_P")
_C = TypeVar("_C")


def _categorical(function: Callable[Concatenate[Any, _P], _C]) -> Callable[Concatenate[Any, _P], _C]:
    @functools.wraps(function)
    def checked(categorical_column: Any, *args: _P.args, **kwargs: _P.kwargs) -> _C:
        if not isinstance(categorical_column, _columns.Column) or isinstance(
            categorical_column, _columns.NumericColumn
        ):
            raise ValueError(f"A categorical column is needed. Given: {categorical_column}")
        return function(categorical_column, *args, **kwargs)

    return checked


@_categorical
def weighted_categorical_column(
    categorical_column: Any, weight_feature_key: str, dtype: Any = float32
) -> _columns.WeightedCategoricalColumn:
    """Categories with a weight for each, from another feature.

    Args:
        weight_feature_key: The name of the feature of weights.
        dtype: The dtype of the weights.

    >>> words = tf.feature_column.categorical_column_with_hash_bucket("word", 1000)
    >>> tf.feature_column.weighted_categorical_column(words, "count").name
    'word_weighted_by_count'
    """
    return _columns.WeightedCategoricalColumn(categorical_column, weight_feature_key, as_dtype(dtype))


@_categorical
def indicator_column(categorical_column: Any) -> _columns.IndicatorColumn:
    """Categories as ones among zeros.

    >>> tf.feature_column.indicator_column(tf.feature_column.categorical_column_with_identity("hour", 24)).name
    'hour_indicator'
    """
    return _columns.IndicatorColumn(categorical_column)


@_categorical
def embedding_column(
    categorical_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> _columns.EmbeddingColumn:
    """Categories as learnt vectors of length `dimension`.

    Args:
        dimension: The length of the vectors.
        combiner: How the vectors of several categories become one: "mean", "sum" or "sqrtn".
        initializer: What the vectors are at first.
        ckpt_to_load_from: The checkpoint to take them from.
        tensor_name_in_ckpt: Their name in it.
        max_norm: The largest length of a vector; None: any.
        trainable: Are they learnt?
        use_safe_embedding_lookup: Kept in the column.

    >>> words = tf.feature_column.categorical_column_with_hash_bucket("word", 1000)
    >>> tf.feature_column.embedding_column(words, 16).dimension
    16
    """
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    return _columns.EmbeddingColumn(
        categorical_column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm,
        trainable, use_safe_embedding_lookup,
    )  # fmt: skip


_watch_over(_sys.modules[__name__], "tf.feature_column")
