"""`tf.data`: pipelines of elements, read by iteration. A dataset ends the path of gradients."""

import sys as _sys

from tapeflow.names.missing import watch_over as _watch_over

from . import experimental
from .dataset import Dataset
from .element_specs import DatasetSpec
from .files.listing import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from .iterators import Iterator, IteratorSpec, NumpyIterator
from .options import Options, ThreadingOptions
from .pipeline import AUTOTUNE, INFINITE_CARDINALITY, UNKNOWN_CARDINALITY

__all__ = [
    "AUTOTUNE",
    "INFINITE_CARDINALITY",
    "UNKNOWN_CARDINALITY",
    "Dataset",
    "DatasetSpec",
    "FixedLengthRecordDataset",
    "Iterator",
    "IteratorSpec",
    "NumpyIterator",
    "Options",
    "TFRecordDataset",
    "TextLineDataset",
    "ThreadingOptions",
    "experimental",
]  # fmt: skip

_watch_over(_sys.modules[__name__], "tf.data")
