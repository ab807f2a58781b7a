"""`tf.train.Example`: TensorFlow's bytes, and protobuf's manners."""

import pytest

import tapeflow as tf


def feature(**kinds):
    lists = {"bytes_list": tf.train.BytesList, "float_list": tf.train.FloatList, "int64_list": tf.train.Int64List}
    return tf.train.Feature(**{kind: lists[kind](value=value) for kind, value in kinds.items()})


# Serialized by TensorFlow, with deterministic=True.
EXAMPLE = bytes.fromhex(
    "0a330a150a016112101a0e0a0c01feffffffffffffffff01030a0d0a0162120812060a040000c03f0a0b0a016312060a040a027979"
)


def example():
    return tf.train.Example(
        features=tf.train.Features(
            feature={
                "a": feature(int64_list=[1, -2, 3]),
                "b": feature(float_list=[1.5]),
                "c": feature(bytes_list=[b"yy"]),
            }
        )
    )


def test_the_bytes_of_tensorflow():
    assert example().SerializeToString(deterministic=True) == EXAMPLE


def test_reading_them():
    found = tf.train.Example.FromString(EXAMPLE)
    assert list(found.features.feature["a"].int64_list.value) == [1, -2, 3]
    assert found.features.feature["b"].WhichOneof("kind") == "float_list"
    assert found == example()
    other = tf.train.Example()
    other.ParseFromString(EXAMPLE)
    assert other == found


def test_one_kind_at_a_time():
    one = feature(int64_list=[1])
    one.float_list.value.append(2.0)
    assert one.WhichOneof("kind") == "float_list"


def test_text():
    assert str(feature(int64_list=[1, 2])) == "int64_list {\n  value: 1\n  value: 2\n}\n"


def test_building_in_place():
    made = tf.train.Example()
    made.features.feature["z"].int64_list.value.extend([5])
    assert made.SerializeToString() == b"\n\x0c\n\n\n\x01z\x12\x05\x1a\x03\n\x01\x05"


def test_sequences():
    lists = tf.train.FeatureLists(
        feature_list={"t": tf.train.FeatureList(feature=[feature(int64_list=[1]), feature(int64_list=[7])])}
    )
    made = tf.train.SequenceExample(
        context=tf.train.Features(feature={"n": feature(int64_list=[2])}), feature_lists=lists
    )
    found = tf.train.SequenceExample.FromString(made.SerializeToString())
    assert [list(f.int64_list.value) for f in found.feature_lists.feature_list["t"].feature] == [[1], [7]]


def test_what_does_not_fit():
    with pytest.raises(TypeError):
        tf.train.BytesList(value=["text"])
    with pytest.raises(TypeError):
        tf.train.Int64List(value=[1.5])
