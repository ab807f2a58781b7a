"""The table: how a good file of each format is made, what reads it, which errors it may give, and which other values.

Errors are of exactly these types (a UnicodeDecodeError is no ValueError here), have a text, and name the file where
there is one.
"""

import functools
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

import tapeflow as tf
from tapeflow.core.errors import (
    DataLossError,
    FailedPreconditionError,
    InvalidArgumentError,
    ResourceExhaustedError,
    UnimplementedError,
)

from . import tensorflow_models

__all__ = ["FORMATS", "Format"]


@dataclass
class Format:
    """`make()` gives good seeds; `read(data, folder)` what is in one; where there are several files, `files(folder)`
    writes them and `target` is the one that is damaged."""

    make: Callable[[], list[bytes]]
    read: Callable[[Any], Any]
    errors: tuple[type, ...]
    # Of what was read and what is in the seeds; None where the format has no checksum.
    accepts: Callable[[Any, Any], bool] | None = None
    target: str = ""  # a file name; none where bytes are read
    files: Callable[[str], None] | None = None
    excused: dict[str, str] = field(default_factory=dict)  # what was found and is not ours, with the reason
    _seeds: list[bytes] = field(default_factory=list)

    def seeds(self) -> list[bytes]:
        if not self._seeds:
            self._seeds = self.make()
        return self._seeds

    def result(self, data: bytes, folder: str) -> Any:
        if not self.target:
            return self.read(data)
        path = os.path.join(folder, self.target)
        with open(path, "wb") as file:
            file.write(data)
        return self.read(path)

    def expected(self, folder: str) -> list:
        if self.files is not None:
            self.files(folder)
        return [self.result(seed, folder) for seed in self.seeds()]

    def objection(self, error: BaseException) -> str:
        """Why an error is not what it should be, or nothing."""
        text = "\n".join([str(error), *getattr(error, "__notes__", ())])
        if type(error) not in self.errors:
            return f"{type(error).__name__}: {str(error)[:60]!r}"
        if len(str(error)) < 10:
            return f"{type(error).__name__} says nothing"
        if self.target and os.path.basename(self.target).split(".")[0] not in text:
            return f"{type(error).__name__} does not name the file: {str(error)[:60]!r}"
        return ""


def equal(found: Any, expected: list) -> bool:
    return repr(found) in map(repr, expected)


def equal_or_empty(found: bytes, expected: list) -> bool:
    """Nothing decompresses to nothing, and one stream after another to both, as in TensorFlow."""
    return not found.replace(expected[0], b"")


def among(found: Any, expected: list) -> bool:
    """Records may be missing at the end, or be there twice: a whole record has no other mark."""
    return set(map(repr, found)) <= set(map(repr, expected[0]))


def bytes_of_file(write: Callable[[str], None], name: str) -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()


INVALID = (InvalidArgumentError,)
LOST = (DataLossError,)


# ---- checkpoints and models


def _values() -> dict[str, Any]:
    return {"a": tf.Variable(np.arange(5.0)), "s": tf.Variable(["text", "more"]), "i": tf.Variable(7)}


def _checkpoint(folder: str) -> None:
    tf.train.Checkpoint(**_values()).write(os.path.join(folder, "ck"))


def _read_checkpoint(path: str) -> Any:
    prefix = os.path.splitext(path)[0]
    reader = tf.train.load_checkpoint(prefix)
    found = {name: reader.get_tensor(name) for name in sorted(reader.get_variable_to_shape_map())}
    into = _values()
    tf.train.Checkpoint(**into).read(prefix).expect_partial()
    return found, [v.numpy() for v in into.values()]


def _bundle(folder: str) -> None:
    """A checkpoint of TensorFlow's, as it lies in the tests."""
    there = os.path.join(
        os.path.dirname(__file__), "..", "..", "tests", "storage", "checkpoints", "written_by_tensorflow"
    )
    for name in ("ckpt-1.index", "ckpt-1.data-00000-of-00001"):
        shutil.copy(os.path.join(there, name), folder)


def _read_bundle(path: str) -> Any:
    reader = tf.train.load_checkpoint(os.path.join(os.path.dirname(path), "ckpt-1"))
    found = {}
    for name in sorted(reader.get_variable_to_shape_map()):
        try:
            found[name] = reader.get_tensor(name)
        except UnimplementedError:
            found[name] = None
    return found


def _model(folder: str) -> None:
    module = tf.Module()
    module.w, module.parts = tf.Variable([1.0, 2.0]), [tf.Variable(3), {"x": tf.Variable("text")}]

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def serve(x):
        return tf.where(x > 0.0, tf.nn.relu(x * module.w), tf.reduce_sum(x, axis=1, keepdims=True))

    module.serve = serve
    tf.saved_model.save(module, folder)
    [values] = [name for name in os.listdir(folder) if name.startswith("values-")]
    index = os.path.join(folder, "saved_model.json")
    with open(index, "rb+") as file:  # a name that is the same each time
        from tapeflow.saved_model.files import _with_checksum

        text = file.read().decode()
        file.seek(0)
        file.write(_with_checksum("{" + text.partition(",")[2].replace(values, "values-0.safetensors")))
        file.truncate()
    os.rename(os.path.join(folder, values), os.path.join(folder, "values-0.safetensors"))


def _read_model(path: str) -> Any:
    loaded = tf.saved_model.load(os.path.dirname(path))
    served = loaded.signatures["serving_default"](x=tf.constant([[1.0, -1.0]]))
    return loaded.w.numpy(), loaded.parts[1]["x"].numpy(), {name: value.numpy() for name, value in served.items()}


def _state(path: str) -> Any:
    state = tf.train.get_checkpoint_state(os.path.dirname(path))
    return None if state is None else str(state)


# ---- Keras


@functools.cache
def _keras_model() -> Any:
    model = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(2), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.set_weights([np.full(w.shape, 0.5) for w in model.get_weights()])
    return model


def _keras(name: str, **options: Any) -> Callable[[], list[bytes]]:
    write = lambda folder: getattr(_keras_model(), "save_weights" if "weights" in name else "save")(
        os.path.join(folder, name), **options
    )
    return lambda: [bytes_of_file(write, name)]


def _shards(folder: str) -> None:
    _keras_model().save_weights(os.path.join(folder, "m.weights.json"), max_shard_size=1e-3)


def _load_keras(path: str) -> Any:
    return [w.tolist() for w in tf.keras.models.load_model(path, compile=False).get_weights()]


def _load_weights(path: str) -> Any:
    _keras_model().load_weights(path)
    return [w.tolist() for w in _keras_model().get_weights()]


# ---- records


def _records(**options: Any) -> Callable[[], list[bytes]]:
    def write(folder: str) -> None:
        with tf.io.TFRecordWriter(os.path.join(folder, "r"), **options) as writer:
            for record in (b"first", b"", bytes(range(256)) * 3, _example()):
                writer.write(record)

    return lambda: [bytes_of_file(write, "r")]


def _example(**more: Any) -> bytes:
    feature = {
        "f": tf.train.Feature(float_list=tf.train.FloatList(value=[1.0, 2.0])),
        "i": tf.train.Feature(int64_list=tf.train.Int64List(value=[3])),
        "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", b"bc"])),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


def _sequence() -> bytes:
    one = lambda *values: tf.train.Feature(int64_list=tf.train.Int64List(value=values))
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={"c": one(1)}),
        feature_lists=tf.train.FeatureLists(feature_list={"s": tf.train.FeatureList(feature=[one(1, 2), one(3)])}),
    ).SerializeToString()


_FEATURES = {
    "f": tf.io.FixedLenFeature([2], tf.float32),
    "i": tf.io.FixedLenFeature([], tf.int64, 0),
    "b": tf.io.VarLenFeature(tf.string),
}
_MORE = {"f": tf.io.RaggedFeature(tf.float32), "i": tf.io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)}


def _parsed(data: bytes) -> Any:
    return (
        tf.io.parse_example([data, data], _FEATURES),
        tf.io.parse_example([data], _MORE),
        tf.io.parse_single_example(data, _FEATURES),
    )


def _parsed_sequence(data: bytes) -> Any:
    context, steps = {"c": tf.io.FixedLenFeature([], tf.int64, 0)}, {"s": tf.io.VarLenFeature(tf.int64)}
    return tf.io.parse_single_sequence_example(data, context, steps), tf.io.parse_sequence_example(
        [data], context, steps
    )


def _tensors() -> list[bytes]:
    return [
        tf.io.serialize_tensor(t).numpy()
        for t in (tf.constant([[1.0, 2.0]]), tf.constant(["a", "bc"]), tf.zeros([0, 3]))
    ]


def _parse_tensor(data: bytes) -> Any:
    refused = []
    for dtype in (tf.float32, tf.string):
        try:
            return tf.io.parse_tensor(data, dtype)
        except InvalidArgumentError as error:
            refused.append(error)
    raise refused[0]


def _elements(compression: str | None) -> Callable[[], list[bytes]]:
    def write(folder: str) -> None:
        made = tf.data.Dataset.from_tensor_slices({"x": [[1.0, 2.0], [3.0, 4.0]], "t": ["a", "bc"]})
        made.save(folder, compression=compression)

    return lambda: [bytes_of_file(write, "elements.tapeflow" + (".gz" if compression else ""))]


def _load_elements(compression: str | None) -> Callable[[str], Any]:
    return lambda path: [
        str(e) for e in tf.data.Dataset.load(os.path.dirname(path), compression=compression).as_numpy_iterator()
    ]


def _events(folder: str) -> None:
    with tf.summary.create_file_writer(folder).as_default():
        for step in range(3):
            tf.summary.scalar("loss", 0.5, step)
            tf.summary.histogram("h", [1.0, 2.0], step)
    [name] = [n for n in os.listdir(folder) if n.startswith("events")]
    os.rename(os.path.join(folder, name), os.path.join(folder, "events"))


def _read_events(path: str) -> Any:
    return [repr(event) for event in tf.compat.v1.train.summary_iterator(path)]


# ---- pictures and sounds


def _picture(*shape: int, dtype: Any = np.uint8) -> Any:
    return tf.constant((np.arange(np.prod(shape)).reshape(shape) * 37 % 256).astype(dtype))


def _pngs() -> list[bytes]:
    deep = [tf.io.encode_png(_picture(4, 5, c, dtype=np.uint16)).numpy() for c in (1, 3, 4)]
    return [tf.io.encode_png(_picture(6, 5, c)).numpy() for c in (1, 2, 3, 4)] + deep


def _both_depths(data: bytes) -> Any:
    return [tf.io.decode_png(data, dtype=dtype).numpy().tolist() for dtype in (tf.uint8, tf.uint16)]


def _pillow(kind: str, **options: Any) -> list[bytes]:
    import io

    from PIL import Image

    frames = [Image.fromarray(_picture(6, 5, 3).numpy() + np.uint8(k)) for k in range(3)]
    buffer = io.BytesIO()
    more = {"save_all": True, "append_images": frames[1:]} if kind == "GIF" else {}
    frames[0].save(buffer, kind, **more, **options)
    return [buffer.getvalue()]


def _wavs() -> list[bytes]:
    return [tf.audio.encode_wav(np.linspace(-1, 1, 20, dtype="f").reshape(-1, c), 8000).numpy() for c in (1, 2)]


def _wav(data: bytes) -> Any:
    return tf.audio.decode_wav(data), tf.audio.decode_wav(data, desired_channels=2, desired_samples=8)


# ---- strings


def _compressed(kind: str) -> list[bytes]:
    import gzip
    import zlib

    data = b"tape" * 200 + bytes(range(256))
    return [gzip.compress(data, mtime=0)] if kind == "GZIP" else [zlib.compress(data)]


def _csv(path: str) -> Any:
    dataset = tf.data.experimental.CsvDataset(path, [tf.int32, tf.float32, tf.string], header=True)
    return [[t.numpy() for t in row] for row in dataset]


def _table(path: str) -> Any:
    kinds = tf.lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1, delimiter="\t")
    return tf.lookup.StaticHashTable(kinds, -1).lookup(tf.constant(["a", "b"])).numpy()


def _checked(path: str) -> Any:
    from tapeflow.programs.checking import read

    found = read(path)
    if found.error:
        raise ProgramError(f"{path}: {found.error}")
    return found.lines


class ProgramError(Exception):
    """What `tapeflow check` prints about a program that it cannot read."""


_PROGRAM = b"""import tensorflow as tf
from tensorflow import keras


def f(x, y=1):
    return tf.add(x, tf.math.sin(y)) + 1

print(f(2.0))
"""
_NOTEBOOK = b"""{"cells": [
 {"cell_type": "code", "source": ["import tensorflow as tf\\n", "%time tf.add(1, 2)"], "outputs": []}],
 "nbformat": 4, "metadata": {}}"""
_JSON = b"""{"features": {"feature": {
 "x": {"int64List": {"value": [3, "4"]}},
 "b": {"bytesList": {"value": ["YQ=="]}}, "f": {"floatList": {"value": [1.5]}}}}}"""

_LOAD = (OSError, DataLossError, ValueError)
_KERAS = (OSError, FileNotFoundError, ValueError)
_INFLATED = (DataLossError, ResourceExhaustedError)
_HDF5 = "the HDF5 library itself does not end on some damaged files"

FORMATS: dict[str, Format] = {
    "checkpoint": Format(
        lambda: [bytes_of_file(_checkpoint, "ck.safetensors")],
        _read_checkpoint,
        (DataLossError, ValueError),
        equal,
        "ck.safetensors",
    ),
    "bundle.index": Format(
        lambda: [bytes_of_file(_bundle, "ckpt-1.index")], _read_bundle, LOST, equal, "ckpt-1.index", _bundle
    ),
    "bundle.data": Format(
        lambda: [bytes_of_file(_bundle, "ckpt-1.data-00000-of-00001")],
        _read_bundle,
        LOST,
        equal,
        "ckpt-1.data-00000-of-00001",
        _bundle,
    ),
    "state": Format(
        lambda: [b'model_checkpoint_path: "ckpt-1"\nall_model_checkpoint_paths: "ckpt-1"\n'],
        _state,
        (),
        None,
        "checkpoint",
    ),
    "saved_model.index": Format(
        lambda: [bytes_of_file(_model, "saved_model.json")], _read_model, _LOAD, equal, "saved_model.json", _model
    ),
    "saved_model.values": Format(
        lambda: [bytes_of_file(_model, "values-0.safetensors")],
        _read_model,
        _LOAD,
        equal,
        "values-0.safetensors",
        _model,
    ),
    "saved_model.tensorflow": Format(
        lambda: [tensorflow_models.seed("saved_model.pb")],
        tensorflow_models.load,
        (OSError, DataLossError, NotImplementedError, UnimplementedError, ValueError),  # of tags
        None,
        "saved_model.pb",
        tensorflow_models.write,
    ),
    "saved_model.version1": Format(
        lambda: [tensorflow_models.seed("saved_model.pb", "v1_flow")],
        tensorflow_models.load,
        (OSError, DataLossError, UnimplementedError, ValueError),  # of tags
        None,
        "saved_model.pb",
        lambda folder: tensorflow_models.write(folder, "v1_flow"),
    ),
    "saved_model.keras2": Format(
        lambda: [tensorflow_models.seed("keras_metadata.pb", "keras2")],
        tensorflow_models.configuration,
        (OSError,),
        None,
        "keras_metadata.pb",
        lambda folder: tensorflow_models.write(folder, "keras2"),
    ),
    "graph_def": Format(
        lambda: [tensorflow_models.seed("frozen.pb", "frozen")],
        tensorflow_models.frozen,
        (DecodeError, UnimplementedError, ValueError, KeyError),
    ),
    "keras": Format(_keras("m.keras"), _load_keras, _KERAS, equal, "m.keras"),
    "keras_weights": Format(
        _keras("m.weights.h5"),
        _load_weights,
        _KERAS,
        None,
        "m.weights.h5",
        excused={"no answer": _HDF5, "the process ended": _HDF5},
    ),
    "keras_h5": Format(
        _keras("m.h5"),
        _load_keras,
        (*_KERAS, TypeError),
        None,
        "m.h5",
        excused={"no answer": _HDF5, "the process ended": _HDF5},
    ),
    "keras_shards": Format(
        lambda: [bytes_of_file(_shards, "m.weights.json")], _load_weights, _KERAS, None, "m.weights.json", _shards
    ),
    "records": Format(
        _records(), lambda path: list(tf.data.TFRecordDataset(path).as_numpy_iterator()), LOST, among, "r.tfrecord"
    ),
    "records.gzip": Format(
        _records(options="GZIP"),
        lambda path: list(tf.data.TFRecordDataset(path, "GZIP").as_numpy_iterator()),
        LOST,
        among,
        "r.tfrecord",
    ),
    "records.zlib": Format(
        _records(options="ZLIB"),
        lambda path: list(tf.data.TFRecordDataset(path, "ZLIB").as_numpy_iterator()),
        LOST,
        among,
        "r.tfrecord",
    ),
    "elements": Format(_elements(None), _load_elements(None), LOST, among, "elements.tapeflow"),
    "elements.gzip": Format(_elements("GZIP"), _load_elements("GZIP"), LOST, among, "elements.tapeflow.gz"),
    "events": Format(lambda: [bytes_of_file(_events, "events")], _read_events, LOST, among, "events"),
    "png": Format(_pngs, _both_depths, INVALID, equal),
    "jpeg": Format(
        lambda: [tf.io.encode_jpeg(_picture(16, 9, c)).numpy() for c in (1, 3)] + _pillow("JPEG", progressive=True),
        lambda data: (
            tf.io.decode_jpeg(data),
            tf.io.extract_jpeg_shape(data),
            tf.io.decode_and_crop_jpeg(data, [1, 1, 2, 2]),
        ),
        INVALID,
    ),
    "gif": Format(
        lambda: _pillow("GIF"),
        lambda data: (tf.io.decode_gif(data), tf.io.decode_image(data, expand_animations=False)),
        INVALID,
    ),
    "bmp": Format(lambda: _pillow("BMP"), tf.io.decode_bmp, INVALID),
    "webp": Format(
        lambda: _pillow("WEBP", lossless=True), lambda data: tf.io.decode_image(data, dtype=tf.float32), INVALID
    ),
    "wav": Format(_wavs, _wav, INVALID),
    "example": Format(lambda: [_example()], _parsed, INVALID),
    "sequence_example": Format(lambda: [_sequence()], _parsed_sequence, INVALID),
    "tensor": Format(_tensors, _parse_tensor, INVALID),
    "raw": Format(
        lambda: [bytes(range(64))],
        lambda data: (tf.io.decode_raw([data], tf.float32), tf.io.decode_raw([data], tf.uint8)),
        INVALID,
    ),
    "zlib": Format(
        lambda: _compressed("ZLIB"),
        lambda data: tf.io.decode_compressed(data, "ZLIB").numpy(),
        _INFLATED,
        equal_or_empty,
    ),
    "gzip": Format(
        lambda: _compressed("GZIP"),
        lambda data: tf.io.decode_compressed(data, "GZIP").numpy(),
        _INFLATED,
        equal_or_empty,
    ),
    "base64": Format(lambda: [tf.io.encode_base64(bytes(range(60))).numpy()], tf.io.decode_base64, INVALID),
    "json_example": Format(lambda: [_JSON], tf.io.decode_json_example, INVALID),
    "unicode": Format(
        lambda: ["tapé 日本 😀".encode()],
        lambda data: tf.strings.unicode_decode(data, "UTF-8", errors="strict"),
        INVALID,
    ),
    "number": Format(
        lambda: [b"12", b"-7"],
        lambda data: (tf.strings.to_number(data), tf.strings.to_number(data, tf.int64)),
        INVALID,
    ),
    "csv_line": Format(
        lambda: [b'1,2.5,"a ""b""",,7'], lambda data: tf.io.decode_csv([data], [[0], [0.0], [""], [1], [0]]), INVALID
    ),
    "csv_file": Format(lambda: [b'i,f,s\n1,2.5,"a, b"\n2,1e3,x\n'], _csv, INVALID, None, "rows.csv"),
    "vocabulary": Format(lambda: [b"a\t1\nb\t2\n"], _table, (*INVALID, FailedPreconditionError), None, "words.tsv"),
    "program": Format(lambda: [_PROGRAM], _checked, (ProgramError,), None, "program.py"),
    "notebook": Format(lambda: [_NOTEBOOK], _checked, (ProgramError,), None, "notebook.ipynb"),
}
