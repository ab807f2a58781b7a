"""Operations of tf.raw_ops that are no public function, with TensorFlow's results."""

import numpy as np
import pytest

import tapeflow as tf

raw = tf.raw_ops
X = np.array([1.0, 2.0, 4.0, 8.0], np.float32).reshape(1, 2, 2, 1)


@pytest.mark.parametrize("version", ["", "V2", "V3"])
def test_batch_normalisation(version):
    found = getattr(raw, f"FusedBatchNorm{version}")(x=X, scale=[1.0], offset=[0.0], mean=[0.0], variance=[1.0])
    np.testing.assert_allclose(found.y.numpy().ravel(), [-1.0257481, -0.6527488, 0.09324984, 1.5852472], rtol=1e-5)
    np.testing.assert_allclose(found.batch_mean, [3.75])
    np.testing.assert_allclose(found.batch_variance, [9.583334], rtol=1e-6)
    np.testing.assert_allclose(found.reserve_space_1, [3.75])
    np.testing.assert_allclose(found.reserve_space_2, [7.1875], rtol=1e-6)
    assert len(found) == (6 if version == "V3" else 5)


def test_batch_normalisation_by_given_moments():
    found = raw.FusedBatchNormV3(x=X, scale=[1.0], offset=[0.0], mean=[1.0], variance=[2.0], is_training=False)
    np.testing.assert_allclose(found.y.numpy().ravel(), [0.0, 0.7070891, 2.1212673, 4.949624], rtol=1e-5)
    np.testing.assert_allclose(found.batch_variance, [2.0])


def test_axes_of_broadcasting():
    found = raw.BroadcastGradientArgs(s0=[2, 3, 1], s1=[4, 1, 3, 5])
    assert (found.r0.numpy().tolist(), found.r1.numpy().tolist()) == ([0, 3], [1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        raw.BroadcastGradientArgs(s0=[2], s1=[3])


def test_derivatives_of_the_gamma_distribution():
    np.testing.assert_allclose(raw.IgammaGradA(a=[1.0, 2.5], x=[0.5, 3.0]), [-0.48945752, -0.22754857], rtol=1e-5)
    np.testing.assert_allclose(
        raw.RandomGammaGrad(alpha=[1.0, 2.5], sample=[0.5, 3.0]), [0.80697906, 1.1692619], rtol=1e-5
    )


def test_diagonals_and_unique_rows():
    band = raw.MatrixDiagPartV2(input=[[1, 2, 3], [4, 5, 6]], k=[-1, 0], padding_value=9)
    assert band.numpy().tolist() == [[1, 5], [4, 9]]
    found = raw.UniqueWithCountsV2(x=[[1, 2], [1, 2], [3, 3]], axis=[0])
    assert [part.numpy().tolist() for part in found] == [[[1, 2], [3, 3]], [0, 0, 1], [2, 1]]
    found = raw.UniqueWithCountsV2(x=[7, 5, 7], axis=[])
    assert [part.numpy().tolist() for part in found] == [[7, 5], [0, 1, 0], [2, 1]]


def test_no_gradient_through_this():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = raw.PreventGradient(input=x, message="because") * 3.0
    assert y.numpy() == 6.0
    with pytest.raises(LookupError, match=r"Gradient explicitly disabled. Reason: because"):
        tape.gradient(y, x)
