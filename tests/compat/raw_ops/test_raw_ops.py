"""tf.raw_ops: keyword arguments only, and the meaning of those that differ from the public function."""

import inspect

import numpy as np
import pytest

import tapeflow as tf

raw = tf.raw_ops


def gradient(f, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return tape.gradient(y, x)


def test_keywords_only():
    assert raw.Mul(x=3.0, y=tf.constant(2.0), name="product").numpy() == 6.0
    assert list(inspect.signature(raw.Sum).parameters) == ["input", "axis", "keep_dims", "name"]
    with pytest.raises(TypeError, match="keyword args"):
        raw.Mul(tf.constant(1.0), tf.constant(2.0))
    with pytest.raises(TypeError):
        raw.Mul(x=1.0)
    with pytest.raises(TypeError):
        raw.Mul(x=1.0, y=2.0, z=3.0)
    with pytest.raises(AttributeError, match="Nope"):
        _ = raw.Nope


def test_listing():
    names = dir(raw)
    assert {"Mul", "Any", "MatMul", "Select", "NonMaxSuppressionV3"} <= set(names) and all(
        callable(getattr(raw, n)) for n in names
    )


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (lambda: raw.Sum(input=[[1, 2], [3, 4]], axis=1, keep_dims=True), [[3], [7]]),
        (lambda: raw.MatMul(a=[[1.0, 2.0]], b=[[3.0, 4.0]], transpose_b=True), [[11.0]]),
        (lambda: raw.Select(condition=[True, False], x=[[1, 2], [3, 4]], y=[[5, 6], [7, 8]]), [[1, 2], [7, 8]]),
        (lambda: raw.PopulationCount(x=[0, 1, 255, -1]), [0, 1, 8, 32]),
        (lambda: raw.Any(input=[[True, False]], axis=1), [True]),
        (lambda: raw.Relu(features=[-1.0, 2.0]), [0.0, 2.0]),
        (lambda: raw.Squeeze(input=[[1], [2]]), [1, 2]),
        (lambda: raw.Pack(values=[[1], [2]], axis=1), [[1, 2]]),
        (lambda: raw.Div(x=[7], y=[2]), [3]),
        (lambda: raw.SelfAdjointEigV2(input=[[1.0, 0.0], [0.0, 2.0]]).e, [1.0, 2.0]),
        (lambda: raw.Unique(x=[3, 3, 5]).idx, [0, 0, 1]),
        (lambda: raw.StridedSlice(input=[1, 2, 3], begin=[0], end=[1], strides=[1], shrink_axis_mask=1), 1),
    ],
)
def test_values(got, want):
    assert np.asarray(got()).tolist() == want


def test_non_max_suppression():
    boxes, scores = [[0.0, 0, 1, 1], [0, 0, 1, 0.9], [0, 2, 1, 3]], [0.9, 0.8, 0.7]
    pick = lambda **more: raw.NonMaxSuppressionV3(boxes=boxes, scores=scores, **more).numpy().tolist()
    assert pick(max_output_size=3, iou_threshold=0.5, score_threshold=0.0) == [0, 2]
    assert pick(max_output_size=2, iou_threshold=0.95, score_threshold=0.75) == [0, 1]
    with pytest.raises(LookupError, match="non_max_suppression"):
        gradient(
            lambda x: raw.NonMaxSuppressionV3(
                boxes=x, scores=scores, max_output_size=1, iou_threshold=0.5, score_threshold=0.0
            ),
            tf.constant(boxes),
        )


def test_print_passes_its_input(capsys):
    assert gradient(lambda x: raw.Print(input=x, data=[x], message="x = "), tf.constant([0.3])).numpy().tolist() == [
        1.0
    ]
    assert capsys.readouterr().err == "x = [0.3]\n"
