"""Gradients by name: kept once, refused twice."""

import pytest

import tapeflow as tf
from tapeflow.api.autodiff import gradient_registry


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    monkeypatch.setattr(gradient_registry, "_registry", {})


def test_a_function_is_kept_and_given_back():
    def backward(op, g):
        return g

    assert tf.RegisterGradient("Own")(backward) is backward
    tf.no_gradient("Other")
    kept = {name: function for name, (function, _) in gradient_registry._registry.items()}
    assert kept == {"Own": backward, "Other": None}


def test_a_name_twice_says_where_the_first_was():
    tf.no_gradient("Own")
    with pytest.raises(KeyError, match=r"two gradient with name 'Own'.*test_gradient_registry.py"):
        tf.RegisterGradient("Own")(lambda op, g: g)


def test_a_name_is_a_text():
    for call in (tf.RegisterGradient, tf.no_gradient):
        with pytest.raises(TypeError, match="op_type must be a string, got 3"):
            call(3)
