"""Frozen graphs, as programs for version 2 use them: `wrap_function`, `prune`, sessions on an imported graph."""

import numpy as np
import pytest

import tapeflow as tf
from tests.rounding import close
from tests.saved_model.tensorflow.reading import unpacked

v1 = tf.compat.v1


@pytest.fixture
def frozen(tmp_path):
    folder = unpacked("frozen", tmp_path)
    message = v1.GraphDef()
    with v1.gfile.GFile(str(folder / "frozen.pb"), "rb") as file:
        message.ParseFromString(file.read())
    with np.load(folder / "answers.npz") as answers:
        wanted = answers["0/0"]
    return message, tf.constant(np.linspace(-1, 1, 144, dtype=np.float32).reshape(2, 6, 6, 2)), wanted


def test_a_frozen_graph_as_text(tmp_path, frozen):
    from google.protobuf import text_format

    text = (tmp_path / "frozen" / "frozen.pbtxt").read_text()
    assert text_format.Parse(text, v1.GraphDef()) == frozen[0]


def test_a_session_on_an_imported_graph(frozen):
    message, x, wanted = frozen
    graph = tf.Graph()
    with graph.as_default():
        given, y = v1.import_graph_def(message, return_elements=["x:0", "y:0"], name="net")
    assert graph.get_operations()[0].name == "net/x"
    with v1.Session(graph=graph) as session:
        close(session.run(y, {given: x.numpy()}), wanted)
        found = session.run({"a": ["net/y:0"], "b": graph.get_tensor_by_name("net/x:0")}, {"net/x:0": x.numpy()})
    close(found["a"][0], wanted)
    assert (found["b"] == x.numpy()).all()


def test_inside_a_function_and_under_a_tape(frozen):
    message, x, wanted = frozen

    @tf.function
    def of(x):
        [y] = tf.graph_util.import_graph_def(message, input_map={"x:0": x}, return_elements=["y:0"])
        return y

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = of(x)
        first = y[:, 0]
    close(y, wanted)
    assert (tape.gradient(first, x).numpy() != 0).any()


def test_wrapping(frozen):
    message, x, wanted = frozen
    wrapped = v1.wrap_function(lambda: v1.import_graph_def(message, name="net"), [])
    element = wrapped.graph.as_graph_element
    pruned = wrapped.prune([element("net/x:0")], [element("net/y:0")])
    assert [t.name for t in pruned.inputs] == ["net/x:0"] and [t.name for t in pruned.outputs] == ["net/y:0"]
    close(pruned(x)[0], wanted)
    close(pruned(x.numpy())[0], wanted)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float32 tensor but is a int32"):
        pruned(tf.ones([1, 6, 6, 2], tf.int32))
    with pytest.raises(TypeError, match="expected argument 'net/x'"):
        pruned()


def test_a_function_that_computes_is_wrapped():
    w = tf.Variable(2.0)
    wrapped = v1.wrap_function(lambda x: x * w, [tf.TensorSpec([None])])
    assert wrapped(tf.constant([1.0, 2.0])).numpy().tolist() == [2, 4] and wrapped.variables[0] is w
    with pytest.raises(ValueError, match="imported no graph"):
        wrapped.prune("x:0", "y:0")


def test_names_twice_and_values_for_nothing(frozen):
    message, x, _ = frozen
    with tf.Graph().as_default() as graph:
        v1.import_graph_def(message)
        v1.import_graph_def(message)
        assert {op.name.split("/")[0] for op in graph.get_operations()} == {"import", "import_1"}
        v1.import_graph_def(message, name="")
        with pytest.raises(ValueError, match="Node name 'x' already exists in the Graph"):
            v1.import_graph_def(message, name="")
    with pytest.raises(ValueError, match=r"not found in graph_def: \[z:0\]"):
        v1.import_graph_def(message, {"z": x}, ["y:0"])
    with pytest.raises(ValueError, match="Requested return_element 'z:0' not found in graph_def"):
        v1.import_graph_def(message, {"x": x}, ["z:0"])
    with pytest.raises(TypeError, match="graph_def must be a GraphDef proto"):
        v1.import_graph_def(b"")
