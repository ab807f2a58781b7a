"""TensorArray against TensorFlow 2.21, whose results and errors are the literals here."""

import numpy as np
import pytest

import tapeflow as tf


def array(**options):
    return tf.TensorArray(tf.float32, **{"size": 3, **options})


def test_write_read_stack():
    ta = array(clear_after_read=False).write(0, 1.0).write(1, 2.0)
    assert ta.stack().numpy().tolist() == [1, 2, 0]  # what was not written is zero
    assert [float(ta.read(0)), float(ta.read(0))] == [1, 1]
    assert ta.gather([1, 0]).numpy().tolist() == [2, 1]
    assert int(ta.size()) == 3 and ta.element_shape == [] and ta.dtype is tf.float32


def test_it_grows_if_it_may():
    ta = array(size=0, dynamic_size=True).write(3, 1.0)
    ta = ta.write(ta.size(), 5.0)
    assert ta.stack().numpy().tolist() == [0, 0, 0, 1, 5]
    assert array(size=0, dynamic_size=True).unstack([1.0, 2.0]).stack().numpy().tolist() == [1, 2]


def test_a_function_that_writes_nothing_in_one_call_knows_the_shape_from_another():
    @tf.function
    def boxes_above(boxes, least):
        found, count = tf.TensorArray(tf.float32, 1, dynamic_size=True), 0
        for box in boxes:
            if tf.reduce_max(box) > least:
                found = found.write(count, [box[0], box[1], tf.cast(tf.where(box > least)[0, 0], tf.float32)])
                count += 1
        return found.stack()

    boxes = tf.constant([[1.0, 5.0], [7.0, 2.0], [0.0, 0.0]])
    assert boxes_above(boxes, 4.0).numpy().tolist() == [[1, 5, 1], [7, 2, 0]]
    assert boxes_above(boxes, 9.0).numpy().tolist() == [[0, 0, 0]]


def test_many_at_once():
    assert array(size=4).scatter([1, 3], [[1.0], [2.0]]).stack().numpy().tolist() == [[0], [1], [0], [2]]
    assert array(size=2, infer_shape=False).split([1.0, 2.0, 3.0], [1, 2]).read(1).numpy().tolist() == [2, 3]
    pieces = array(size=2, infer_shape=False).write(0, [1.0, 2.0]).write(1, [3.0])
    assert pieces.concat().numpy().tolist() == [1, 2, 3]
    assert array(size=0, element_shape=[2]).stack().shape == [0, 2]


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda: tf.TensorArray(tf.float32), ValueError, "Size must be declared"),
        (lambda: array(size=2.5), TypeError, "whole number"),
        (lambda: array().stack(), ValueError, "never written"),
        (
            lambda: array().write(5, 1.0),
            tf.errors.OutOfRangeError,
            "index 5 but array is not resizeable and size is: 3",
        ),
        (lambda: array().write(-1, 1.0), tf.errors.OutOfRangeError, r"negative indices \(index -1\)"),
        (lambda: array().read(7), tf.errors.OutOfRangeError, "index 7 but array size is: 3"),
        (lambda: array().write(0, tf.constant(1)), tf.errors.InvalidArgumentError, "trying to write dtype int32"),
        (lambda: array().write(0, 1.0).write(1, [1.0, 2.0]), ValueError, "Incompatible shape"),
        (lambda: array(element_shape=[2]).write(0, [1.0]), ValueError, "Incompatible shape"),
        (
            lambda: array(size=2).unstack([1.0, 2.0, 3.0]),
            ValueError,
            "Cannot unstack 3 tensors into a TensorArray of static size 2",
        ),
        (lambda: array(size=3).split([1.0, 2.0], [1, 1]), tf.errors.InvalidArgumentError, r"\(3 vs. 2\)"),
        (lambda: array(size=2).split([1.0, 2.0, 3.0], [1, 1]), tf.errors.InvalidArgumentError, "add up to 2"),
        (lambda: array().scatter([0, 1], [1.0]), ValueError, "2 indices were given for 1 rows"),
        (lambda: array(size=0).concat(), tf.errors.InvalidArgumentError, "nothing to concatenate"),
        (lambda: array().grad("x"), NotImplementedError, "GradientTape"),
    ],
)
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_an_entry_is_read_once():
    ta = array().write(0, 1.0)
    ta.read(0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="clear_after_read"):
        ta.read(0)


def test_in_loops_of_graphs_and_under_a_tape():
    @tf.function
    def squares(x):
        ta = tf.TensorArray(tf.float32, size=4)
        for i in tf.range(4):
            ta = ta.write(i, x * tf.cast(i, tf.float32))
        return tf.reduce_sum(ta.stack() ** 2)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = squares(x)
    assert float(y) == 56 and float(tape.gradient(y, x)) == 56


def test_specs():
    spec = tf.TensorArraySpec([2], tf.float32)
    assert repr(spec) == "TensorArraySpec(TensorShape([2]), tf.float32, False, True)"
    made = array(element_shape=[2])
    assert tf.type_spec_from_value(made) == tf.TensorArraySpec.from_value(made) == spec
    assert spec.is_compatible_with(made) and not spec.is_compatible_with(array(element_shape=[3]))
    assert spec.value_type is tf.TensorArray
    with pytest.raises(TypeError, match="TensorArray"):
        tf.TensorArraySpec.from_value(np.zeros(2))


def test_an_absurd_size_is_refused_at_once():
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[1000000000000\]"):
        tf.TensorArray(tf.float32, 10**12)


def test_methods_taken_from_the_class():
    """`nest.map_structure(tf.TensorArray.stack, arrays)`: the arrays of a graph are of a class of their own."""
    kind = tf.TensorArray

    @tf.function
    def run(n):
        ta = kind(tf.float32, n, clear_after_read=False)
        for i in tf.range(n):
            ta = kind.write(ta, i, tf.cast(i, tf.float32))
        ta = kind.scatter(ta, [0], [9.0])
        return kind.stack(ta), kind.gather(ta, [0]), kind.read(ta, n - 1), kind.size(ta)

    stacked, gathered, read, size = run(tf.constant(3))
    assert stacked.numpy().tolist() == [9, 1, 2] and gathered.numpy().tolist() == [9]
    assert float(read) == 2 and int(size) == 3
    assert kind.concat(kind.unstack(array(), [[1.0], [2.0], [3.0]])).numpy().tolist() == [1, 2, 3]


def test_numpy_values_take_the_dtype_of_the_entries():
    """NumPy's int64 and float64 were refused where the entries have another dtype."""
    for make in (lambda f: f(), lambda f: tf.function(f)()):
        rows = make(lambda: tf.TensorArray(tf.int32, 3).unstack(np.array([1, 2, 3])).stack())
        assert rows.dtype is tf.int32 and rows.numpy().tolist() == [1, 2, 3]
        one = make(lambda: tf.TensorArray(tf.float32, 1).write(0, np.float64(2.5)).stack())
        assert one.dtype is tf.float32 and one.numpy().tolist() == [2.5]
        some = make(lambda: tf.TensorArray(tf.float32, 2).scatter([1, 0], np.array([[2], [3]])).stack())
        assert some.numpy().tolist() == [[3.0], [2.0]]


def test_a_size_that_a_function_knows_from_a_shape():
    """`tf.shape(x)[0]` was refused as the size where the shape is known."""

    @tf.function(autograph=False)
    def doubled(x):
        rows = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
        return tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a.write(i, x[i] * 2)), (0, rows))[1].stack()

    assert doubled(tf.constant([1.0, 2.0, 3.0])).numpy().tolist() == [2.0, 4.0, 6.0]


def test_a_size_that_is_a_known_size_of_a_tensor():
    """In a function, the symbol of a known size was refused: a loop over the steps of a sequence in a saved model."""

    @tf.function
    def squares(x):
        rows = tf.TensorArray(
            tf.float32, tf.raw_ops.StridedSlice(input=tf.shape(x), begin=[0], end=[1], strides=[1], shrink_axis_mask=1)
        )
        for k in tf.range(tf.shape(x)[0]):
            rows = rows.write(k, x[k] ** 2)
        return rows.stack()

    concrete = squares.get_concrete_function(tf.TensorSpec([2, None]))
    assert concrete(tf.constant([[1.0], [3.0]])).numpy().tolist() == [[1.0], [9.0]]
