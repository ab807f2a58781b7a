"""Operations of `tf.raw_ops` that exported graphs use: what TensorFlow gives for them (`values.npz`)."""

from pathlib import Path

import numpy as np

import tapeflow as tf
from tests.api.raw_ops.values import CALLS, answers


def test_results_are_those_of_tensorflow():
    with np.load(Path(__file__).parent / "values.npz") as stored:
        wanted = dict(stored)
    found = answers(tf, False)
    for key, value in wanted.items():
        name = f"{key} {CALLS[int(key.partition('/')[0])][0]}"
        assert found[key].shape == value.shape, name
        if value.dtype.kind in "fc":
            np.testing.assert_allclose(found[key], value, rtol=1e-5, atol=1e-5, err_msg=name)
        else:
            assert found[key].tolist() == value.tolist(), name
            assert found[key].dtype.kind == value.dtype.kind, name
