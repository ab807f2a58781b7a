"""The namespace: what is loaded when it is asked for is listed, and is there."""

import pytest

import tapeflow as tf


def test_operators_are_loaded_when_they_are_asked_for():
    names = [name for name in dir(tf.linalg) if name.startswith("LinearOperator")]
    assert "LinearOperatorDiag" in names and "experimental" in dir(tf.linalg)
    assert all(isinstance(getattr(tf.linalg, name), type) for name in names)
    with pytest.raises(AttributeError, match="LinearOperatorDiagg"):
        tf.linalg.LinearOperatorDiagg  # noqa: B018


def test_two_names_of_one_function():
    assert tf.linalg.matrix_square_root is tf.linalg.sqrtm
