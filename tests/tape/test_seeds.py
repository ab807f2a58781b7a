"""What `tape.gradient` is given is checked before any work, and errors say where in a structure it is."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.tape.seeds import checked_sources, checked_targets, own, seeds

X = tf.constant([1.0, 2.0])


def started(target, given=None):
    return seeds(target, checked_targets(target), given)


def test_ones_where_nothing_is_given():
    half, whole, scalar = started([tf.constant([1.0], tf.float16), tf.constant(3), tf.constant(2.0)])
    assert (half.dtype, half.numpy().tolist(), whole, scalar.numpy()) == (tf.float16, [1], None, 1)


def test_the_shared_one_is_not_handed_out():
    """A caller may watch the seed that comes back as a gradient."""
    first, second = started(tf.constant(2.0)) + started(tf.constant(3.0))
    assert first is second and own(first) is not first and own(X) is X


def test_targets_and_sources_that_are_none():
    for check, what in ((checked_targets, "Target"), (checked_sources, "Source")):
        with pytest.raises(TypeError, match=rf"{what}\['a'\]\[1\] is 3 of type int, not a tensor"):
            check({"a": [X, 3]})
    with pytest.raises(TypeError, match="The target to differentiate is None"):
        checked_targets(None)
    with pytest.raises(TypeError, match=r"The source is None"):
        checked_sources(None)


def test_composites_are_differentiated_by_what_is_in_them():
    ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
    (inside,) = checked_targets(ragged)
    assert inside is ragged.flat_values


def test_starting_gradients_have_the_structure_of_the_target():
    target = {"b": X, "a": tf.constant(1.0)}
    found = started(target, {"a": 5.0, "b": np.array([1.0, 2.0])})
    assert [np.asarray(f).tolist() for f in found] == [5, [1, 2]]  # by sorted keys
    with pytest.raises(ValueError, match="has 1 entries for 2 targets"):
        started(target, {"a": 5.0})
    with pytest.raises(ValueError, match="must have the structure of the target"):
        started(target, [5.0, X])
    with pytest.raises(ValueError, match="Every entry of output_gradients is None"):
        started([X, X], [None, None])


def test_a_starting_gradient_of_another_dtype_is_an_error():
    """A NumPy array or a number takes the target's dtype; a tensor has one of its own."""
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"output_gradients\[0\] is float64.*float32.*tf.cast"):
        started(X, tf.constant([1.0, 2.0], tf.float64))
    assert started(X, np.array([1.0, 2.0]))[0].dtype is tf.float32


def test_a_line_that_asks_for_gradients_of_integers_is_told_once(caplog):
    whole = tf.Variable(3)
    for _ in range(3):
        with tf.GradientTape() as tape:
            y = whole * 2
        assert tape.gradient(y, whole) is None
    texts = [r.message for r in caplog.records if "only floating and complex numbers have gradients" in r.message]
    assert len(texts) == 1
