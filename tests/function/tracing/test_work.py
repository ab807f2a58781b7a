"""How much work tracing is: it grows with the number of layers and not faster, whatever sizes are open."""

import gc
import sys

import pytest

import tapeflow as tf

OPEN = [None, None, None, 2]


def lines_run(function):
    """How many lines of Python a call takes: unlike time, the same on any machine. (What other tests left behind is
    not collected meanwhile, which takes lines, too.)"""
    count, before = 0, sys.gettrace()

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    gc.collect()
    gc.disable()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
        gc.enable()
    return count


def convolutions(layers, shape, strides=1, masked=False):
    filters = [tf.ones([3, 3, 2, 2]) * 0.1] * layers

    def step(x):
        if masked:  # a size that depends on values
            x = tf.boolean_mask(x, x[:, 0, 0, 0] > 0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for w in filters:
                y = tf.nn.max_pool2d(tf.nn.conv2d(y, w, strides, "SAME"), 2, 1, "SAME")
            total = tf.reduce_sum(y)
        return tape.gradient(total, x)

    return tf.function(step, input_signature=[tf.TensorSpec(shape)]), tf.ones([2, 8, 8, 2])


def reshapes(layers):
    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def step(x):
        y = x
        for _ in range(layers):
            y = tf.reshape(tf.concat([y, x], 0)[1:], [-1, 2])
        return y

    return step, tf.ones([4, 2])


def branches(layers):
    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def step(x):
        for _ in range(layers):
            x = tf.cond(tf.reduce_sum(x) > 0, lambda x=x: x + 1, lambda x=x: x - 1)
        return x

    return step, tf.ones([4, 2])


@pytest.mark.parametrize(
    "make",
    [
        lambda n: convolutions(n, OPEN),
        lambda n: convolutions(n, OPEN, strides=2),
        lambda n: convolutions(n, [None, 8, 8, 2], masked=True),
        lambda n: convolutions(n, OPEN, strides=2, masked=True),
        reshapes,
        branches,
    ],
)
def test_work_is_linear_in_the_number_of_layers(make):
    def work(layers):
        step, x = make(layers)
        return lines_run(step.get_concrete_function), lines_run(lambda: step(x))

    work(2)  # what happens once in a process
    for few, some, many in zip(work(6), work(12), work(24)):
        # Twice as many more layers, twice as much more work: sizes were once collected anew at every operation (3.4).
        assert many - some < 2.2 * (some - few)
