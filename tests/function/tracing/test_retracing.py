"""The warning about functions that are traced again and again: when it comes, and which argument it names."""

import logging

import pytest

import tapeflow as tf


def train(batch, rate=0.1, *, layer=None, steps=1):
    return tf.nest.flatten(batch)[0] * rate


class Layer:
    pass


def warnings(caplog, calls):
    f = tf.function(train)
    with caplog.at_level(logging.WARNING, "tapeflow"):
        for args, kwargs in calls:
            f(*args, **kwargs)
    return [record.getMessage() for record in caplog.records]


@pytest.mark.parametrize(
    "call,says",
    [
        (
            lambda k: ((tf.ones([2]), 0.1 * k), {}),
            r"the value of argument `rate` changes \(0.30000000000000004, then 0.4\). Pass a tensor",
        ),
        (
            lambda k: ((tf.ones([2]),), {"steps": k}),
            "the value of argument `steps` changes (3, then 4). Pass a tensor",
        ),
        (
            lambda k: ((tf.ones([k + 1]),), {}),
            "the shape of argument `batch` changes ((4,), then (5,)). Use reduce_retracing=True",
        ),
        (
            lambda k: (({"image": tf.ones([k, 2]), "label": tf.ones([2])},), {}),
            "the shape of argument `batch_image` changes ((3, 2), then (4, 2))",
        ),
        (lambda k: ((tf.zeros([2], [tf.float32, tf.float64][k % 2]), [0.5, 0.25, 0.125][k // 2]), {}), "changes ("),
        (
            lambda k: ((tf.ones([2]),), {"layer": Layer()}),
            "argument `layer` is another object each time. Pass the same object",
        ),
        (
            lambda k: (([tf.ones([2])] * (k + 1),), {}),
            "the structure of its arguments changes. Pass the same containers",
        ),
    ],
)
def test_it_names_what_changes(caplog, call, says):
    found = warnings(caplog, [call(k) for k in range(5)])
    assert len(found) == 1
    assert (
        found[0].startswith("5 out of the last 5 calls to train triggered tf.function retracing")
        and says.replace("\\", "") in found[0]
    )


def test_it_comes_twice_at_most(caplog):
    assert len(warnings(caplog, [((tf.ones([k]),), {}) for k in range(20)])) == 2


def test_other_calls_in_between(caplog):
    twice = [((tf.ones([2]), k // 2), {}) for k in range(10)]
    assert "5 out of the last 9 calls" in warnings(caplog, twice)[0]
    caplog.clear()
    assert warnings(caplog, [((tf.ones([2]), k // 4), {}) for k in range(40)]) == []


def test_sizes_that_one_trace_serves_are_not_retraced(caplog):
    f = tf.function(train, reduce_retracing=True)
    with caplog.at_level(logging.WARNING, "tapeflow"):
        for k in range(10):
            f(tf.ones([k + 1]))
    assert caplog.records == []


def test_functions_made_in_a_loop(caplog):
    with caplog.at_level(logging.WARNING, "tapeflow"):
        for k in range(8):
            tf.function(lambda x: x + 1)(tf.constant(k))
    assert len(caplog.messages) == 2
    assert "5 out of the last 5 calls to <lambda> triggered tf.function retracing" in caplog.messages[0]
    assert "made of it again and again. Make it once, outside of the loop." in caplog.messages[0]


def test_methods_of_many_objects_are_no_loop(caplog):
    """Each has the code of its class: who trained five models was told that they make one again and again."""

    class Model:
        def step(self, x):
            return x + 1

    with caplog.at_level(logging.WARNING, "tapeflow"):
        for k in range(8):
            tf.function(Model().step)(tf.constant(k))
    assert caplog.messages == []
