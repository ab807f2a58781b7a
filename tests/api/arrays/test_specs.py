import pickle

import pytest

import tapeflow as tf

S = tf.TensorSpec


def test_parts():
    s = S([None, 2], tf.int32, name="a")
    assert (s.shape, s.dtype, s.name, s.value_type) == ([None, 2], tf.int32, "a", tf.Tensor)
    assert repr(s) == "TensorSpec(shape=(None, 2), dtype=tf.int32, name='a')"
    assert repr(S(None)) == "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)"
    assert S([2]) == S((2,)) and S([2]) != S([3]) and S([2]) != S(None) and hash(S([2])) == hash(S((2,)))
    assert pickle.loads(pickle.dumps(s)) == s


def test_from_values():
    assert S.from_tensor(tf.constant([1])) == tf.type_spec_from_value([1]) == S([1], tf.int32)
    assert S.from_tensor(tf.Variable(1.0), name="v") == S([], name="v")
    assert S.from_spec(S([2], name="x")) == S([2], name="x") and S.from_spec(S([2]), name="q").name == "q"
    assert tf.type_spec_from_value(S([2])) == S([2])
    with pytest.raises(ValueError, match="tensor"):
        S.from_tensor([1.0])
    with pytest.raises(TypeError, match="TypeSpec"):
        tf.type_spec_from_value(object())


def test_compatibility():
    s = S([None, 2])
    assert (
        s.is_compatible_with(tf.zeros([3, 2]))
        and s.is_compatible_with(tf.Variable([[1.0, 2.0]]))
        and s.is_compatible_with(S([1, 2]))
    )
    assert s.is_compatible_with([[1.0, 2.0]])
    assert (
        not s.is_compatible_with(tf.zeros([3]))
        and not s.is_compatible_with(tf.zeros([3, 2], tf.float64))
        and not s.is_compatible_with("a")
    )
    assert (
        S([1, 2]).is_subtype_of(s) and not s.is_subtype_of(S([1, 2])) and not s.is_subtype_of(S([None, 2], tf.int32))
    )
    # One with a name asks for it; it was the other way round.
    assert s.is_subtype_of(S([None, 2], name="n")) and not S([None, 2], name="n").is_subtype_of(s)


def test_what_covers_several():
    assert S([2]).most_specific_common_supertype([S([3]), S([2])]) == S([None])
    assert S([2], name="a").most_specific_compatible_type(S([2], name="a")) == S([2], name="a")
    assert S([2]).most_specific_common_supertype([S([2], tf.int32)]) is None
    with pytest.raises(ValueError, match="covers"):
        S([2]).most_specific_compatible_type(S([2], tf.int32))


def test_slices():
    slices = tf.IndexedSlices([[1.0, 2.0]], [0], [3, 2])
    spec = tf.type_spec_from_value(slices)
    assert isinstance(spec, tf.IndexedSlicesSpec) and spec.shape == [3, 2] and spec.dtype is tf.float32
    assert spec.is_compatible_with(slices) and tf.IndexedSlicesSpec(
        [None, 2], indices_dtype=tf.int32
    ).is_compatible_with(slices)
    assert not tf.IndexedSlicesSpec([4, 2], indices_dtype=tf.int32).is_compatible_with(slices)
    assert (
        tf.IndexedSlicesSpec([2]) == tf.IndexedSlicesSpec([2])
        and len({tf.IndexedSlicesSpec([2]), tf.IndexedSlicesSpec([2])}) == 1
    )
