"""The manager, the state file, and the iterator over new checkpoints. Paths and texts are TensorFlow's."""

import os
import threading
import time

import pytest

import tapeflow as tf
from tapeflow.storage.checkpoints.state import CheckpointState, update_checkpoint_state


def short(paths):
    return [os.path.basename(path) for path in paths]


@pytest.fixture
def checkpoint():
    return tf.train.Checkpoint(a=tf.Variable(1.0))


def test_old_checkpoints_are_deleted(tmp_path, checkpoint):
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    assert (manager.latest_checkpoint, manager.checkpoints) == (None, [])
    assert short([manager.save() for _ in range(4)]) == ["ckpt-1", "ckpt-2", "ckpt-3", "ckpt-4"]
    assert short(manager.checkpoints) == ["ckpt-3", "ckpt-4"]
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", "ckpt-3.safetensors", "ckpt-4.safetensors"]
    lines = (tmp_path / "checkpoint").read_text().splitlines()
    assert lines[:3] == [
        'model_checkpoint_path: "ckpt-4"',
        'all_model_checkpoint_paths: "ckpt-3"',
        'all_model_checkpoint_paths: "ckpt-4"',
    ]
    assert [line.split(":")[0] for line in lines[3:]] == ["all_model_checkpoint_timestamps"] * 2 + [
        "last_preserved_timestamp"
    ]


def test_a_restarted_program_goes_on(tmp_path, checkpoint):
    first = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    first.save()
    first.save()
    checkpoint.a.assign(7.0)
    again = tf.train.Checkpoint(a=tf.Variable(0.0))
    manager = tf.train.CheckpointManager(again, tmp_path, max_to_keep=2)
    assert short(manager.checkpoints) == ["ckpt-1", "ckpt-2"]
    assert short([manager.restore_or_initialize()]) == ["ckpt-2"]
    assert float(again.a) == 1.0
    assert short([manager.save()]) == ["ckpt-3"]
    assert short(manager.checkpoints) == ["ckpt-2", "ckpt-3"]
    assert not (tmp_path / "ckpt-1.safetensors").exists()


def test_a_folder_can_be_moved(tmp_path, checkpoint):
    tf.train.CheckpointManager(checkpoint, tmp_path / "here", max_to_keep=None).save()
    os.rename(tmp_path / "here", tmp_path / "there")
    assert tf.train.latest_checkpoint(tmp_path / "there") == str(tmp_path / "there" / "ckpt-1")


def test_numbers_names_and_wrong_arguments(tmp_path, checkpoint):
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=5, checkpoint_name="model")
    assert short([manager.save(checkpoint_number=77), manager.save(tf.Variable(5))]) == ["model-77", "model-5"]
    # They are counted all the same; without a count in the file, all of it could not be restored.
    assert checkpoint.restore(manager.latest_checkpoint).assert_consumed() and int(checkpoint.save_counter) == 2
    with pytest.raises(ValueError, match="Expected a positive integer or `None` for `max_to_keep`, got 0"):
        tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=0)
    with pytest.raises(ValueError, match="`step_counter` should be passed if `checkpoint_interval` is not None"):
        tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=1, checkpoint_interval=3)


def test_an_interval_counts_steps(tmp_path, checkpoint):
    step, called = tf.Variable(0, dtype=tf.int64), []
    arguments = dict(max_to_keep=9, step_counter=step, checkpoint_interval=3, init_fn=lambda: called.append(1))
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, **arguments)
    assert manager.restore_or_initialize() is None
    assert called == [1]
    saved = []
    for number in range(8):
        step.assign(number)
        if manager.save() is not None:
            saved.append(number)
    assert saved == [0, 3, 6]
    assert manager.save(check_interval=False) is not None
    restarted = tf.train.CheckpointManager(checkpoint, tmp_path, **arguments)
    assert restarted.restore_or_initialize() is not None
    assert restarted.save() is None


def test_some_are_kept_for_good(tmp_path, checkpoint, monkeypatch):
    now = [1_000_000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=1, keep_checkpoint_every_n_hours=2)
    for _ in range(6):
        now[0] += 3600
        manager.save()
    kept = sorted(name for name in os.listdir(tmp_path) if name.startswith("ckpt"))
    assert kept == [f"ckpt-{k}.safetensors" for k in (2, 4, 6)]


def test_tensorflows_files_are_deleted_too(tmp_path, checkpoint):
    """A folder in which a program went on saving with tapeflow what it had begun with TensorFlow."""
    for name in ("ckpt-1.index", "ckpt-1.data-00000-of-00001", "ckpt-10.index"):
        (tmp_path / name).write_bytes(b"")
    update_checkpoint_state(str(tmp_path), CheckpointState(str(tmp_path / "ckpt-1"), [str(tmp_path / "ckpt-1")]))
    tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=1).save(checkpoint_number=2)
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", "ckpt-10.index", "ckpt-2.safetensors"]


def test_paths_of_the_state_file(tmp_path):
    """Escapes as in TensorFlow's own text, which writes ü as two octal numbers; absolute paths stay."""
    (tmp_path / "checkpoint").write_text(
        'model_checkpoint_path: "f\\303\\274r \\"x\\"-1"\nall_model_checkpoint_paths: "/abs/ck-1"\n'
    )
    state = tf.train.get_checkpoint_state(tmp_path)
    assert state.model_checkpoint_path == str(tmp_path / 'für "x"-1')
    assert state.all_model_checkpoint_paths == ["/abs/ck-1"]
    update_checkpoint_state(str(tmp_path), state)
    assert tf.train.get_checkpoint_state(tmp_path) == state
    assert tf.train.get_checkpoint_state(tmp_path, "other") is None


def test_new_checkpoints_are_noticed(tmp_path, checkpoint):
    seen = []
    checkpoint.save(tmp_path / "ck")

    def evaluate():
        for path in tf.train.checkpoints_iterator(tmp_path, timeout=0.6):
            seen.append(os.path.basename(path))

    thread = threading.Thread(target=evaluate)
    thread.start()
    time.sleep(0.1)
    checkpoint.save(tmp_path / "ck")
    thread.join()
    assert seen == ["ck-1", "ck-2"]
    answers = iter([False, True])
    assert list(tf.train.checkpoints_iterator(tmp_path / "nothing", timeout=0, timeout_fn=lambda: next(answers))) == []


def test_a_state_file_cannot_have_files_elsewhere_deleted(tmp_path, checkpoint):
    other, folder = tmp_path / "other", tmp_path / "mine"
    other.mkdir()
    folder.mkdir()
    kept = checkpoint.write(str(other / "precious"))
    update_checkpoint_state(str(folder), CheckpointState(kept, [kept, "../other/precious"]))
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
    manager.save()
    assert short(manager.checkpoints) == ["ckpt-1"] and os.path.exists(kept + ".safetensors")


def test_one_that_is_written_again_is_the_newest(tmp_path, checkpoint):
    manager = tf.train.CheckpointManager(checkpoint, tmp_path, max_to_keep=2)
    for number in (1, 2, 1):
        manager.save(checkpoint_number=number)
    assert short(manager.checkpoints) == ["ckpt-2", "ckpt-1"]
    manager.save(checkpoint_number=3)
    assert short(manager.checkpoints) == ["ckpt-1", "ckpt-3"]
