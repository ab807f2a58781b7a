"""The global step is one variable; names that need a graph say so; the rest is `tf.train`."""

import pytest

import tapeflow as tf
from tapeflow.compat.v1 import train


@pytest.fixture
def no_step(monkeypatch):
    monkeypatch.setattr(train, "_step", [])


def test_there_is_one_global_step(no_step):
    assert train.get_global_step() is None
    step = train.create_global_step()
    assert train.get_or_create_global_step() is train.get_global_step() is step
    assert step.dtype == tf.int64 and not step.trainable and int(step) == 0
    with pytest.raises(ValueError, match="already exists"):
        train.create_global_step()


def test_names_of_version_2_and_of_graphs():
    assert train.Checkpoint is tf.train.Checkpoint
    with pytest.raises(Exception, match="Checkpoint"):
        train.Saver()


def test_events_of_a_file(tmp_path):
    pytest.importorskip("tensorboardX", reason="the extra `tensorboard` is not installed")
    with tf.summary.create_file_writer(str(tmp_path)).as_default():
        tf.summary.scalar("loss", 2.0, step=3)
    (path,) = tmp_path.iterdir()
    events = list(train.summary_iterator(str(path)))
    assert [(e.step, e.summary.value[0].tag) for e in events if e.summary.value] == [(3, "loss")]
