"""The shape that shapes make together, and matrices that are not repeated for it."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.broadcasting import broadcast_shapes, one_matrix_for_many


@pytest.mark.parametrize(
    "shapes", [[(2, 1), (3,)], [(), (4,)], [(1, 0), (5, 1)], [(2, 3), (2, 3)], [(1,), (1, 1), (7, 1)]]
)
def test_as_numpy(shapes):
    assert broadcast_shapes(*shapes) == np.broadcast_shapes(*shapes)


def test_sizes_that_are_not_known():
    assert broadcast_shapes((None, 3), (1,)) == (None, 3)
    assert broadcast_shapes((None,), (4,)) == (4,)
    assert broadcast_shapes((None,), (1,)) == broadcast_shapes((None,), (None,)) == (None,)


def test_shapes_that_do_not_fit():
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2,3\] vs. \[4\]"):
        broadcast_shapes((2, 3), (4,))


def test_one_matrix_is_solved_for_once():
    asked = []

    def solve(a, b):
        asked.append((a.shape, b.shape))
        return np.linalg.solve(a, b)

    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 1, 3, 3)) + 3 * np.eye(3), rng.normal(size=(4, 3, 2))
    found = one_matrix_for_many(solve)(a, b)
    np.testing.assert_allclose(found, np.linalg.solve(a, np.broadcast_to(b, (2, 4, 3, 2))), rtol=1e-12)
    assert asked == [((2, 3, 3), (1, 3, 8))]  # four right-hand sides of two columns
