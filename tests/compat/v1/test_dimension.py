"""Sizes as objects: what is not known stays unknown through arithmetic."""

import pytest

from tapeflow.compat.v1 import Dimension


def test_arithmetic():
    three, unknown = Dimension(3), Dimension(None)
    assert [(three + 2).value, (2 + three).value, (three - 1).value, (three * three).value, (three // 2).value] == [
        5, 5, 2, 9, 1,
    ]  # fmt: skip
    assert [(unknown + 1).value, (three * unknown).value] == [None, None]
    assert [1, 2, 3, 4][three] == 4 and int(three) == 3


def test_an_unknown_size_is_equal_to_nothing():
    assert Dimension(3) == 3 and Dimension(3) != 4 and Dimension(3) == Dimension(Dimension(3))
    assert (Dimension(None) == 3) is None and Dimension(3) != "three"
    assert len({Dimension(3), Dimension(3), Dimension(4)}) == 2


def test_sizes_that_can_be_the_same():
    three, unknown = Dimension(3), Dimension(None)
    assert unknown.merge_with(3).value == three.merge_with(None).value == 3
    assert not three.is_compatible_with(4)
    with pytest.raises(ValueError, match="Dimensions 3 and 4 are not compatible"):
        three.merge_with(4)


def test_what_is_no_size():
    with pytest.raises(ValueError, match="must be >= 0"):
        Dimension(-1)
    with pytest.raises(TypeError):
        Dimension(1.5)
    assert str(Dimension(None)) == "?" and repr(Dimension(2)) == "Dimension(2)"
