"""Primitives as others: each composition computes what its primitive's own kernel does."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import REGISTRY
from tapeflow.core.tensor import EagerTensor
from tapeflow.export.compositions import COMPOSITIONS
from tests.ops.samples import all_samples

SAMPLES = all_samples()
ROW_BY_ROW = {"true_places": {2, 3, 4, 5}}  # which no composition does


@pytest.mark.parametrize("name", sorted(COMPOSITIONS))
def test_is_the_primitive(name):
    prim = REGISTRY[name]
    for k, sample in enumerate(SAMPLES[name]):
        args = [np.asarray(a) for a in sample.args]
        if any(a.dtype.kind == "c" for a in args) or k in ROW_BY_ROW.get(name, ()):
            continue
        tensors = lambda args=args: [EagerTensor(a) for a in args]
        with np.errstate(all="ignore"):
            want = tf.nest.flatten(prim.entry(*tensors(), **sample.params))
            try:
                got = tf.nest.flatten(COMPOSITIONS[name](*tensors(), **sample.params))
            except NotImplementedError:  # parameters that it is not for
                assert name in ("unslice",)
                continue
        assert len(got) == len(want)
        for one, other in zip(got, want):
            assert (one.dtype, tuple(one.shape)) == (other.dtype, tuple(other.shape)), f"{name}, sample {k}"
            a, b = np.asarray(one.numpy()), np.asarray(other.numpy())
            if b.dtype.kind == "f":
                digits = 1e-10 if b.dtype == np.float64 else 2 * float(np.finfo(b.dtype).eps)
                np.testing.assert_allclose(
                    a.astype(float), b.astype(float), digits * 8, digits, err_msg=f"{name}, sample {k}"
                )
            elif b.dtype.kind == "V":
                np.testing.assert_allclose(a.astype(float), b.astype(float), 0.02, err_msg=f"{name}, sample {k}")
            else:
                np.testing.assert_array_equal(a, b, err_msg=f"{name}, sample {k}")
