"""What a field may be annotated as, and what its values become."""

# Annotations as programs write them:
# ruff: noqa: UP006, UP007, UP035, UP045

import typing
from collections.abc import Mapping as AbstractMapping
from typing import Mapping, Optional, Tuple, Union

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.experimental.extension_type.annotations import ImmutableDict


class Inner(tf.experimental.ExtensionType):
    v: tf.Tensor


def typed(annotation):
    return type("C", (tf.experimental.ExtensionType,), {"__annotations__": {"x": annotation}, "__module__": __name__})


@pytest.mark.parametrize(
    "annotation, value, found",
    [
        (int, 1, 1),
        (float, 1.0, 1.0),
        (bool, True, True),
        (str, "a", "a"),
        (bytes, b"a", b"a"),
        (tf.TensorShape, (3, None), tf.TensorShape([3, None])),
        (tf.TensorShape, 4, tf.TensorShape([4])),
        (tf.DType, "float32", tf.float32),
        (Tuple[int, ...], [1, 2], (1, 2)),
        (tuple[int, str], [1, "a"], (1, "a")),
        (Optional[int], None, None),
        (int | None, None, None),
        (Union[str, int], 1, 1),
        ("int", 1, 1),
    ],
)
def test_plain_fields(annotation, value, found):
    assert typed(annotation)(value).x == found


@pytest.mark.parametrize("value", [1, [1.0, 2.0], np.ones(2), tf.Variable(3.0), tf.constant("a")])
def test_tensors_are_made(value):
    assert isinstance(typed(tf.Tensor)(value).x, tf.Tensor)


@pytest.mark.parametrize(
    "annotation, value, error",
    [
        (int, np.int32(1), "x: expected 'int', got 'int32'"),
        (int, "a", "x: expected 'int', got 'str'"),
        (float, 1, "x: expected 'float', got 'int'"),
        (bool, 1, "x: expected 'bool', got 'int'"),
        (tf.DType, tf.constant(1.0), "x: expected 'tf.DType', got 'EagerTensor'"),
        (tf.Tensor, None, "x: expected a Tensor, got 'NoneType'"),
        (tf.Tensor, tf.ragged.constant([[1], [2, 3]]), "x: expected a Tensor, got 'RaggedTensor'"),
        (Tuple[int, ...], (1, 2.0), r"x\[1\]: expected 'int', got 'float'"),
        (tuple[int, ...], 3, "x: expected tuple, got 'int'"),
        (tuple[int, int], (1, 2, 3), "x: expected tuple with length 2, got 'tuple'"),
        (Mapping[str, tf.Tensor], {1: 2}, r"x\[<key>\]: expected 'str', got 'int'"),
        (Mapping[str, tf.Tensor], [1], "x: expected mapping, got 'list'"),
        (Mapping[str, tf.Tensor], {"a": None}, r"x\['a'\]: expected a Tensor, got 'NoneType'"),
        (Union[int, tf.Tensor], None, "x: expected .*Tensor.*, got 'NoneType'"),
        (Inner, 3.0, "x: expected 'Inner', got 'float'"),
        (tf.RaggedTensor, [[1]], "x: expected 'RaggedTensor', got 'list'"),
    ],
)
def test_what_does_not_fit(annotation, value, error):
    with pytest.raises(TypeError, match=error):
        typed(annotation)(value)


@pytest.mark.parametrize(
    "annotation",
    [list[int], dict[str, int], set[int], tuple, typing.Any, np.ndarray, tf.Variable, tf.TypeSpec, tf.TensorSpec([1])],
)
def test_annotations_that_no_field_may_have(annotation):
    with pytest.raises(TypeError, match="In field 'x': Unsupported type annotation"):
        typed(annotation)


def test_values_of_a_union_take_the_first_that_fits():
    assert typed(Union[int, tf.Tensor])(1).x == 1
    assert isinstance(typed(Union[tf.Tensor, int])(1).x, tf.Tensor)


def test_mappings_are_copies_that_stay():
    given = {"z": 1, "a": (2, 3)}
    made = typed(AbstractMapping[str, tf.Tensor | tuple[tf.Tensor, ...]])({"z": 1, "a": 2})
    given["more"] = 4
    assert (
        isinstance(made.x, ImmutableDict) and list(made.x) == ["z", "a"] and repr(made.x).startswith("ImmutableDict")
    )
    with pytest.raises(TypeError):
        made.x["b"] = 3
    # Parts come in the order of nests, whatever the order of the entries.
    assert [int(t) for t in tf.nest.flatten(made, expand_composites=True)] == [2, 1]
    again = tf.nest.map_structure(lambda t: t + 10, made, expand_composites=True)
    assert int(again.x["z"]) == 11 and int(again.x["a"]) == 12


def test_types_in_types():
    assert isinstance(typed(Inner)(Inner(1.0)).x, Inner)
    assert isinstance(typed(tf.experimental.ExtensionType)(Inner(1.0)).x, Inner)
