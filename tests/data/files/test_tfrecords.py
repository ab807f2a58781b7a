"""Files of examples as pipelines: written, read in batches, with labels."""

import pytest

import tapeflow as tf

FEATURES = {"x": tf.io.FixedLenFeature([], tf.int64), "y": tf.io.FixedLenFeature([2], tf.float32)}
make = tf.data.experimental.make_batched_features_dataset


def serialized(i):
    feature = {
        "x": tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
        "y": tf.train.Feature(float_list=tf.train.FloatList(value=[i, i / 2])),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString()


@pytest.fixture
def path(tmp_path):
    path = str(tmp_path / "a.tfrecord")
    records = tf.data.Dataset.from_tensor_slices([serialized(i) for i in range(5)])
    tf.data.experimental.TFRecordWriter(path).write(records)
    return path


def test_what_is_written_is_read(path):
    assert [r.numpy() for r in tf.data.TFRecordDataset(path)] == [serialized(i) for i in range(5)]


def test_only_strings_are_written(tmp_path):
    writer = tf.data.experimental.TFRecordWriter(str(tmp_path / "b"))
    with pytest.raises(TypeError, match=r"must be a tf.data.Dataset, got 3"):
        writer.write(3)
    with pytest.raises(TypeError, match="must be scalar strings"):
        writer.write(tf.data.Dataset.range(2))


def test_batches_with_labels(path):
    batches = list(make(path, 2, FEATURES, label_key="x", num_epochs=1, shuffle=False))
    assert [labels.numpy().tolist() for _, labels in batches] == [[0, 1], [2, 3], [4]]
    assert [sorted(features) for features, _ in batches] == [["y"]] * 3
    assert batches[1][0]["y"].numpy().tolist() == [[2, 1], [3, 1.5]]


def test_epochs_and_the_last_batch(path):
    count = lambda **options: [len(b["x"]) for b in make(path, 2, FEATURES, shuffle=False, **options)]
    assert count(num_epochs=2) == [2] * 5
    assert count(num_epochs=1, drop_final_batch=True) == [2, 2]
    endless = make(path, 3, FEATURES, shuffle=True, shuffle_seed=1)
    seen = [b["x"].numpy().tolist() for b in endless.take(5)]
    assert all(len(row) == 3 for row in seen) and sorted(x for row in seen for x in row) == sorted([*range(5)] * 3)


def test_wrong_keys(path):
    with pytest.raises(ValueError, match=r"provided \('z'\) must be one of the `features` keys: \['x', 'y'\]"):
        make(path, 2, FEATURES, label_key="z")
    with pytest.raises(ValueError, match="`features` was empty"):
        tf.data.experimental.parse_example_dataset({})
