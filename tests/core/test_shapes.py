import pickle

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.shapes import Dimension

S = tf.TensorShape


def test_a_shape_is_a_tuple():
    s = S([2, None, 3])
    assert (s[0], s[1], s[-1], len(s), s.rank, tuple(s), s == [2, None, 3], hash(s) == hash((2, None, 3))) == (
        2,
        None,
        3,
        3,
        3,
        (2, None, 3),
        True,
        True,
    )
    assert s[1:] == [None, 3] and isinstance(s[1:], S)
    assert str(s) == "(2, None, 3)" and repr(s) == "TensorShape([2, None, 3])"
    four = [4]
    assert s + four == [2, None, 3, 4] and four + s == [4, 2, None, 3]
    assert pickle.loads(pickle.dumps(s)) == s
    a, b, c = s
    assert (a, b, c) == (2, None, 3)


def test_unknown_rank():
    s = S(None)
    assert (
        s.rank is None
        and not s
        and s.dims is None
        and s[0] is None
        and str(s) == "<unknown>"
        and s.num_elements() is None
    )
    for f in (lambda: len(s), lambda: list(s), lambda: s.as_list()):
        with pytest.raises(ValueError):
            f()
    assert pickle.loads(pickle.dumps(s)).rank is None
    one = [1]
    assert s + one is s and S([1]) != s and s == None  # noqa: E711


def test_questions():
    assert S([2, 3]).num_elements() == 6 and S([2, None]).num_elements() is None
    assert (
        S([2, None]).is_compatible_with([2, 5])
        and not S([2, None]).is_compatible_with([3, 5])
        and S(None).is_compatible_with([1])
    )
    assert S([2, 3]).is_fully_defined() and not S([None]).is_fully_defined()
    assert S([2, 3]).is_subtype_of([None, 3]) and not S([None, 3]).is_subtype_of([2, 3]) and S([1]).is_subtype_of(None)
    assert S([2, 3]).most_specific_compatible_shape([2, 4]) == [2, None]
    assert S([2]).most_specific_compatible_shape([2, 4]).rank is None
    assert S([2, None]).merge_with([None, 3]) == [2, 3] and S(None).with_rank(2) == [None, None]


@pytest.mark.parametrize(
    "f",
    [
        lambda s: s.merge_with([3, 3]), lambda s: s.with_rank(1), lambda s: s.with_rank_at_least(3),
        lambda s: s.with_rank_at_most(1), lambda s: s.assert_is_compatible_with([1, 1]),
        lambda s: s.assert_has_rank(1), lambda s: s.assert_same_rank([1]),
        lambda s: S([None]).assert_is_fully_defined(), lambda s: S([-1]),
    ],
)  # fmt: skip
def test_contradictions(f):
    with pytest.raises(ValueError):
        f(S([2, 3]))


def test_sizes_are_ints():
    assert S([tf.constant(2), 3]) == [2, 3] and S(4) == [4]
    with pytest.raises(TypeError, match="int or None"):
        S([2.5])


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


def test_of_a_shape():
    """TensorFlow: ([1, 2], 'Dimension'), and None where a size is not known."""
    dims = tf.zeros([1, 2]).shape.dims
    assert [d.value for d in dims] == [1, 2] and type(dims[0]).__name__ == "Dimension"
    assert [d.value for d in tf.TensorShape([None, 3]).dims] == [None, 3] and tf.TensorShape(None).dims is None


def test_sizes_are_ordered():
    three, unknown = Dimension(3), Dimension(None)
    assert three < 4 and three <= 3 and three > Dimension(2) and three >= 3 and not three < 3
    assert max(three, Dimension(4)).value == 4
    assert [unknown < 3, three > unknown, unknown != 3, three >= None] == [None] * 4
    assert [(three % 2).value, (7 % three).value, (unknown % 2).value] == [1, 1, None]
    assert three and not unknown and not Dimension(0)


def test_what_several_shapes_share():
    shape = tf.TensorShape([1, None])
    assert shape.most_specific_common_supertype([tf.TensorShape([1, 2])]).as_list() == [1, None]
    three = [tf.TensorShape([2, 3]), tf.TensorShape([2, 4])]
    assert tf.TensorShape([2, 3]).most_specific_common_supertype(three).as_list() == [2, None]
    assert tf.TensorShape([1]).most_specific_common_supertype([tf.TensorShape([2, 3])]).rank is None
    assert tf.TensorShape([3]) == 3 and tf.TensorShape([3]) != 4 and tf.TensorShape([3, 3]) != 3


def test_sizes_in_an_array_of_numpy():
    """NumPy compared number by number, and `if shape == array` was an error."""
    assert tf.TensorShape([2, 3]) == np.array([2, 3]) and tf.TensorShape([]) == np.array([], np.int32)
    assert tf.TensorShape([2, 3]) != np.array([2, 4]) and (tf.TensorShape(None) == np.array([2])) is False
    assert (tf.TensorShape([2, None]) == np.array([2, 3])) is False
