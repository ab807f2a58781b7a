"""The assertions of `tf.test.TestCase`."""

import os

import numpy as np
import pytest

import tapeflow as tf


def test_other_assertions():
    case = tf.test.TestCase()
    case.assertLen([1, 2], 2)
    case.assertEmpty([])
    case.assertNotEmpty([1])
    case.assertBetween(2, 1, 3)
    case.assertStartsWith("abc", "ab")
    case.assertSameElements([1, 1, 2], [2, 1])
    case.assertItemsEqual([1, 2], [2, 1])
    case.assertContainsSubset([1], [1, 2])
    case.assertSameStructure({"a": 1}, {"a": 2})
    case.assertArrayNear([1.0], [1.01], 0.1)
    case.assertNDArrayNear(np.ones(2), np.ones(2), 1e-6)
    case.assertDictAlmostEqual({"a": 1.0}, {"a": 1.0 + 1e-9})
    with case.assertRaisesOpError("broke"):
        raise tf.errors.InternalError(None, None, "it broke")
    with case.session():
        pass
    for failing in (
        lambda: case.assertLen([1], 2),
        lambda: case.assertEmpty([1]),
        lambda: case.assertBetween(4, 1, 3),
        lambda: case.assertSameStructure([1], {"a": 2}),
        lambda: case.assertArrayNear([1.0], [2.0], 0.1),
        lambda: case.assertSequenceAlmostEqual([1.0], [2.0]),
    ):
        with pytest.raises(AssertionError):
            failing()
    with pytest.raises(AssertionError, match="not raised"), case.assertRaisesWithPredicateMatch(ValueError, "x"):
        pass
    with pytest.raises(AssertionError, match="another text"), case.assertRaisesWithPredicateMatch(ValueError, "x"):
        raise ValueError("y")


def test_shapes_that_do_not_fit():
    case = tf.test.TestCase()
    with case.assertRaisesIncompatibleShapesError():
        tf.ones([2]) + tf.ones([3])
    with pytest.raises(AssertionError, match="not raised"), case.assertRaisesIncompatibleShapesError():
        tf.ones([2]) + tf.ones([2])
    with pytest.raises(AssertionError, match="another text"), case.assertRaisesIncompatibleShapesError(ValueError):
        raise ValueError("something else")


def test_writes_to_a_stream(tmp_path):
    case = tf.test.TestCase()
    with open(tmp_path / "log", "w+", encoding="utf-8") as stream:
        print("before", file=stream)
        with case.captureWritesToStream(stream) as captured:
            print("during", file=stream)
            assert captured.contents() == "during\n"
            os.write(stream.fileno(), b"by a file's number\n")
        print("after", file=stream)
    assert captured.contents() == "during\nby a file's number\n"
    assert (tmp_path / "log").read_text() == "before\nafter\n"
    with open(tmp_path / "log", "w+", encoding="utf-8") as stream:
        with pytest.raises(KeyError), case.captureWritesToStream(stream):
            raise KeyError
        print("after", file=stream)
    assert (tmp_path / "log").read_text() == "after\n"
