"""Every primitive in ONNX: exported from its samples, run by onnxruntime, and compared."""

import numpy as np
import onnx
import onnxruntime
import pytest

import tapeflow as tf
from tapeflow.core.primitive import REGISTRY
from tapeflow.core.tensor import EagerTensor
from tapeflow.export import CannotBeExported
from tapeflow.export.compositions import COMPOSITIONS
from tapeflow.export.to_onnx import RULES
from tapeflow.export.to_onnx.refused import REFUSED
from tests.ops.samples import all_samples

SAMPLES = all_samples()
EXPORTED = sorted(name for name in REGISTRY if name in RULES or name in COMPOSITIONS)

# Samples, by number, that a rule refuses, or that the runtime computes differently; each with the reason.
REFUSED_SAMPLES = {
    "unslice": {2},  # a part with steps
    "true_places": {2, 3, 4, 5},  # row by row
    "nonzero": {4},  # a scalar, which ONNX takes for a vector
    "left_shift": {0, 1},  # signed integers
    "right_shift": {0, 1},
    "conv": {12, 13, 14, 15, 16, 18, 21},  # filters for each row, integers
    "conv_input_grad": {12, 13, 14, 15, 16},
    "max_pool": {6},  # integers
    "table_lookup": {1},  # hashes of other words
    "string_lower": {2, 3},  # letters beyond ASCII
    "string_upper": {2, 3},
}
DIFFERENT = {
    "sort": {4},  # where NaN is sorted to
    "unique": {1},  # whether NaN equals itself
    "resample": {30},  # no images: the runtime's fused product fails
    "reduce_mean": {24},  # of nothing: ONNX leaves it open
    "reduce_variance": {21, 22},  # the same; and halves, which the runtime rounds in between
    "string_lower": {1},  # no texts
    "string_upper": {1},
}


def test_each_primitive_has_a_rule_or_a_reason():
    rules = RULES.keys() | COMPOSITIONS.keys()
    assert not REGISTRY.keys() - rules - REFUSED.keys(), "give it a rule, a composition, or a line in refused.py"
    assert not (rules | REFUSED.keys()) - REGISTRY.keys(), "there is no primitive of that name"
    assert not REFUSED.keys() & rules, "what has a rule needs no reason"


def narrow(array):
    """Runtimes compute in single precision, and have half of the kernels for doubles."""
    array = np.asarray(array)
    return array.astype(np.float32) if array.dtype == np.float64 else array


def is_complex(name, sample):
    dtypes = [np.asarray(a).dtype for a in sample.args] + [np.dtype(sample.params.get("dtype", "f"))]
    return any(d.kind == "c" for d in dtypes)


def exported(name, sample):
    prim, args = REGISTRY[name], [narrow(a) for a in sample.args]
    single = {"dtype": np.dtype(np.float32)} if sample.params.get("dtype") == np.float64 else {}
    entry = lambda *xs: prim.entry(*xs, **sample.params | single)
    f = (lambda *xs: entry(*xs)[0]) if name == "max_pool" else entry  # the place of the largest is for gradients
    concrete = tf.function(f, autograph=False).get_concrete_function(
        *[tf.TensorSpec(a.shape, tf.as_dtype(a.dtype)) for a in args]
    )
    return concrete, args, tf.export.onnx(concrete)


def run(model, args):
    session = onnxruntime.InferenceSession(model.SerializeToString())
    there = {i.name for i in session.get_inputs()}
    text = np.vectorize(lambda b: b.decode(), otypes=[object])
    given = [text(a) if a.dtype.kind == "O" and a.size else a for a in args]
    return session.run(None, {i.name: a for i, a in zip(model.graph.input, given) if i.name in there})


def agree(got, want, name):
    assert got.shape == want.shape, name
    if want.dtype.kind == "O":
        assert [t.encode() for t in got.ravel()] == want.ravel().tolist(), name
        return
    assert got.dtype == want.dtype, name
    if want.dtype.kind == "f":
        size = np.max(np.abs(want), initial=1, where=np.isfinite(want))
        np.testing.assert_allclose(got.astype(float), want.astype(float), 1e-5, 2e-6 * size, err_msg=name)
    else:
        np.testing.assert_array_equal(got, want, err_msg=name)


@pytest.mark.parametrize("name", EXPORTED)
def test_samples(name):
    onnxruntime.set_default_logger_severity(4)
    compared = 0
    for k, sample in enumerate(SAMPLES[name]):
        if is_complex(name, sample):
            continue
        if k in REFUSED_SAMPLES.get(name, ()):
            with pytest.raises(CannotBeExported, match=f"{name}, at test_to_onnx.py:\\d+"):
                exported(name, sample)
            continue
        concrete, args, model = exported(name, sample)
        onnx.checker.check_model(model, full_check=name not in ("regex_full_match",))
        if k in DIFFERENT.get(name, ()):
            continue
        want = [np.asarray(y.numpy()) for y in tf.nest.flatten(concrete(*[EagerTensor(a) for a in args]))]
        for got, expected in zip(run(model, args), want, strict=True):
            agree(np.asarray(got), expected, f"{name}, sample {k}")
        compared += 1
    assert compared or name in ("left_shift", "right_shift"), "no sample of it is compared"


@pytest.mark.parametrize("shift", [tf.bitwise.left_shift, tf.bitwise.right_shift])
def test_shifts_of_unsigned_integers(shift):
    x, by = np.array([1, 5, 200], np.uint8), np.array([3, 1, 9], np.uint8)
    model = tf.export.onnx(shift, [tf.TensorSpec([3], tf.uint8)] * 2)
    np.testing.assert_array_equal(run(model, [x, by])[0], shift(x, by).numpy())


@pytest.mark.parametrize("name", ["complex", "cholesky", "random_uniform", "string_strip"])
def test_what_has_no_rule_says_so(name):
    sample = SAMPLES[name][0]
    with pytest.raises(CannotBeExported, match=r"cannot be exported to ONNX: .*"):
        exported(name, sample)
