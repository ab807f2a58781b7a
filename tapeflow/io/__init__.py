"""`tf.io`: record files, `tf.train.Example`, images, text and other files."""

import sys as _sys

from tapeflow.api.image.files import (
    decode_and_crop_jpeg as decode_and_crop_jpeg,
    decode_bmp as decode_bmp,
    decode_gif as decode_gif,
    decode_image as decode_image,
    decode_jpeg as decode_jpeg,
    decode_png as decode_png,
    decode_webp as decode_webp,
    encode_jpeg as encode_jpeg,
    encode_png as encode_png,
    extract_jpeg_shape as extract_jpeg_shape,
    is_jpeg as is_jpeg,
)
from tapeflow.io.features import (
    FixedLenFeature as FixedLenFeature,
    FixedLenSequenceFeature as FixedLenSequenceFeature,
    RaggedFeature as RaggedFeature,
    SparseFeature as SparseFeature,
    VarLenFeature as VarLenFeature,
)
from tapeflow.io.files import (
    match_filenames_once as match_filenames_once,
    matching_files as matching_files,
    read_file as read_file,
    write_file as write_file,
)
from tapeflow.io.parsing import (
    parse_example as parse_example,
    parse_single_example as parse_single_example,
)
from tapeflow.io.python_io import tf_record_iterator  # of `tf.compat.v1.io`, which asks here
from tapeflow.io.records import (
    TFRecordOptions as TFRecordOptions,
    TFRecordWriter as TFRecordWriter,
)
from tapeflow.io.sequences import (
    parse_sequence_example as parse_sequence_example,
    parse_single_sequence_example as parse_single_sequence_example,
)
from tapeflow.io.sparse_strings import (
    deserialize_many_sparse as deserialize_many_sparse,
    serialize_many_sparse as serialize_many_sparse,
    serialize_sparse as serialize_sparse,
)
from tapeflow.io.tensors import (
    decode_raw as decode_raw,
    parse_tensor as parse_tensor,
    serialize_tensor as serialize_tensor,
)
from tapeflow.io.text import (
    decode_base64 as decode_base64,
    decode_compressed as decode_compressed,
    decode_csv as decode_csv,
    decode_json_example as decode_json_example,
    encode_base64 as encode_base64,
)
from tapeflow.names.missing import watch_over as _watch_over

from . import (
    gfile as gfile,
)

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "RaggedFeature", "SparseFeature", "TFRecordOptions",
    "TFRecordWriter", "VarLenFeature", "decode_and_crop_jpeg", "decode_base64", "decode_bmp", "decode_compressed",
    "decode_csv", "decode_gif", "decode_image", "decode_jpeg", "decode_json_example", "decode_png", "decode_raw",
    "decode_webp", "deserialize_many_sparse", "encode_base64", "encode_jpeg", "encode_png", "extract_jpeg_shape",
    "gfile", "is_jpeg", "match_filenames_once", "matching_files", "parse_example", "parse_sequence_example",
    "parse_single_example", "parse_single_sequence_example", "parse_tensor", "read_file", "serialize_many_sparse",
    "serialize_sparse", "serialize_tensor", "write_file",
]  # fmt: skip

_watch_over(_sys.modules[__name__], "tf.io")
