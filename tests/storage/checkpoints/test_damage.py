"""Failing disks and damaged files: the last good checkpoint is there, and damage has a name. (Kills:
`tests/storage/test_whole_files.py`.)"""

import os
import pathlib

import numpy as np
import pytest

import tapeflow as tf


@pytest.mark.parametrize("function", ["replace", "fsync"])
def test_a_failing_disk_leaves_the_old_checkpoint_and_no_rubbish(tmp_path, monkeypatch, function):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)
    path = checkpoint.save(tmp_path / "ck")
    files = sorted(os.listdir(tmp_path))

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, function, fail)
        with pytest.raises(OSError, match="No space left"):
            checkpoint.save(tmp_path / "ck")
        with pytest.raises(OSError, match="No space left"):
            checkpoint.write(path)  # over the good one
    assert sorted(os.listdir(tmp_path)) == files
    assert tf.train.latest_checkpoint(tmp_path) == path
    assert tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE") == 1.0


@pytest.fixture
def file(tmp_path):
    tf.train.Checkpoint(a=tf.Variable(np.arange(5.0)), s=tf.Variable(["text", "more"])).write(tmp_path / "ck")
    return tmp_path / "ck.safetensors"


def damaged(file, content):
    file.write_bytes(content)
    a = tf.Variable(np.ones(5))
    with pytest.raises(tf.errors.DataLossError, match=r"ck\.safetensors.*Restore an earlier one"):
        tf.train.Checkpoint(a=a, s=tf.Variable(["", ""])).read(str(file.with_suffix("")))
    np.testing.assert_array_equal(a.numpy(), np.ones(5))  # nothing was changed,
    assert file.read_bytes() == content  # nor overwritten


def test_any_cut_is_noticed(file):
    good = file.read_bytes()
    for length in [0, 1, 7, 8, 9, *range(20, len(good), 41), len(good) - 1]:
        damaged(file, good[:length])
    damaged(file, good + b"\0")


def test_any_changed_byte_of_a_tensor_and_of_the_graph_is_noticed(file):
    good = file.read_bytes()
    data = int.from_bytes(good[:8], "little") + 8
    graph = good.index(b"nodes")
    for place in [3, *range(graph, graph + 200, 17), *range(data, len(good), 3)]:
        damaged(file, good[:place] + bytes([good[place] ^ 4]) + good[place + 1 :])


def test_a_later_format_says_so(file):
    content = file.read_bytes().replace(b'"version":"1"', b'"version":"9"')
    file.write_bytes(content)
    with pytest.raises(tf.errors.DataLossError, match=r"format version 9.*Update tapeflow"):
        tf.train.load_checkpoint(str(file.with_suffix("")))


def test_somebody_elses_safetensors_can_be_read_by_name_only(tmp_path):
    from safetensors.numpy import save_file

    save_file({"layer.weight": np.ones((2, 3), np.float32)}, tmp_path / "model.safetensors")
    assert tf.train.list_variables(tmp_path / "model.safetensors") == [("layer.weight", [2, 3])]
    with pytest.raises(ValueError, match="does not say which objects"):
        tf.train.Checkpoint(a=tf.Variable(1.0)).restore(tmp_path / "model")


def test_a_damaged_state_file_is_ignored_with_a_warning(tmp_path, caplog):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    path = checkpoint.save(tmp_path / "ck")
    state = pathlib.Path(tmp_path / "checkpoint")
    for wrong in ("garbage {{", "model_checkpoint_path: 3", 'model_checkpoint_path: "ck', "", "\0\1"):
        state.write_text(wrong, encoding="utf-8")
        caplog.clear()
        assert tf.train.latest_checkpoint(tmp_path) is None
        assert caplog.messages[-1].endswith("Checkpoint ignored")
        assert state.read_text(encoding="utf-8") == wrong
    state.write_text('model_checkpoint_path: "gone-1"\n', encoding="utf-8")
    assert tf.train.latest_checkpoint(tmp_path) is None
    assert "Couldn't match files for checkpoint" in caplog.messages[-1]
    tf.train.Checkpoint(v=tf.Variable(0.0)).restore(path).assert_consumed()
