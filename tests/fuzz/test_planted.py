"""A fuzzer that finds nothing may be blind: errors are planted, and a search as short as that of `make test` must find
each."""

import numpy as np
import pytest

import tapeflow as tf
from fuzz.search import search
from tapeflow.core.dtypes import FLOATING
from tapeflow.core.primitive import REGISTRY, primitive
from tapeflow.ops.families import same_shape

RIGHT = dict(kernel=lambda xp, x: xp.sin(x), vjp=lambda ops, g, x: g * ops.cos(x))


@pytest.fixture
def plant(monkeypatch):
    """Declares `tf.math.planted(x)`, a sine with some rules replaced, for the time of a test."""

    def declare(**rules):
        planted = primitive("planted(x)", shape=same_shape, dtypes=FLOATING, **(RIGHT | rules))
        monkeypatch.setattr(tf.math, "planted", lambda x: planted(x), raising=False)

    yield declare
    REGISTRY.pop("planted")


def kinds_found(name="math.planted", rounds=40):
    return {d.kind for d in search(tf, [name], seed=0, rounds=rounds).disagreements}


def test_what_is_right_is_left_alone(plant):
    plant()
    assert not kinds_found()


def test_a_wrong_kernel(plant):
    plant(kernel=lambda xp, x: xp.sin(x) if xp is np else xp.sin(x) * 1.001)
    assert kinds_found() == {"xla"}


def test_a_wrong_gradient(plant):
    plant(vjp=lambda ops, g, x: g * ops.cos(x) * 1.001)
    assert "gradient" in kinds_found()


def test_a_wrong_second_gradient(plant, monkeypatch):
    plant()
    sine = tf.math.planted

    @tf.custom_gradient
    def slope(x):
        return tf.cos(x), lambda g: -1.001 * g * tf.sin(x)

    @tf.custom_gradient
    def wrong(x):
        return tf.sin(x), lambda g: g * slope(x)

    monkeypatch.setattr(
        tf.math, "planted", lambda x: wrong(tf.convert_to_tensor(x)) if x.dtype.is_floating else sine(x)
    )
    assert "second gradient" in kinds_found()


def test_a_wrong_tangent(plant):
    plant(jvp=lambda ops, t, x: t * ops.cos(x) * 1.001)
    assert kinds_found() == {"forward"}


def test_a_wrong_batching_rule(plant):
    plant(batch=lambda op, args, batched, params: op(*args) * 1.001)
    assert "map" in kinds_found()


def test_what_only_a_function_gets_wrong(plant, monkeypatch):
    plant()
    sine = tf.math.planted
    monkeypatch.setattr(tf.math, "planted", lambda x: sine(x) if tf.executing_eagerly() else sine(x) + 0.01)
    assert "plan" in kinds_found()


def test_an_error_is_no_value(plant, monkeypatch):
    plant()
    monkeypatch.setattr(tf.math, "planted", lambda x: tf.constant(float(tf.reduce_sum(x))))
    assert "plan" in kinds_found()
