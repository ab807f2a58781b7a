import itertools

import pytest

import tapeflow as tf
from tapeflow.core.runtime import settings

DTYPES = {
    "b1": tf.bool, "u1": tf.uint8, "u2": tf.uint16, "u4": tf.uint32, "u8": tf.uint64, "i1": tf.int8, "i2": tf.int16,
    "i4": tf.int32, "i8": tf.int64, "bf": tf.bfloat16, "f2": tf.float16, "f4": tf.float32, "f8": tf.float64,
    "c8": tf.complex64, "c16": tf.complex128,
}  # fmt: skip
NAMES = list(DTYPES)
# TensorFlow's results, by experiment: rows and columns in the order of NAMES, "-" where it refuses.
SAFE = """
b1  u1  u2  u4  u8  i1  i2  i4  i8  bf  f2  f4  f8  c8  c16
u1  u1  u2  u4  u8  -   i2  i4  i8  bf  f2  f4  f8  c8  c16
u2  u2  u2  u4  u8  -   -   i4  i8  -   -   f4  f8  c8  c16
u4  u4  u4  u4  u8  -   -   -   i8  -   -   -   f8  -   c16
u8  u8  u8  u8  u8  -   -   -   -   -   -   -   -   -   -
i1  -   -   -   -   i1  i2  i4  i8  bf  f2  f4  f8  c8  c16
i2  i2  -   -   -   i2  i2  i4  i8  -   -   f4  f8  c8  c16
i4  i4  i4  -   -   i4  i4  i4  i8  -   -   -   f8  -   c16
i8  i8  i8  i8  -   i8  i8  i8  i8  -   -   -   -   -   -
bf  bf  -   -   -   bf  -   -   -   bf  -   f4  f8  c8  c16
f2  f2  -   -   -   f2  -   -   -   -   f2  f4  f8  c8  c16
f4  f4  f4  -   -   f4  f4  -   -   f4  f4  f4  f8  c8  c16
f8  f8  f8  f8  -   f8  f8  f8  -   f8  f8  f8  f8  -   c16
c8  c8  c8  -   -   c8  c8  -   -   c8  c8  c8  -   c8  c16
c16 c16 c16 c16 -   c16 c16 c16 -   c16 c16 c16 c16 c16 c16
"""
ALL = """
b1  u1  u2  u4  u8  i1  i2  i4  i8  bf  f2  f4  f8  c8  c16
u1  u1  u2  u4  u8  i2  i2  i4  i8  bf  f2  f4  f8  c8  c16
u2  u2  u2  u4  u8  i4  i4  i4  i8  bf  f2  f4  f8  c8  c16
u4  u4  u4  u4  u8  i8  i8  i8  i8  bf  f2  f4  f8  c8  c16
u8  u8  u8  u8  u8  f8  f8  f8  f8  bf  f2  f4  f8  c8  c16
i1  i2  i4  i8  f8  i1  i2  i4  i8  bf  f2  f4  f8  c8  c16
i2  i2  i4  i8  f8  i2  i2  i4  i8  bf  f2  f4  f8  c8  c16
i4  i4  i4  i8  f8  i4  i4  i4  i8  bf  f2  f4  f8  c8  c16
i8  i8  i8  i8  f8  i8  i8  i8  i8  bf  f2  f4  f8  c8  c16
bf  bf  bf  bf  bf  bf  bf  bf  bf  bf  f4  f4  f8  c8  c16
f2  f2  f2  f2  f2  f2  f2  f2  f2  f4  f2  f4  f8  c8  c16
f4  f4  f4  f4  f4  f4  f4  f4  f4  f4  f4  f4  f8  c8  c16
f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  f8  c16 c16
c8  c8  c8  c8  c8  c8  c8  c8  c8  c8  c8  c8  c16 c8  c16
c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16 c16
"""
# The same for Python's True, 1, 1.0 and 1j.
PYTHON = {
    "safe": dict(
        b1="b1 i4 f4 c16", u1="u1 u1 - c16", u2="u2 u2 - c16", u4="u4 u4 - c16", i1="i1 i1 - c16", i2="i2 i2 - c16",
        i4="i4 i4 - c16", f2="f2 f2 f2 -", f4="f4 f4 f4 -", f8="f8 f8 f8 c16", c8="c8 c8 c8 c8", c16="c16 c16 c16 c16",
    ),
    "all": dict(
        b1="b1 i4 f4 c16", u1="u1 u1 f8 c16", i4="i4 i4 f8 c16", i8="i8 i8 f8 c16", bf="bf bf bf c8",
        f2="f2 f2 f2 c8", f4="f4 f4 f4 c8", f8="f8 f8 f8 c16", c8="c8 c8 c8 c8", c16="c16 c16 c16 c16",
    ),
}  # fmt: skip


@pytest.fixture
def behaviour(monkeypatch):
    monkeypatch.setattr(settings, "numpy_promotion", False)
    return tf.experimental.numpy.experimental_enable_numpy_behavior


def outcome(*values):
    try:
        return tf.experimental.numpy.result_type(*values)
    except TypeError as error:
        assert str(error).startswith("In promotion mode PromoMode.SAFE, implicit dtype promotion between")
        return None


@pytest.mark.parametrize(("mode", "table"), [("safe", SAFE), ("all", ALL)])
def test_modes_of_promotion(mode, table, behaviour):
    behaviour(dtype_conversion_mode=mode)
    rows = [line.split() for line in table.strip().splitlines()]
    for (a, row), (b, column) in itertools.product(zip(NAMES, rows), enumerate(NAMES)):
        assert outcome(DTYPES[a], DTYPES[column]) is DTYPES.get(row[b]), (a, column)
    for name, results in PYTHON[mode].items():
        for number, result in zip((True, 1, 1.0, 1j), results.split(), strict=True):
            assert outcome(DTYPES[name], number) is DTYPES.get(result), (name, number)


def test_operators_by_modes(behaviour):
    one, half = tf.constant([1]), tf.constant([0.5])
    behaviour(dtype_conversion_mode="all")
    assert (one + half).dtype is tf.float32 and (one + 0.5).dtype is tf.float64
    behaviour(dtype_conversion_mode="safe")
    assert (tf.constant([1], tf.int8) + one).dtype is tf.int32 and (half + 1).dtype is tf.float32
    for refused in (lambda: one + half, lambda: one + 0.5, lambda: tf.add(one, half)):
        with pytest.raises(TypeError, match="In promotion mode PromoMode"):
            refused()
    behaviour()
    assert (one + half).dtype is tf.float64
    with pytest.raises(ValueError, match="dtype_conversion_mode"):
        behaviour(dtype_conversion_mode="other")
