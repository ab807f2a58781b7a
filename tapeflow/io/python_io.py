"""`tf.compat.v1.python_io`: TensorFlow 1's names for record files."""

from collections.abc import Iterator
from typing import Any

from .records import TFRecordOptions, TFRecordWriter, read_records

__all__ = ["TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"]


class TFRecordCompressionType:
    """TensorFlow 1's numbers for compressions.

    >>> tf.io.TFRecordOptions.get_compression_type_string(tf.compat.v1.python_io.TFRecordCompressionType.GZIP)
    'GZIP'
    """

    NONE, ZLIB, GZIP = 0, 1, 2


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a file as `bytes`; `tf.data.TFRecordDataset` gives them as tensors.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "one.tfrecord")
    >>> with tf.io.TFRecordWriter(path) as writer:
    ...     writer.write(b"first")
    >>> list(tf.compat.v1.io.tf_record_iterator(path))
    [b'first']
    """
    return read_records(path, options)
