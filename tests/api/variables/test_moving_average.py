"""`tf.train.ExponentialMovingAverage`, and the rest of `tf.train`. The numbers are TensorFlow's."""

import numpy as np
import pytest

import tapeflow as tf


def test_averages_follow_their_variables():
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(3.0)
    averages = tf.train.ExponentialMovingAverage(0.9)
    averages.apply([v, w])
    assert averages.average(v).numpy().tolist() == [1.0, 2.0]
    v.assign([3.0, 4.0])
    averages.apply()
    np.testing.assert_allclose(averages.average(v).numpy(), [1.2, 2.2], rtol=1e-6)
    assert averages.average_name(v) == "v/ExponentialMovingAverage"
    assert averages.variables_to_restore([v]) == {"v/ExponentialMovingAverage": v}
    assert averages.average(tf.Variable(1.0)) is None
    assert not averages.average(v).trainable


def test_updates_make_the_decay_smaller():
    v = tf.Variable([3.0, 4.0])
    averages = tf.train.ExponentialMovingAverage(0.9, num_updates=3)
    averages.apply([v])
    v.assign([5.0, 5.0])
    averages.apply([v])
    np.testing.assert_allclose(averages.average(v).numpy(), [4.3846154, 4.6923075], rtol=1e-6)


def test_only_floating_variables_have_averages():
    averages = tf.train.ExponentialMovingAverage(0.9)
    with pytest.raises(TypeError, match="does not support non-Variable tensors"):
        averages.apply([tf.constant(1.0)])
    with pytest.raises(TypeError, match="must be half, float, or double: Variable:0"):
        averages.apply([tf.Variable(1)])


def test_in_a_function_and_in_a_checkpoint(tmp_path):
    v = tf.Variable(1.0, name="v")
    averages = tf.train.ExponentialMovingAverage(0.5)

    @tf.function
    def step():
        v.assign_add(2.0)
        averages.apply([v])

    averages.apply([v])
    step()
    step()
    assert float(averages.average(v)) == 3.5  # 1, 2, 3.5
    path = tf.train.Checkpoint(v=v, ema=averages).write(tmp_path / "ck")
    other = tf.train.ExponentialMovingAverage(0.5)
    status = tf.train.Checkpoint(ema=other).read(path).expect_partial()
    other.apply([tf.Variable(8.0, name="v")])
    assert float(next(iter(other.variables_to_restore().values()))) == 8.0
    status.assert_existing_objects_matched()


def test_names_of_tf_train():
    assert {"Checkpoint", "Example", "Feature", "latest_checkpoint"} <= set(dir(tf.train))
    with pytest.raises(AttributeError, match="Coordinator"):
        _ = tf.train.Coordinator
