"""`tf.data`: pipelines of elements, read by iteration. A dataset ends the path of gradients."""

import sys as _sys

from tapeflow.names.missing import watch_over as _watch_over

from . import (
    experimental as experimental,
)
from .dataset import (
    Dataset as Dataset,
)
from .element_specs import (
    DatasetSpec as DatasetSpec,
)
from .files.listing import (
    FixedLengthRecordDataset as FixedLengthRecordDataset,
    TextLineDataset as TextLineDataset,
    TFRecordDataset as TFRecordDataset,
)
from .iterators import (
    Iterator as Iterator,
    IteratorSpec as IteratorSpec,
    NumpyIterator as NumpyIterator,
)
from .options import (
    Options as Options,
    ThreadingOptions as ThreadingOptions,
)
from .pipeline import (
    AUTOTUNE as AUTOTUNE,
    INFINITE_CARDINALITY as INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY as UNKNOWN_CARDINALITY,
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
