"""Files beside `saved_model.pb`: assets that lead elsewhere, variables that are not there or do not fit."""

import shutil

import pytest

import tapeflow as tf
from tapeflow.saved_model.tensorflow.folder import asset_path
from tests.saved_model.tensorflow.reading import changed, unpacked


@pytest.mark.parametrize(
    "name", ["", "/etc/passwd", "../words.txt", "a/../../b", "..\\words.txt", "C:\\words.txt", "a\0b", "//host/x"]
)
def test_assets_stay_in_the_folder(name, tmp_path):
    with pytest.raises(ValueError, match="leads out of the folder"):
        asset_path(tmp_path, name)


def test_an_asset_that_leads_elsewhere(tmp_path):
    folder = changed("text", tmp_path, lambda g: setattr(g.asset_file_def[0], "filename", "../../../etc/passwd"))
    with pytest.raises(OSError, match="leads out of the folder"):
        tf.saved_model.load(folder)


def test_an_asset_that_is_missing(tmp_path):
    folder = unpacked("text", tmp_path)
    shutil.rmtree(folder / "assets")
    with pytest.raises(tf.errors.NotFoundError, match=r"words\.txt"):
        tf.saved_model.load(folder)


def variables(graph):
    return [node.variable for node in graph.object_graph_def.nodes if node.WhichOneof("kind") == "variable"]


def test_a_variable_of_another_shape(tmp_path):
    folder = changed("line", tmp_path, lambda g: variables(g)[0].shape.dim.add(size=3))
    with pytest.raises(tf.errors.DataLossError, match="'slope' cannot be restored, since it is float32"):
        tf.saved_model.load(folder)


def test_a_variable_of_another_dtype(tmp_path):
    folder = changed("line", tmp_path, lambda g: setattr(variables(g)[0], "dtype", 2))
    with pytest.raises(tf.errors.DataLossError, match="it is float64"):
        tf.saved_model.load(folder)


def test_variables_that_are_not_there(tmp_path):
    folder = unpacked("line", tmp_path)
    shutil.rmtree(folder / "variables")
    with pytest.raises(tf.errors.DataLossError, match="not in the checkpoint"):
        tf.saved_model.load(folder)


def test_a_file_that_ends_early(tmp_path):
    folder = unpacked("line", tmp_path)
    file = folder / "saved_model.pb"
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(OSError, match=r"Cannot parse file .*saved_model\.pb"):
        tf.saved_model.load(folder)


def test_objects_that_hold_each_other(tmp_path):
    folder = changed("line", tmp_path, lambda g: g.object_graph_def.nodes[0].children.add(node_id=0, local_name="me"))
    line = tf.saved_model.load(folder)
    assert line.me is line


def test_an_object_that_is_not_there(tmp_path):
    folder = changed("line", tmp_path, lambda g: g.object_graph_def.nodes[0].children.add(node_id=999))
    with pytest.raises(OSError, match="holds the object 999"):
        tf.saved_model.load(folder)
