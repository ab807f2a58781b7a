"""Small functions of TensorFlow's private modules, by their names there."""

import numpy as np
import pytest

import tapeflow as tf


def names_after(text):
    found = {}
    exec(text, found)
    return found


def test_loops_that_are_maps(installed):
    pfor = names_after("from tensorflow.python.ops.parallel_for.control_flow_ops import pfor")["pfor"]
    assert pfor(lambda i: i * i, 4).numpy().tolist() == [0, 1, 4, 9]


def test_conditions(installed):
    found = names_after(
        "from tensorflow.python.framework import smart_cond\n"
        "from tensorflow.python.ops import control_flow_case, control_flow_util"
    )
    cond = found["smart_cond"].smart_cond
    assert cond(True, lambda: 1, lambda: 2) == 1
    case = found["control_flow_case"]._case_helper
    pairs = [(False, lambda: 1), (True, lambda: 2)]
    assert case(cond, pairs, lambda: 3, False, None) == 2
    assert not found["control_flow_util"].GraphOrParentsInXlaContext(tf.compat.v1.get_default_graph())


def test_contexts(installed):
    found = names_after("from tensorflow.python.eager import context, record")
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape, found["record"].stop_recording():
        y = x * x
    assert tape.gradient(y, x) is None
    with found["context"].graph_mode():
        assert tf.executing_eagerly() and (x * x).numpy() == 4.0
    assert found["context"].context().executing_eagerly()


def test_decorators_and_moving_averages(installed):
    found = names_after(
        "from tensorflow.python.util import deprecation, tf_decorator\n"
        "from tensorflow.python.training.moving_averages import assign_moving_average"
    )
    f = lambda: 3
    assert found["deprecation"].deprecated("never", "no reason")(f) is f
    assert found["tf_decorator"].unwrap(found["tf_decorator"].make_decorator(f, lambda: 4))[1] is f
    v = tf.Variable(1.0)
    found["assign_moving_average"](v, 3.0, 0.5)
    assert v.numpy() == 2.0


def test_truncated_normal_numbers(installed):
    draw = names_after("from tensorflow.python.ops.random_ops import parameterized_truncated_normal as draw")["draw"]
    numbers = draw([1000], means=5.0, stddevs=1.0, minvals=4.0, maxvals=5.0, seed=1).numpy()
    assert numbers.min() >= 4.0 and numbers.max() <= 5.0 and np.std(numbers) > 0


def test_dunder_internal(installed):
    """`tf.__internal__` has names of private modules."""
    import tensorflow

    internal = tensorflow.__internal__
    assert internal.nest.flatten_up_to([0], [[1]]) == [[1]]
    assert internal.tf2.enabled() and internal.EagerTensor is type(tf.constant(1.0))
    assert isinstance(tf.ragged.constant([[1]]), internal.CompositeTensor)
    assert internal.smart_cond.smart_cond(True, lambda: 1, lambda: 2) == 1
    with pytest.raises(AttributeError, match="private name"):
        _ = internal.nothing
    assert names_after("import tensorflow.__internal__ as i")["i"] is internal


def test_what_a_context_knows(installed):
    context = names_after("from tensorflow.python.eager import context")["context"].context()
    assert context.device_name == "" and context.device_spec.device_type is None
    with tf.device("/CPU:0"):
        assert context.device_name == "/job:localhost/replica:0/task:0/device:CPU:0"
        assert context.device_spec.device_type == "CPU"
    with tf.name_scope("a"), tf.name_scope("b"):
        assert context.scope_name == "a/b/"
    assert context.executing_eagerly() and not tf.function(context.executing_eagerly)()
    assert context.list_logical_devices("CPU") == tf.config.list_logical_devices("CPU")
    assert context.devices()[0].endswith("CPU:0") and context.soft_device_placement
    assert context.num_gpus() == len(tf.config.list_logical_devices("GPU"))


def test_what_is_recorded(installed):
    """PennyLane asks so which of its parameters it has to differentiate."""
    recorded = names_after("from tensorflow.python.eager.record import should_record_backprop as f")["f"]
    x, y, v = tf.constant(1.0), tf.constant(2.0), tf.Variable(3.0)
    assert not recorded([x]) and not recorded([])
    with tf.GradientTape() as tape:
        tape.watch(x)
        assert recorded([x]) and recorded([y, x * 2.0]) and recorded([tf.convert_to_tensor(v)])
        assert not recorded([y])
        with tape.stop_recording():
            assert not recorded([x])
    assert not recorded([x])


def test_prevented_gradients_take_their_arguments_by_place(installed):
    prevent_gradient = names_after("from tensorflow.python.ops.array_ops import prevent_gradient")["prevent_gradient"]
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = prevent_gradient(x * 3, "not this way")
    assert y.numpy() == 6
    with pytest.raises(LookupError, match="not this way"):
        tape.gradient(y, x)
