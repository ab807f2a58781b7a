"""`tf.export`: functions as ONNX and StableHLO, run by onnxruntime, and by jax in a program without tapeflow."""

import logging
import subprocess
import sys

import jax
import numpy as np
import onnx
import onnxruntime
import pytest

import tapeflow as tf
from tapeflow.export import CannotBeExported, lowering
from tests.rounding import close

x_spec = tf.TensorSpec([None, 3], name="x")
BOTH = pytest.mark.parametrize("export", [tf.export.onnx, tf.export.stablehlo])


def rows(count, seed=0):
    return np.random.default_rng(seed).normal(size=(count, 3)).astype(np.float32)


def run(model, *args):
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, {i.name: a for i, a in zip(model.graph.input, args, strict=True)})


def same(function, specs, *calls):
    """ONNX and StableHLO give what the function gives, for arguments of each of several sizes."""
    model, program = tf.export.onnx(function, specs), tf.export.stablehlo(function, specs)
    for args in calls:
        want = [y.numpy() for y in tf.nest.flatten(function(*map(tf.constant, args)))]
        for got in (run(model, *args), program.call(*args)):
            for one, other in zip(got, want, strict=True):
                close(np.asarray(one), other, terms=50, size=1.0)
                assert np.asarray(one).dtype == other.dtype


# ---- sizes


def test_batches_of_any_size():
    weights = tf.Variable(np.ones((3, 4), np.float32), name="weights")
    f = lambda x: tf.nn.softmax(x @ weights + 1)
    same(f, [x_spec], *[(rows(n),) for n in (1, 2, 7)])


def test_sizes_that_are_computed():
    f = lambda x: tf.reshape(x, [tf.shape(x)[0] * 3]) * tf.cast(tf.shape(x)[0], tf.float32)
    same(f, [x_spec], *[(rows(n),) for n in (1, 2, 7)])


def test_padding_batches_of_any_size():
    same(lambda x: tf.pad(x, [[0, 0], [1, 2]]) + 1, [x_spec], *[(rows(n),) for n in (1, 3)])


def test_sizes_that_round_down():
    """A division of sizes rounds down, also of negative numbers: -(-n // 2) is half of n, rounded up."""
    f = lambda x: x[: -(-tf.shape(x)[0] // 2)]
    model = tf.export.onnx(f, [x_spec])
    for n in (1, 2, 7):
        [got] = run(model, rows(n))
        assert got.shape == f(tf.constant(rows(n))).shape


def test_sizes_that_depend_on_values():
    f = lambda x: tf.boolean_mask(x, x[:, 0] > 0) * 2
    model = tf.export.onnx(f, [x_spec])
    for n in (1, 4, 9):
        close(run(model, rows(n))[0], f(tf.constant(rows(n))).numpy())


def test_sizes_that_are_taken_to_be_equal():
    model = tf.export.onnx(lambda a, b: a + b, [tf.TensorSpec([None]), tf.TensorSpec([None])])
    first, second = [i.type.tensor_type.shape.dim[0].dim_param for i in model.graph.input]
    assert first == second == "n0"


def test_a_size_that_python_asks_for_is_warned_of(caplog):
    f = lambda x: tf.exp(tf.squeeze(x))
    with caplog.at_level(logging.WARNING, "tapeflow"):
        model = tf.export.onnx(f, [x_spec])
    assert "does something else for some" in caplog.text
    close(run(model, rows(2))[0], np.exp(rows(2)))


def test_a_size_that_python_must_know_is_refused():
    with pytest.raises(CannotBeExported, match="Python asks how large they are"):
        tf.export.onnx(lambda x: tf.add_n(tf.unstack(x)), [x_spec])


# ---- control flow


def test_branches():
    def f(x):
        if tf.reduce_sum(x) > 0:
            y = x * 2
        else:
            y = x - 1
        return y

    same(tf.function(f), [x_spec], (np.ones((2, 3), np.float32),), (-np.ones((1, 3), np.float32),))


@pytest.mark.parametrize("k", [-1, 0, 1, 2, 3])
def test_one_of_several_branches(k):
    f = lambda i, x: tf.switch_case(i, [lambda: x + 1, lambda: x * 2, lambda: -x])
    same(f, [tf.TensorSpec([], tf.int32), x_spec], (np.array(k, np.int32), rows(2)))


def test_a_branch_in_a_branch():
    def f(x):
        if tf.reduce_sum(x) > 0:
            if tf.reduce_max(x) > 1:
                y = x * 2
            else:
                y = x * 3
        else:
            y = x[::-1]
        return y

    for scale in (0.1, 5.0, -1.0):
        model = tf.export.onnx(tf.function(f), [x_spec])
        given = np.full((2, 3), scale, np.float32)
        close(run(model, given)[0], f(tf.constant(given)).numpy())


def test_loops():
    def f(x):
        i = tf.constant(0)
        while tf.reduce_sum(x) < 100.0:
            x = x * 2 + 1
            i += 1
        return x, i

    same(tf.function(f), [x_spec], (np.ones((2, 3), np.float32),), (np.full((1, 3), 90, np.float32),))


def test_scans_in_both_directions():
    for reverse in (False, True):
        f = lambda x, reverse=reverse: tf.scan(lambda a, b: a * 0.5 + b, x, reverse=reverse)
        model = tf.export.onnx(f, [x_spec])
        for n in (1, 2, 5):
            close(run(model, rows(n))[0], f(tf.constant(rows(n))).numpy(), terms=10, size=1.0)


def test_gradients():
    """A gradient is part of the graph."""

    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(x) ** 2)
        return tape.gradient(y, x)

    same(tf.function(f), [x_spec], (rows(4),))


# ---- what a model looks like


def test_names():
    weights = tf.Variable(np.ones((3, 1), np.float32), name="weights")
    model = tf.export.onnx(lambda x: {"b": x @ weights, "a": x}, [x_spec])
    assert [i.name for i in model.graph.input] == ["x"]
    assert [o.name for o in model.graph.output] == ["a", "b"]
    assert [t.name for t in model.graph.initializer] == ["weights"]


def test_arguments_results_and_constants_may_be_the_same():
    model = tf.export.onnx(lambda x: (x, x, tf.constant(3.0)), [x_spec])
    first, second, third = run(model, rows(2))
    np.testing.assert_array_equal(first, rows(2))
    np.testing.assert_array_equal(second, rows(2))
    assert third == 3


def test_texts():
    f = lambda s: tf.strings.join([tf.strings.lower(s), "!"], "-")
    model = tf.export.onnx(f, [tf.TensorSpec([None], tf.string)])
    [got] = run(model, np.array(["One", "TWO"], object))
    assert got.tolist() == ["one-!", "two-!"]


@pytest.mark.parametrize(
    ("keys", "values", "default", "given"),
    [
        (["a", "b"], [1, 2], -1, ["b", "q"]),
        ([1, 2], ["x", "y"], "?", [2, 9]),
        (["a"], [0.5], -1.0, ["a", "z"]),
        (["a"], ["b"], "c", ["a", "é"]),
        ([5, 6], [1.5, 2.5], 0.0, [6, 7]),
        ([1], [2], 3, [1, 9]),
    ],
)
def test_lookup_tables(keys, values, default, given):
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values), default)
    given = tf.constant(given)
    model = tf.export.onnx(table.lookup, [tf.TensorSpec([None], given.dtype)])
    onnx.checker.check_model(model, full_check=True)
    [got] = run(model, given.numpy() if given.dtype != tf.string else np.array([t.decode() for t in given.numpy()]))
    want = table.lookup(given).numpy()
    assert got.tolist() == [t.decode() if isinstance(t, bytes) else t for t in want.tolist()]


def test_a_vocabulary_is_no_table_of_onnx():
    words = tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([0], tf.int64))
    table = tf.lookup.StaticVocabularyTable(words, 2)
    with pytest.raises(CannotBeExported, match=r"table_lookup, at test_export.py:\d+, gives words .* by their hash"):
        tf.export.onnx(lambda s: table.lookup(s), [tf.TensorSpec([None], tf.string)])


def test_files(tmp_path):
    path = str(tmp_path / "new" / "sin.onnx")
    tf.export.onnx(tf.sin, [x_spec], path)
    onnx.checker.check_model(path, full_check=True)
    [got] = onnxruntime.InferenceSession(path).run(None, {"x": rows(2)})
    close(got, np.sin(rows(2)))


def test_stablehlo_runs_without_tapeflow(tmp_path):
    weights = tf.Variable(np.ones((3, 2), np.float32))
    path = tmp_path / "program"
    tf.export.stablehlo(lambda x: tf.nn.relu(x @ weights), [x_spec], path)
    program = f"""
import sys
sys.modules["tapeflow"] = None
import jax, numpy as np
run = jax.export.deserialize(open({str(path)!r}, "rb").read())
print([run.call(np.ones((n, 3), np.float32))[0].tolist() for n in (1, 2)])
"""
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[[[3.0, 3.0]], [[3.0, 3.0], [3.0, 3.0]]]"


@pytest.mark.parametrize("function", [tf.linalg.eigvals, tf.linalg.sqrtm])
def test_stablehlo_for_the_platforms_that_have_it(function, caplog):
    """An error of the compiler used to come through."""
    x = np.array([[2.0, 1.0], [0.0, 3.0]], np.float32)
    with caplog.at_level(logging.WARNING, "tapeflow"):
        program = tf.export.stablehlo(function, [tf.TensorSpec([2, 2])])
    assert program.platforms == ("cpu",) and "for cpu alone" in caplog.text
    [got] = jax.export.deserialize(program.serialize()).call(x)
    close(np.asarray(got), function(tf.constant(x)).numpy(), terms=10, size=4.0)


# ---- what can be exported


def test_a_function_with_a_signature_and_a_trace():
    f = tf.function(tf.square, input_signature=[x_spec])
    for given in (f, f.get_concrete_function()):
        close(run(tf.export.onnx(given), rows(2))[0], rows(2) ** 2)


def test_a_function_that_was_loaded(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: tf.exp(x) * 2, input_signature=[x_spec])
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    close(run(tf.export.onnx(loaded.f), rows(2))[0], np.exp(rows(2)) * 2, terms=3)


@pytest.mark.parametrize(
    "signature",
    [(None, 3), tf.TensorSpec([2]), "model.onnx", [(None, 3)], ["float32"], [tf.TensorSpec([2]), np.float32]],
)
def test_what_is_no_signature(signature):
    """Shapes and names of dtypes were taken for constants, and a path for letters."""
    with pytest.raises(TypeError, match=r"`signature` is a list with a tf.TensorSpec for each argument"):
        tf.export.onnx(lambda *xs: xs[0] * 2, signature)


def test_constants_in_a_signature():
    model = tf.export.onnx(lambda x, twice: x * 2 if twice else x, [x_spec, True])
    close(run(model, rows(2))[0], rows(2) * 2)


def test_a_missing_signature():
    with pytest.raises(ValueError, match="needs a signature"):
        tf.export.onnx(tf.sin)


# ---- what cannot


def test_an_operation_that_onnx_has_not():
    def f(x):
        y = x + 1
        return tf.math.lgamma(y)

    with pytest.raises(CannotBeExported, match=r"f cannot be exported to ONNX: lgamma, at test_export.py:\d+, is a"):
        tf.export.onnx(f, [x_spec])


@BOTH
def test_more_weights_than_a_file_holds(export, monkeypatch, tmp_path):
    """It was put together first, in memory; then XLA's file failed in its own way."""
    monkeypatch.setattr(lowering, "MOST", 1000)
    weights = tf.Variable(np.ones((3, 100), np.float32))
    with pytest.raises(CannotBeExported, match=r"it has 0.0 GB of weights, and one file holds 2"):
        export(lambda x: x @ weights, [x_spec], tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_nothing_to_export():
    with pytest.raises(CannotBeExported, match=r"cannot be exported to ONNX: it returns no tensor"):
        tf.export.onnx(lambda x: None, [x_spec])


@BOTH
def test_random_numbers(export):
    with pytest.raises(CannotBeExported, match=r"random_normal, at test_export.py:\d+, draws random"):
        export(lambda x: x + tf.random.normal([3]), [x_spec])


@BOTH
def test_variables_that_change(export):
    count = tf.Variable(0.0, name="count")

    def f(x):
        count.assign_add(1.0)
        return x * count

    with pytest.raises(CannotBeExported, match=r"it assigns to 'count:0'.*Make what changes an argument"):
        export(f, [x_spec])


@BOTH
def test_python(export):
    f = lambda x: tf.py_function(lambda v: v, [x], tf.float32) + 1
    with pytest.raises(CannotBeExported, match="cannot be exported"):
        export(f, [tf.TensorSpec([3])])


@BOTH
def test_any_rank(export):
    with pytest.raises(CannotBeExported, match="any rank"):
        export(tf.function(lambda x: x * 2), [tf.TensorSpec(None)])


def test_stablehlo_has_no_sizes_that_depend_on_values():
    with pytest.raises(CannotBeExported, match=r"at test_export.py:\d+"):
        tf.export.stablehlo(lambda x: tf.boolean_mask(x, x[:, 0] > 0), [x_spec])
