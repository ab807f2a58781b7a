"""SavedModels that TensorFlow wrote: the same results, the same gradients (`scripts/tensorflow_models.py`)."""

import numpy as np
import pytest

import tapeflow as tf
from tests.saved_model.tensorflow.calls import CALLS, answers, loaded
from tests.saved_model.tensorflow.reading import unpacked


def compared(found, wanted):
    assert sorted(found) == sorted(wanted)
    for key, value in wanted.items():
        if value.dtype.kind == "f":
            np.testing.assert_allclose(found[key], value, rtol=1e-5, atol=1e-5, err_msg=key)
        else:
            assert found[key].tolist() == value.tolist(), key
        assert found[key].shape == value.shape, key


def wanted(folder):
    with np.load(folder / "answers.npz") as stored:
        return dict(stored)


@pytest.mark.parametrize("name", CALLS)
def test_results_and_gradients_are_those_of_tensorflow(name, tmp_path):
    folder = unpacked(name, tmp_path)
    compared(answers(tf, name, loaded(tf, folder)), wanted(folder))


# Functions with strings and tables run as plain Python, which no file can hold.
@pytest.mark.parametrize("name", sorted(set(CALLS) - {"text", "keras3_object", "v1_line", "v1_flow", "frozen"}))
def test_what_was_loaded_is_saved_and_loaded_again(name, tmp_path):
    folder = unpacked(name, tmp_path)
    model = tf.saved_model.load(folder)
    tf.saved_model.save(model, tmp_path / "again", signatures=dict(signatures(model)))
    again = tf.saved_model.load(tmp_path / "again")
    known = wanted(folder)
    if name == "line":  # the signature for any rank is not there
        again.signatures = dict(again.signatures) | {"shape": model.signatures["shape"]}
    compared(answers(tf, name, again), known)


def signatures(model):
    """Those of a rank."""
    for name in model.signatures:
        if all(spec.shape.rank is not None for spec in model.signatures[name].structured_input_signature[1].values()):
            yield name, model.signatures[name]


def test_a_signature_for_any_rank_is_refused_when_it_is_saved_again(tmp_path):
    model = tf.saved_model.load(unpacked("line", tmp_path))
    with pytest.raises(ValueError, match="tensors of any rank"):
        tf.saved_model.save(model, tmp_path / "again", signatures=model.signatures["shape"])


def test_in_another_function_mapped_and_trained(tmp_path):
    line = tf.saved_model.load(unpacked("line", tmp_path))
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    plain = line.at(x).numpy()
    np.testing.assert_allclose(tf.function(lambda x: line.at(x))(x).numpy(), plain, rtol=1e-6)
    mapped = tf.vectorized_map(lambda row: line.at(row[tf.newaxis])[0], x)
    np.testing.assert_allclose(mapped.numpy(), plain, rtol=1e-6)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(line.at(x))
    line.slope.assign_sub(0.1 * tape.gradient(loss, line.slope))
    assert not np.allclose(line.at(x).numpy(), plain)


def test_compiled_by_xla(tmp_path):
    pytest.importorskip("jax")
    model = tf.saved_model.load(unpacked("keras2", tmp_path))
    x = tf.ones([2, 6, 6, 2])
    compiled = tf.function(lambda x: model(x, training=False), jit_compile=True)
    np.testing.assert_allclose(compiled(x).numpy(), model(x, training=False).numpy(), rtol=1e-5)


def test_training_is_another_function(tmp_path):
    model = tf.saved_model.load(unpacked("keras2", tmp_path))
    x = tf.constant(np.random.default_rng(0).normal(size=(4, 6, 6, 2)).astype(np.float32))
    mean = next(v for v in model.variables if "moving_mean" in v.name)
    before = mean.numpy()
    model(x, training=False)
    assert (mean.numpy() == before).all()
    model(x, training=True)
    assert (mean.numpy() != before).any()


def test_objects_are_what_they_were(tmp_path):
    line = tf.saved_model.load(unpacked("line", tmp_path))
    assert isinstance(line, tf.Module)
    assert type(line.parts) is dict and type(line.parts["steps"]) is list
    assert {v.name for v in line.variables} == {"slope:0", "offset:0", "Variable:0"}
    assert not line.parts["steps"][0].trainable
    assert list(line.signatures) == ["serving_default", "shape"]
    signature = line.signatures["serving_default"]
    assert signature.structured_input_signature[1]["x"].shape.as_list() == [None, 2]
    assert list(signature.structured_outputs) == ["output_0"]


def test_arguments_that_nothing_was_saved_for(tmp_path):
    line = tf.saved_model.load(unpacked("line", tmp_path))
    with pytest.raises(TypeError, match=r"TensorSpec\(shape=\(None, 2\)"):
        line.at(tf.ones([2, 3]))
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        line.moved(tf.ones([1, 2]), training="yes")


def test_tags(tmp_path):
    folder = unpacked("line", tmp_path)
    assert tf.saved_model.load(folder, tags="serve").at is not None
    with pytest.raises(ValueError, match=r"tags=\['train'\]"):
        tf.saved_model.load(folder, tags=["train"])


def test_a_file_of_keras_2_is_the_same_model(tmp_path):
    model = tf.keras.models.load_model(unpacked("keras2_h5", tmp_path) / "model.h5", compile=False)
    graph = tf.saved_model.load(unpacked("keras2", tmp_path))
    x = tf.constant(np.linspace(-1, 1, 144, dtype=np.float32).reshape(2, 6, 6, 2))
    np.testing.assert_allclose(model(x).numpy(), graph(x).numpy(), rtol=1e-5)
