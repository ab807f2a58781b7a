"""Where something is to be written: errors name the path that was given, and come before the work."""

import errno
from pathlib import Path

import pytest

import tapeflow as tf
from tapeflow.storage.places import place


@pytest.fixture
def module():
    made = tf.Module()
    made.v = tf.Variable([1.0])
    made.f = tf.function(lambda x: x + made.v, input_signature=[tf.TensorSpec([None])])
    return made


@pytest.mark.parametrize("below", ["", "/model"])
@pytest.mark.parametrize("format", ["tensorflow", "tapeflow"])
def test_a_model_onto_a_file(format, below, tmp_path, module):
    """The error named a temporary file."""
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(NotADirectoryError, match=r"file is a file, and a Saved|cannot be written: .*file is a file"):
        tf.saved_model.save(module, f"{file}{below}", format=format)
    assert file.read_text() == "mine"


@pytest.mark.parametrize("export", [tf.export.onnx, tf.export.stablehlo])
def test_a_file_onto_a_folder(export, tmp_path):
    with pytest.raises(IsADirectoryError, match=f"{tmp_path.name} is a folder, and .* is a file: name a file in it"):
        export(pytest.fail, [tf.TensorSpec([])], tmp_path)  # nothing is traced


def test_a_full_disk(tmp_path):
    (tmp_path / "note").write_text("before")
    said = r"No space left on device, so a note was not written.*note'"
    with pytest.raises(OSError, match=said) as caught, place(tmp_path / "note", "a note"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert caught.value.errno == errno.ENOSPC


def test_errors_about_other_files_stay_theirs(tmp_path):
    with pytest.raises(FileNotFoundError, match="vocabulary"), place(tmp_path / "note", "a note"):
        Path("vocabulary.txt").read_text(encoding="utf-8")
