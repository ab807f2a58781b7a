"""tf.debugging: what holds, what does not, with which exception; and the numerics check on the way forward and
back."""

import threading

import numpy as np
import pytest

import tapeflow as tf

D = tf.debugging
Invalid = tf.errors.InvalidArgumentError


@pytest.mark.parametrize(
    "call",
    [
        lambda: D.assert_equal([2, 2], 2),
        lambda: D.assert_equal("a", "a"),
        lambda: D.assert_none_equal([1, 2], 3),
        lambda: D.assert_less([1.0], 2.0),
        lambda: D.assert_less_equal([2.0], 2.0),
        lambda: D.assert_greater([3.0], 2.0),
        lambda: D.assert_greater_equal([2.0], 2.0),
        lambda: D.assert_near(1.0, 1.0000001),
        lambda: D.assert_near(tf.constant(1.0, tf.float16), tf.constant(1.001, tf.float16)),
        lambda: D.assert_near(np.inf, np.inf),
        lambda: D.assert_positive([]),
        lambda: D.assert_positive([1, 2]),
        lambda: D.assert_negative([-1.0]),
        lambda: D.assert_non_negative([0]),
        lambda: D.assert_non_positive([0]),
        lambda: D.assert_rank([1], 1),
        lambda: D.assert_rank([1], tf.constant(1)),
        lambda: D.assert_rank_at_least([[1]], 1),
        lambda: D.assert_rank_in([1], (1, 2)),
        lambda: D.assert_scalar(1.0),
        lambda: D.assert_type(1.0, tf.float32),
        lambda: D.assert_integer(tf.constant(1, tf.uint8)),
        lambda: D.assert_proper_iterable({"a": 1}),
        lambda: D.assert_shapes([([[1, 2]], ("N", "Q")), ([3, 4], ("Q",))]),
        lambda: D.assert_shapes(
            [([[1, 2]], "NQ"), ([[1, 2]], (..., 2)), ([[1, 2]], ("*", "Q")), ([[1, 2]], (None, "."))]
        ),
        lambda: D.assert_shapes([(1.0, ()), (1.0, ("N",))]),
        lambda: D.Assert(True, ["x"]),
    ],
)
def test_holds(call):
    assert call() is None


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: D.assert_equal([1, 2], [1, 3]), Invalid),
        (lambda: D.assert_equal([1.0, 2.0], [1.0, 2.0, 3.0]), Invalid),
        (lambda: D.assert_none_equal([1, 2], 2), Invalid),
        (lambda: D.assert_less(1, 1), Invalid),
        (lambda: D.assert_near(1.0, 1.0001), Invalid),
        (lambda: D.assert_near(np.nan, np.nan), Invalid),
        (lambda: D.assert_near(1, 1), ValueError),
        (lambda: D.assert_positive([1, 0]), Invalid),
        (lambda: D.assert_positive([np.nan]), Invalid),
        (lambda: D.assert_negative([1.0]), Invalid),
        (lambda: D.assert_non_negative([-1.0]), Invalid),
        (lambda: D.assert_non_positive([1.0]), Invalid),
        (lambda: D.assert_rank([1], 2), ValueError),
        (lambda: D.assert_rank([1], 1.5), TypeError),
        (lambda: D.assert_rank([1], [1]), ValueError),
        (lambda: D.assert_rank_at_least([1], 2), ValueError),
        (lambda: D.assert_rank_in([1], (0, 2)), ValueError),
        (lambda: D.assert_scalar([1.0]), ValueError),
        (lambda: D.assert_type(1.0, tf.int32), TypeError),
        (lambda: D.assert_integer(1.0), TypeError),
        (lambda: D.assert_proper_iterable("ab"), TypeError),
        (lambda: D.assert_proper_iterable(np.ones(2)), TypeError),
        (lambda: D.assert_proper_iterable(tf.ones(2)), TypeError),
        (lambda: D.assert_proper_iterable(3), TypeError),
        (lambda: D.assert_same_float_dtype([tf.constant(1.0), tf.constant(2.0, tf.float64)]), ValueError),
        (lambda: D.assert_same_float_dtype([tf.constant(1)]), ValueError),
        (lambda: D.assert_shapes([([[1, 2]], ("N", "Q")), ([3, 4, 5], ("Q",))]), ValueError),
        (lambda: D.assert_shapes([([[1, 2]], (1, 3))]), ValueError),
        (lambda: D.assert_shapes([([[1, 2]], ("N",))]), ValueError),
        (lambda: D.assert_shapes([([[1, 2]], (1, "*"))]), ValueError),
        (lambda: D.Assert(False, ["x", tf.constant([1, 2])]), Invalid),
        (lambda: D.check_numerics([np.nan, 1.0, np.inf], "m"), Invalid),
        (lambda: D.check_numerics([1], "m"), Invalid),
        (lambda: D.assert_all_finite([np.inf], "m"), Invalid),
    ],
)
def test_does_not_hold(call, error):
    with pytest.raises(error):
        call()


def test_the_message_shows_what_was_compared():
    with pytest.raises(Invalid) as caught:
        D.assert_less(tf.constant([1.0, 5.0]), 3.0, message="too large")
    text = str(caught.value)
    assert text.startswith("too large\nCondition x < y did not hold.") and "at (1,): x = 5, y = 3" in text


def test_check_numerics_counts():
    with pytest.raises(Invalid, match=r"acts : Tensor had Inf and NaN values \(2 of 3 elements\)"):
        D.check_numerics(tf.constant([np.nan, 1.0, np.inf]), "acts")


def test_small_answers():
    assert D.assert_same_float_dtype() is tf.float32
    assert (
        D.is_numeric_tensor(tf.constant(1))
        and not D.is_numeric_tensor(3)
        and not D.is_numeric_tensor(tf.constant(True))
    )


# ---- the numerics check of every operation


@pytest.fixture
def checking():
    D.enable_check_numerics()
    yield
    D.disable_check_numerics()


def test_forward_names_the_operation(checking):
    with pytest.raises(Invalid, match='in op "log": 1 infinite of 2 elements') as caught:
        tf.math.log(tf.constant([0.0, 1.0]))
    assert "input 0: float32 (2,) from 0 to 1" in str(caught.value) and "test_values.py" in str(caught.value)


def test_backward_names_both_operations(checking):
    x = tf.constant(0.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sqrt(x)
    with pytest.raises(Invalid, match='part of the gradient of "sqrt"'):
        tape.gradient(y, x)


def test_finite_gradients_are_as_ever(checking):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v**3)
    assert tape.gradient(y, v).numpy().tolist() == [3.0, 12.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.identity(tf.constant([np.nan])),
        lambda: tf.reshape(tf.constant([np.nan]), [1, 1]),
        lambda: tf.concat([tf.constant([np.inf]), tf.constant([1.0])], 0),
        lambda: tf.maximum(tf.constant([np.inf]), tf.constant([1.0])),
        lambda: tf.math.is_nan(tf.constant([np.nan])),
    ],
)
def test_what_only_hands_on_is_not_blamed(checking, call):
    call()


def test_a_cast_that_overflows_is(checking):
    with pytest.raises(Invalid):
        tf.cast(tf.constant([1e300], tf.float64), tf.float32)


def test_it_can_be_enabled_twice_and_inside_a_tape():
    with tf.GradientTape():
        D.enable_check_numerics()
        D.enable_check_numerics()
    with pytest.raises(Invalid):
        tf.math.log(tf.constant(0.0))
    D.disable_check_numerics()
    D.disable_check_numerics()
    assert np.isneginf(tf.math.log(tf.constant(0.0)).numpy())


def test_it_holds_for_one_thread(checking):
    results = []
    thread = threading.Thread(target=lambda: results.append(tf.math.log(tf.constant(0.0)).numpy()))
    thread.start()
    thread.join()
    assert np.isneginf(results[0])


def test_numpy_functions_may_leave_while_only_the_checker_looks_on():
    # the checker was taken for a tape, so NumPy functions that are not ours were refused
    tf.debugging.enable_check_numerics()
    try:
        assert isinstance(np.unwrap(tf.constant([0.0, 1.0])), np.ndarray)
    finally:
        tf.debugging.disable_check_numerics()


# ---- in vectorised functions


def test_assertions_are_about_all_rows():
    x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"At 3 of 6.*\n  at row 1, \(0,\): x = 4, y = 1"):
        tf.vmap(lambda r: tf.debugging.assert_equal(r, [1.0, 2.0, 3.0]))(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"at row 0, \(0,\): x = 1, y = 1"):
        tf.vmap(lambda r: tf.debugging.assert_less(r[0], r))(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"at row \(1, 1\), \(\): x = 5, y = 5"):
        tf.vmap(tf.vmap(lambda e: tf.debugging.assert_less(e, 5.0)))(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="x > 0 did not hold"):
        tf.vmap(lambda r: tf.debugging.assert_positive(r - 2))(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="largest difference is 5"):
        tf.vmap(lambda r: tf.debugging.assert_near(r, 1.0))(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected the condition"):
        tf.vmap(lambda r: tf.debugging.Assert(r[0] > 2, [r]))(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="activations"):
        tf.vmap(lambda r: tf.debugging.check_numerics(1 / (r - 2), "activations"))(x)

    def fine(r):
        tf.debugging.assert_positive(r)
        tf.debugging.assert_less(r, tf.reduce_sum(r) + 1)
        tf.debugging.Assert(r[0] > 0, [r])
        return r

    assert tf.vmap(fine)(x).shape == [2, 3]


def test_check_numerics_looks_into_rows():
    def logs(r):
        tf.debugging.enable_check_numerics()
        return tf.math.log(r)

    with pytest.raises(tf.errors.InvalidArgumentError, match='"log": 1 infinite of 2 elements'):
        tf.vmap(logs)(tf.constant([1.0, 0.0]))
    tf.debugging.enable_check_numerics()
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match='"log": 1 infinite of 2 elements'):
            tf.vmap(tf.math.log)(tf.constant([1.0, 0.0]))
    finally:
        tf.debugging.disable_check_numerics()


def test_printing_rows(capsys):
    tf.vmap(lambda r: tf.print("r =", r, {"first": r[0]}, tf.constant(3)) or r)(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert capsys.readouterr().err == "r = rows [[1 2]\n [3 4]] {'first': rows [1 3]} 3\n"


@pytest.mark.parametrize("map_", [tf.vmap, lambda f: lambda x: tf.vectorized_map(f, x)])
@pytest.mark.parametrize(
    "assign",
    [
        lambda v, r: v.assign(r),
        lambda v, r: v.assign_add(r),
        lambda v, r: v.assign_sub(r),
        lambda v, r: v[0].assign(r[0]),
        lambda v, r: v.scatter_nd_update([[0]], r[:1]),
    ],
)
def test_a_variable_has_one_value(assign, map_):
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="one for each row"):
        map_(lambda r: assign(v, r))(tf.constant([[1.0, 2.0], [3.0, 4.0]]))
    assert v.numpy().tolist() == [1, 2]
