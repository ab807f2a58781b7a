"""Do shapes fit? What is not known can be anything."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core import fitting


def test_sizes():
    assert fitting.differ(2, 3) and not fitting.differ(2, 2) and not fitting.differ(2, None)
    assert fitting.same_sizes((2, None), (2, 3)) and not fitting.same_sizes((2,), (2, 1))
    assert not fitting.same_sizes((2, 3), (None, 4))


@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 1), (2, 3), (1, 2, 3), (2,), (0,)])
@pytest.mark.parametrize("target", [(2, 3), (3,), (0,), (1,)])
def test_spreading_is_numpys(shape, target):
    try:
        np.broadcast_to(np.zeros(shape), target)
        can = True
    except ValueError:
        can = False
    assert fitting.spreads(shape, target) is can


def test_unknown_sizes_may_spread():
    assert fitting.spreads((None,), (3,)) and fitting.spreads((2,), (None,)) and not fitting.spreads((None, 2), (3,))


def test_numbers_of_elements():
    assert fitting.same_number((2, 3), (6,)) and not fitting.same_number((2, 3), (5,))
    assert fitting.same_number((None, 3), (7,)) and fitting.same_number((0, 5), (3, 0))


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda x: fitting.check_rank(x, 3, "x"), r"x must have rank 3 or more, got shape \(2, 3\)"),
        (lambda x: fitting.check_exact_rank(x, 1), r"Input must have rank 1, got shape \(2, 3\)"),
        (lambda x: fitting.check_axes(x, 0, 2), "axis 2 is out of bounds for a tensor of rank 2"),
        (lambda x: fitting.along_axis(x, axis=(0, -3)), "axis -3 is out of bounds"),
        (
            lambda x: fitting.check_same("logits and labels", x.shape, (2, 4)),
            "logits and labels must have the same shape",
        ),
    ],
)
def test_what_does_not_fit(check, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        check(np.zeros((2, 3)))


def test_what_fits():
    x = np.zeros((2, 3))
    fitting.check_rank(x, 2), fitting.check_exact_rank(x, 2), fitting.check_axes(x, -2, 1)
    fitting.check_same("both", (2, None), (2, 3))
    assert fitting.along_axis(x, axis=-1) is fitting.along_last(x) is x
