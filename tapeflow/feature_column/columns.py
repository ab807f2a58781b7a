"""The columns that `tf.feature_column` makes: plain values, each with a name and what `tf.io.parse_example` needs to
know."""

from collections.abc import Callable
from typing import Any, NamedTuple

from tapeflow.core.dtypes import DType, int64, string
from tapeflow.io.features import FixedLenFeature, VarLenFeature

__all__ = [
    "BucketizedColumn", "Column", "CrossedColumn", "EmbeddingColumn", "HashedCategoricalColumn",
    "IdentityCategoricalColumn", "IndicatorColumn", "NumericColumn", "VocabularyFileCategoricalColumn",
    "VocabularyListCategoricalColumn", "WeightedCategoricalColumn",
]  # fmt: skip


class Column:
    """What all columns are."""

    name: str
    parse_example_spec: dict[str, Any]


class _Numeric(NamedTuple):
    key: str
    shape: tuple[int, ...]
    default_value: Any
    dtype: DType
    normalizer_fn: Callable | None


class NumericColumn(_Numeric, Column):
    """Real numbers."""

    name = property(lambda self: self.key)
    parse_example_spec = property(lambda self: {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)})


class _Bucketized(NamedTuple):
    source_column: NumericColumn
    boundaries: tuple


class BucketizedColumn(_Bucketized, Column):
    """Real numbers by the range they are in."""

    name = property(lambda self: f"{self.source_column.name}_bucketized")
    parse_example_spec = property(lambda self: self.source_column.parse_example_spec)
    num_buckets = property(lambda self: (len(self.boundaries) + 1) * self.source_column.shape[0])


class _VocabularyList(NamedTuple):
    key: str
    vocabulary_list: tuple
    dtype: DType
    default_value: int
    num_oov_buckets: int


class VocabularyListCategoricalColumn(_VocabularyList, Column):
    """Words of a list."""

    name = property(lambda self: self.key)
    parse_example_spec = property(lambda self: {self.key: VarLenFeature(self.dtype)})
    num_buckets = property(lambda self: len(self.vocabulary_list) + self.num_oov_buckets)


class _VocabularyFile(NamedTuple):
    key: str
    vocabulary_file: Any
    vocabulary_size: int
    num_oov_buckets: int
    dtype: DType
    default_value: int
    file_format: str | None


class VocabularyFileCategoricalColumn(_VocabularyFile, Column):
    """Words of a file."""

    name = property(lambda self: self.key)
    parse_example_spec = property(lambda self: {self.key: VarLenFeature(self.dtype)})
    num_buckets = property(lambda self: self.vocabulary_size + self.num_oov_buckets)


class _Identity(NamedTuple):
    key: str
    number_buckets: int
    default_value: int | None


class IdentityCategoricalColumn(_Identity, Column):
    """Integers that are categories."""

    name = property(lambda self: self.key)
    parse_example_spec = property(lambda self: {self.key: VarLenFeature(int64)})
    num_buckets = property(lambda self: self.number_buckets)


class _Hashed(NamedTuple):
    key: str
    hash_bucket_size: int
    dtype: DType


class HashedCategoricalColumn(_Hashed, Column):
    """Words by their hash."""

    name = property(lambda self: self.key)
    parse_example_spec = property(lambda self: {self.key: VarLenFeature(self.dtype)})
    num_buckets = property(lambda self: self.hash_bucket_size)


class _Crossed(NamedTuple):
    keys: tuple
    hash_bucket_size: int
    hash_key: int | None


class CrossedColumn(_Crossed, Column):
    """Combinations by their hash; a key is the name of a feature of strings, or a column."""

    num_buckets = property(lambda self: self.hash_bucket_size)

    @property
    def name(self) -> str:  # type: ignore[override]
        """The names of all features, sorted."""
        names = [
            name
            for key in self.keys
            for name in (key.name.split("_X_") if isinstance(key, CrossedColumn) else [_named(key)])
        ]
        return "_X_".join(sorted(names))

    @property
    def parse_example_spec(self) -> dict[str, Any]:  # type: ignore[override]
        """Of every feature."""
        found: dict[str, Any] = {}
        for key in self.keys:
            found.update({key: VarLenFeature(string)} if isinstance(key, str) else key.parse_example_spec)
        return found


def _named(key: Any) -> str:
    return key if isinstance(key, str) else key.name


class _Weighted(NamedTuple):
    categorical_column: Any
    weight_feature_key: str
    dtype: DType


class WeightedCategoricalColumn(_Weighted, Column):
    """Categories with weights."""

    name = property(lambda self: f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}")
    parse_example_spec = property(
        lambda self: {**self.categorical_column.parse_example_spec, self.weight_feature_key: VarLenFeature(self.dtype)}
    )
    num_buckets = property(lambda self: self.categorical_column.num_buckets)


class _Indicator(NamedTuple):
    categorical_column: Any


class IndicatorColumn(_Indicator, Column):
    """Categories as ones among zeros."""

    name = property(lambda self: f"{self.categorical_column.name}_indicator")
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)


class _Embedding(NamedTuple):
    categorical_column: Any
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: Any
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    use_safe_embedding_lookup: bool


class EmbeddingColumn(_Embedding, Column):
    """Categories as learnt vectors."""

    name = property(lambda self: f"{self.categorical_column.name}_embedding")
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)
