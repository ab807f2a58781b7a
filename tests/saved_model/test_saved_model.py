"""`tf.saved_model`: what is saved comes back, in another process too, without the classes."""

import collections
import json
import subprocess
import sys

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.saved_model import writing


class Scale(tf.Module):
    def __init__(self, factor=2.0):
        super().__init__()
        self.factor = tf.Variable(factor, name="factor")
        self.rest = [tf.Variable([1, 2], trainable=False), {"inner": tf.Module()}, 7]
        self.rest[1]["inner"].shared = self.factor
        self.number, self.pair = 3, (tf.Variable("text"),)

    @tf.function(input_signature=[tf.TensorSpec([None, 2], name="rows")])
    def rows(self, x):
        return self.factor * x

    @tf.function
    def __call__(self, x, twice=False):
        return x * self.factor * (2.0 if twice else 1.0)

    @tf.function
    def never(self, x):
        return x


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "models" / "scale"


def saved(folder, module=None, **options):
    module = module or Scale()
    tf.saved_model.save(module, folder, **options)
    return module


def test_modules_that_never_called_their_base_class(folder):
    class Names(tf.Module):
        def __init__(self, names):
            self.names = names

        @tf.function
        def __call__(self, x):
            return tf.gather(self.names, x)

    module = Names(list(np.array(["no", "yes"])))
    assert module(tf.constant([1, 0])).numpy().tolist() == [b"yes", b"no"]
    saved(folder, module)
    assert tf.saved_model.load(folder)(tf.constant([0, 1])).numpy().tolist() == [b"no", b"yes"]


def test_traces_that_are_no_graphs_are_left_out(folder, caplog):
    class Reader(tf.Module):
        @tf.function
        def __call__(self, x):
            if x.dtype == tf.string:
                x = tf.strings.to_number(tf.io.read_file(x))
            return 2.0 * x

        @tf.function
        def only_files(self, x):
            return tf.io.read_file(x)

    module = Reader()
    folder.parent.mkdir(parents=True)
    (folder.parent / "number").write_text("4.5")
    assert float(module(tf.constant(str(folder.parent / "number")))) == 9.0 and float(module(tf.constant(1.0))) == 2.0
    saved(folder, module)
    assert "reading a file" in caplog.text and "1 other traces are saved" in caplog.text
    assert float(tf.saved_model.load(folder)(tf.constant(3.0))) == 6.0
    module.only_files(tf.constant(str(folder.parent / "number")))
    with pytest.raises(ValueError, match="only_files cannot be saved"):
        saved(folder, module)


def test_attributes_come_back(folder):
    module = Scale()
    module(tf.ones([3]))
    module(tf.ones([3]), twice=True)
    saved(folder, module)
    loaded = tf.saved_model.load(folder)
    assert loaded.factor.numpy() == 2.0 and loaded.factor.name == "factor:0" and loaded.factor.trainable
    assert loaded.rest[0].numpy().tolist() == [1, 2] and not loaded.rest[0].trainable and loaded.rest[2] == 7
    assert loaded.rest[1]["inner"].shared is loaded.factor  # one variable, not two
    assert loaded.pair[0].numpy() == b"text" and not hasattr(loaded, "number")
    assert {v.name for v in loaded.variables} == {v.name for v in module.variables} and len(
        loaded.trainable_variables
    ) == 2
    assert loaded([1.0, 2.0, 3.0]).numpy().tolist() == [2.0, 4.0, 6.0]  # a list is as good as a tensor
    assert loaded(tf.ones([3]), twice=True).numpy().tolist() == [4.0] * 3
    assert loaded.rows(x=np.ones([5, 2], "f")).shape == loaded.rows(tf.ones([5, 2])).shape == (5, 2)
    assert loaded.rest[1]["inner"].name == "module"
    with pytest.raises(TypeError, match="not callable"):
        loaded.rest[1]["inner"]()


def test_arguments_that_nothing_was_saved_for(folder):
    module = Scale()
    module(tf.ones([3]))
    saved(folder, module)
    loaded = tf.saved_model.load(folder)
    first = "Could not find matching concrete function to call loaded from the SavedModel."
    with pytest.raises(
        ValueError,
        match=rf"{first} __call__ was called with\n  \(float32 \(4,\), False\)\nand was saved for\n  1. \(float32 "
        r"\(3,\), False\)",
    ):
        loaded(tf.ones([4]))
    with pytest.raises(ValueError, match=first):
        loaded(tf.ones([3]), True)
    with pytest.raises(TypeError, match=r"float64 \(1, 2\)"):  # as with an input_signature that is not loaded
        loaded.rows(tf.ones([1, 2], tf.float64))
    with pytest.raises(ValueError, match="Found zero restored functions for caller function: never"):
        loaded.never(1.0)


def test_another_process_needs_no_classes(folder):
    saved(folder)
    program = (
        "import sys, tapeflow as tf; m = tf.saved_model.load(sys.argv[1]); x = tf.ones([3, 2])\n"
        "with tf.GradientTape() as tape: y = tf.reduce_sum(m.rows(x) ** 2)\n"
        "print(float(y), float(tape.gradient(y, m.factor)))"
    )
    out = subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True, check=True)
    assert out.stdout == "24.0 24.0\n"


def test_a_loaded_model_is_trained_and_saved_again(folder, tmp_path):
    saved(folder)
    loaded = tf.saved_model.load(folder)
    x, y = tf.constant([[1.0, 2.0]]), tf.constant([[5.0, 10.0]])
    for _ in range(50):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((loaded.rows(x) - y) ** 2)
        loaded.factor.assign_sub(0.1 * tape.gradient(loss, loaded.factor))
    again = tmp_path / "again"
    tf.saved_model.save(loaded, again)
    np.testing.assert_allclose(tf.saved_model.load(again).rows(x), y, rtol=1e-4)
    assert tf.saved_model.load(folder).factor.numpy() == 2.0  # each load has variables of its own
    assert list(tf.saved_model.load(again).signatures) == ["serving_default"]


def test_signatures(folder):
    @tf.function
    def both(xs, more):
        return {"sum": xs[0] + xs[1], "more": more["b"]}

    spec = tf.TensorSpec([2])
    concrete = both.get_concrete_function([spec, spec], {"a": spec, "b": spec})
    module = Scale()
    saved(folder, module, signatures={"rows": module.rows, "both": concrete})
    found = tf.saved_model.load(folder).signatures
    assert list(found) == ["rows", "both"] and "both" in found
    assert found["rows"].structured_input_signature == ((), {"rows": tf.TensorSpec([None, 2], name="rows")})
    assert found["rows"].structured_outputs == {"output_0": tf.TensorSpec([None, 2], name="output_0")}
    assert found["rows"](tf.ones([1, 2]))["output_0"].numpy().tolist() == [[2.0, 2.0]]  # one argument needs no name
    one, two = tf.constant([1.0, 1.0]), tf.constant([2.0, 2.0])
    out = found["both"](xs=one, xs_1=two, more=one, more_1=two)
    assert out["sum"].numpy()[0] == 3.0 and out["more"].numpy()[0] == 2.0
    with pytest.raises(TypeError, match=r"by keyword, xs=..., xs_1=..., more=..., more_1=..."):
        found["both"](one)
    with pytest.raises(TypeError, match="missing a required argument: 'rows'"):
        found["rows"](x=one)
    with pytest.raises(TypeError, match=r"rows must be a float32\[None, 2\]"):
        found["rows"](rows=[1.0, 2.0])
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"traced for float32\[None, 2\], and was given shape \(2,\)"
    ):
        found["rows"](rows=one)
    with pytest.raises(KeyError, match="no signature 'serve'; it has 'rows', 'both'"):
        found["serve"]


def test_default_signature_is_the_only_function_that_can_be_one(folder):
    module = tf.Module()
    module.nested = tf.function(lambda x: {"a": (x, x)}, input_signature=[tf.TensorSpec([])])
    module.flat = tf.function(lambda x: (x, x + 1), input_signature=[tf.TensorSpec([])])
    saved(folder, module)
    out = tf.saved_model.load(folder).signatures["serving_default"](x=1.0)
    assert {name: value.numpy() for name, value in out.items()} == {"output_0": 1.0, "output_1": 2.0}
    module.other = tf.function(lambda x: x, input_signature=[tf.TensorSpec([])])
    saved(folder, module)
    assert not tf.saved_model.load(folder).signatures


@pytest.mark.parametrize("wrong", [lambda x: x, tf.function(lambda x: x)])
def test_what_is_no_signature(folder, wrong):
    with pytest.raises(ValueError, match="Expected a TensorFlow function for which to generate a signature"):
        saved(folder, signatures=wrong)
    with pytest.raises(ValueError, match="Got a non-Tensor value"):
        saved(folder, signatures=tf.function(lambda: {"a": None}, input_signature=[]))
    assert not folder.exists()


def test_variables_made_while_tracing_and_untracked_ones(folder):
    outside = tf.Variable(5.0)

    class Lazy(tf.Module):
        v = None

        @tf.function(input_signature=[tf.TensorSpec([])])
        def f(self, x):
            if self.v is None:
                self.v = tf.Variable(3.0)
            self.v.assign_add(1.0)
            return x * self.v + outside

    saved(folder, Lazy())
    loaded = tf.saved_model.load(folder)
    assert loaded.f(1.0).numpy() == 9.0 and loaded.v.numpy() == 4.0 and outside.numpy() == 5.0


def test_objects_that_refer_to_each_other(folder):
    parent, child = Scale(), tf.Module()
    parent.child, child.parent = child, parent
    saved(folder, parent)
    loaded = tf.saved_model.load(folder)
    assert loaded.child.parent is loaded


def test_functions_that_cannot_be_saved_are_named(folder):
    module = tf.Module()
    module.ask = tf.function(
        lambda x: tf.numpy_function(lambda v: v, [x], tf.TensorSpec([])), input_signature=[tf.TensorSpec([])]
    )
    with pytest.raises(ValueError, match=r"cannot be saved: tf.numpy_function, at test_saved_model.py.*calls Python"):
        saved(folder, module)
    module.ask = tf.function(lambda x, how: x)
    module.ask(1.0, object())
    with pytest.raises(ValueError, match="cannot be saved: it was called with <object"):
        saved(folder, module)
    assert not folder.exists() and not list(folder.parent.parent.iterdir())


# ---- files


def test_saving_over_a_model_replaces_it_and_nothing_else(folder):
    saved(folder)
    (folder / "notes.txt").write_text("mine")
    saved(folder, Scale(4.0))
    assert tf.saved_model.load(folder).factor.numpy() == 4.0
    names = sorted(p.name for p in folder.iterdir())
    assert names[:2] == ["notes.txt", "saved_model.json"] and len(names) == 3  # the old values are gone
    assert [p.name for p in folder.parent.iterdir()] == ["scale"]


def test_a_failed_save_leaves_the_old_model(folder, monkeypatch):
    saved(folder)
    before = sorted(p.name for p in folder.iterdir())
    monkeypatch.setattr("tapeflow.saved_model._os.replace", lambda *_: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        saved(folder, Scale(4.0))
    with pytest.raises(OSError, match="disk full"):
        saved(folder.parent / "new")
    assert sorted(p.name for p in folder.iterdir()) == before and [p.name for p in folder.parent.iterdir()] == [
        "scale"
    ]
    assert tf.saved_model.load(folder).factor.numpy() == 2.0


def test_values_are_a_safetensors_file(folder):
    safetensors = pytest.importorskip("safetensors.numpy")
    saved(folder)
    [file] = folder.glob("*.safetensors")
    found = safetensors.load_file(file)
    assert found["factor"] == 2.0 and found["rest.0"].tolist() == [1, 2]


def test_damaged_newer_and_missing_files(folder, tmp_path):
    with pytest.raises(OSError, match="SavedModel file does not exist at"):
        tf.saved_model.load(folder)
    assert not tf.saved_model.contains_saved_model(folder)
    saved(folder)
    assert tf.saved_model.contains_saved_model(folder)
    index, [values] = folder / "saved_model.json", folder.glob("*.safetensors")
    text, numbers = index.read_text(), values.read_bytes()
    values.write_bytes(numbers[:-1] + b"?")
    with pytest.raises(tf.errors.DataLossError, match=r"damaged.*checksum"):
        tf.saved_model.load(folder)
    values.unlink()
    with pytest.raises(OSError, match=r"incomplete: values-.*is missing"):
        tf.saved_model.load(folder)
    values.write_bytes(numbers)
    model = json.loads(text)
    for kind, wrong, message in [
        (OSError, text[:100], "Cannot parse file .*saved_model.json: its checksum is not"),
        (OSError, text.replace("factor", "Factor"), "its checksum is not"),
        (OSError, json.dumps(model), "its checksum is missing"),
        (OSError, "[" * 100_000, "Cannot parse file .*saved_model.json: "),
        (ValueError, json.dumps({"format": "another"}), "is not a saved model of tapeflow"),
        (ValueError, json.dumps(model | {"version": 2}).replace("checked", "-"), "has version 2 of the format.*newer"),
        (OSError, json.dumps(model | {"objects": []}).replace("checked", "-"), "IndexError"),
        (OSError, json.dumps(model | {"values": "../secret"}).replace("checked", "-"), "no name of a file of values"),
    ]:
        index.write_text(wrong)
        with pytest.raises(kind, match=message):
            tf.saved_model.load(folder)
    index.write_text(json.dumps(model).replace("checked", "-"))  # as earlier versions wrote it
    assert tf.saved_model.load(folder).factor.numpy() == 2.0
    index.write_text(text)
    assert tf.saved_model.load(folder, tags=["serve"]).factor.numpy() == 2.0
    with pytest.raises(ValueError, match="tags='train' was asked for"):
        tf.saved_model.load(folder, tags="train")


def test_a_model_of_tensorflow_is_told_apart(tmp_path):
    (tmp_path / "saved_model.pbtxt").write_bytes(b"saved_model_schema_version: 1")
    with pytest.raises(NotImplementedError, match=r"of TensorFlow in the form of a text"):
        tf.saved_model.load(tmp_path)
    (tmp_path / "saved_model.pb").write_bytes(b"\x08\x01")
    with pytest.raises(OSError, match=r"Cannot parse file .*saved_model.pb: it has no graph"):
        tf.saved_model.load(tmp_path)


def test_only_modules_can_be_saved(folder):
    with pytest.raises(ValueError, match=r"Expected an object of type `Trackable`.*Got 3 of type int"):
        tf.saved_model.save(3, folder)


def test_texts_and_nothing_survive(folder):
    module = tf.Module()
    module.texts, module.nothing = tf.Variable([["é", ""], ["a", "日本"]]), tf.Variable(tf.zeros([0, 3]))
    module.wide = tf.Variable(tf.constant([1 + 2j], tf.complex128))
    tf.saved_model.save(module, folder)
    again = tf.saved_model.load(folder)
    assert again.texts.numpy().tolist() == module.texts.numpy().tolist()
    assert again.nothing.shape == [0, 3] and again.wide.numpy().tolist() == [1 + 2j]
    again.wide.assign([3.0])
    assert tf.saved_model.load(folder).wide.numpy().tolist() == [1 + 2j]


def test_a_list_in_itself_is_damage(folder):
    module = tf.Module()
    module.parts = [tf.Variable(1.0)]
    tf.saved_model.save(module, folder)
    index = folder / "saved_model.json"
    model = json.loads(index.read_text())
    [number] = [k for k, node in enumerate(model["objects"]) if node["kind"] == "list"]
    model["objects"][number]["entries"][0][1] = {"object": number}
    index.write_text(json.dumps(model).replace("checked", "-"))
    with pytest.raises(OSError, match="RecursionError"):
        tf.saved_model.load(folder)


# ---- functions that call each other


class _Dense(tf.Module):
    def __init__(self, units):
        super().__init__()
        self.units, self.w = units, None

    @tf.function
    def __call__(self, x):
        if self.w is None:
            self.w = tf.Variable(tf.ones([x.shape[-1], self.units]))
        return x @ self.w


class _Stack(tf.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = _Dense(3), _Dense(2)

    @tf.function
    def __call__(self, x):
        return self.second(tf.nn.relu(self.first(x)))

    @tf.function(input_signature=[tf.TensorSpec([None, 2])])
    def serve(self, x):
        return {"y": self(x)}


@pytest.mark.parametrize("called_with", [[], [1, 2, 3]])
def test_functions_called_with_sizes_of_another_trace(called_with, tmp_path):
    """Their traces named sizes of the trace around them: what was saved could not be loaded (KeyError: 0)."""
    model = _Stack()
    for rows in called_with:
        model(tf.ones([rows, 2]))
    tf.saved_model.save(model, tmp_path)
    loaded = tf.saved_model.load(tmp_path)
    for rows in (1, 5):
        assert loaded.serve(tf.ones([rows, 2]))["y"].numpy().tolist() == [[6.0, 6.0]] * rows
        assert loaded.first(tf.ones([rows, 2])).numpy().tolist() == [[2.0] * 3] * rows
        assert loaded(tf.ones([rows, 2])).numpy().tolist() == [[6.0, 6.0]] * rows


def test_nothing_is_replaced_by_what_cannot_be_read(tmp_path, monkeypatch):
    module = tf.Module()
    module.v = tf.Variable(1.0)
    tf.saved_model.save(module, tmp_path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    module.v.assign(2.0)

    def unreadable(self, variable, path=None):
        number = variable_of(self, variable, path)
        self.nodes[-1]["kind"] = "nothing"
        return number

    variable_of = writing.ObjectWriter.variable
    monkeypatch.setattr(writing.ObjectWriter, "variable", unreadable)
    with pytest.raises(tf.errors.InternalError, match="could not be read again"):
        tf.saved_model.save(module, tmp_path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_signatures_give_numbers_as_tensors(tmp_path):
    Pair = collections.namedtuple("Pair", "a b")
    module = tf.Module()
    module.f = tf.function(lambda x: Pair(x, 2.0), input_signature=[tf.TensorSpec([], tf.float32)])
    tf.saved_model.save(module, tmp_path, signatures=module.f)
    outputs = tf.saved_model.load(tmp_path).signatures["serving_default"](tf.constant(1.0))
    assert {name: float(value) for name, value in outputs.items()} == {"a": 1.0, "b": 2.0}
