"""Forward rules where finite differences cannot go: ties, -inf, free phases, one triangle read. There, <u, J v> is <Jᵀ
u, v>."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import REGISTRY, recorded

from .samples.linalg.decompositions import positive_definite
from .samples.sample import complex_normal, normal
from .test_interpretations import arrays, direction, pulled, pushed, tensors, total

INF = np.inf
TIES = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
SOME_GONE = np.array([[-INF, 0.5, -INF, 1.0], [-INF, -INF, 2.0, -INF]])

CASES = {
    "cholesky": [
        (positive_definite(3, 3), {}),
        (positive_definite(2, 4, 4), {}),
        (positive_definite(3, 3, make=complex_normal), {}),
    ],
    "eigh": [(complex_normal(3, 3), {}), (complex_normal(2, 4, 4), {}), (np.eye(3), {})],
    "eig": [(complex_normal(3, 3), {}), (normal(2, 4, 4), {})],
    "eigvalsh": [(np.eye(3), {})],
    "svd": [
        *[
            (make(*shape), {"full": full})
            for make in (normal, complex_normal)
            for shape in ((3, 3), (4, 2), (2, 2, 5))
            for full in (False, True)
        ],
        (np.eye(3), {"full": False}),
    ],
    "qr": [(complex_normal(2, 3, 5), {"full": True})],
    "pinv": [(np.ones((3, 2)), {})],
    "reduce_max": [(TIES, {"axis": axis, "keepdims": k}) for axis in ((0,), (1,), (0, 1), ()) for k in (False, True)],
    "reduce_min": [(TIES, {"axis": axis, "keepdims": k}) for axis in ((0,), (1,), (0, 1)) for k in (False, True)],
    "cumulative_logsumexp": [
        (x, {"axis": 1, "exclusive": exclusive, "reverse": reverse})
        for x in (normal(2, 3), np.array([[800.0, -800.0, 801.0]]), SOME_GONE)
        for exclusive in (False, True)
        for reverse in (False, True)
    ],
    "abs": [(np.array([0.0, -1.0]), {}), (np.array([0j, 3 + 4j]), {})],
    "sign": [(np.array([0j, 3 + 4j]), {})],
    "angle": [(np.array([0j, 3 + 4j]), {})],
}


@pytest.mark.parametrize("name,k", [(name, k) for name, cases in CASES.items() for k in range(len(cases))])
def test_forward_rule_is_the_transpose_of_the_backward_rule(name, k):
    x, params = CASES[name][k]
    prim = REGISTRY[name]
    others = (tf.constant(1e-12, tf.float64),) if name == "pinv" else ()
    f = lambda at: list(out) if isinstance(out := prim.entry(at, *others, **params), tuple) else [out]
    us, vs = direction(arrays(f(*tensors([x]))), 1), direction([x], 2)
    forward = total(us, arrays(pushed(f, tensors([x]), tensors(vs))))
    reverse = total(arrays(pulled(f, tensors([x]), tensors(us))), vs)
    assert prim.pushforward(1, len(prim.inputs)).run is not None, (
        "the stand-in would compare the backward rule with itself"
    )
    assert np.isfinite(forward)
    np.testing.assert_allclose(forward, reverse, rtol=1e-9, atol=1e-12)


def test_ties_share():
    tangent = pushed(
        lambda x: [tf.reduce_max(x, 1)], tensors([TIES]), tensors([np.array([[9.0, 1.0, 3.0], [3.0, 6.0, 9.0]])])
    )
    np.testing.assert_allclose(tangent[0], [2.0, 6.0])


def test_a_full_qr_of_a_tall_matrix_has_no_tangent():
    with pytest.raises(NotImplementedError, match="full_matrices=False"):
        pushed(lambda x: [recorded.qr(x, full=True)[0]], tensors([normal(4, 2)]), tensors([normal(4, 2)]))


def test_least_squares_has_no_tangent_either():
    with pytest.raises(ValueError, match="fast=True"):
        pushed(
            lambda x: [recorded.least_squares(x, tf.ones([4, 1], tf.float64))],
            tensors([normal(4, 2)]),
            tensors([normal(4, 2)]),
        )
