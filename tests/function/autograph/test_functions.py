"""Methods, closures, decorators, lambdas, variables: whose code is converted, and in which order it runs."""

import functools

import pytest

import tapeflow as tf

from .checks import V, check, slope, traced, values

malt = pytest.importorskip("malt")

from tapeflow.function.autograph import convert  # noqa: E402


class Doubling:
    def __init__(self):
        self.factor, self.calls, self.__private = 2.0, 0, 3.0

    def scaled(self, x):
        if x > 0.0:
            return x * self.factor
        return x * self.__private

    def __call__(self, x):
        self.calls += 1
        if x > 1.0:
            self.last = x
        else:
            self.last = -x
        return self.scaled(x) + self.last


class Bounded(Doubling):
    def scaled(self, x):
        y = super().scaled(x)
        return y if y < 100.0 else tf.constant(100.0)


def test_methods_attributes_and_super():
    for x in (3.0, -2.0, 80.0):
        x = tf.constant(x)
        assert values(traced(Bounded().scaled)(x)) == values(Bounded().scaled(x))
        assert values(tf.function(tf.autograph.to_graph(Bounded()))(x)) == values(Bounded()(x))


def test_nonlocal_variables_are_those_of_the_original():
    count = 0

    def counted(x):
        nonlocal count
        count += 1
        if x > 0.0:
            return x
        return -x

    run = traced(counted)
    assert values(run(-1.0)) == 1.0 and values(run(2.0)) == 2.0
    assert count == 1, "traced once"


def test_decorated_functions():
    def not_negative(function):
        @functools.wraps(function)
        def wrapped(*args):
            y = function(*args)
            return y if y > 0.0 else y * 0.0

        return wrapped

    @not_negative
    def shifted(x):
        if x > 5.0:
            return x
        return x - 5.0

    check(shifted, [3.0], [7.0])


def test_names_of_the_users_do_not_meet_ours():
    inner, outer, get_state, do_return = 1.0, 2.0, 3.0, 4.0

    def program(x):
        if x > 0.0:
            return x * inner + outer
        if_body = get_state + do_return
        return x * if_body

    check(program, [1.0], [-1.0])


def test_inner_functions_that_change_variables_around_them():
    def program(x):
        total = x

        def add(y):
            nonlocal total
            if y > 0.0:
                total = total + y
            else:
                total = total - y * 2.0

        for k in [1.0, -1.0]:
            add(x * k)
        return total

    check(program, [1.0], [-1.0])


def test_rows_of_a_map_choose():
    def program(x):
        return tf.vectorized_map(lambda r: r * r if r > 0.0 else -r, x)

    x = tf.constant([1.0, -2.0, 3.0])
    assert values(traced(program)(x)) == [1.0, 2.0, 9.0]


def test_lambdas_in_one_line():
    a, b = lambda x: x if x > 0.0 else -x, lambda x: x * 2.0 if x > 0.0 else x
    check(a, [-3.0])
    check(b, [3.0], [-3.0])


def test_variables_are_assigned_in_branches_and_loops():
    def step(x):
        if x > 0.0:
            V.assign_add(x)
        else:
            V.assign(0.0)
        for _ in tf.range(3):
            V.assign_add(1.0)
        return V.value()

    V.assign(1.0)
    run = traced(step)
    assert [values(run(2.0)), values(run(-1.0)), float(V)] == [6.0, 3.0, 3.0]


def test_operands_are_evaluated_only_when_needed_and_once():
    asked = []

    def ask(value):
        asked.append(value)
        return value

    def program(x):
        a = ask(False) and ask(1)
        b = ask(True) or ask(2)
        return x, 0 < ask(5) < 7, a, b

    convert.converted(program)(tf.constant(1.0))
    assert asked == [False, True, 5]


def test_the_second_operand_may_not_make_sense_without_the_first():
    def program(x, i):
        if i < 3 and tf.gather(x, i) > 1.0:
            return tf.gather(x, i)
        return x[0]

    check(program, [[1.0, 2.0, 3.0], 1], [[1.0, 2.0, 3.0], 7])


def test_any_number_of_rows():
    def program(x):
        total = tf.constant(0.0)
        for r in x:
            if r > 2.0:
                break
            total += r
        return total

    run = tf.function(tf.autograph.to_graph(program), input_signature=[tf.TensorSpec([None])])
    for x in ([1.0, 2.0, 3.0], [1.0], []):
        assert values(run(tf.constant(x, tf.float32))) == values(program(tf.constant(x, tf.float32)))
    assert run.experimental_get_tracing_count() == 1
    assert slope(run, [1.0, 2.0, 3.0]) == [1.0, 1.0, 0.0]


def test_what_is_converted_is_converted_again_to_itself():
    """A decorator converts what it wraps, which a converted function has defined."""

    @tf.function
    def outer(x):
        def inner(x):
            return x * 2.0 if x > 0.0 else -x

        return tf.autograph.to_graph(inner)(x)

    assert values(outer(tf.constant(3.0))) == 6.0 and values(outer(tf.constant(-3.0))) == 3.0
