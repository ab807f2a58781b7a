"""TensorFlow's SavedModels: what is committed in `model/` TensorFlow itself has loaded and run, and it is what is
written today, byte by byte; `answers.json` is what TensorFlow gave."""

import errno
import json
import logging
from pathlib import Path

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core.primitive import REGISTRY
from tapeflow.core.tensor import EagerTensor
from tapeflow.export import CannotBeExported
from tapeflow.export.compositions import COMPOSITIONS
from tapeflow.export.to_tensorflow import RULES, saved_models
from tapeflow.export.to_tensorflow.dtypes import ALLOWED
from tapeflow.export.to_tensorflow.operators import OPERATORS
from tapeflow.export.to_tensorflow.refused import REFUSED
from tapeflow.export.to_tensorflow.saved_models import Held, Traced, write as write_model
from tapeflow.export.to_tensorflow.structures import signature_of
from tapeflow.io.model_messages import SavedModel, parsed
from tapeflow.storage.checkpoints.bundle import TensorFlowCheckpoint
from tests.ops.samples import all_samples
from tests.rounding import close

from .model import FOLDER, FUNCTIONS, Model, Part, X, write

Y, WORDS = np.array([[1.0], [2.0]], np.float32), ["one", "red", "two", "zebra", "?"]
ANSWERS = json.loads(Path(__file__).with_name("answers.json").read_text("utf-8"))
SAMPLES = all_samples()
WRITTEN = sorted(name for name in REGISTRY if name in RULES or name in COMPOSITIONS)


def test_each_primitive_has_a_rule_or_a_reason():
    rules = RULES.keys() | COMPOSITIONS.keys()
    assert not REGISTRY.keys() - rules - REFUSED.keys(), "give it a rule, a composition, or a line in refused.py"
    assert not (rules | REFUSED.keys()) - REGISTRY.keys(), "there is no primitive of that name"
    assert not REFUSED.keys() & rules, "what has a rule needs no reason"


# ---- the committed model


def test_what_is_written_is_what_tensorflow_has_run(tmp_path):
    write(tmp_path / "model")
    files = [f.relative_to(FOLDER) for f in sorted(FOLDER.rglob("*")) if f.is_file()]
    assert len(files) == 4
    for file in files:
        assert (tmp_path / "model" / file).read_bytes() == (FOLDER / file).read_bytes(), (
            f"{file} is written differently: run tests/export/to_tensorflow/model.py, then "
            "scripts/exports/answers.py with TensorFlow, and commit both if its answers are right"
        )


@pytest.mark.parametrize("name", FUNCTIONS)
def test_tensorflow_gave_what_we_give(name):
    for got, want in zip(tf.nest.flatten(getattr(Model(), name)(X)), ANSWERS[name], strict=True):
        close(np.array(want, np.float32), got.numpy(), terms=10, size=1.0)


def test_tensorflow_gave_the_state_and_gradients():
    model = Model()
    for want in ANSWERS["counted"]:
        close(np.array(want, np.float32), model.counted(X).numpy(), terms=10)
    assert ANSWERS["total"] == float(model.total)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(model.dense(X) ** 2)
    close(np.array(ANSWERS["gradient"], np.float32), tape.gradient(y, model.weights).numpy(), terms=50, size=1.0)
    for want in ANSWERS["train"]:
        close(np.array(want, np.float32), model.train(X, Y).numpy(), terms=20)
    close(np.array(ANSWERS["trained"], np.float32), model.part.v.numpy(), terms=20)


def test_tensorflow_gave_what_modules_in_modules_give():
    model = Model()
    for want, part in zip(ANSWERS["parts"], (model.part, model.parts[0], model.parts[1]["deep"]), strict=True):
        close(np.array(want, np.float32), part.f(X).numpy(), terms=10, size=1.0)
    assert ANSWERS["names"] == ["v:0", "scale:0"] and ANSWERS["held"] == [4.0, 1] and ANSWERS["one object"]


def test_tensorflow_gave_what_each_trace_gives():
    model, found = Model(), ANSWERS["dropped"]
    for want, y in zip(found[:3], (X + 1, X * 2, X * 3), strict=True):
        np.testing.assert_array_equal(np.array(want, np.float32), y)
    assert found[3] == int(model.dropped(3)) == 4


def test_tensorflow_gave_texts_and_what_tables_hold():
    model = Model()
    assert [t.decode() for t in model.text(["ab", "C"]).numpy()] == ANSWERS["text"][0]
    for want, known in zip(ANSWERS["looked_up"], (True, False), strict=True):
        assert model.looked_up(WORDS, known).numpy().tolist() == want
    assert ANSWERS["signature looked_up"] == {"output_0": ANSWERS["looked_up"][0]}
    assert ANSWERS["served looked_up"] == ANSWERS["looked_up"][1]


def test_tensorflow_drew_the_same_numbers_by_a_seed_and_new_ones_without():
    for want, got in zip(ANSWERS["drawn"], Model().drawn([3, 4]), strict=True):
        np.testing.assert_array_equal(np.array(want, got.dtype.as_numpy_dtype), got.numpy())
    assert ANSWERS["noisy"] == [[0.0, 2.0], False]


def test_tensorflow_gave_what_signatures_give():
    model = Model()
    for name in ("signature serving_default", "served serving_default"):  # as TensorFlow 2 loads it, and as servers do
        close(np.array(ANSWERS[name], np.float32), model.dense(X).numpy(), terms=10)
    picked = model.picked(X)
    assert {k: v.numpy().tolist() for k, v in picked.items()} == ANSWERS["signature picked"]


# ---- what the files say


def test_variables_are_a_checkpoint():
    read = TensorFlowCheckpoint(str(FOLDER / "variables" / "variables"))
    np.testing.assert_array_equal(read.read("weights/.ATTRIBUTES/VARIABLE_VALUE"), Model().weights.numpy())
    names = set(read.graph.nodes[0].children)
    assert {"weights", "total", "dense", "counted", "part", "parts", "by_name", "table", "signatures"} <= names
    np.testing.assert_array_equal(read.read("parts/1/deep/v/.ATTRIBUTES/VARIABLE_VALUE"), np.full((3, 1), 3, "f"))


def test_nodes_refer_to_what_is_there():
    """Inputs of nodes are arguments, outputs of earlier nodes, or nodes to wait for; functions are in the library."""
    [meta] = parsed(SavedModel, str(FOLDER / "saved_model.pb")).meta_graphs
    library = {f.signature.name for f in meta.graph_def.library.function}
    for function in meta.graph_def.library.function:
        there = {arg.name for arg in function.signature.input_arg}
        for node in function.node_def:
            assert {name.lstrip("^") for name in node.input} <= there, (function.signature.name, node.name)
            there |= {node.name} | {
                f"{node.name}:{out.name}:{k}" for out in OPERATORS[node.op].outputs for k in range(20)
            }
            assert {a.func.name for a in node.attr.values() if a.func.name} <= library
        assert set(function.ret.values()) <= there
    assert set(meta.object_graph_def.concrete_functions) <= library


# ---- saving


# TensorFlow runs them; what reads TensorFlow's files here lacks the operator, or one of its attributes.
UNREAD = {
    "argsort", "bessel_i", "bessel_ie", "bessel_j", "bessel_k", "bessel_ke", "bessel_y", "contract", "dawsn", "eig",
    "eigvals", "fresnel_cos", "fresnel_sin", "invert_permutation", "lu", "rfft", "sort", "spence", "sqrtm", "top_k",
    "unicode_transcode", "unslice", "unsorted_segment_prod", "unsorted_segment_sum",
}  # fmt: skip


def applied(name, sample):
    """The primitive as a function of tensors; where the largest of a window is, is for gradients alone."""
    entry = lambda *xs: REGISTRY[name].entry(*xs, **sample.params)
    return (lambda *xs: entry(*xs)[0]) if name == "max_pool" else entry


@pytest.mark.parametrize("name", [name for name in WRITTEN if name not in UNREAD])
def test_samples_are_read_again(name, tmp_path):
    """What each rule writes is read by who knows only TensorFlow's operators, and computes the same."""
    for sample in SAMPLES[name][:1]:
        args = [np.asarray(a) for a in sample.args]
        if any(a.dtype.kind == "c" for a in args) or np.dtype(sample.params.get("dtype", "f")).kind == "c":
            continue
        concrete = tf.function(applied(name, sample), autograph=False).get_concrete_function(
            *[tf.TensorSpec(a.shape, tf.as_dtype(a.dtype), name=f"a{k}") for k, a in enumerate(args)]
        )
        function = Traced("f", signature_of(concrete), False, [concrete])
        write_model(tmp_path, [Held("object", None, {"f": 1}), Held("function", function, {})], {})
        again = tf.saved_model.load(str(tmp_path)).f(*map(EagerTensor, args))
        want = concrete(*map(EagerTensor, args))
        for got, expected in zip(tf.nest.flatten(again), tf.nest.flatten(want), strict=True):
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
            if expected.dtype.is_inexact:
                close(got.numpy(), expected.numpy(), terms=20, size=1.0)
            else:
                np.testing.assert_array_equal(got.numpy(), expected.numpy())


def saved_and_read(tmp_path, function, *args):
    """What TensorFlow's format gives, as we read it, and what is to be given."""
    args = [np.asarray(a) for a in args]
    module = tf.Module()
    specs = [tf.TensorSpec(a.shape, tf.as_dtype(a.dtype), name=f"a{k}") for k, a in enumerate(args)]
    module.f = tf.function(function, input_signature=specs, autograph=False)
    tf.saved_model.save(module, tmp_path, format="tensorflow")
    return tf.saved_model.load(str(tmp_path)).f(*map(EagerTensor, args)), module.f(*map(EagerTensor, args))


@pytest.mark.parametrize("k", range(12))
def test_transposed_convolutions(k, tmp_path):
    """In groups, with gaps and in three dimensions, they were refused."""
    sample = SAMPLES["conv_input_grad"][k]
    got, want = saved_and_read(tmp_path, applied("conv_input_grad", sample), *sample.args)
    close(got.numpy(), want.numpy(), terms=100, size=1.0)


@pytest.mark.parametrize("function", [tf.abs, lambda x: tf.math.is_finite(tf.math.exp(x))])
def test_complex_numbers(function, tmp_path):
    """They were written with operators for real numbers: TensorFlow could not load the model."""
    got, want = saved_and_read(tmp_path, function, np.array([1 + 2j, 3j, 1e3, -1], np.complex64))
    close(got.numpy(), want.numpy()) if want.dtype.is_floating else np.testing.assert_array_equal(got, want)


def test_a_dtype_that_an_operator_does_not_take(tmp_path):
    module = tf.Module()
    int4 = tf.experimental.int4
    module.f = tf.function(lambda x: x * 2 - tf.constant(1, int4), input_signature=[tf.TensorSpec([2], int4)])
    with pytest.raises(CannotBeExported, match=r"at test_to_tensorflow.py:\d+, is about int4, which .* operator Mul"):
        tf.saved_model.save(module, tmp_path, format="tensorflow")


def test_operators_that_have_limits_are_there():
    for operator, attribute in ALLOWED:
        arguments = [*OPERATORS[operator].inputs, *OPERATORS[operator].outputs]
        assert attribute in {argument.kind for argument in arguments}, f"{operator}.{attribute}"


def test_the_model_is_read_again():
    again, model = tf.saved_model.load(str(FOLDER)), Model()
    for name in FUNCTIONS:
        for got, want in zip(tf.nest.flatten(getattr(again, name)(X)), tf.nest.flatten(getattr(model, name)(X))):
            close(got.numpy(), want.numpy(), terms=10)
    assert again.part is again.same_part
    close(again.parts[1]["deep"].f(X).numpy(), model.parts[1]["deep"].f(X).numpy(), terms=10, size=1.0)
    np.testing.assert_array_equal(again.dropped(tf.constant(X), True, scale=3.0).numpy(), X * 3)
    assert again.looked_up(tf.constant(WORDS), tf.constant(False)).numpy().tolist() == ANSWERS["looked_up"][1]
    close(again.train(tf.constant(X), tf.constant(Y)).numpy(), np.array(ANSWERS["train"][0], np.float32), terms=20)
    assert not np.array_equal(again.part.v.numpy(), Part(1.0).v.numpy())
    ones = tf.ones([50, 3])
    assert not np.array_equal(again.noisy(ones).numpy(), again.noisy(ones).numpy())


def test_an_unknown_format():
    with pytest.raises(ValueError, match="'tapeflow' or 'tensorflow', not 'onnx'"):
        tf.saved_model.save(tf.Module(), "nowhere", format="onnx")


def test_an_operation_that_tensorflow_has_not(tmp_path):
    module = tf.Module()
    module.f = tf.function(lambda x: tf.math.special.expint(x), input_signature=[tf.TensorSpec([None])])
    with pytest.raises(CannotBeExported, match=r"TensorFlow's format: expint, at test_to_tensorflow.py:\d+, is not a"):
        tf.saved_model.save(module, tmp_path / "model", format="tensorflow")
    assert not (tmp_path / "model").exists()


def test_an_older_model_is_replaced(tmp_path):
    for _ in range(2):
        write(tmp_path)
    assert (tmp_path / "saved_model.pb").read_bytes() == (FOLDER / "saved_model.pb").read_bytes()


def content(folder):
    return {f.relative_to(folder): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


@pytest.mark.parametrize("nth", range(1, 5))
def test_an_older_model_stays_whole_when_writing_fails(nth, tmp_path, monkeypatch):
    """Whichever file it is that the disk has no room for."""
    write(tmp_path / "model")
    before, count = content(tmp_path / "model"), 0
    model = Model()
    model.total.assign(7.0)
    whole = Path.write_bytes

    def full(path, data):
        nonlocal count
        count += 1
        if count == nth:
            whole(path, data[:10])
            raise OSError(errno.ENOSPC, "No space left on device", str(path))
        return whole(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    if nth < 4:
        with pytest.raises(OSError, match=r"No space left on device, so a SavedModel was not written.*model'"):
            tf.saved_model.save(model, tmp_path / "model", format="tensorflow")
        assert content(tmp_path) == {Path("model") / name: data for name, data in before.items()}
    else:  # there are three
        tf.saved_model.save(model, tmp_path / "model", format="tensorflow")
        assert content(tmp_path / "model") != before


def test_a_model_that_cannot_be_read_again_is_not_written(tmp_path, monkeypatch):
    write(tmp_path / "model")
    before = content(tmp_path / "model")
    monkeypatch.setattr(saved_models, "bundle", lambda values: (b"no index", b""))
    with pytest.raises(tf.errors.InternalError, match=r"could not be read again: .*Nothing was written"):
        write(tmp_path / "model")
    assert content(tmp_path / "model") == before


def test_one_folder_has_one_model(tmp_path):
    """A model in the other format used to stay, and `load` here or TensorFlow read the older one."""
    module = tf.Module()
    module.v = tf.Variable(1.0)
    for k, format in enumerate(("tapeflow", "tensorflow", "tapeflow")):
        module.v.assign(k)
        tf.saved_model.save(module, tmp_path, format=format)
        assert float(tf.saved_model.load(tmp_path).v) == k
        assert (tmp_path / "saved_model.pb").exists() == (format == "tensorflow")


def test_traces_that_cannot_be_written_are_left_out(tmp_path, caplog):
    """One that calls Python used to keep all others from being saved."""
    module = tf.Module()
    module.f = tf.function(lambda x, python=False: tf.py_function(lambda x: x, [x], tf.float32) if python else x + 1)
    module.f(X)
    module.f(X, python=True)
    with caplog.at_level(logging.WARNING, "tapeflow"):
        tf.saved_model.save(module, tmp_path, format="tensorflow")
    assert "Its other traces are saved" in caplog.text
    np.testing.assert_array_equal(tf.saved_model.load(tmp_path).f(tf.constant(X)).numpy(), X + 1)


def test_names_of_a_dict_are_texts(tmp_path):
    module = tf.Module()
    module.by = {1: tf.Variable(1.0)}
    with pytest.raises(ValueError, match=r"by, contains a non-string key"):
        tf.saved_model.save(module, tmp_path, format="tensorflow")


def test_a_signature_that_runs_as_python_says_so(tmp_path):
    """It said that a result was None."""
    module = tf.Module()
    module.f = tf.function(lambda x: tf.strings.ngrams(x, 2), input_signature=[tf.TensorSpec([None], tf.string)])
    for format in ("tensorflow", "tapeflow"):
        with pytest.raises(ValueError, match=r"'f' cannot be saved, since .* runs as plain Python.*needs"):
            tf.saved_model.save(module, tmp_path, signatures={"f": module.f}, format=format)


def test_functions_that_were_never_called(tmp_path, caplog):
    """They were missing after loading, and nothing said so."""
    module = tf.Module()
    module.f = tf.function(lambda x: x)
    with caplog.at_level(logging.WARNING, "tapeflow"):
        tf.saved_model.save(module, tmp_path, format="tensorflow")
    assert "Found untraced functions such as <lambda> while saving" in caplog.text
    with pytest.raises(ValueError, match="Found zero restored functions"):
        tf.saved_model.load(tmp_path).f(X)
