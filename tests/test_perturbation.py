"""The machine that rounds otherwise does, where machines may, and nowhere else; and it gives the same again."""

import numpy as np
import pytest

from tests.perturbation import EXACT, SUMS, perturbed
from tests.rounding import close, narrowest, same_text, tolerance

X = np.random.default_rng(0).normal(size=200).astype(np.float32)


def test_a_function_is_off_by_a_unit_in_the_last_place():
    there = perturbed(np.exp, "exp", "1")
    assert (there(X) != np.exp(X)).any()
    np.testing.assert_array_max_ulp(there(X), np.exp(X), 2)
    np.testing.assert_array_equal(there(X), there(X.copy()))
    assert (there(X) != perturbed(np.exp, "exp", "2")(X)).any()
    np.testing.assert_array_equal(there(np.float32([0, np.inf, -np.inf, np.nan])), np.float32([1, np.inf, 0, np.nan]))
    assert there(np.float32(0.3)).dtype == np.float32 and np.ndim(there(np.float32(0.3))) == 0


def test_a_sum_is_off_by_a_unit_of_its_terms():
    there = perturbed(lambda x: np.sum(x), "reduce_sum", "1")
    cancelled = np.concatenate([X * np.float32(1.1), -X * np.float32(1.1), [np.float32(0.1)]])
    assert abs(there(cancelled) - np.sum(cancelled)) <= 2 * np.finfo(np.float32).eps * np.abs(cancelled).sum()
    assert any(
        perturbed(lambda x: np.sum(x), "reduce_sum", str(seed))(cancelled) != np.sum(cancelled) for seed in range(9)
    )
    whole = np.arange(100, dtype=np.float32)  # in any order
    assert there(whole) == np.sum(whole)


def test_numbers_with_two_parts():
    z = X[:100] + 1j * X[100:]
    there = perturbed(np.exp, "exp", "1")(z)
    assert there.dtype == np.complex64
    close(there, np.exp(z))
    assert (there != np.exp(z)).any()


def test_its_tables_name_primitives():
    from tapeflow.core.primitive import REGISTRY

    assert REGISTRY.keys() >= EXACT | SUMS


@pytest.mark.parametrize(
    ("want", "got", "same"),
    [
        ("np.float32(1.609438)", "np.float32(1.6094389)", True),
        ("array([1.e-09,   -inf], dtype=float32)", "array([9.999999e-10,         -inf], dtype=float32)", True),
        ("0.8411919906082768", "0.8411919906082769", True),
        ("0.8411919906082768", "0.8411919916082768", False),
        ("1.609438", "1.60946", False),
        ("array([2, 3])", "array([2, 4])", False),
        ("float32 1.5", "float64 1.5", False),
        ("nan 1.5", "inf 1.5", False),
    ],
)
def test_same_text(want, got, same):
    assert same_text(want, got) is same


def test_a_tolerance_that_is_not_given():
    np.testing.assert_allclose(np.float32([0.5000002]), [0.5])
    for wrong in (np.float32([0.50001]), np.float64([0.5000002])):
        with pytest.raises(AssertionError):
            np.testing.assert_allclose(wrong, [0.5])


def test_close():
    close(np.float32(1 / 3) * (1 + 2e-7), 1 / 3)
    close([1e-7, 1.0], np.float32([0, 1]), terms=10, size=1)
    for wrong in (1 + 1e-5, 1 - 1e-5):
        with pytest.raises(AssertionError):
            close(np.float32(wrong), 1.0)
    assert narrowest(np.float64(1), np.float32(1), np.int32(1)) == np.float32
    assert tolerance(np.float64, 3) == 12 * np.finfo(np.float64).eps
