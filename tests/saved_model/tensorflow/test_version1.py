"""SavedModels that TensorFlow 1 wrote: variables of both kinds, tables, functions between any of their tensors
(`scripts/tensorflow_models.py`)."""

import logging

import pytest

import tapeflow as tf
from tests.rounding import close
from tests.saved_model.tensorflow.reading import changed, unpacked


def test_variables_are_trained(tmp_path):
    model = tf.saved_model.load(unpacked("v1_line", tmp_path))
    assert {v.name: v.trainable for v in model.variables} == {"part/w:0": True, "part/b:0": True, "steps:0": False}
    w = next(v for v in model.trainable_variables if v.name == "part/w:0")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model.signatures["serving_default"](tf.constant([[1.0, 2.0]]))["y"])
    gradient = tape.gradient(loss, w)
    assert gradient.numpy().tolist() == [[1, 1], [2, 2]]
    w.assign_sub(gradient)
    close(model.signatures["serving_default"](tf.constant([[1.0, 2.0]]))["y"], [[2.5, 4.0]])


def test_a_variable_that_the_checkpoint_lacks_is_named(tmp_path):
    model = tf.saved_model.load(unpacked("v1_line", tmp_path))
    with pytest.raises(tf.errors.UnimplementedError, match=r"'local' of .*the checkpoint has no value for it"):
        model.prune("x:0", "never_saved:0")


def test_names_that_are_not_there(tmp_path):
    model = tf.saved_model.load(unpacked("v1_line", tmp_path))
    with pytest.raises(KeyError, match=r"'z:0' refers to a Tensor which does not exist\. The operation, 'z'"):
        model.prune("x:0", "z:0")
    with pytest.raises(ValueError, match="must feed a value for placeholder tensor 'x'"):
        model.prune([], "y:0")
    with pytest.raises(ValueError, match="All members of argument `feeds` must be tensors"):
        model.prune("x", "y:0")


def test_the_graph_of_a_model_by_names(tmp_path):
    model = tf.saved_model.load(unpacked("v1_line", tmp_path))
    x = model.graph.as_graph_element("x:0")
    assert x.dtype is tf.float32 and x.shape.as_list() == [None, 2] and x.op.type == "Placeholder"
    assert [t.name for t in model.graph.get_operation_by_name("MatMul").inputs] == ["x:0", "part/w/read:0"]
    assert model.prune(x, "y:0", input_signature=[tf.TensorSpec([1, 2])])(tf.ones([1, 2])).shape == (1, 2)


def test_what_fills_tables_runs_nothing_else(tmp_path):
    def writing(graph):
        next(n for n in graph.graph_def.node if n.op == "LookupTableImportV2").input.append("^evil")
        node = graph.graph_def.node.add(name="evil", op="WriteFile")
        node.input.extend(["asset_path", "asset_path"])

    with pytest.raises(OSError, match=r"it runs WriteFile when it is loaded \('evil'\)"):
        tf.saved_model.load(changed("v1_line", tmp_path, writing))


def test_a_table_from_a_file_that_is_no_asset(tmp_path):
    """The path of a file outside of the folder stood in the graph, and the table was filled from it."""
    folder = changed("v1_line", tmp_path, lambda g: g.collection_def["saved_model_assets"].Clear())
    with pytest.raises(OSError, match="filled from a file that is no asset of the model"):
        tf.saved_model.load(folder)


def test_an_asset_that_leads_elsewhere(tmp_path):
    def change(graph):
        del graph.collection_def["saved_model_assets"]
        asset = graph.asset_file_def.add(filename="../../words.txt")
        asset.tensor_info.name = "asset_path:0"

    with pytest.raises(OSError, match="leads out of the folder"):
        tf.saved_model.load(changed("v1_line", tmp_path, change))


def test_a_variable_of_another_shape(tmp_path):
    def change(graph):
        next(n for n in graph.graph_def.node if n.name == "part/w").attr["shape"].shape.dim[0].size = 5

    with pytest.raises(tf.errors.DataLossError, match="'part/w' cannot be restored, since it is float32"):
        tf.saved_model.load(changed("v1_line", tmp_path, change))


def test_a_missing_operation_of_one_signature(tmp_path, caplog):
    def change(graph):
        next(n for n in graph.graph_def.node if n.name == "MatMul").op = "MatMulV9"

    with caplog.at_level(logging.WARNING, "tapeflow"):
        model = tf.saved_model.load(changed("v1_line", tmp_path, change))
    assert "MatMulV9 (1 node, such as 'MatMul'" in caplog.text
    assert model.signatures["words"](words=tf.constant(["day"]))["ids"].numpy().tolist() == [2]
    with pytest.raises(tf.errors.UnimplementedError, match="MatMulV9"):
        model.signatures["serving_default"](x=tf.ones([1, 2]))


def test_a_signature_of_a_tensor_that_is_not_there(tmp_path):
    def change(graph):
        graph.signature_def["words"].outputs["ids"].name = "nowhere:0"

    with pytest.raises(OSError, match="'nowhere:0' refers to a Tensor which does not exist"):
        tf.saved_model.load(changed("v1_line", tmp_path, change))


def test_inspecting(tmp_path):
    from tapeflow.saved_model.inspecting import report

    text, complete = report(unpacked("v1_flow", tmp_path))
    assert complete and "serving_default(x: float32 (None, 3, 2)) -> last: float32 (None, 3)" in text


def test_the_older_format_of_hub_modules(tmp_path):
    """It is such a model without tags."""
    folder = changed("v1_line", tmp_path, lambda g: g.meta_info_def.tags.remove("serve"))
    (folder / "tfhub_module.pb").write_bytes(b"\x08\x03")
    assert sorted(tf.saved_model.load(folder, tags=[]).signatures) == ["serving_default", "words"]
