"""The messages are loaded when they are asked for, and listed before."""

import subprocess
import sys

import pytest

import tapeflow as tf


def test_messages_are_listed_and_there():
    names = {"BytesList", "Example", "Feature", "FeatureList", "FeatureLists", "Features", "FloatList", "Int64List"}
    assert names | {"SequenceExample", "Checkpoint"} <= set(dir(tf.train))
    example = tf.train.Example(
        features=tf.train.Features(feature={"x": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))})
    )
    assert tf.train.Example.FromString(example.SerializeToString()) == example
    with pytest.raises(AttributeError, match="Exampel"):
        tf.train.Exampel  # noqa: B018


def test_nobody_pays_for_messages_that_are_not_used():
    program = "import sys, tapeflow as tf; tf.train.Checkpoint; print('tapeflow.io.messages' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr
