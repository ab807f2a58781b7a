"""The lists of functions of one number and of two."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.experimental.elementwise_apis import KINDS

# All but that of a scalar and a tensor.
BINARY = [f for f, kind in KINDS.items() if kind == "binary" and f is not tf.math.scalar_mul]


@pytest.mark.parametrize("function", BINARY, ids=lambda f: f.__name__)
def test_functions_of_two_numbers_work_element_by_element(function):
    for dtype in (np.float32, np.int32, bool):
        a, b = np.array([1, 2, 1], dtype), np.array([1, 1, 2], dtype)
        try:
            whole = function(a, b).numpy()
        except (TypeError, ValueError, tf.errors.OpError):
            continue
        assert whole.tolist() == [function(a[k : k + 1], b[k : k + 1]).numpy()[0] for k in range(3)]
        return
    raise AssertionError("takes none of these dtypes")


def test_there_are_as_many_as_in_tensorflow():
    kinds = list(KINDS.values())
    assert kinds.count("unary") > 90 and kinds.count("binary") > 30 and kinds.count("assert") == 7
