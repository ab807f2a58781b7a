"""State of Python objects in a checkpoint."""

import json

import pytest

import tapeflow as tf


class Position(tf.train.experimental.PythonState):
    def __init__(self, **at):
        self.at = at

    def serialize(self):
        return json.dumps(self.at)

    def deserialize(self, string_value):
        self.at = json.loads(string_value)


def test_a_text_goes_into_a_checkpoint_and_comes_back(tmp_path):
    path = tf.train.Checkpoint(position=Position(file="é", row=3)).save(tmp_path / "c")
    empty = Position()
    tf.train.Checkpoint(position=empty).restore(path).assert_consumed()
    assert empty.at == {"file": "é", "row": 3}


def test_both_methods_are_needed():
    class Half(tf.train.experimental.PythonState):
        def serialize(self):
            return ""

    with pytest.raises(TypeError, match="deserialize"):
        Half()
