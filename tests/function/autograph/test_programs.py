"""Code with branches and loops over tensors, traced, against the same code run by Python."""

import functools

import numpy as np
import pytest

import tapeflow as tf

from .checks import check, slope, traced, values

malt = pytest.importorskip("malt")

from tapeflow.function.autograph import convert  # noqa: E402


def branch(x):
    if x > 0.0:
        y = x * x
    else:
        y = -x
    return y


def early_return(x):
    if x > 5.0:
        return x, {"a": x}
    elif x > 0.0:
        return x * 2.0, {"a": -x}
    return -x, {"a": x * 3.0}


def return_from_a_loop(x):
    for i in tf.range(5):
        if tf.cast(i, tf.float32) > x:
            return x * 10.0
    return x


def return_from_a_while(x):
    while x < 100.0:
        x = x * 2.0
        if x > 50.0:
            return -x
    return x


def return_from_a_python_loop(x):
    for k in [1.0, 2.0, 3.0]:
        if x > 5.0:
            return -x
        x = x + k
    return x


def nested_loops(x):
    total = x * 0.0
    for i in tf.range(3):
        for j in tf.range(i + 1):
            if j == 1:
                continue
            if total > 20.0:
                break
            total += x * tf.cast(i + j, tf.float32)
    return total


def endless_but_for_a_break(x):
    count = 0
    while True:
        x = x * 2.0
        count += 1
        if x > 100.0:
            break
    return x, count


def else_of_a_loop(x):
    for r in x:
        if r > 2.0:
            break
    else:
        return tf.reduce_sum(x)
    return r


def else_of_a_while(x):
    while x < 10.0:
        x = x * 2.0
        if x == 8.0:
            break
    else:
        x = -x
    return x


def tape_around_branches(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        if x > 0.0:
            y = x * x
        else:
            y = -x
        for _ in tf.range(2):
            y = y * x
    return tape.gradient(y, x)


def inside_try(x):
    log = []
    try:
        if x > 0.0:
            return x
        x = x - 1.0
    finally:
        log.append(1)
    return x + len(log)


def inner_functions(x, scale=2.0, *, offset=1.0):
    def act(v, by=scale):
        if v > 0.0:
            return v * by
        return v - offset

    square = lambda v: v * v if v < 10.0 else v
    return act(x), square(x)


def logic(x, y):
    both = x > 0.0 and y > 0.0
    return both, x > 0.0 or y > 0.0, not both, x > 0.0 and y > 0.0 and x > y, 0.0 < x < y <= 3.0


def python_functions(x):
    whole = sum(x), max(x), min(x), len(x), [float(v) for v in x], int(x[0]), max(x[0], x[1], 1.5)
    return (
        *whole,
        all(v > 0.0 for v in x),
        any(v > 2.0 for v in x),
        sum([v * 2.0 for v in x]),
        list(reversed(x)),
        abs(x[0]),
    )


def pairs(x, y):
    total = x[0] * 0.0
    for a, b in zip(x, y):
        total += a * b
    for i, r in enumerate(x):
        total += r * i
    return total


def state_in_containers(x):
    d = {"a": x, "b": x}
    h = [x, x * 2.0]
    if x > 0.0:
        d["a"] = x * 2.0
    for _ in tf.range(3):
        d["b"] = d["b"] + 1.0
        a, b = h
        h = [a + b, b]
    return d, h


def lists_of_one_branch(x):
    out = []
    for _ in range(2):
        if x > 0.0:
            parts = []
            parts.append(x)
            parts.append(x * 2.0)
            y = tf.stack(parts)
        else:
            y = tf.stack([x, x])
        out.append(y)
    return out


def python_values_that_stay(x):
    act = tf.nn.relu
    if x > 0.0:
        y, n = x, 3
    else:
        y, n = -x, 3
    for _ in range(n):  # still a number of Python's
        y = act(y) + 1.0
    return y


def ranges(x):
    for i in tf.range(3, 9, 2):
        x += tf.cast(i, tf.float32)
    for i in tf.range(5, 0, -2):
        x += tf.cast(i, tf.float32) * 10.0
    for _ in range(2):
        x = x * 2.0
    return x


def ranges_of_tensors(n, m):
    total = n * 0
    for i in tf.range(n):
        total += i
    for i in tf.range(n, m):
        total += i * 100
    for i in range(m, n, -2):
        total += i * 10000
    return total


def defined_by_the_loop(x):
    for i in tf.range(3):  # noqa: B007
        last = x * 2.0
    return last, i


def comprehensions(x):
    return {k: (r if r > 0.0 else -r) for k, r in enumerate(x)}, [a * b for a in x for b in x if True]


def deleted(x):
    t = x * 2.0
    if x > 0.0:
        u = t
        del t
    else:
        u = -t
    return u


def any_number_is_a_condition(x):
    if x:
        return x
    return x - 1.0


def newton(a):
    x = a
    for _ in range(20):
        better = 0.5 * (x + a / x)
        if tf.abs(better - x) < 1e-6:
            break
        x = better
    return x


def helper(v):
    if v > 0.0:
        return v
    return -v


def calls_others(x):
    return helper(x), functools.partial(helper)(x), tf.map_fn(helper, tf.stack([x, -x]))


ONE_NUMBER = ([3.0], [-2.0], [30.0])
PROGRAMS = [
    (branch, *ONE_NUMBER), (early_return, *ONE_NUMBER), (return_from_a_loop, [2.0], [9.0]),
    (return_from_a_while, [3.0], [40.0], [200.0]), (return_from_a_python_loop, [1.0], [4.0], [9.0]),
    (nested_loops, [2.0], [30.0]), (endless_but_for_a_break, [3.0], [200.0]),
    (else_of_a_loop, [[1.0, 2.0]], [[1.0, 3.0]]), (else_of_a_while, [1.0], [3.0]), (tape_around_branches, *ONE_NUMBER),
    (inside_try, *ONE_NUMBER), (inner_functions, *ONE_NUMBER), (logic, [1.0, 2.0], [-1.0, 2.0], [3.0, 2.0]),
    (python_functions, [[1.0, 2.0, 3.0]], [[-1.0, 2.0, 1.0]]), (pairs, [[1.0, 2.0], [3.0, 4.0]]),
    (state_in_containers, [1.0], [-1.0]), (lists_of_one_branch, [1.0], [-1.0]),
    (python_values_that_stay, [1.0], [-1.0]), (ranges, [1.0]), (ranges_of_tensors, [3, 7], [0, 0]),
    (defined_by_the_loop, [1.0]), (comprehensions, [[1.0, -2.0]]), (deleted, [1.0], [-1.0]),
    (any_number_is_a_condition, [1.0], [0.0]), (newton, [2.0]), (calls_others, [3.0], [-2.0]),
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p[0].__name__)
def test_a_graph_computes_what_python_does(program):
    check(*program)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p[0].__name__)
def test_converted_code_runs_as_the_original_where_there_is_no_graph(program):
    function, *argument_lists = program
    made = convert.converted(function)
    assert made is not function
    for arguments in argument_lists:
        arguments = [tf.constant(a) for a in arguments]
        assert values(made(*arguments)) == values(function(*arguments))


@pytest.mark.parametrize("function", [branch, return_from_a_loop, return_from_a_while, nested_loops, newton])
def test_gradients_go_through(function):
    for x in (3.0, 0.5):
        assert np.allclose(slope(traced(function), x), slope(function, x))


def caught_by_name(x, table):
    for _ in tf.range(3):
        try:
            k = table["a"]
        except KeyError as error:
            k = float(len(error.args))
            if x > 3.0:
                k = 10.0
        except (TypeError, ValueError) as error:
            k = 7.0 if error.args else 8.0
        finally:
            x = x + 1.0
        x = x + k
    error = x
    if x > 20.0:
        error = x * 2.0
    return error


def raised_from(x):
    try:
        return -x if x > 0.0 else table_of_nothing
    except NameError as error:
        missing = ValueError("there is none")
        raise missing from error


@pytest.mark.parametrize("table", [{}, {"a": 2.0}, None])
def test_errors_with_names(table):
    made = convert.converted(caught_by_name)
    assert made is not caught_by_name
    for x in (1.0, 5.0, -30.0):
        run = tf.function(lambda x: caught_by_name(x, table))
        assert values(run(tf.constant(x))) == values(caught_by_name(tf.constant(x), table))


def test_errors_raised_from_others():
    with pytest.raises(ValueError, match="there is none") as raised:
        tf.function(raised_from)(tf.constant(1.0))
    assert isinstance(raised.value.__cause__, NameError)


def limited(n, most):
    count = tf.constant(0)
    for i in tf.range(n):
        tf.autograph.experimental.set_loop_options(maximum_iterations=most)
        count += i + 1
    rounds = tf.constant(0)
    while rounds < n:
        tf.autograph.experimental.set_loop_options(maximum_iterations=most - 1)
        rounds += 1
    return count, rounds


@pytest.mark.parametrize(("n", "most", "want"), [(5, 3, [6, 2]), (5, 7, [15, 5]), (0, 2, [0, 0]), (2, 1, [1, 0])])
def test_a_tensor_limits_a_loop(n, most, want):
    """In graphs, as TensorFlow has it: Python's loops know no options."""
    run = tf.function(limited)
    n, most_tensor = tf.constant(n), tf.constant(most)
    assert [int(v) for v in run(n, most_tensor)] == [int(v) for v in run(n, most)] == want
    open_size = tf.function(lambda x: limited(n, tf.shape(x)[0]), input_signature=[tf.TensorSpec([None])])
    assert [int(v) for v in open_size(tf.zeros([most]))] == want
