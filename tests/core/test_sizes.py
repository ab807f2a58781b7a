"""Sizes that are not known: arithmetic gives sizes, questions are remembered, and `computed` answers for others."""

import itertools

import numpy as np
import pytest

from tapeflow.core.sizes import (
    Expression,
    Known,
    Reliance,
    Size,
    alike,
    computed,
    estimated,
    holds,
    larger,
    public,
    smaller,
    specialized,
)


def sizes(*now):
    relied_on = []
    return [Size(Expression("size", k), n, relied_on) for k, n in enumerate(now)], relied_on


PROGRAMS = [
    lambda n, m: n + 2, lambda n, m: 2 + n, lambda n, m: n - m, lambda n, m: 10 - n, lambda n, m: n * m * 3,
    lambda n, m: (n * 4) // 4, lambda n, m: (4 * n) // n, lambda n, m: (n * m) // m, lambda n, m: n // 3,
    lambda n, m: -n + n, lambda n, m: n % 3, lambda n, m: (n * 5) % 5, lambda n, m: 17 % n, lambda n, m: 17 // n,
    lambda n, m: (n + m) * (n - 1), lambda n, m: larger(n - 4, 0), lambda n, m: smaller(n, m),
    lambda n, m: smaller(larger(n, 3), 5), lambda n, m: -n, lambda n, m: n - n, lambda n, m: n * 0,
    lambda n, m: n * 1 + 0, lambda n, m: -(-n // 2),
]  # fmt: skip


@pytest.mark.parametrize("k", range(len(PROGRAMS)))
def test_what_is_computed_later_is_what_python_computes(k):
    """Traced for one pair of sizes, right for every other, and nothing was asked."""
    (n, m), relied_on = sizes(6, 4)
    made = PROGRAMS[k](n, m)
    assert estimated(made) == PROGRAMS[k](6, 4)
    for a, b in itertools.product((1, 2, 3, 7, 8), repeat=2):
        assert specialized(made, {0: a, 1: b}) == PROGRAMS[k](a, b)
    assert relied_on == []


def test_questions_are_answered_for_now_and_remembered():
    (n, m), relied_on = sizes(6, 4)
    assert n > m and n != 1 and not n < 3 and n and n >= 6 and m <= 4 and int(n) == 6 and float(m) == 4.0
    true_for = lambda a, b: all(computed(question, {0: a, 1: b}) == answer for question, answer in relied_on)
    assert true_for(6, 4) and not true_for(6, 5) and not true_for(1, 4)


def test_a_size_equals_itself_without_a_question():
    (n, m), relied_on = sizes(6, 6)
    assert (
        n == n * 1
        and alike((n, 3), (n, 3))
        and not alike((n, 3), (m, 3))
        and not alike((n,), (6,))
        and not alike((n,), (n, n))
    )
    assert (n == None) is False and (n == "6") is False  # noqa: E711
    assert relied_on == [] and n == m and len(relied_on) == 1


def test_numbers_that_are_not_whole_are_of_now():
    [n], relied_on = sizes(6)
    assert n / 4 == 1.5 and 3 / n == 0.5 and n * 0.5 == 3.0 and n + 0.5 == 6.5 and type(n * 0.5) is float
    assert {answer for question, answer in relied_on} == {True}


def test_a_trace_for_nothing():
    """Where a size is 0 now it divides nothing, and what was multiplied by it cannot be told."""
    (n, m), _ = sizes(0, 3)
    assert specialized((n * m) // m, {0: 5, 1: 2}) == 5
    with pytest.raises(ZeroDivisionError):
        (n * m) // n


def test_numpy_numbers_and_loops():
    [n], relied_on = sizes(3)
    assert specialized(n * np.int64(2), {0: 5}) == 10 and specialized(np.int32(2) + n, {0: 5}) == 7
    assert [k for k in range(n)] == [0, 1, 2] and np.zeros(n).shape == (3,)  # noqa: C416
    assert relied_on


def test_parameters_are_settled_inside():
    [n], _ = sizes(3)
    assert specialized(((None, n, 1), [n + 1, "x"], n, None), {0: 7}) == ((None, 7, 1), [8, "x"], 7, None)
    assert public((n, 4)) == (None, 4) and repr(n) == "None" and hash(n) == hash(n * 1)


def test_other_objects_decide_themselves():
    [n], _ = sizes(3)

    class Matrix:
        def __rmul__(self, other):
            return "scaled"

        __radd__ = __rsub__ = __rmul__

    assert n * Matrix() == n + Matrix() == n - Matrix() == "scaled"


def test_numpy_takes_a_size_for_a_number():
    """np.arange(size) was an array of objects, and became a tensor of strings."""
    [n], relied_on = sizes(3)
    assert np.arange(n).dtype == np.int64 and np.prod((n, 2)) == 6 and n**0.5 == 3**0.5 and 2**n == 8
    assert (np.array([3, 4]) * n).tolist() == [9, 12] and (np.array([1, 5]) < n).tolist() == [True, False]
    assert relied_on
    assert np.array([n, 1], object)[0] is n


def test_a_size_that_many_are_made_of_is_computed_once():
    """As trees, these would be 6**60 steps."""
    [n], relied_on = sizes(10**6)
    now = 10**6
    for _ in range(60):
        n = larger((n + 1) // 2 * 2 + n - n // 2 - n % 3, n)
        now = max((now + 1) // 2 * 2 + now - now // 2 - now % 3, now)
    assert estimated(n) == now == specialized(n, {0: 10**6})
    known = Known({0: 7})
    assert specialized((n, n + 1), known) == (specialized(n, {0: 7}), specialized(n, {0: 7}) + 1)
    assert relied_on == [] and n == larger(n, 0) + 0 - 0


def test_a_factor_leaves_nothing_over():
    (n, _), relied_on = sizes(6, 4)
    assert type((n * 5) % 5) is int and type((n * 5) % n) is int and type((n * 5) % 3) is Size
    assert relied_on == []


def test_a_factor_that_is_nothing_now_divides_nothing():
    """Later it may be another number."""
    (n, none), _ = sizes(6, 0)
    for divide in (lambda: (n * none) // none, lambda: (n * none) % none):
        with pytest.raises(ZeroDivisionError):
            divide()


def test_sizes_of_which_nothing_is_known_may_be_what_makes_it_true():
    relied_on = Reliance()
    late, now = Size(Expression("size", 0), None, relied_on), Size(Expression("size", 1), 5, relied_on)
    relied_on.now[1] = 5
    assert holds(lambda: True) and not holds(lambda: False, (2,), (3,))
    assert holds(lambda: late == 3, (late,)) and late.now == 3
    assert not holds(lambda: late == 4, (late,))  # it was taken for 3 above
    assert not holds(lambda: now == 3, (now,))  # the call says 5


def test_sizes_that_were_found_equal_are_taken_for_the_same():
    relied_on = Reliance()
    a, b, c = [Size(Expression("size", n), None, relied_on) for n in range(3)]
    assert a == b and b == c
    assert holds(lambda: c == 5, (c,)) and (a.now, b.now, c.now) == (5, 5, 5)


@pytest.mark.parametrize(("made", "number"), [(lambda s: s * 4, 12), (lambda s: 2 + s * 3, 11), (lambda s: s + 1, 4)])
def test_sizes_in_sums_and_products_are_taken_for_what_fits(made, number):
    late = Size(Expression("size", 0), None, Reliance())
    assert holds(lambda: made(late) == number, (late,)) and late.now == 3


@pytest.mark.parametrize(("made", "number"), [(lambda s: s * 4, 13), (lambda s: s + 5, 4), (lambda s: s // 2, 7)])
def test_sizes_that_nothing_makes_fit(made, number):
    late = Size(Expression("size", 0), None, Reliance())
    assert not holds(lambda: made(late) == number, (late,))
