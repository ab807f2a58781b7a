"""Code with branches and loops over tensors, traced, against the same code run by Python."""

import functools
import logging
import subprocess
import sys
import textwrap
import traceback

import numpy as np
import pytest

import tapeflow as tf

malt = pytest.importorskip("malt")

from tapeflow.function.autograph import convert  # noqa: E402

V = tf.Variable(1.0)


def values(structure):
    return tf.nest.map_structure(lambda v: np.asarray(v).tolist(), structure)


def traced(function):
    """As a graph; fails if it is run by Python instead."""
    graph = tf.function(tf.autograph.to_graph(function))

    def run(*args):
        args = [a if isinstance(a, tf.Tensor) else tf.constant(a) for a in args]
        assert not graph.get_concrete_function(*args).as_python, f"{function.__name__} does not become a graph"
        return graph(*args)

    return run


def by_python(function, *args):
    """Not as a graph, but with the right result."""
    graph = tf.function(tf.autograph.to_graph(function))
    args = [tf.constant(a) for a in args]
    assert graph.get_concrete_function(*args).as_python
    return values(graph(*args))


def check(function, *argument_lists):
    run = traced(function)
    for arguments in argument_lists:
        arguments = [tf.constant(a) for a in arguments]
        assert values(run(*arguments)) == values(function(*arguments))


def slope(function, x):
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return values(tape.gradient(y, x))


# ---- programs


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
    return *whole, all(v > 0.0 for v in x), any(v > 2.0 for v in x), sum([v * 2.0 for v in x]), list(reversed(x)), abs(x[0])


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
    (branch, *ONE_NUMBER), (early_return, *ONE_NUMBER), (return_from_a_loop, [2.0], [9.0]), (return_from_a_while, [3.0], [40.0], [200.0]),
    (return_from_a_python_loop, [1.0], [4.0], [9.0]), (nested_loops, [2.0], [30.0]), (endless_but_for_a_break, [3.0], [200.0]),
    (else_of_a_loop, [[1.0, 2.0]], [[1.0, 3.0]]), (else_of_a_while, [1.0], [3.0]), (tape_around_branches, *ONE_NUMBER),
    (inside_try, *ONE_NUMBER), (inner_functions, *ONE_NUMBER), (logic, [1.0, 2.0], [-1.0, 2.0], [3.0, 2.0]),
    (python_functions, [[1.0, 2.0, 3.0]], [[-1.0, 2.0, 1.0]]), (pairs, [[1.0, 2.0], [3.0, 4.0]]), (state_in_containers, [1.0], [-1.0]),
    (lists_of_one_branch, [1.0], [-1.0]), (python_values_that_stay, [1.0], [-1.0]), (ranges, [1.0]), (ranges_of_tensors, [3, 7], [0, 0]),
    (defined_by_the_loop, [1.0]), (comprehensions, [[1.0, -2.0]]), (deleted, [1.0], [-1.0]), (any_number_is_a_condition, [1.0], [0.0]),
    (newton, [2.0]), (calls_others, [3.0], [-2.0]),
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


# ---- methods, closures, decorators


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


# ---- what a graph cannot say runs as Python


def test_lists_that_grow_in_a_loop_have_all_their_elements():
    def program(x):
        found = []
        for _ in tf.range(3):
            found.append(x)
        return found

    assert by_python(program, 1.0) == [1.0, 1.0, 1.0]


def test_lists_that_grow_in_a_branch():
    def program(x):
        found = [x]
        if x > 0.0:
            found += [x]
        return found

    assert by_python(program, 1.0) == [1.0, 1.0]
    assert by_python(program, -1.0) == [-1.0]


def test_assertions_are_checked_in_every_call():
    def program(x):
        assert x > 0.0, f"{1 + 1} negative"
        return x

    run = traced(program)
    assert values(run(1.0)) == 1.0
    with pytest.raises(AssertionError, match="2 negative"):
        run(-1.0)


def test_arrays_of_a_loop():
    def program(x):
        array = tf.TensorArray(tf.float32, size=3)
        for i in tf.range(3):
            array = array.write(i, x * tf.cast(i, tf.float32))
        return array.stack()

    assert values(traced(program)(2.0)) == [0.0, 2.0, 4.0]
    assert slope(traced(program), 2.0) == 3.0


def test_text_that_depends_on_a_tensor():
    def program(x):
        name = "positive" if x > 0.0 else "negative"
        return x * 2.0 if name == "positive" else x

    assert by_python(program, 1.0) == 2.0 and by_python(program, -1.0) == -1.0


def test_none_before_the_loop():
    def program(x):
        best = None
        for r in x:
            if best is None or r > best:
                best = r
        return best

    assert by_python(program, [1.0, 5.0, 2.0]) == 5.0


def test_exceptions_are_raised_when_their_condition_holds():
    def program(x):
        if x < 0.0:
            raise ValueError("negative")
        return x

    assert by_python(program, 1.0) == 1.0
    with pytest.raises(ValueError, match="negative"):
        by_python(program, -1.0)


def test_datasets_are_read_in_every_call():
    def program(x):
        for r in tf.data.Dataset.range(3):
            x = x * 2.0 + tf.cast(r, tf.float32)
        return x

    assert by_python(program, 1.0) == 12.0


def test_generators_are_left_as_they_are():
    def numbers(n):
        yield from range(n)

    def program(x):
        for i in numbers(3):
            if x > 4.0:
                x = x - 1.0
            else:
                x = x + float(i)
        return x

    check(program, [3.0], [7.0])


# ---- errors


def raised(function, *args):
    with pytest.raises(Exception) as info:
        traced(function)(*args)
    return info.value


def test_variables_of_one_branch():
    def program(x):
        if x > 0.0:
            y = x * x
        return y

    error = raised(program, 3.0)
    assert isinstance(error, ValueError) and "'y' must also be initialized in the else branch" in str(error)
    assert f"test_autograph.py:{program.__code__.co_firstlineno + 1}" in str(error)


def test_branches_that_differ_in_dtype():
    def program(x):
        if x > 0.0:
            y = x
        else:
            y = 1
        return y

    error = raised(program, 3.0)
    assert isinstance(error, TypeError) and "'y'" in str(error) and "float32" in str(error) and "int32" in str(error)


def test_none_in_one_branch():
    def program(x):
        if x > 0.0:
            y = x
        else:
            y = None
        return y

    error = raised(program, 3.0)
    assert isinstance(error, ValueError) and "None in the else branch" in str(error)


def test_a_return_in_one_branch():
    def program(x):
        if x > 0.0:
            return x

    assert isinstance(raised(program, 3.0), ValueError)


def test_conditions_are_scalars():
    assert "reduce_any" in str(raised(branch, [1.0, -1.0]))
    assert isinstance(raised(branch, [1.0, -1.0]), ValueError)


def test_numbers_become_tensors_of_the_loop():
    def program(x):
        s = 0
        for r in x:
            s = s + r * r
        return s

    assert isinstance(raised(program, [1.0, 2.0]), TypeError)


def test_shapes_that_change_in_a_loop():
    def program(x):
        for _ in tf.range(3):
            x = tf.concat([x, x], 0)
        return x

    error = raised(program, [1.0])
    assert isinstance(error, ValueError) and "set_loop_options(shape_invariants=[(x" in str(error)


def test_shapes_that_are_said_to_change():
    def program(x):
        for _ in tf.range(3):
            tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
            x = tf.concat([x, x], 0)
        return x

    assert values(tf.function(tf.autograph.to_graph(program))(tf.constant([1.0]))) == [1.0] * 8


def test_iterations_have_a_bound():
    def program(x):
        while x < 1000.0:
            tf.autograph.experimental.set_loop_options(maximum_iterations=3)
            x = x * 2.0
        return x

    assert values(traced(program)(1.0)) == 8.0


def test_tracebacks_show_the_users_lines():
    def program(x):
        if x > 0.0:
            y = x * 2.0
            x = y.no_such_thing
        return x

    error = raised(program, 3.0)
    last = traceback.extract_tb(error.__traceback__)[-1]
    assert last.filename == __file__ and last.line == "x = y.no_such_thing"
    assert "program" in [frame.name for frame in traceback.extract_tb(error.__traceback__)]


# ---- which functions are converted


def test_libraries_are_left_alone():
    for function in (tf.reduce_sum, np.sum, functools.wraps, textwrap.dedent, pytest.raises, len, Doubling):
        assert convert.converted(function) is function


def test_a_function_without_source_is_left_alone():
    space = {}
    exec("def h(x):\n  if x > 0.: return x\n  return -x", space)
    assert convert.converted(space["h"]) is space["h"]


def test_do_not_convert():
    marked = tf.autograph.experimental.do_not_convert(branch)
    assert convert.converted(marked) is marked and marked.__name__ == "branch"
    assert values(marked(tf.constant(3.0))) == 9.0


def test_code_is_converted_once(monkeypatch):
    def make(k):
        return lambda x: x * k if x > 0.0 else x

    made = []
    monkeypatch.setattr(convert, "_transformed", lambda f, whole=convert._transformed: made.append(f) or whole(f))
    assert values(traced(make(2.0))(3.0)) == 6.0 and values(traced(make(5.0))(3.0)) == 15.0
    assert len(made) == 1


def test_converted_functions_are_not_converted_again():
    made = convert.converted(inner_functions)
    assert convert.converted(made) is made


def test_what_is_not_converted_is_logged(caplog):
    def generator(x):
        yield x

    with caplog.at_level(logging.INFO, "tapeflow"):
        assert convert.converted(generator) is generator
    assert "a generator" in caplog.text


def test_malt_is_imported_when_a_function_is_traced():
    program = "import sys, tapeflow; assert 'malt' not in sys.modules; import tapeflow.function.autograph.convert; print('malt' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "False"
