"""Functions for tensors of any rank."""

import pytest

import tapeflow as tf

ANY = tf.TensorSpec(None, tf.float32)


def test_a_concrete_function():
    double = tf.function(lambda x: x * 2.0).get_concrete_function(ANY)
    assert double(tf.ones([2])).numpy().tolist() == [2.0, 2.0]
    assert double(tf.ones([1, 2])).numpy().tolist() == [[2.0, 2.0]]
    assert float(double(tf.constant(3.0))) == 6.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float32"):
        double(tf.constant(1))


def test_a_signature():
    function = tf.function(lambda x: (tf.rank(x), tf.reduce_sum(x), tf.size(x)), input_signature=[ANY])
    assert [float(v) for v in function(tf.ones([2, 2]))] == [2.0, 4.0, 4.0]
    assert [float(v) for v in function.get_concrete_function()(tf.ones([3]))] == [1.0, 3.0, 3.0]
    assert "shape=" in repr(function.get_concrete_function().structured_input_signature)


def test_one_trace_for_a_rank():
    traced = []
    function = tf.function(lambda x: (traced.append(x.shape.rank), x + 1.0)[1]).get_concrete_function(ANY)
    for shape in ([2], [3], [1, 2], [4, 5]):
        function(tf.zeros(shape))
    assert sorted(traced) == [1, 2]


def test_gradients():
    square = tf.function(lambda x: tf.reduce_sum(x * x)).get_concrete_function(ANY)
    for x in (tf.constant([1.0, 2.0]), tf.constant([[3.0]])):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = square(x)
        assert tape.gradient(y, x).numpy().tolist() == (2 * x).numpy().tolist()


def test_ranks_that_the_function_does_not_take():
    function = tf.function(lambda x: tf.linalg.matmul(x, x)).get_concrete_function(ANY)
    assert function(tf.ones([1, 1])).numpy().tolist() == [[1.0]]
    with pytest.raises(ValueError, match="rank"):
        function(tf.ones([2]))


def test_saved_and_loaded(tmp_path):
    module = tf.Module()
    module.double = tf.function(lambda x: tf.reduce_sum(x) * 2.0, input_signature=[ANY])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert [float(loaded.double(tf.ones(shape))) for shape in ([2], [2, 3], [], [1, 2, 3])] == [4.0, 12.0, 2.0, 12.0]
