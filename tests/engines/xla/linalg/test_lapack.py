"""A matrix with an infinity or a NaN comes back as NaN, beside others that are right. LAPACK's singular values of such
a matrix never came: the program hung, and Ctrl-C did not help."""

import numpy as np
import pytest

import tapeflow as tf
from tests.rounding import close

pytest.importorskip("jax", reason="the extra `xla` is not installed")

GOOD = np.array([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 0.0, 4.0]])
BATCH = np.stack([GOOD] * 5)
BATCH[1, 0, 0] = BATCH[1, 1, 1] = np.inf
BATCH[2, 0] = [0.0, -np.inf, 1e308]
BATCH[3, 2, 1] = BATCH[3, 1, 2] = np.nan
USABLE = [0, 4]


def slope_of_det(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.det(x)
    return tape.gradient(y, x)


FUNCTIONS = {
    "svd": tf.linalg.svd,
    "singular values": lambda x: tf.linalg.svd(x, compute_uv=False),
    "pinv": tf.linalg.pinv,
    "lstsq": lambda x: tf.linalg.lstsq(x, tf.ones_like(x), fast=False),
    "norm": lambda x: tf.norm(x, ord=2, axis=(-2, -1)),
    "eig": tf.linalg.eig,
    "eigvals": tf.linalg.eigvals,
    "eigh": lambda x: tf.linalg.eigh(x + tf.linalg.matrix_transpose(x)),
    "sqrtm": tf.linalg.sqrtm,
    "slope of det": slope_of_det,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_not_finite_comes_back_as_nan(name):
    compiled = tf.function(FUNCTIONS[name], jit_compile=True)
    together, alone = [tf.nest.flatten(compiled(tf.constant(x))) for x in (BATCH, GOOD)]
    for many, one in zip(together, alone, strict=True):
        for k, found in enumerate(many.numpy()):
            if k in USABLE:
                close(found, one.numpy(), terms=64, size=1.0)
            else:
                assert not np.isfinite(found).any()
