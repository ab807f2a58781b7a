"""tf.einsum against np.einsum, its gradients against finite differences, and its errors."""

import numpy as np
import pytest

import tapeflow as tf
from tests.ops.test_registry import check_gradients

EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("ij,kj->ki", (2, 3), (4, 3)),
    ("ii->i", (3, 3)),
    ("ii", (3, 3)),
    ("ba", (2, 3)),
    ("iij->ji", (3, 3, 2)),
    ("iii->i", (2, 2, 2)),
    ("iijj->ij", (2, 2, 3, 3)),
    ("ij->", (2, 3)),
    ("ij->j", (2, 3)),
    ("ijk->ki", (2, 3, 4)),
    ("i,i->", (3,), (3,)),
    ("i,j->ji", (2,), (3,)),
    ("i,i->i", (3,), (3,)),
    ("i,j->", (2,), (3,)),
    ("i,j->i", (2,), (3,)),
    ("ij,ij->ij", (2, 3), (2, 3)),
    ("ii,ij->j", (3, 3), (3, 2)),
    (",->", (), ()),
    (",i->i", (), (3,)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 2)),
    ("bqhd,bkhd->bhqk", (2, 3, 2, 4), (2, 5, 2, 4)),
    ("bhqk,bkhd->bqhd", (2, 2, 3, 5), (2, 5, 2, 4)),
    ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)),
    ("...ij,...jk->...ik", (1, 2, 3), (4, 3, 2)),
    ("...i,i", (2, 3), (3,)),
    ("i...->...i", (2, 3, 4)),
    ("...,...->...", (2, 1), (3,)),
    ("a...,a->...", (2, 3), (2,)),
    ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
    ("ij,jk,ki->", (2, 3), (3, 4), (4, 2)),
    ("i,i,i->i", (3,), (3,), (3,)),
    ("ij,jk,kl,lm->im", (2, 3), (3, 2), (2, 4), (4, 2)),
    ("iJ,Jk->ik", (2, 3), (3, 4)),
    ("ab,cd,ef->fdb", (2, 2), (2, 3), (2, 2)),
    ("ij,ij,jk->ik", (2, 3), (2, 3), (3, 2)),
    ("ij,k->ki", (2, 3), (4,)),
    ("ijk,ilm->jl", (2, 3, 2), (2, 3, 2)),
]


def operands(shapes, dtype=float):
    rng = np.random.default_rng(0)
    parts = [rng.normal(size=s) + (1j * rng.normal(size=s) if dtype is complex else 0) for s in shapes]
    return [np.asarray(p) for p in parts]


@pytest.mark.parametrize(("equation", "shapes"), [(e, s) for e, *s in EQUATIONS], ids=lambda v: str(v))
def test_values_and_gradients(equation, shapes):
    xs = operands(shapes)
    np.testing.assert_allclose(tf.einsum(equation, *xs).numpy(), np.einsum(equation, *xs), rtol=1e-10, atol=1e-12)
    check_gradients(lambda *t: [tf.einsum(equation, *t)], [tf.constant(x) for x in xs], equation, 2, 1e-4)


@pytest.mark.parametrize("equation", ["ij,jk->ik", "ij,kj->ik"])
def test_complex(equation):
    xs = operands([(3, 3), (3, 3)], complex)
    np.testing.assert_allclose(tf.einsum(equation, *xs).numpy(), np.einsum(equation, *xs))
    check_gradients(lambda *t: [tf.einsum(equation, *t)], [tf.constant(x) for x in xs], equation, 2, 1e-4)


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64, tf.float16, tf.bfloat16, tf.float32, tf.complex64])
def test_dtypes(dtype):
    a = tf.cast([[1, 2], [3, 4]], dtype)
    assert tf.einsum("ij,jk->ik", a, a).dtype == dtype
    assert tf.cast(tf.einsum("ii", a), tf.float32).numpy() == 5


@pytest.mark.parametrize("optimize", ["greedy", "optimal", False, True, ["einsum_path", (0, 1)]])
def test_orders_agree(optimize):
    xs = operands([(2, 30), (30, 4), (4, 5)])
    np.testing.assert_allclose(
        tf.einsum("ij,jk,kl->il", *xs, optimize=optimize).numpy(), np.einsum("ij,jk,kl->il", *xs)
    )


@pytest.mark.parametrize(
    ("equation", "shapes", "error", "text"),
    [
        ("i->ii", [(2,)], ValueError, "more than once"),
        ("ij,jk->iz", [(2, 2), (2, 2)], ValueError, "label z not present"),
        ("ij,jk->ik", [(2, 2)], ValueError, "Got 1 inputs"),
        ("i1->i", [(2, 2)], ValueError, "incorrect format"),
        ("ij->jk->i", [(2, 2)], ValueError, "incorrect format"),
        ("..ij->i", [(2, 2)], ValueError, "incorrect format"),
        ("ij,jk->ik", [(2, 2), (1, 2)], tf.errors.InvalidArgumentError, "dimension"),
        ("ii->", [(1, 2)], tf.errors.InvalidArgumentError, "dimension"),
        ("ij->i", [(2,)], tf.errors.InvalidArgumentError, "rank 2"),
        ("...ij->ji", [(1, 2, 3)], tf.errors.InvalidArgumentError, "no ellipsis"),
    ],
)
def test_errors(equation, shapes, error, text):
    with pytest.raises(error, match=text):
        tf.einsum(equation, *[tf.ones(s) for s in shapes])


def test_unknown_keyword():
    with pytest.raises(TypeError, match="foo"):
        tf.einsum("ij->ji", tf.ones([2, 2]), foo=1)


def test_dtypes_do_not_mix():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.einsum("i,i->", tf.constant([1, 2]), tf.constant([1.0, 2.0]))


def test_the_equation_comes_first():
    with pytest.raises(TypeError, match=r"such as 'ij,jk->ik', and comes first; got EagerTensor"):
        tf.einsum(tf.ones([2, 2]), "ij->i")
