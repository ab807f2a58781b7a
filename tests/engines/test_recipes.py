"""What both engines' samplers share, by exact properties."""

import numpy as np
import pytest

from tapeflow.engines import recipes


@pytest.mark.parametrize(
    ("low", "high", "name"),
    [(-3.0, 4.0, "normal"), (-0.1, 0.1, "uniform"), (0.5, 0.8, "uniform"), (3.0, np.inf, "exponential")],
)
def test_one_recipe_for_each_row(low, high, name):
    found = recipes.recipes(np, np.array([low]), np.array([high]))
    assert [recipe.__name__ for recipe, rows in found if rows[0]] == [name]


def test_rows_without_room_have_no_recipe():
    assert not any(rows.any() for _, rows in recipes.recipes(np, np.array([2.0, 1.0]), np.array([1.0, 1.0])))


@pytest.mark.parametrize("name", ["normal", "uniform", "exponential"])
def test_what_is_accepted_has_the_density_of_the_law(name):
    """Shares of accepted numbers in the two halves of an interval, against the normal distribution function."""
    from scipy.stats import norm

    low, high = np.array([0.4]), np.array([1.9])
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=(1, 2**15, 4)) if name == "normal" else rng.uniform(size=(1, 2**15, 4))
    z, good = getattr(recipes, name)(np, low, high, drawn)
    z = z[good]
    assert ((low <= z) & (z <= high)).all() and len(z) > 5000
    places = np.linspace(0.4, 1.9, 6)
    law = np.diff(norm.cdf(places)) / (norm.cdf(1.9) - norm.cdf(0.4))
    np.testing.assert_allclose(np.histogram(z, places)[0] / len(z), law, atol=0.02)


def test_halves_hold_the_index():
    for most in (1, 2, 255, 2**16, 2**16 + 1, 2**40):
        half = recipes.half_of(most)
        assert half >= 8 and most - 1 < 2 ** (2 * half)


def test_round_keys_fit_their_half_and_depend_on_both_words():
    keys = lambda a, b: [int(k) for k in recipes.round_keys(np.uint64(a), np.uint64(b), 11, np.uint64)]
    base = keys(123456789, 987654321)
    assert len(base) == 4 and all(0 <= k < 2**11 for k in base)
    assert keys(123456788, 987654321) != base != keys(123456789, 987654320)
    with_both = recipes.round_keys(np.uint64(5), np.uint64(6), 8, np.uint64)
    assert [int(k) for k in with_both[1:3]] == [5, 6]
