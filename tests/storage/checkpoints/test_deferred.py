"""Values for objects that do not exist yet: they are given when the object is made, however it is attached."""

import gc

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.variables import arrivals
from tapeflow.core.variables.variable import ResourceVariable


@pytest.fixture(autouse=True)
def _nobody_waits_in_the_end():
    yield
    gc.collect()
    assert not arrivals.waiting
    assert type(tf.Variable(1.0)) is ResourceVariable


def saved(folder, **objects):
    return tf.train.Checkpoint(**objects).write(folder / "ck")


def test_an_attribute_that_is_set_later(tmp_path):
    path = saved(tmp_path, v=tf.Variable(3.0))
    for target in (tf.train.Checkpoint(), tf.Module()):
        checkpoint = tf.train.Checkpoint(target) if isinstance(target, tf.Module) else target
        status = checkpoint.read(path)
        target.v = tf.Variable(0.0)
        assert target.v.numpy() == 3.0
        status.assert_consumed()


def test_a_variable_that_was_used_before_it_is_attached(tmp_path):
    path = saved(tmp_path, v=tf.Variable(3.0))
    module = tf.Module()
    status = tf.train.Checkpoint(module).read(path)
    v = tf.Variable(0.0)
    assert v.assign_add(1.0).numpy() == 1.0
    module.v = v
    assert v.numpy() == 3.0
    status.assert_consumed()


def test_modules_that_make_their_variables_when_they_are_called(tmp_path):
    class Dense(tf.Module):
        def __call__(self, x):
            if not hasattr(self, "w"):
                self.w = tf.Variable(tf.ones([x.shape[-1], 2]))
            return x @ self.w

    class Net(tf.Module):
        def __init__(self):
            super().__init__()
            self.layers = [Dense(), Dense()]

        @tf.function
        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    x = tf.ones([1, 3])
    net = Net()
    net(x)
    for layer in net.layers:
        layer.w.assign(layer.w * 5)
    path = saved(tmp_path, net=net)
    other = Net()
    tf.train.Checkpoint(net=other).read(path)  # neither it nor its status is kept
    gc.collect()
    np.testing.assert_array_equal(other(x).numpy(), net(x).numpy())


def test_lists_and_dicts_that_grow(tmp_path):
    path = saved(tmp_path, parts=[tf.Variable(1.0), tf.Variable(2.0)], table={"a": tf.Variable(3.0)})
    parts, table = [], {}
    status = tf.train.Checkpoint(parts=parts, table=table).read(path)
    parts.append(tf.Variable(0.0))
    parts.append(tf.Variable(0.0))
    table["a"] = tf.Variable(0.0)
    assert [float(v) for v in [*parts, table["a"]]] == [1.0, 2.0, 3.0]
    status.assert_consumed()


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.assign([5.0, 6.0]),
        lambda v: v.assign_add([5.0, 6.0]),
        lambda v: v.scatter_update(tf.IndexedSlices([5.0], [1])),
    ],
)
def test_a_first_change_comes_after_the_value(tmp_path, change):
    """The value belongs to the moment when the variable is attached; it does not undo what is assigned after that."""
    path = saved(tmp_path, holder=[tf.Variable([3.0, 4.0])])
    holder = []
    status = tf.train.Checkpoint(holder=holder).read(path)
    holder.append(tf.Variable([0.0, 0.0]))
    change(holder[0])
    expected = tf.Variable([3.0, 4.0])
    change(expected)
    assert holder[0].numpy().tolist() == expected.numpy().tolist()
    status.assert_consumed()


def test_the_file_may_be_deleted_meanwhile(tmp_path):
    path = saved(tmp_path, v=tf.Variable([1.0, 2.0]))
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.read(path)
    (tmp_path / "ck.safetensors").unlink()
    checkpoint.v = tf.Variable([0.0, 0.0])
    assert checkpoint.v.numpy().tolist() == [1.0, 2.0]
    status.assert_consumed()


def test_the_newest_restore_counts(tmp_path):
    old = tf.train.Checkpoint(v=tf.Variable(1.0)).write(tmp_path / "old")
    new = tf.train.Checkpoint(v=tf.Variable(2.0)).write(tmp_path / "new")
    checkpoint = tf.train.Checkpoint()
    checkpoint.read(old).expect_partial()
    checkpoint.read(new)
    checkpoint.v = tf.Variable(0.0)
    assert checkpoint.v.numpy() == 2.0


def test_a_wrong_shape_is_told_when_the_variable_comes(tmp_path):
    path = saved(tmp_path, v=tf.Variable([1.0, 2.0]))
    checkpoint = tf.train.Checkpoint()
    status = checkpoint.read(path)
    with pytest.raises(ValueError, match=r"shape \(2,\) when attempting to restore variable with shape \(3,\)"):
        checkpoint.v = tf.Variable([0.0, 0.0, 0.0])
    assert checkpoint.v.numpy().tolist() == [0.0, 0.0, 0.0]
    del status


def test_saving_again_keeps_what_was_attached(tmp_path):
    path = saved(tmp_path, holder=[tf.Variable(3.0)])
    holder = []
    checkpoint = tf.train.Checkpoint(holder=holder)
    checkpoint.read(path)
    holder.append(tf.Variable(0.0))  # not read by anybody before it is saved
    again = checkpoint.write(tmp_path / "again")
    assert tf.train.load_variable(again, "holder/0/.ATTRIBUTES/VARIABLE_VALUE") == 3.0


def test_tapes_see_a_restored_variable_as_any_other(tmp_path):
    path = saved(tmp_path, v=tf.Variable(3.0))
    checkpoint = tf.train.Checkpoint()
    checkpoint.read(path)
    with tf.GradientTape() as tape:
        checkpoint.v = tf.Variable(0.0)
        y = checkpoint.v * checkpoint.v
    assert tape.gradient(y, checkpoint.v).numpy() == 6.0


def test_variables_on_a_device_stay_there(tmp_path):
    pytest.importorskip("jax", reason="the extra `xla` is not installed")
    with tf.device("XLA_CPU:0"):
        v = tf.Variable([1.0, 2.0])
    path = saved(tmp_path, v=v)
    checkpoint = tf.train.Checkpoint()
    checkpoint.read(path)
    with tf.device("XLA_CPU:0"):
        checkpoint.v = tf.Variable([0.0, 0.0])
    assert checkpoint.v.numpy().tolist() == [1.0, 2.0]
    assert checkpoint.v.device == v.device
    assert "XLA_CPU" in v.device


def test_an_object_that_is_two_here_is_reported_once(tmp_path, caplog):
    """Also where the parts of its owner are gone through again, because one of them arrives later."""
    shared, other = tf.train.Checkpoint(v=tf.Variable(1.0)), tf.train.Checkpoint(v=tf.Variable(2.0))
    path = tf.train.Checkpoint(a=shared, b=shared, c=other).write(tmp_path / "states")
    new = lambda: tf.train.Checkpoint(v=tf.Variable(0.0))
    root = tf.train.Checkpoint(a=new(), b=new())
    root.restore(path)
    root.c = new()
    assert [float(part.v) for part in (root.a, root.b, root.c)] == [1.0, 0.0, 2.0]
    assert len([r for r in caplog.records if "Inconsistent references" in r.message]) == 1
