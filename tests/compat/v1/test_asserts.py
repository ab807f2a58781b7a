"""Assertions with `data` as an argument: a true one passes, a false one raises with the message."""

import pytest

import tapeflow as tf

v1 = tf.compat.v1
CASES = {
    "equal": ((1, 1), (1, 2)), "near": ((1.0, 1.0), (1.0, 1.1)), "less": ((1, 2), (2, 2)),
    "less_equal": ((2, 2), (3, 2)), "greater": ((2, 1), (2, 2)), "greater_equal": ((2, 2), (1, 2)),
    "none_equal": ((1, 2), (1, 1)), "positive": ((1,), (0,)), "negative": ((-1,), (0,)),
    "non_negative": ((0,), (-1,)), "non_positive": ((0,), (1,)), "rank": (([1], 1), ([1], 2)),
    "rank_at_least": (([1], 1), ([1], 2)),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_true_and_false(name):
    check, (true, false) = getattr(v1, f"assert_{name}"), CASES[name]
    check(*true, ["data"], message="why")
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="why"):
        check(*false, ["data"], message="why")


def test_all_finite_gives_the_tensor():
    assert v1.verify_tensor_all_finite(tf.constant([1.0]), "why").numpy() == [1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="why"):
        v1.verify_tensor_all_finite(x=tf.constant([float("nan")]), message="why")
