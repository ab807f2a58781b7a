"""Assertions that TensorFlow's TestCase has besides those about tensors: about containers, text, messages and
structures."""

import contextlib
import os
import re
import tempfile
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tapeflow.api import nest
from tapeflow.core.errors import InvalidArgumentError, OpError

__all__ = ["CapturedWrites", "CaseAssertions"]


class CapturedWrites:
    """What `captureWritesToStream` captures."""

    def __init__(self, read: Callable[[], str]) -> None:
        self.contents: Callable[[], str] = read  #: The text that was written so far.


class CaseAssertions(unittest.TestCase):
    """The part of `tf.test.TestCase` that is not about tensors."""

    # ---- containers

    def assertLen(self, container: Any, expected_len: int, msg: str | None = None) -> None:
        """The container has so many elements.

        Args:
            container: What has a length.
            expected_len: The number.
        """
        self.assertEqual(
            len(container), expected_len, msg or f"{container!r} has length {len(container)}, expected {expected_len}."
        )

    def assertEmpty(self, container: Any, msg: str | None = None) -> None:
        """The container has no elements.

        Args:
            container: What has a length.
        """
        self.assertFalse(len(container), msg or f"{container!r} is not empty.")

    def assertNotEmpty(self, container: Any, msg: str | None = None) -> None:
        """The container has elements.

        Args:
            container: What has a length.
        """
        self.assertTrue(len(container), msg or f"{container!r} is empty.")

    def assertContainsSubset(self, expected_subset: Any, actual_set: Any, msg: str | None = None) -> None:
        """All of these are in the set.

        Args:
            expected_subset: What has to be there.
            actual_set: What is there.
        """
        missing = set(expected_subset) - set(actual_set)
        self.assertFalse(missing, msg or f"Missing elements {missing}")

    def assertNoCommonElements(self, expected_seq: Any, actual_seq: Any, msg: str | None = None) -> None:
        """No element is in both.

        Args:
            expected_seq: The first elements.
            actual_seq: The others.
        """
        common = set(expected_seq) & set(actual_seq)
        self.assertFalse(common, msg or f"Common elements {common}")

    def assertItemsEqual(self, expected_seq: Any, actual_seq: Any, msg: str | None = None) -> None:
        """The same elements, each as often, in any order.

        Args:
            expected_seq: What is expected.
            actual_seq: What there is.
        """
        self.assertCountEqual(expected_seq, actual_seq, msg)

    def assertSameElements(self, expected_seq: Any, actual_seq: Any, msg: str | None = None) -> None:
        """The same elements, however often."""
        self.assertEqual(set(expected_seq), set(actual_seq), msg)

    def assertSequenceStartsWith(self, prefix: Any, whole: Any, msg: str | None = None) -> None:
        """The sequence begins with these elements.

        Args:
            prefix: The first elements.
            whole: The sequence.
        """
        self.assertSequenceEqual(list(prefix), list(whole)[: len(prefix)], msg)

    def assertSameStructure(self, a: Any, b: Any, aname: str = "a", bname: str = "b", msg: str | None = None) -> None:
        """Both have the same structure.

        Args:
            aname: What `a` is called in the message.
            bname: What `b` is called in it.
        """
        try:
            nest.assert_same_structure(a, b)
        except (TypeError, ValueError) as error:
            self.fail(msg or f"{aname} and {bname} have different structures: {error}")

    # ---- text and numbers

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """The text begins so.

        Args:
            actual: The text.
            expected_start: Its beginning.
        """
        self.assertTrue(actual.startswith(expected_start), msg or f"{actual!r} does not start with {expected_start!r}")

    def assertEndsWith(self, actual: str, expected_end: str, msg: str | None = None) -> None:
        """The text ends so.

        Args:
            actual: The text.
            expected_end: Its end.
        """
        self.assertTrue(actual.endswith(expected_end), msg or f"{actual!r} does not end with {expected_end!r}")

    def assertRegexMatch(self, actual_str: str, regexes: Any, message: str | None = None) -> None:
        """The text matches one of the expressions.

        Args:
            actual_str: The text.
            regexes: Regular expressions.
            message: The text of the failure.
        """
        self.assertTrue(
            any(re.search(regex, actual_str) for regex in regexes),
            message or f"{actual_str!r} matches none of {regexes}",
        )

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: str | None = None) -> None:
        """The value lies between the bounds, or on one.

        Args:
            minv: The lower bound.
            maxv: The upper bound.
        """
        self.assertTrue(minv <= value <= maxv, msg or f"{value!r} is not between {minv!r} and {maxv!r}")

    def assertArrayNear(self, farray1: Any, farray2: Any, err: float, msg: str | None = None) -> None:
        """The numbers are equal up to an error, one by one.

        Args:
            farray1: Numbers.
            farray2: As many others.
            err: How far apart they may be.
        """
        self.assertEqual(len(farray1), len(farray2), msg)
        for f1, f2 in zip(farray1, farray2):
            self.assertTrue(abs(float(f1) - float(f2)) <= err, msg or f"{f1} and {f2} differ by more than {err}.")

    def assertNDArrayNear(self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None) -> None:
        """The Euclidean distance of the arrays is small.

        Args:
            ndarray1: An array.
            ndarray2: Another of the same shape.
            err: The distance that is too large.
        """
        distance = np.linalg.norm(np.ravel(np.asarray(ndarray1) - np.asarray(ndarray2)))
        self.assertTrue(distance < err, msg or f"The arrays are {distance} apart, more than {err}.")

    def assertSequenceAlmostEqual(
        self,
        expected_seq: Any,
        actual_seq: Any,
        places: int | None = None,
        msg: str | None = None,
        delta: float | None = None,
    ) -> None:
        """The numbers are almost equal, one by one.

        Args:
            expected_seq: What is expected.
            actual_seq: What there is.
            places: To how many digits after the point; None: 7.
            delta: How far apart they may be, in the place of `places`.
        """
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for a, b in zip(expected_seq, actual_seq):
            self.assertAlmostEqual(a, b, places, msg, delta)

    def assertDictAlmostEqual(
        self,
        a: dict[Any, Any],
        b: dict[Any, Any],
        places: int | None = None,
        msg: str | None = None,
        delta: float | None = None,
    ) -> None:
        """The same keys, and values that are almost equal.

        Args:
            places: To how many digits after the point; None: 7.
            delta: How far apart they may be, in the place of `places`.
        """
        self.assertEqual(a.keys(), b.keys(), msg)
        for key in a:
            self.assertAlmostEqual(a[key], b[key], places, msg, delta)

    # ---- errors

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type: Any, expected_err_re_or_predicate: Any) -> Iterator[None]:
        """An error of the type whose text the expression matches, or for which the function holds.

        Args:
            exception_type: The class of the error.
            expected_err_re_or_predicate: A regular expression for the text, or a function of the error.
        """
        matches: Callable = expected_err_re_or_predicate
        if not callable(matches):
            matches = lambda error: re.search(expected_err_re_or_predicate, str(error)) is not None
        try:
            yield
        except exception_type as error:
            self.assertTrue(matches(error), f"{type(error).__name__} was raised, but with another text: {error}")
        else:
            self.fail(f"{exception_type} was not raised.")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """The same for one of `tf.errors`.

        Args:
            expected_err_re_or_predicate: A regular expression for the text, or a function of the error.

        Returns:
            A context manager.
        """
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesWithLiteralMatch(self, expected_exception: Any, expected_exception_message: str) -> Any:
        """An error of the type with exactly this text.

        Args:
            expected_exception: The class of the error.
            expected_exception_message: Its text.

        Returns:
            A context manager.
        """
        return self.assertRaisesWithPredicateMatch(
            expected_exception, lambda error: str(error) == expected_exception_message
        )

    def assertRaisesIncompatibleShapesError(self, exception_type: Any = InvalidArgumentError) -> Any:
        """An error about shapes that do not fit each other.

        Args:
            exception_type: The class of the error.

        Returns:
            A context manager.
        """
        return self.assertRaisesWithPredicateMatch(
            exception_type, "Incompatible shapes|Dimensions must be equal|required broadcastable shapes"
        )

    # ---- streams

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """A context in which nothing reaches the file of `stream`, also of what compiled code writes.

        Args:
            stream: A stream with a file, `sys.stderr` say.

        Returns:
            An object whose `contents()` is what was written instead, in the context and after it.
        """
        stream.flush()
        target = stream.fileno()
        kept = os.dup(target)
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "writes"

            def written() -> str:
                stream.flush()
                return place.read_text(encoding="utf-8", errors="replace")

            captured = CapturedWrites(written)
            with open(place, "wb") as file:
                os.dup2(file.fileno(), target)
                try:
                    yield captured
                finally:
                    text = written()
                    captured.contents = lambda: text
                    os.dup2(kept, target)
                    os.close(kept)

    # ---- sessions, which version 2 does not need

    @contextlib.contextmanager
    def session(self, *args: Any, **kwargs: Any) -> Iterator[None]:
        """A context in which operations run; they do anyway."""
        yield

    cached_session = test_session = session
