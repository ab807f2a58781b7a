"""What a graph cannot say: it runs as Python, or the error says what to do."""

import traceback

import pytest

import tapeflow as tf

from .checks import by_python, check, slope, traced, values
from .test_programs import branch

malt = pytest.importorskip("malt")


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
    assert f"test_limits.py:{program.__code__.co_firstlineno + 1}" in str(error)


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
