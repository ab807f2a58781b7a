"""Checkpoints in TensorFlow's own format: a file that TensorFlow 2.21 wrote, and others that `bundles.py` writes."""

import pathlib
import shutil

import numpy as np
import pytest

import tapeflow as tf

from .bundles import write_bundle

# model = keras.Sequential([Input((3,)), Dense(2)]), weights 0..5 and 7, 8, after a step of SGD(0.5, momentum=0.9) with
# gradients of one; module.parts = [int64 [1, 2, 3], {"flag": [True, False]}], module.half = bfloat16 [1.5],
# module.words = [["a", "héé"]]; step = 3
WRITTEN = str(pathlib.Path(__file__).parent / "written_by_tensorflow" / "ckpt-1")
VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


def module():
    made = tf.Module()
    made.parts = [tf.Variable([0, 0, 0], dtype=tf.int64), {"flag": tf.Variable([False, False])}]
    made.half, made.words = tf.Variable([0.0], dtype=tf.bfloat16), tf.Variable([["", ""]])
    return made


def test_tensors_can_be_read_by_key():
    assert tf.train.latest_checkpoint(pathlib.Path(WRITTEN).parent) == WRITTEN
    shapes = dict(tf.train.list_variables(WRITTEN))
    assert shapes["module/words" + VALUE] == [1, 2]
    assert shapes["_CHECKPOINTABLE_OBJECT_GRAPH"] == []
    reader = tf.train.load_checkpoint(WRITTEN)
    assert reader.get_tensor("module/words" + VALUE).tolist() == [[b"a", "héé".encode()]]
    assert reader.get_tensor("step" + VALUE) == np.int32(3)
    assert reader.get_tensor("module/half" + VALUE).astype(float).tolist() == [1.5]
    assert reader.get_variable_to_dtype_map()["module/parts/1/flag" + VALUE] == tf.bool


def test_modules_are_restored():
    made, step = module(), tf.Variable(0)
    tf.train.Checkpoint(module=made, step=step).restore(WRITTEN).assert_existing_objects_matched().expect_partial()
    assert made.parts[0].numpy().tolist() == [1, 2, 3]
    assert made.parts[1]["flag"].numpy().tolist() == [True, False]
    assert made.words.numpy().tolist() == [[b"a", "héé".encode()]]
    assert int(step) == 3


@pytest.mark.parametrize("built", [False, True])
def test_keras_models_and_optimizers_are_restored(built):
    """Unbuilt ones get their weights when they are built: so does the optimizer, whose slots are made at its first
    step."""
    keras = tf.keras
    model, optimizer = keras.Sequential([keras.layers.Dense(2)]), keras.optimizers.SGD(0.1, momentum=0.9)
    if built:
        model.build((None, 3))
        optimizer.build(model.trainable_variables)
    status = tf.train.Checkpoint(model=model, optimizer=optimizer, module=module(), step=tf.Variable(0)).restore(
        WRITTEN
    )
    model(np.zeros((1, 3), np.float32))
    kernel, bias = model.get_weights()
    assert kernel.tolist() == [[-0.5, 0.5], [1.5, 2.5], [3.5, 4.5]]
    assert bias.tolist() == [6.5, 7.5]
    optimizer.apply_gradients(
        [(tf.ones([3, 2]), model.trainable_variables[0]), (tf.ones([2]), model.trainable_variables[1])]
    )
    assert int(optimizer.iterations) == 2
    # momentum 0.9 * -0.5 - 0.5 * 1, with the learning rate of the checkpoint
    np.testing.assert_allclose(model.get_weights()[1], [6.5 - 0.95, 7.5 - 0.95])
    status.assert_consumed()


def test_names_of_keras_2(tmp_path):
    """It counted layers, and said `kernel` where Keras 3 says `_kernel`."""
    objects = [({"model": 1}, {}), ({"layer-0": 2, "layer_with_weights-0": 2}, {}), ({"kernel": 3, "bias": 4}, {})]
    weights = [({}, {"VARIABLE_VALUE": "k"}), ({}, {"VARIABLE_VALUE": "b"})]
    arrays = {"k": np.ones((3, 2), np.float32), "b": np.full(2, 5, np.float32)}
    write_bundle(tmp_path / "old", arrays, [*objects, *weights])
    model = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(2)])
    tf.train.Checkpoint(model=model).read(tmp_path / "old").assert_consumed()
    assert model.get_weights()[1].tolist() == [5.0, 5.0]


def test_the_variables_of_a_saved_model(tmp_path):
    (tmp_path / "saved" / "variables").mkdir(parents=True)
    for suffix in (".index", ".data-00000-of-00001"):
        shutil.copy(WRITTEN + suffix, tmp_path / "saved" / "variables" / ("variables" + suffix))
    step = tf.Variable(0)
    tf.train.Checkpoint(step=step).restore(tmp_path / "saved").expect_partial()
    assert int(step) == 3


def test_many_entries_and_several_blocks(tmp_path):
    arrays = {f"variable/{k:03d}": np.array([k, k + 0.5]) for k in range(40)}
    write_bundle(tmp_path / "ck", arrays, None)
    assert tf.train.list_variables(tmp_path / "ck") == [(key, [2]) for key in sorted(arrays)]
    for key, array in arrays.items():
        np.testing.assert_array_equal(tf.train.load_variable(tmp_path / "ck", key), array)
    with pytest.raises(ValueError, match="does not say which objects"):
        tf.train.Checkpoint(a=tf.Variable(1.0)).restore(tmp_path / "ck")


def test_what_only_tensorflow_understands_is_left_out(tmp_path, caplog):
    """The state of a dataset's iterator."""
    nodes = [({"it": 1, "v": 2}, {}), ({}, {"ITERATOR_STATE": "state"}), ({}, {"VARIABLE_VALUE": "v"})]
    write_bundle(tmp_path / "ck", {"state": np.zeros(3, np.float32), "v": np.float32([4])}, nodes, variants=("state",))
    v = tf.Variable([0.0])
    tf.train.Checkpoint(v=v).read(tmp_path / "ck").assert_consumed()
    assert v.numpy() == [4.0]
    assert "state in" in caplog.messages[0]
    with pytest.raises(tf.errors.UnimplementedError, match="form of TensorFlow's own"):
        tf.train.load_variable(tmp_path / "ck", "state")


@pytest.fixture
def copy(tmp_path):
    for suffix in (".index", ".data-00000-of-00001"):
        shutil.copy(WRITTEN + suffix, tmp_path / ("ck" + suffix))
    return tmp_path / "ck"


@pytest.mark.parametrize("suffix", [".index", ".data-00000-of-00001"])
def test_damage_is_noticed_before_anything_changes(copy, suffix):
    file = copy.with_name("ck" + suffix)
    good = file.read_bytes()
    step = tf.Variable(0)
    changed = [good[:k] + bytes([good[k] ^ 16]) + good[k + 1 :] for k in range(0, min(len(good), 770), 23)]
    for content in [b"", good[: len(good) // 2], good[:-1], *changed]:
        file.write_bytes(content)
        with pytest.raises(tf.errors.DataLossError, match=r"a part of the TensorFlow checkpoint .*ck, is damaged"):
            tf.train.Checkpoint(step=step).restore(copy)
        assert int(step) == 0
        assert file.read_bytes() == content


def test_a_missing_part_is_named(copy):
    copy.with_name("ck.data-00000-of-00001").unlink()
    with pytest.raises(tf.errors.DataLossError, match=r"ck\.data-00000-of-00001.*it does not exist"):
        tf.train.load_checkpoint(copy)
