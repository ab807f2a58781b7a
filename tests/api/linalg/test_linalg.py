"""The namespace: what is loaded when it is asked for is listed, and is there."""

import numpy as np
import pytest

import tapeflow as tf
from tests.rounding import close


def test_operators_are_loaded_when_they_are_asked_for():
    names = [name for name in dir(tf.linalg) if name.startswith("LinearOperator")]
    assert "LinearOperatorDiag" in names and "experimental" in dir(tf.linalg)
    assert all(isinstance(getattr(tf.linalg, name), type) for name in names)
    with pytest.raises(AttributeError, match="LinearOperatorDiagg"):
        tf.linalg.LinearOperatorDiagg  # noqa: B018


def test_two_names_of_one_function():
    assert tf.matrix_square_root is tf.linalg.sqrtm


@pytest.mark.parametrize("size", [1.5 * 2.0**1023, 2.0**-1030])
def test_logarithms_of_numbers_at_the_ends_of_the_range(size):
    # SciPy's steps overflow there, and went on for ever.
    x = np.array([[size, 0.0], [size / 2, size]], complex)
    close(tf.linalg.logm(x).numpy(), [[np.log(size), 0], [0.5, np.log(size)]], terms=4, size=1.0)
    pair = np.stack([x, np.diag([2.0 + 0j, 3.0])])
    close(tf.linalg.logm(pair).numpy()[1], np.diag(np.log([2.0, 3.0])), terms=4, size=1.0)
