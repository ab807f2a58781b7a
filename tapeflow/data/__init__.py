"""`tf.data`: pipelines of elements, read by iteration. A dataset ends the path of gradients."""

import sys as _sys

from tapeflow.data.dataset import (
    Dataset as Dataset,
)
from tapeflow.data.element_specs import (
    DatasetSpec as DatasetSpec,
)
from tapeflow.data.iterators import (
    Iterator as Iterator,
    IteratorSpec as IteratorSpec,
    NumpyIterator as NumpyIterator,
)
from tapeflow.data.options import (
    Options as Options,
    ThreadingOptions as ThreadingOptions,
)
from tapeflow.data.pipeline import (
    AUTOTUNE as AUTOTUNE,
    INFINITE_CARDINALITY as INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY,
)
from tapeflow.names.missing import watch_over as _watch_over

from . import (
    experimental as experimental,
)
from .files.listing import (
    FixedLengthRecordDataset as FixedLengthRecordDataset,
    TextLineDataset as TextLineDataset,
    TFRecordDataset as TFRecordDataset,
)

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
