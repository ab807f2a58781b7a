"""No attribute of an operation is passed over that changes the numbers: each is known, with TensorFlow's default, or
nothing here depends on it (`scripts/tensorflow_operations.py`)."""

import dis
import inspect
import json
from pathlib import Path

import pytest

import tapeflow as tf
from tapeflow.api.raw_ops import GRAPH_OPS, OPS
from tapeflow.api.raw_ops.attributes import only
from tapeflow.io.tensors import dtype_of_number
from tapeflow.saved_model.tensorflow.operations import SAID_BY_TENSORS

FUNCTIONS = OPS | GRAPH_OPS
LINES = dict(
    line.partition(" ")[::2]
    for line in (Path(__file__).parent / "attributes.txt").read_text(encoding="utf-8").splitlines()
)

# Attributes that no input says and no function takes, and why nothing depends on them.
PASSED_OVER = {
    "container": "in which memory of TensorFlow a table is",
    "dtype": "of a variable, which knows it",
    "grad_x": "whether it computes a gradient",
    "grad_y": "the same",
    "OUTPUT_RAGGED_RANK": "the number of results",
    "shape": "of a sum, which the terms have",
    "shared_name": "under which name other sessions find a table",
    "sparse_gradient": "the form of the gradient of TensorFlow's own",
    "Tkeys": "of a table, which knows it",
    "Tvalues": "the same",
    "use_cudnn_on_gpu": "which kernel runs on a GPU",
    "use_node_name_sharing": "under which name other sessions find a table",
    "validate_indices": "whether indices out of bounds are found; they are",
    "validate_shape": "whether another shape may be assigned; the variable knows it",
}
# Parameters that are taken and not read.
NOT_READ = {
    "alg": "one algorithm draws all numbers",
    "clear_after_read": "entries may be read twice",
    "dtype": "of a TensorArray, which knows it",
    "element_dtype": "the same of a list",
    "element_shape": "the same: entries have a shape",
    "element_shape_except0": "the same",
    "grad_a": "whether it computes a gradient",
    "grad_b": "the same",
    "grad_x": "the same",
    "grad_y": "the same",
    "handle": "the flow is the array",
    "init": "what is empty is zero",
    "incompatible_shape_error": "shapes that do not fit are an error",
    "leading_dims": "the entries have sizes",
    "max_num_elements": "a list grows",
    "first_n": "of printing: how often",
    "num_elements": "of a list, which has so many",
    "num_split": "there are as many sizes",
    "resource": "of an operation without an effect",
    "shape": "of a placeholder, whose value has one",
    "shape_type": "which integers tell a shape",
    "tensor_array_name": "for messages",
    "Tcomplex": "the dtype that the input says",
    "Tout": "the same",
    "Treal": "the same",
    "validate_indices": "indices out of bounds are found",
}


def entries(name):
    """(attribute, default or None, does an input say it?)"""
    rest, found = LINES[name], []
    while rest:
        word, _, rest = rest.partition(" ")
        attribute, equal, text = word.partition("=")
        while equal and not complete(text):
            more, _, rest = rest.partition(" ")
            text += f" {more}"
        found.append((attribute.lstrip("*"), json.loads(text) if equal else ..., attribute.startswith("*")))
    return found


def complete(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def same(ours, theirs, name):
    if isinstance(ours, tf.DType):
        return dtype_of_number(theirs) == ours.name
    if ours is None:  # what the function then takes: all ones, any shape, any number
        return theirs is None or set(theirs) == {1}
    if isinstance(theirs, list):
        return list(ours) == theirs
    return ours == pytest.approx(theirs) if isinstance(theirs, float) else ours == theirs


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_attributes_are_those_of_tensorflow(name):
    assert name in LINES, "run scripts/tensorflow_operations.py"
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    for attribute, default, said in entries(name):
        attribute = {"squeeze_dims": "axis"}.get(attribute, attribute)
        if attribute not in parameters:
            assert attribute in SAID_BY_TENSORS, f"{attribute} is refused"
            assert said or attribute in PASSED_OVER, f"{attribute} is passed over"
        elif default is not ... and not said:
            ours = parameters[attribute].default
            assert ours is not inspect.Parameter.empty and same(ours, default, name), f"{attribute}={default}"


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_what_is_taken_is_read(name):
    """`ResizeArea` took `align_corners`, and computed what it is without."""
    code = getattr(FUNCTIONS[name], "__code__", None)
    if code is None or code.co_flags & inspect.CO_VARKEYWORDS:
        return
    read = {i.argval for i in dis.get_instructions(code) if i.opname.startswith("LOAD")} | set(code.co_cellvars)
    read |= {name for i in dis.get_instructions(code) if isinstance(i.argval, tuple) for name in i.argval}
    unread = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]) - read
    assert unread <= set(NOT_READ)


def test_a_value_without_counterpart():
    function = only(lambda x: x + 1, mode=("", "PLAIN"))
    assert function(x=1) == function(x=1, mode="PLAIN") == 2
    with pytest.raises(
        tf.errors.UnimplementedError, match=r"mode='ODD' has no counterpart here: it can be '' or 'PLAIN'"
    ):
        function(x=1, mode="ODD")
    with pytest.raises(tf.errors.UnimplementedError, match="bad_indices_policy='IGNORE'"):
        tf.raw_ops.GatherNd(params=[1.0], indices=[[3]], bad_indices_policy="IGNORE")
