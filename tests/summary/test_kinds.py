"""Scalars, histograms, images, audio and text, as TensorFlow 2.21 writes them: its results are the literals here."""

import io
import wave

import numpy as np
import pytest

import tapeflow as tf

from .reading import plugin, read, tags, values

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def writer(tmp_path):
    writer = tf.summary.create_file_writer(str(tmp_path))
    with writer.as_default():
        yield writer
    writer.close()


def test_a_scalar_is_a_float32_tensor_of_the_scalars_plugin(writer, tmp_path):
    done = tf.summary.scalar("loss", 0.5, step=1)
    assert done.dtype is tf.bool and bool(done)
    tf.summary.scalar("loss", tf.constant(2), step=tf.Variable(2, dtype=tf.int64))
    tf.summary.scalar("loss", np.float64(4), step=np.int64(5), description="ignored after the first")
    tf.summary.scalar("described", True, step=0, description="**what** it is")
    writer.flush()
    found = values(tmp_path, "loss")
    assert found == {1: 0.5, 2: 2, 5: 4}
    assert all(v.dtype == np.float32 and v.shape == () for v in found.values())
    assert plugin(tmp_path, "loss") == ("scalars", b"", "")
    assert plugin(tmp_path, "described") == ("scalars", b"", "**what** it is")


def test_names_have_the_name_scopes_before_them(writer, tmp_path):
    with tf.name_scope("train"):
        tf.summary.scalar("a/b c!", 1.0, step=0)
    tf.summary.scalar("", 1.0, step=0)
    writer.flush()
    assert tags(tmp_path) == {"train/a/b c!", "scalar_summary"}


@pytest.mark.parametrize(
    "given, buckets, rows",
    [
        ([1.0, 2.0, 2.5, 10.0], 4, [[1, 3.25, 3], [3.25, 5.5, 0], [5.5, 7.75, 0], [7.75, 10, 1]]),
        ([3.0, 3.0, 3.0], 2, [[3, 3, 0], [3, 3, 3]]),
        ([], 2, [[0, 0, 0], [0, 0, 0]]),
        ([1, 2], 1, [[1, 2, 2]]),
        ([1.0, 2.0], 0, np.zeros((0, 3))),
        ([float("nan"), 1.0], 2, [[np.nan, np.nan, 0], [np.nan, np.nan, 0]]),
        ([1.0, float("inf")], 2, [[1, np.inf, 1], [np.inf, np.inf, 0]]),
    ],
)
def test_a_histogram_has_rows_of_left_right_and_count(writer, tmp_path, given, buckets, rows):
    tf.summary.histogram("h", tf.constant(given, tf.float32), step=1, buckets=buckets)
    writer.flush()
    found = values(tmp_path, "h")[1]
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, rows)
    assert plugin(tmp_path, "h")[0] == "histograms"


def test_a_histogram_has_thirty_buckets(writer, tmp_path):
    tf.summary.histogram("h", np.arange(100) ** 2, step=1)
    writer.flush()
    found = values(tmp_path, "h")[1]
    assert found.shape == (30, 3) and found[0].tolist() == [0, 326.7, 19] and found[:, 2].sum() == 100


@pytest.mark.parametrize("channels, mode", [(1, "L"), (2, "LA"), (3, "RGB"), (4, "RGBA")])
def test_images_are_png_files_after_width_and_height(writer, tmp_path, channels, mode):
    pictures = np.linspace(-0.2, 1.2, 5 * 4 * 3 * channels).reshape(5, 4, 3, channels).astype(np.float32)
    tf.summary.image("pictures", pictures, step=1)
    writer.flush()
    found = values(tmp_path, "pictures")[1]
    assert found.shape == (5,) and found[:2].tolist() == [b"3", b"4"]  # 3 of them at most
    for k, file in enumerate(found[2:]):
        opened = Image.open(io.BytesIO(file))
        assert opened.mode == mode
        expected = (np.clip(pictures[k] * 255.5, 0, 255)).astype(np.uint8)
        np.testing.assert_array_equal(np.asarray(opened).reshape(expected.shape), expected)
    assert plugin(tmp_path, "pictures")[0] == "images"


def test_bytes_are_pictures_as_they_are(writer, tmp_path):
    pixels = np.arange(12, dtype=np.uint8).reshape(1, 2, 2, 3)
    tf.summary.image("pixels", pixels, step=1, max_outputs=1)
    tf.summary.image("none", pixels, step=1, max_outputs=0)
    writer.flush()
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(values(tmp_path, "pixels")[1][2]))), pixels[0])
    assert values(tmp_path, "none")[1].tolist() == [b"2", b"2"]


def test_audio_is_a_wav_file_for_each_clip(writer, tmp_path):
    clips = np.array([[[0.0], [0.5], [1.5], [-1.5], [-0.25]]] * 4, np.float32)
    tf.summary.audio("beeps", clips, 8000, step=1, max_outputs=2)
    writer.flush()
    found = values(tmp_path, "beeps")[1]
    assert found.shape == (2, 2) and found[0, 1] == b""
    with wave.open(io.BytesIO(found[0, 0])) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (8000, 1, 2)
        assert np.frombuffer(file.readframes(9), "<i2").tolist() == [0, 16384, 32767, -32768, -8192]
    assert plugin(tmp_path, "beeps")[:2] == ("audio", b"\x10\x0b")


def test_text_keeps_its_shape(writer, tmp_path):
    tf.summary.text("one", "a *good* run", step=1)
    tf.summary.text("table", [["a", "b"], ["c", "d"]], step=1)
    writer.flush()
    assert values(tmp_path, "one")[1].item() == b"a *good* run"
    assert values(tmp_path, "table")[1].tolist() == [[b"a", b"b"], [b"c", b"d"]]
    assert plugin(tmp_path, "one")[0] == "text"


@pytest.mark.parametrize("dtype", ["int32", "uint8", "bool", "float16", "float64", "complex64", "int64"])
def test_write_takes_any_tensor(writer, tmp_path, dtype):
    tensor = tf.cast([[1, 0], [0, 1]], dtype)
    tf.summary.write("t", tensor, step=1)
    tf.summary.write("made", lambda: tensor, step=1)
    writer.flush()
    found = values(tmp_path, "t")[1]
    np.testing.assert_array_equal(found.astype(np.complex128), tensor.numpy().astype(np.complex128))
    assert found.shape == (2, 2) and values(tmp_path, "made")[1].shape == (2, 2)


def test_serialised_summaries(writer, tmp_path):
    from tensorboardX.proto.summary_pb2 import Summary

    one = Summary(value=[Summary.Value(tag="old", simple_value=3.0)]).SerializeToString()
    assert bool(tf.summary.experimental.write_raw_pb(one, step=4))
    writer.flush()
    assert [(event.step, event.value) for event in read(tmp_path).Scalars("old")] == [(4, 3.0)]
    with pytest.raises(tf.errors.DataLossError, match="index 1"):
        tf.summary.experimental.write_raw_pb([one, b"\xff\xff"], step=4)


BATCH = np.zeros((1, 2, 2, 3), np.float32)


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: tf.summary.scalar("x", [1.0, 2.0], step=1), ValueError, r"Expected scalar shape, saw shape: \(2,\)"),
        (lambda: tf.summary.scalar("x", "text", step=1), tf.errors.UnimplementedError, "string"),
        (lambda: tf.summary.image("x", BATCH[0], step=1), ValueError, "rank 4"),
        (
            lambda: tf.summary.image("x", np.zeros((1, 2, 2, 5)), step=1),
            tf.errors.InvalidArgumentError,
            "channels, got 5",
        ),
        (lambda: tf.summary.image("x", BATCH, step=1, max_outputs=-1), tf.errors.InvalidArgumentError, "max_outputs"),
        (lambda: tf.summary.audio("x", [1.0], 8000, step=1), ValueError, "rank 3"),
        (lambda: tf.summary.audio("x", BATCH[0], 8000, step=1, encoding="mp3"), ValueError, "Unknown encoding: 'mp3'"),
        (lambda: tf.summary.text("x", 1, step=1), TypeError, "tf.string; got tf.int32"),
        (lambda: tf.summary.write("x", object(), step=1), ValueError, "unsupported type"),
    ],
)
def test_wrong_data(writer, call, error, text):
    with pytest.raises(error, match=text):
        call()
