"""`tapeflow inspect`."""

import pytest

import tapeflow as tf
from tapeflow.cli import main
from tests.saved_model.tensorflow.reading import changed, function, unpacked


def test_a_model_of_tensorflow(tmp_path, capsys):
    assert main(["inspect", str(unpacked("line", tmp_path))]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "a saved model of TensorFlow 2." in lines[0]
    assert "  serving_default(x: float32 (None, 2)) -> output_0: float32 (None, 2)" in lines
    assert "variables (3, 4 numbers)" in lines
    assert "  slope: float32 (2,)" in lines and "  parts.steps.0: int32 (), not trainable" in lines
    assert sum(line.startswith("  moved(") for line in lines) == 2
    assert lines[-1] == "missing operations: none"


def test_missing_operations(tmp_path, capsys):
    def change(graph):
        function(graph, "__inference_nested_").node_def[0].op = "Nothing"

    assert main(["inspect", str(changed("line", tmp_path, change))]) == 1
    assert "Nothing (1 node" in capsys.readouterr().out


def test_a_model_of_our_own(tmp_path, capsys):
    module = tf.Module()
    module.parts = [tf.Variable([1.0, 2.0])]
    module.double = tf.function(lambda x: x * module.parts[0], input_signature=[tf.TensorSpec([None, 2], name="x")])
    tf.saved_model.save(module, tmp_path)
    assert main(["inspect", str(tmp_path)]) == 0
    text = capsys.readouterr().out
    assert "a saved model of tapeflow" in text and "  parts.0: float32 (2,)" in text
    assert "  double(float32 (None, 2))" in text and "serving_default(x: float32 (None, 2))" in text


@pytest.mark.parametrize("name", ["nothing", "damaged"])
def test_what_cannot_be_read(name, tmp_path, capsys):
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "saved_model.pb").write_bytes(b"\xff")
    assert main(["inspect", str(tmp_path / name)]) == 2
    assert "tapeflow inspect: " in capsys.readouterr().err
