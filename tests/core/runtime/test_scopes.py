"""Which part of a program an operation belongs to."""

from collections import namedtuple

import tapeflow as tf
from tapeflow.core.errors import user_line, user_place
from tapeflow.core.runtime.scopes import open_scope, replayed

Node = namedtuple("Node", "line place scope")


def test_names_are_joined():
    assert open_scope() == ""
    with tf.name_scope("model"), tf.name_scope("dense"):
        assert open_scope() == "model/dense"


def test_an_operation_that_is_replayed_knows_its_own_place():
    token = replayed.set(Node("step.py:3", ("/programs/step.py", 3), "model"))
    try:
        with tf.name_scope("elsewhere"):
            assert (user_line(), user_place(), open_scope()) == ("step.py:3", ("/programs/step.py", 3), "model")
    finally:
        replayed.reset(token)
    assert user_line().startswith("test_scopes.py:") and open_scope() == ""


def test_nobody_knows_it_after_an_error():
    @tf.function
    def step(x):
        return tf.debugging.check_numerics(tf.math.log(x), "log")

    with tf.debugging.explain_gradients():
        for _ in range(2):
            try:
                with tf.GradientTape() as tape:
                    tape.watch(x := tf.constant(0.0))
                    step(x)
            except tf.errors.InvalidArgumentError:
                pass
            assert user_line().startswith("test_scopes.py:")
