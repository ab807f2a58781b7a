"""Saving and restoring: names, values of every kind, what a status says. The messages' first sentences are
TensorFlow's."""

import gc
import json
import pathlib
import struct
import threading

import numpy as np
import pytest
from safetensors.numpy import load_file

import tapeflow as tf

VALUE = "/.ATTRIBUTES/VARIABLE_VALUE"


def names(path):
    return [name.removesuffix(VALUE) for name, _ in tf.train.list_variables(path)]


def test_paths_are_numbered_and_the_folder_knows_the_latest(tmp_path):
    checkpoint = tf.train.Checkpoint(a=tf.Variable(1.0))
    prefix = str(tmp_path / "new" / "ck")
    assert checkpoint.save(prefix) == f"{prefix}-1"
    assert checkpoint.save(pathlib.Path(prefix)) == f"{prefix}-2"
    assert checkpoint.write(prefix) == prefix
    assert repr(checkpoint.save_counter) == "<tf.Variable 'save_counter:0' shape=() dtype=int64, numpy=2>"
    assert tf.train.latest_checkpoint(tmp_path / "new") == f"{prefix}-2"
    assert (
        tmp_path / "new" / "checkpoint"
    ).read_text() == 'model_checkpoint_path: "ck-2"\nall_model_checkpoint_paths: "ck-2"\n'


def test_objects_are_found_by_the_names_that_lead_to_them(tmp_path):
    module = tf.Module()
    module.w = tf.Variable([1.0, 2.0])
    module.parts = [tf.Variable(3.0), {"k": tf.Variable(4)}]
    module.table = {"a/b.c": (tf.Variable(5.0), 3)}
    module.itself, module.number, module.array, module._hidden = module, 3, np.ones(2), tf.Variable(6.0)
    path = tf.train.Checkpoint(m=module, same=module.w, inner=tf.train.Checkpoint(v=tf.Variable(7.0))).write(
        tmp_path / "ck"
    )
    assert names(path) == ["inner/v", "m/_hidden", "m/parts/0", "m/parts/1/k", "m/table/a.Sb..c/0", "same"]


def test_values_of_every_kind_come_back(tmp_path):
    values = {
        "half": tf.constant([1.5, -2.0], tf.float16), "brain": tf.constant([1.5], tf.bfloat16),
        "long": tf.constant(2**40, tf.int64), "byte": tf.constant([[255]], tf.uint8),
        "flag": tf.constant([True, False]), "empty": tf.zeros([0, 3]), "complex": tf.constant(1 + 2j),
        "text": tf.constant("héy"), "words": tf.constant([["a", ""], ["ccc", "d"]]),
        "double": tf.constant(np.pi, tf.float64),
    }  # fmt: skip
    path = tf.train.Checkpoint(**{name: tf.Variable(value) for name, value in values.items()}).write(tmp_path / "ck")
    blank = {
        name: tf.Variable(tf.fill(value.shape, "") if value.dtype == tf.string else tf.zeros_like(value))
        for name, value in values.items()
    }
    tf.train.Checkpoint(**blank).read(path).assert_consumed()
    for name, value in values.items():
        assert blank[name].dtype == value.dtype
        np.testing.assert_array_equal(blank[name].numpy(), value.numpy())
    assert tf.train.load_variable(path, "text" + VALUE) == b"h\xc3\xa9y"
    assert tf.train.load_checkpoint(path).get_variable_to_dtype_map()["words" + VALUE] == tf.string


def test_the_file_is_a_safetensors_file(tmp_path):
    path = tf.train.Checkpoint(w=tf.Variable([[1.0, 2.0]]), b=tf.Variable(True)).write(tmp_path / "ck")
    found = load_file(path + ".safetensors")
    np.testing.assert_array_equal(found["w" + VALUE], [[1.0, 2.0]])
    assert found["b" + VALUE].dtype == bool
    raw = pathlib.Path(path + ".safetensors").read_bytes()
    header = json.loads(raw[8 : 8 + struct.unpack("<Q", raw[:8])[0]])
    assert header["__metadata__"]["format"] == "tapeflow.checkpoint"
    nodes = json.loads(header["__metadata__"]["checkpoint"])["nodes"]
    assert nodes[0]["children"] == {"b": 1, "w": 2}


def test_a_variable_that_changes_in_place_does_not_change_the_file(tmp_path):
    """Values are those of the moment of saving, also where writing takes a while and training goes on."""
    big = tf.Variable(tf.zeros([200_000]))
    stop = threading.Event()

    def train():
        while not stop.is_set():
            big.assign_add(tf.ones([200_000]))

    thread = threading.Thread(target=train)
    thread.start()
    try:
        for _ in range(5):
            path = tf.train.Checkpoint(big=big).write(tmp_path / "ck")
            assert len(np.unique(tf.train.load_variable(path, "big" + VALUE))) == 1
    finally:
        stop.set()
        thread.join()


def test_objects_of_the_root_stand_beside_those_by_name(tmp_path):
    module = tf.Module()
    module.v = tf.Variable(1.0)
    path = tf.train.Checkpoint(module, z=tf.Variable(2.0)).save(tmp_path / "ck")
    assert names(path) == ["save_counter", "v", "z"]
    assert not hasattr(module, "z")
    with pytest.raises(
        ValueError, match=r"Cannot create a Checkpoint with keyword argument v if root.v already exists"
    ):
        tf.train.Checkpoint(module, v=tf.Variable(2.0))
    alone = tf.Variable(0.0)
    path = tf.train.Checkpoint(tf.Variable(3.0)).write(tmp_path / "alone")
    tf.train.Checkpoint(alone).read(path).assert_consumed()
    assert float(alone) == 3.0


@pytest.mark.parametrize("wrong", [3, "a", None, np.ones(2), tf.constant(1.0)], ids=str)
def test_only_objects_with_state_can_be_given(wrong):
    with pytest.raises(ValueError, match="was expecting x to be a trackable object"):
        tf.train.Checkpoint(x=wrong)


def test_containers_cannot_be_roots_and_keys_are_texts(tmp_path):
    with pytest.raises(ValueError, match="was expecting root to be a trackable object"):
        tf.train.Checkpoint([tf.Variable(1.0)])
    with pytest.raises(ValueError, match="non-string key, 1,"):
        tf.train.Checkpoint(d={1: tf.Variable(1.0)}).write(tmp_path / "ck")


def test_plain_objects_are_saved_for_their_attributes(tmp_path):
    class Agent:
        def __init__(self, value):
            self.q, self.name = tf.Variable(value), "agent"

    path = tf.train.Checkpoint(agent=Agent(4.0)).write(tmp_path / "ck")
    agent = Agent(0.0)
    tf.train.Checkpoint(agent=agent).read(path).assert_consumed()
    assert float(agent.q) == 4.0


def test_random_generators_go_on_where_they_were(tmp_path):
    generator = tf.random.Generator.from_seed(5)
    generator.normal([3])
    path = tf.train.Checkpoint(g=generator).write(tmp_path / "ck")
    assert names(path) == ["g/_state_var"]
    expected = generator.normal([3]).numpy()
    other = tf.random.Generator.from_seed(9)
    tf.train.Checkpoint(g=other).read(path).assert_consumed()
    np.testing.assert_array_equal(other.normal([3]).numpy(), expected)


@pytest.mark.parametrize("read_before", [0, 5])
def test_iterators_go_on_where_they_were(tmp_path, read_before):
    dataset = tf.data.Dataset.range(10)
    iterator = iter(dataset)
    next(iterator), next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).save(tmp_path / "ck")
    other = iter(dataset)
    for _ in range(read_before):
        next(other)
    tf.train.Checkpoint(iterator=other).restore(path).assert_consumed()
    assert int(next(other)) == 2


# ---- what a status says


@pytest.fixture
def saved(tmp_path):
    return tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable([1, 2])).save(tmp_path / "ck")


def test_a_partial_restore_says_what_is_missing_on_both_sides(saved):
    status = tf.train.Checkpoint(a=tf.Variable(0.0)).restore(saved).expect_partial()
    assert status.assert_existing_objects_matched() is status
    assert status.assert_nontrivial_match() is status
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).b: "):
        status.assert_consumed()
    status = tf.train.Checkpoint(other=tf.Variable(0.0, name="mine")).restore(saved).expect_partial()
    with pytest.raises(
        AssertionError, match=r"Found 1 Python objects that were not bound.*mine:0.*\(root\).a, \(root\).b"
    ):
        status.assert_existing_objects_matched()


def test_nothing_matched(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable(1.0)).write(tmp_path / "ck")
    with pytest.raises(
        AssertionError, match=r"Nothing except the root object matched a checkpointed value.*\(root\).a"
    ):
        tf.train.Checkpoint(q=tf.Variable(1.0)).read(path).expect_partial().assert_nontrivial_match()


def test_values_that_nobody_took_are_reported_when_the_restore_ends(saved, caplog):
    def restore(expect):
        checkpoint = tf.train.Checkpoint(a=tf.Variable(0.0))
        status = checkpoint.restore(saved)
        if expect:
            status.expect_partial()
        caplog.clear()
        del status
        gc.collect()
        assert not caplog.messages  # the objects live: a value may still be asked for
        del checkpoint
        gc.collect()
        return caplog.messages

    assert restore(expect=True) == []
    assert restore(expect=False)[-1] == "Value in checkpoint could not be found in the restored object: (root).b"


def test_restoring_nothing():
    status = tf.train.Checkpoint(a=tf.Variable(1.0)).restore(None)
    for question in (status.assert_consumed, status.assert_existing_objects_matched, status.assert_nontrivial_match):
        with pytest.raises(
            AssertionError, match=r"No checkpoint specified \(save_path=None\); nothing is being restored"
        ):
            question()
    assert status.expect_partial() is status


def test_paths_that_do_not_exist_name_what_there_is(saved, tmp_path):
    checkpoint = tf.train.Checkpoint(a=tf.Variable(1.0))
    with pytest.raises(
        tf.errors.NotFoundError,
        match=r"(?s)Failed to find any matching files.*there are ck-1.*You may be missing the checkpoint suffix",
    ):
        checkpoint.restore(tmp_path / "ck")
    with pytest.raises(tf.errors.NotFoundError, match="It is a folder"):
        checkpoint.read(tmp_path)
    (tmp_path / "model.keras").write_bytes(b"PK")
    with pytest.raises(tf.errors.NotFoundError, match=r"read by model.load_weights"):
        checkpoint.restore(tmp_path / "model.keras")
    with pytest.raises(tf.errors.NotFoundError, match="Key zz not found in checkpoint"):
        tf.train.load_variable(saved, "zz")


def test_values_that_do_not_fit_change_nothing(saved):
    first, second = tf.Variable(5.0), tf.Variable([1, 2, 3])
    with pytest.raises(
        ValueError, match=r"incompatible tensor with shape \(2,\) when.*shape \(3,\) and name Variable:0.*\(root\).b"
    ):
        tf.train.Checkpoint(a=first, b=second).restore(saved)
    assert float(first) == 5.0
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"float32 tensor as \(root\).a.*int32"):
        tf.train.Checkpoint(a=tf.Variable(1)).restore(saved)
    open_ended = tf.Variable([1, 2, 3], shape=tf.TensorShape([None]))
    tf.train.Checkpoint(b=open_ended).restore(saved).expect_partial()
    assert open_ended.numpy().tolist() == [1, 2]


def test_one_object_that_became_two_is_warned_of_once(tmp_path, caplog):
    shared = tf.Variable(3.0)
    path = tf.train.Checkpoint(a=shared, b=shared).write(tmp_path / "ck")
    one, two = tf.Variable(0.0, name="one"), tf.Variable(0.0, name="two")
    tf.train.Checkpoint(a=one, b=two).read(path)
    assert (float(one), float(two)) == (3.0, 0.0)
    assert [m for m in caplog.messages if "Inconsistent references" in m and "one:0 and two:0" in m] == caplog.messages


def test_read_leaves_the_counter_alone_and_restore_goes_on_counting(saved, tmp_path):
    checkpoint = tf.train.Checkpoint(a=tf.Variable(0.0), b=tf.Variable([0, 0]))
    status = checkpoint.read(saved)
    with pytest.raises(AssertionError, match="save_counter"):
        status.assert_consumed()
    checkpoint.restore(saved).assert_consumed()
    assert checkpoint.save(tmp_path / "ck").endswith("ck-2")


def test_every_call_of_a_function_saves(tmp_path):
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)

    @tf.function
    def step():
        v.assign_add(1.0)
        return checkpoint.save(str(tmp_path / "ck"))

    step()
    assert step().numpy().decode().endswith("ck-2")
    assert tf.train.load_variable(tmp_path, "v" + VALUE) == 3.0


def test_saving_from_inside_a_step(tmp_path, monkeypatch):
    """The function holds the lock of the variable that it assigns to; saving must not wait for it for ever."""
    monkeypatch.setattr("tapeflow.storage.checkpoints.trackable._MOMENT", 0.01)
    v = tf.Variable(1.0)
    checkpoint = tf.train.Checkpoint(v=v)

    @tf.function
    def step():
        tf.py_function(lambda: checkpoint.write(tmp_path / "ck") and 0, [], tf.int32)
        v.assign_add(1.0)

    step()
    step()
    assert tf.train.load_variable(tmp_path / "ck", "v" + VALUE) == 2.0


def test_threads_that_save_get_numbers_of_their_own(tmp_path):
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    found = []
    threads = [threading.Thread(target=lambda: found.append(checkpoint.save(tmp_path / "ck"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [str(tmp_path / f"ck-{k}") for k in range(1, 5)]
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "ck-4")
