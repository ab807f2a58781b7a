import copy
import pickle
import sys

import ml_dtypes
import numpy as np
import pytest

import tapeflow as tf

c = tf.constant


@pytest.mark.parametrize(
    ("value", "as_str", "as_repr", "as_format"),
    [
        (c(1.0), "tf.Tensor(1.0, shape=(), dtype=float32)", "<tf.Tensor: shape=(), dtype=float32, numpy=1.0>", "1.0"),
        (c(3), "tf.Tensor(3, shape=(), dtype=int32)", "<tf.Tensor: shape=(), dtype=int32, numpy=3>", "3"),
        (c("a"), "tf.Tensor(b'a', shape=(), dtype=string)", "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>", "b'a'"),
        (c(True), "tf.Tensor(True, shape=(), dtype=bool)", "<tf.Tensor: shape=(), dtype=bool, numpy=True>", "True"),
        (
            c(1 + 2j),
            "tf.Tensor((1+2j), shape=(), dtype=complex128)",
            "<tf.Tensor: shape=(), dtype=complex128, numpy=(1+2j)>",
            "(1+2j)",
        ),
        (
            c(1.0, tf.bfloat16),
            "tf.Tensor(1.0, shape=(), dtype=bfloat16)",
            "<tf.Tensor: shape=(), dtype=bfloat16, numpy=1.0>",
            "1.0",
        ),
        (
            c([1.0, 2.0]),
            "tf.Tensor([1. 2.], shape=(2,), dtype=float32)",
            "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
            "[1. 2.]",
        ),
        (
            c([[1], [2]]),
            "tf.Tensor(\n[[1]\n [2]], shape=(2, 1), dtype=int32)",
            "<tf.Tensor: shape=(2, 1), dtype=int32, numpy=\narray([[1],\n       [2]], dtype=int32)>",
            "[[1]\n [2]]",
        ),
        (
            tf.zeros([0, 3]),
            "tf.Tensor([], shape=(0, 3), dtype=float32)",
            "<tf.Tensor: shape=(0, 3), dtype=float32, numpy=array([], shape=(0, 3), dtype=float32)>",
            "[]",
        ),
    ],
)
def test_formatting(value, as_str, as_repr, as_format):
    assert (str(value), repr(value), f"{value}") == (as_str, as_repr, as_format)


def test_format_specifications():
    assert f"{c(1.5):.3f}" == "1.500" and f"{c(3):>3}" == "  3"
    assert "%d" % c(3) == "3" and "%.1f" % c(1.5) == "1.5"  # noqa: UP031
    with pytest.raises(TypeError):
        f"{c([1.0, 2.0]):.2f}"


def test_python_numbers():
    assert (float(c(1.5)), int(c(1.5)), complex(c(1.0)), [10, 20][c(1)]) == (1.5, 1, 1 + 0j, 20)
    assert list(range(c(3))) == [0, 1, 2]
    for convert in (float, int, complex):
        with pytest.raises(TypeError, match="0-dimensional"):
            convert(c([1.0]))
    with pytest.raises(TypeError, match="integer"):
        range(c(3.0))


def test_truth():
    assert c(1.0) and c([1.0]) and c("a") and c(np.nan)
    assert not c(0.0) and not c([]) and not c("")
    with pytest.raises(ValueError, match=r"reduce_any"):
        bool(c([1.0, 2.0]))


def test_identity_and_hash():
    x, y = c(1.0), c(1.0)
    assert x.ref() == x.ref() and x.ref() != y.ref() and x.ref().deref() is x
    assert {x.ref(): 1}[x.ref()] == 1
    for f in (lambda: hash(x), lambda: {x: 1}, lambda: {x}):
        with pytest.raises(TypeError, match="ref"):
            f()


def test_copying_and_pickling():
    x = c([1.0, 2.0])
    assert copy.copy(x) is x and copy.deepcopy(x) is x
    for value in (x, c("a"), c(1.0, tf.bfloat16), c([True])):
        back = pickle.loads(pickle.dumps(value))
        assert back.dtype is value.dtype and np.array_equal(back.numpy(), value.numpy())


def test_attributes():
    x = c([[1.0, 2.0, 3.0]])
    assert (x.shape, x.ndim, x.size, x.dtype, len(x)) == ((1, 3), 2, 3, tf.float32, 1)
    assert x.device.endswith("CPU:0") and x.cpu() is x and x.to_device("cpu") is x
    assert x.T.shape == x.mT.shape == (3, 1)
    assert x.get_shape() == [1, 3]
    x.set_shape([None, 3])
    with pytest.raises(ValueError, match="compatible"):
        x.set_shape([2, 3])
    with pytest.raises(ValueError, match="rank 2"):
        c([1.0]).mT  # noqa: B018
    with pytest.raises(TypeError, match=r"tf\.constant"):
        tf.Tensor(1.0)


@pytest.mark.parametrize(
    "name", ["tolist", "item", "astype", "reshape", "sum", "assign", "assign_add", "backward", "foo", "grad"]
)
def test_what_tensors_do_not_have(name):
    x = c([1.0])
    assert not hasattr(x, name) and name not in dir(x)
    with pytest.raises(AttributeError, match=name):
        getattr(x, name)


def test_tensors_never_change():
    x = c([1.0])
    with pytest.raises(TypeError, match="item assignment"):
        x[0] = 1.0
    with pytest.raises(AttributeError):
        x.shape = (2,)


def test_numpy_of_every_dtype():
    assert type(c(1.0, tf.bfloat16).numpy()) is ml_dtypes.bfloat16
    assert c("a").numpy() == b"a" and c(["a"]).numpy().dtype == object
    assert type(c(1).numpy()) is np.int32
    assert np.asarray(c([1.0]), dtype=np.int64).dtype == np.int64
    assert np.array([c(1.0), c(2.0)]).tolist() == [1.0, 2.0]


def test_references_have_an_order():
    """Structures are sorted by the keys of their dictionaries; which order it is does not matter, but it stays."""
    references = [tf.Variable(1.0).ref(), tf.Variable(2.0).ref(), c(1.0).ref()]
    assert sorted(references) == sorted([references[k] for k in (2, 0, 1)])
    a, b = sorted(references)[:2]
    assert a < b and b > a and a <= b and b >= a and not b <= a and a <= a and not a < a
    with pytest.raises(TypeError):
        _ = a < 3


def test_notes_on_tensors():
    x = tf.constant([1.0])
    x._keras_mask = "mask"
    assert x._keras_mask == "mask" and not hasattr(x * 2, "_keras_mask")
    x.name_of_loss = "kl"  # any name, which used to be refused
    assert x.name_of_loss == "kl" and not hasattr(x + 0.0, "name_of_loss")
    with pytest.raises(AttributeError):
        x.shape = (1,)

    @tf.function
    def f(x):
        x.tag = 3.0
        return x * x.tag

    assert f(x).numpy().tolist() == [3.0]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes have buffers from Python 3.12 on")
def test_memory():
    x = tf.constant([[1, 2], [3, 4]])
    memory = memoryview(x)
    assert (memory.shape, memory.format, memory.readonly, memory.tolist()) == ((2, 2), "i", True, [[1, 2], [3, 4]])
    assert bytes(tf.constant([1, 2], tf.uint8)) == b"\x01\x02" and memoryview(tf.constant(1.0)).shape == ()
    assert np.asarray(tf.constant([1.0], tf.bfloat16)).dtype == tf.bfloat16.np
    assert np.asarray(tf.constant(["a"])).tolist() == [b"a"]
