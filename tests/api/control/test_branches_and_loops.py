"""Branches, loops, maps, TensorArray, py_function and print."""

import sys

import numpy as np
import pytest

import tapeflow as tf

c = tf.constant


def gradient(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


# ---- branches


def test_cond_calls_one_branch_and_differentiates_it():
    x = c(3.0)
    called = []
    f = lambda x: tf.cond(x > 0, lambda: called.append("true") or x * x, lambda: called.append("false") or -x)
    assert gradient(f, x).numpy() == 6.0 and called == ["true"]
    assert tf.cond(False, lambda: 1, lambda: None) is None


@pytest.mark.parametrize(
    "call", [lambda: tf.cond(True), lambda: tf.cond(True, 1, 2), lambda: tf.cond(True, lambda: 1)]
)
def test_cond_needs_two_functions(call):
    with pytest.raises(TypeError):
        call()


def test_case():
    low, high = (c(False), lambda: c(1)), (c(True), lambda: c(2))
    assert int(tf.case([low, high])) == 2
    assert int(tf.case([low], default=lambda: c(3))) == 3
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.case([low])
    with pytest.raises(tf.errors.InvalidArgumentError, match="More than one"):
        tf.case([high, high], exclusive=True)
    for wrong in (3, [(True, lambda: 1)], [(c(True), 3)]):
        with pytest.raises(TypeError):
            tf.case(wrong)


def test_switch_case():
    branches = [lambda: c(10), lambda: c(20)]
    assert int(tf.switch_case(c(0), branches)) == 10
    assert (
        int(tf.switch_case(c(7), branches)) == int(tf.switch_case(c(-1), branches)) == 20
    )  # the highest number stands in
    assert int(tf.switch_case(c(7), branches, default=lambda: c(0))) == 0
    assert int(tf.switch_case(c(0), {1: branches[0], 0: branches[1]})) == 20
    with pytest.raises(ValueError, match=r"must form contiguous range of \[0 to 2\) but found {0,5}"):
        tf.switch_case(c(5), {0: branches[0], 5: branches[1]})
    for wrong in (1, c(1.0)):
        with pytest.raises(TypeError):
            tf.switch_case(wrong, branches)


# ---- loops


def test_while_loop():
    i, x = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2.0), [c(0), c(1.0)])
    assert (int(i), float(x)) == (3, 8.0)
    i, d = tf.while_loop(
        lambda i, d: i < 2, lambda i, d: (i + 1, {"a": d["a"] * 2}), (0, {"a": c(1)}), maximum_iterations=1
    )
    assert (int(i), int(d["a"])) == (1, 2)
    assert (
        gradient(lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), (0, x))[1], c(2.0)).numpy()
        == 32.0
    )


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.while_loop(3, lambda i: i, [c(0)]), TypeError),
        (lambda: tf.while_loop(lambda: True, lambda: 1, []), ValueError),
        (lambda: tf.while_loop(lambda i: i < 3, lambda i: (i + 1, i), [c(0)]), ValueError),
        (lambda: tf.while_loop(lambda i: i < 3, lambda i: c(1.0), [c(0)]), TypeError),
    ],
)
def test_while_loop_refuses(call, error):
    with pytest.raises(error):
        call()


def test_while_loop_with_a_tensor_array():
    ta = tf.TensorArray(tf.float32, size=3)
    x = c(2.0)
    body = lambda i, ta: (i + 1, ta.write(i, x ** tf.cast(i, tf.float32)))
    _, ta = tf.while_loop(lambda i, ta: i < 3, body, (c(0), ta))
    assert ta.stack().numpy().tolist() == [1.0, 2.0, 4.0]


# ---- over the first axis


def test_map_fn():
    assert tf.map_fn(lambda x: x * 2, c([1, 2, 3])).numpy().tolist() == [2, 4, 6]
    pair = tf.map_fn(lambda x: (x, x * 2.0), c([1.0, 2.0]), fn_output_signature=(tf.float32, tf.float32))
    assert [p.numpy().tolist() for p in pair] == [[1.0, 2.0], [2.0, 4.0]]
    assert tf.map_fn(lambda t: t[0] + t[1], (c([1.0]), c([3.0])), dtype=tf.float32).numpy().tolist() == [4.0]
    assert tf.map_fn(lambda x: x, tf.zeros([0, 2])).shape == [0]
    ragged = tf.map_fn(tf.range, c([1, 2]), fn_output_signature=tf.RaggedTensorSpec([None], tf.int32))
    assert ragged.to_list() == [[0], [0, 1]]
    rows = tf.ragged.constant([[1.0, 2.0], [], [3.0]])
    assert tf.map_fn(tf.reduce_sum, rows).numpy().tolist() == [3.0, 0.0, 3.0]
    assert gradient(lambda x: tf.map_fn(lambda r: r[0] * r[1], x), c([[1.0, 2.0], [3.0, 4.0]])).numpy().tolist() == [
        [2, 1],
        [4, 3],
    ]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.map_fn(lambda x: x, c(1.0)), ValueError),
        (lambda: tf.map_fn(tf.range, c([1, 2])), ValueError),
        (lambda: tf.map_fn(lambda t: t[0] + t[1], (c([1.0]), c([3.0]))), ValueError),
        (lambda: tf.map_fn(lambda x: tf.cast(x, tf.float32), c([1, 2])), tf.errors.InvalidArgumentError),
        (lambda: tf.map_fn(lambda t: t[0], (c([1.0, 2.0]), c([3.0])), fn_output_signature=tf.float32), ValueError),
    ],
)
def test_map_fn_refuses(call, error):
    with pytest.raises(error):
        call()


def test_scan_and_folds():
    add = lambda a, x: a + x
    x = c([1, 2, 3])
    assert tf.scan(add, x).numpy().tolist() == [1, 3, 6]
    assert tf.scan(add, x, initializer=10).numpy().tolist() == [11, 13, 16]
    assert tf.scan(add, x, reverse=True).numpy().tolist() == [6, 5, 3]
    assert tf.scan(add, tf.zeros([0]), initializer=0.0).shape == [0]
    assert int(tf.foldl(lambda a, x: a * 2 + x, x)) == 11 and int(tf.foldr(lambda a, x: a * 2 + x, x)) == 17
    assert int(tf.foldl(lambda a, x: a * 2 + x, x, initializer=1)) == 19
    assert float(tf.foldl(add, tf.zeros([0]), initializer=5.0)) == 5.0
    for fold in (tf.scan, tf.foldl, tf.foldr):
        with pytest.raises(tf.errors.OutOfRangeError):
            fold(add, tf.zeros([0]))
    assert gradient(lambda x: tf.scan(lambda a, b: a * b, x), c([2.0, 3.0, 4.0])).numpy().tolist() == [16.0, 10.0, 6.0]


# ---- TensorArray


def test_tensor_array_reads_and_writes():
    ta = tf.TensorArray(tf.float32, size=3)
    assert ta.write(0, 1).write(2, 3.0).stack().numpy().tolist() == [1.0, 0.0, 3.0]
    assert float(ta.read(1)) == 0.0 and int(ta.size()) == 3
    assert tf.TensorArray(tf.float32, size=0, dynamic_size=True).write(2, 1.0).stack().numpy().tolist() == [
        0.0,
        0.0,
        1.0,
    ]
    assert tf.TensorArray(tf.float32, size=0, dynamic_size=True).stack().shape == [0]
    rows = [[1.0, 2.0], [3.0, 4.0]]
    filled = lambda: tf.TensorArray(tf.float32, size=2, clear_after_read=False).unstack(rows)
    assert (
        filled().concat().numpy().tolist() == [1.0, 2.0, 3.0, 4.0]
        and filled().gather([1, 0]).numpy().tolist() == rows[::-1]
    )
    assert tf.TensorArray(tf.float32, size=2).scatter([1, 0], rows).stack().numpy().tolist() == rows[::-1]
    assert tf.TensorArray(tf.float32, size=2).split([1.0, 2.0, 3.0], [1, 2]).read(1).numpy().tolist() == [2.0, 3.0]
    assert tf.TensorArray(tf.float32, size=1, element_shape=[2]).stack().numpy().tolist() == [[0.0, 0.0]]


def test_tensor_array_errors():
    ta = tf.TensorArray(tf.float32, size=1)
    with pytest.raises(tf.errors.OutOfRangeError):
        ta.write(5, 1.0)
    with pytest.raises(tf.errors.OutOfRangeError):
        ta.read(3)
    with pytest.raises(ValueError, match="never written"):
        ta.read(0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtype"):
        ta.write(0, c(1))
    ta.write(0, 1.0).read(0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="twice"):
        ta.read(0)
    with pytest.raises(ValueError, match="shape"):
        tf.TensorArray(tf.float32, size=2).write(0, [1.0, 2.0]).write(1, [1.0])
    with pytest.raises(ValueError, match="Cannot unstack 3"):
        tf.TensorArray(tf.float32, size=2).unstack([1.0, 2.0, 3.0])


def test_tensor_array_is_differentiable():
    f = lambda x: tf.reduce_sum(tf.TensorArray(tf.float32, size=2).write(0, x * x).write(1, x * 3.0).stack())
    assert gradient(f, c(2.0)).numpy() == 7.0


# ---- Python as an operation


def test_py_function():
    assert gradient(lambda x: tf.py_function(lambda z: z * z, [x], tf.float32), c(3.0)).numpy() == 6.0
    assert [float(t) for t in tf.py_function(lambda a: (a * 2, a), [1.0], [tf.float32, tf.float32])] == [2.0, 1.0]
    assert tf.py_function(lambda a: None, [1.0], []) == []
    assert tf.py_function(lambda a: np.float32(3), [1.0], tf.float32).numpy() == 3.0


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (ValueError, tf.errors.InvalidArgumentError),
        (KeyError, tf.errors.UnknownError),
        (StopIteration, tf.errors.OutOfRangeError),
        (NotImplementedError, tf.errors.UnimplementedError),
    ],
)
def test_what_a_py_function_raises(raised, error):
    def bad(_):
        raise raised("reason")

    with pytest.raises(error, match="reason") as caught:
        tf.py_function(bad, [1.0], tf.float32)
    assert isinstance(caught.value.__cause__, raised)


def test_py_function_of_the_wrong_dtype():
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.py_function(lambda a: a, [c(1.0)], tf.int32)


def test_numpy_function_cuts():
    f = lambda x: tf.numpy_function(lambda a: a * 2, [x], tf.float32)
    assert f(c([1.0])).numpy().tolist() == [2.0] and gradient(f, c([1.0])) is None


# ---- order, and print


def test_order_is_kept():
    v = tf.Variable(1.0)
    with tf.control_dependencies([v.assign(2.0), lambda: None]):
        assert v.numpy() == 2.0
    assert tf.no_op() is None and tf.group(v.assign_add(1.0)) is None and v.numpy() == 3.0
    with pytest.raises(ValueError):
        tf.group(v, foo=1)


@pytest.mark.parametrize(
    ("values", "options", "want"),
    [
        (
            (c([1, 2]), c(3.0), "hi", None, [1, c(2)], {"b": c(1), "a": "x"}),
            {},
            "[1 2] 3 hi None [1, 2] {'a': 'x', 'b': 1}\n",
        ),
        ((c("abc"), c(["a"]), ["a", c("b")]), {}, '"abc" ["a"] [\'a\', "b"]\n'),
        ((c(1 / 3), c(0.1), c(1e10), c(123456789.0), c(0.1, tf.float64)), {}, "0.333333343 0.1 1e+10 123456792 0.1\n"),
        ((c([True, False]), True), {}, "[1 0] True\n"),
        (("a", "b"), {"sep": ", ", "end": "!"}, "a, b!"),
        ((tf.range(10),), {}, "[0 1 2 ... 7 8 9]\n"),
        ((tf.range(10),), {"summarize": 1}, "[0 ... 9]\n"),
        ((tf.range(7),), {"summarize": -1}, "[0 1 2 3 4 5 6]\n"),
        ((tf.ones([2, 2, 2]),), {}, "[[[1 1]\n  [1 1]]\n\n [[1 1]\n  [1 1]]]\n"),
        ((tf.Variable([1.0]), (1, 2), c([np.nan, np.inf])), {}, "[1] (1, 2) [nan inf]\n"),
    ],
)
def test_print(values, options, want, capsys):
    tf.print(*values, **options)
    assert capsys.readouterr().err == want
    tf.print(*values, output_stream=sys.stdout, **options)
    assert capsys.readouterr().out == want


def test_print_to_a_file_and_elsewhere(tmp_path):
    path = tmp_path / "log.txt"
    tf.print(1, output_stream=f"file://{path}")
    tf.print(2, output_stream=f"file://{path}")
    assert path.read_text() == "1\n2\n"
    with pytest.raises(ValueError, match="stream"):
        tf.print(1, output_stream="foo")
    with pytest.raises(ValueError, match="keyword"):
        tf.print(1, foo=1)


def test_a_map_over_nothing_in_a_function_has_the_shape_of_the_result():
    nothing = tf.zeros([0, 2])
    in_function = lambda f, **options: tf.function(lambda x: tf.map_fn(f, x, **options))(nothing)
    assert tuple(in_function(lambda row: row * 2).shape) == (0, 2)
    assert tuple(in_function(tf.reduce_sum).shape) == (0,)
    a, b = in_function(lambda row: (row, tf.stack([row, row])), fn_output_signature=(tf.float32, tf.float32))
    assert (tuple(a.shape), tuple(b.shape)) == ((0, 2), (0, 2, 2))
    scan = lambda x: tf.scan(lambda total, row: total + row, x, tf.zeros([2]))
    assert tuple(scan(nothing).shape) == tuple(tf.function(scan)(nothing).shape) == (0, 2)


def test_map_fn_of_sparse_rows():
    x = tf.sparse.from_dense([[1, 0], [0, 2]])
    rows = tf.map_fn(lambda s: s, x, fn_output_signature=tf.SparseTensorSpec([2], tf.int32))
    assert tf.sparse.to_dense(rows).numpy().tolist() == [[1, 0], [0, 2]]
    assert tf.map_fn(tf.sparse.reduce_sum, x, fn_output_signature=tf.int32).numpy().tolist() == [1, 2]
