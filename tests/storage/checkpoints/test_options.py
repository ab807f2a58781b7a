"""Options of checkpoints: callbacks are called with the path, and both names of one option are one."""

import tapeflow as tf


def test_callbacks_hear_of_the_path(tmp_path):
    heard = []
    options = tf.train.CheckpointOptions(experimental_write_callbacks=[heard.append, lambda: heard.append("done")])
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(tmp_path / "c", options=options)
    assert heard == [path, "done"]


def test_two_names():
    for given in (dict(enable_async=True), dict(experimental_enable_async_checkpoint=True)):
        options = tf.train.CheckpointOptions(**given)
        assert options.enable_async and options.experimental_enable_async_checkpoint
    assert not tf.train.CheckpointOptions().enable_async
