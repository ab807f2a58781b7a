"""Examples to tensors: the values that TensorFlow gives for the same bytes."""

import numpy as np
import pytest

import tapeflow as tf

io = tf.io


def ints(*values):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def floats(*values):
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def strings(*values):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))


def example(**features):
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


ONE = example(
    a=ints(1, 2, 3, 4), b=floats(1.5), c=strings(b"x", b"yy"), empty=tf.train.Feature(), lengths=ints(1, 0, 3),
    ids=ints(0, 2, 2, 3), x=ints(3, 1), y=ints(0, 5), v=floats(1.0, 2.0),
)  # fmt: skip
TWO = example(
    a=ints(9, 2, 3, 4),
    b=floats(2.5),
    c=strings(),
    lengths=ints(2, 2),
    ids=ints(0, 0, 0, 1),
    x=ints(1),
    y=ints(2),
    v=floats(7.0),
)


def one(**features):
    return io.parse_single_example(ONE, features)


def both(**features):
    return io.parse_example([ONE, TWO], features)


def sparse(tensor):
    return tensor.indices.numpy().tolist(), tensor.values.numpy().tolist(), tensor.dense_shape.numpy().tolist()


# ---- one example


def test_fixed():
    found = one(
        a=io.FixedLenFeature([2, 2], tf.int64),
        b=io.FixedLenFeature([], tf.float32),
        c=io.FixedLenFeature([2], tf.string),
    )
    assert found["a"].numpy().tolist() == [[1, 2], [3, 4]] and found["a"].dtype == tf.int64
    assert found["b"].numpy() == 1.5 and found["b"].shape == ()
    assert found["c"].numpy().tolist() == [b"x", b"yy"]


def test_defaults():
    found = one(
        z=io.FixedLenFeature([], tf.int64, default_value=7), empty=io.FixedLenFeature([2], tf.string, ["p", "q"])
    )
    assert found["z"].numpy() == 7 and found["empty"].numpy().tolist() == [b"p", b"q"]


@pytest.mark.parametrize(
    "key, spec, message",
    [
        ("z", io.FixedLenFeature([], tf.int64), "Feature: z .*int64.* is required but could not be found"),
        ("empty", io.FixedLenFeature([], tf.int64), "Feature: empty .* is required"),
        ("a", io.FixedLenFeature([], tf.int64), "Key: a.*Values size: 4 but output shape: "),
        (
            "a",
            io.FixedLenFeature([4], tf.float32),
            "Key: a.  Data types don't match. Data type: int64 but expected type: float",
        ),
        ("a", io.VarLenFeature(tf.string), "Data types don't match"),
        ("a", io.FixedLenFeature([4], tf.int32), "not int32"),
        ("a", io.FixedLenSequenceFeature([3], tf.int64, allow_missing=True), "divisible by 3, found 4"),
        ("w", io.FixedLenFeature([2], tf.float32, 0.0), "default_value has 1 values"),
        ("s", io.SparseFeature("a", "v", tf.float32, 9), "2 values of v, but 4 of a"),
        ("a", io.RaggedFeature(tf.int64, partitions=[io.RaggedFeature.RowLengths("y")]), "do not partition 4 values"),
    ],
)
def test_what_does_not_fit(key, spec, message):
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        io.parse_single_example(ONE, {key: spec})


def test_any_length():
    found = one(a=io.VarLenFeature(tf.int64), z=io.VarLenFeature(tf.string))
    assert sparse(found["a"]) == ([[0], [1], [2], [3]], [1, 2, 3, 4], [4])
    assert sparse(found["z"]) == ([], [], [0]) and found["z"].dtype == tf.string


def test_sequences_in_one():
    found = one(a=io.FixedLenSequenceFeature([2], tf.int64, True), z=io.FixedLenSequenceFeature([2], tf.float32, True))
    assert found["a"].numpy().tolist() == [[1, 2], [3, 4]] and found["z"].shape == (0, 2)
    with pytest.raises(ValueError, match="allow_missing"):
        one(a=io.FixedLenSequenceFeature([2], tf.int64))


R = io.RaggedFeature


@pytest.mark.parametrize(
    "partition, rows",
    [
        (R.RowLengths("lengths"), [[1], [], [2, 3, 4]]),
        (R.ValueRowIds("ids"), [[1], [], [2, 3], [4]]),
        (R.UniformRowLength(2), [[1, 2], [3, 4]]),
    ],
)
def test_ragged(partition, rows):
    found = one(q=R(tf.int64, value_key="a", partitions=[partition]), a=R(tf.int64))
    listed = found["q"].to_list() if isinstance(found["q"], tf.RaggedTensor) else found["q"].numpy().tolist()
    assert listed == rows and found["a"].numpy().tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "kind, given", [(R.RowSplits, [0, 1, 1, 3]), (R.RowStarts, [0, 1, 1]), (R.RowLimits, [1, 1, 3])]
)
def test_partitions_by_places(kind, given):
    made = example(a=floats(1.0, 2.0, 3.0), p=ints(*given))
    found = io.parse_single_example(made, {"a": R(tf.float32, partitions=[kind("p")])})
    assert found["a"].to_list() == [[1.0], [], [2.0, 3.0]]


def test_sparse_in_parts():
    assert sparse(one(s=io.SparseFeature(["x", "y"], "v", tf.float32, [10, 10]))["s"]) == (
        [[1, 5], [3, 0]],
        [2.0, 1.0],
        [10, 10],
    )


def test_bad_bytes():
    for bad in (b"\xff\xff", ONE[:20]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse example input"):
            io.parse_single_example(bad, {"a": io.FixedLenFeature([4], tf.int64)})
    with pytest.raises(tf.errors.InvalidArgumentError, match="Name: second, Could not parse"):
        io.parse_example([ONE, b"\xff"], {"a": io.FixedLenFeature([4], tf.int64)}, example_names=["first", "second"])


def test_bad_descriptions():
    for features, message in [({}, "empty"), (None, "None"), ({"a": tf.int64}, "Unsupported DType")]:
        with pytest.raises(ValueError, match=message):
            io.parse_single_example(ONE, features)
    with pytest.raises(ValueError, match="scalar"):
        io.parse_single_example([ONE], {"a": io.VarLenFeature(tf.int64)})


# ---- a batch


def test_batch():
    found = both(
        a=io.FixedLenFeature([4], tf.int64),
        b=io.FixedLenFeature([], tf.float32),
        z=io.FixedLenFeature([2], tf.int64, [4, 5]),
    )
    assert found["a"].numpy().tolist() == [[1, 2, 3, 4], [9, 2, 3, 4]]
    assert found["b"].numpy().tolist() == [1.5, 2.5] and found["z"].numpy().tolist() == [[4, 5], [4, 5]]


def test_batch_of_any_length():
    found = both(c=io.VarLenFeature(tf.string), lengths=io.VarLenFeature(tf.int64))
    assert sparse(found["c"]) == ([[0, 0], [0, 1]], [b"x", b"yy"], [2, 2])
    assert sparse(found["lengths"])[2] == [2, 3]


def test_batch_padded():
    found = both(
        lengths=io.FixedLenSequenceFeature([], tf.int64, True, -1), c=io.FixedLenSequenceFeature([], tf.string, True),
        z=io.FixedLenSequenceFeature([], tf.float32, True),
    )  # fmt: skip
    assert found["lengths"].numpy().tolist() == [[1, 0, 3], [2, 2, -1]]
    assert found["c"].numpy().tolist() == [[b"x", b"yy"], [b"", b""]] and found["z"].shape == (2, 0)


def test_batch_ragged():
    found = both(
        c=R(tf.string), q=R(tf.int64, "a", [R.RowLengths("lengths")]), i=R(tf.int64, "a", [R.ValueRowIds("ids")]),
        u=R(tf.int64, "a", [R.UniformRowLength(2)]),
    )  # fmt: skip
    assert found["c"].to_list() == [[b"x", b"yy"], []]
    assert found["q"].to_list() == [[[1], [], [2, 3, 4]], [[9, 2], [3, 4]]]
    assert found["i"].to_list() == [[[1], [], [2, 3], [4]], [[9, 2, 3], [4]]]
    assert found["u"].to_list() == [[[1, 2], [3, 4]], [[9, 2], [3, 4]]]


def test_batch_sparse_in_parts():
    found = sparse(both(s=io.SparseFeature(["x", "y"], "v", tf.float32, [10, 10]))["s"])
    assert found == ([[0, 1, 5], [0, 3, 0], [1, 1, 2]], [2.0, 1.0, 7.0], [2, 10, 10])


def test_batch_of_none():
    found = io.parse_example(
        np.array([], object), {"a": io.FixedLenFeature([4], tf.int64), "v": io.VarLenFeature(tf.int64)}
    )
    assert found["a"].shape == (0, 4) and sparse(found["v"])[2] == [0, 0]


def test_the_index_of_the_bad_one():
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match=r"Key: c, Index: 1\.  Number of bytes values != expected.  Values size: 0",
    ):
        both(c=io.FixedLenFeature([2], tf.string))


def test_in_a_function():
    @tf.function
    def parse(serialized):
        return io.parse_single_example(serialized, {"a": io.FixedLenFeature([4], tf.int64)})["a"] * 2

    assert parse(tf.constant(ONE)).numpy().tolist() == [2, 4, 6, 8]
    assert parse(tf.constant(TWO)).numpy().tolist() == [18, 4, 6, 8]


# ---- sequence examples


def sequence(context, **lists):
    lists = {key: tf.train.FeatureList(feature=steps) for key, steps in lists.items()}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature=context), feature_lists=tf.train.FeatureLists(feature_list=lists)
    ).SerializeToString()


LONG = sequence(
    {"n": ints(3)},
    t=[ints(1), ints(2), ints(3)],
    v=[floats(1.0, 2.0), floats(), floats(3.0)],
    w=[strings(b"a", b"b"), strings(b"c", b"d")],
)
SHORT = sequence({"n": ints(1)}, t=[ints(7)], v=[floats(9.0)])
CONTEXT = {"n": io.FixedLenFeature([], tf.int64)}


def test_one_sequence():
    wanted = {
        "t": io.FixedLenSequenceFeature([], tf.int64),
        "v": io.VarLenFeature(tf.float32),
        "w": io.FixedLenSequenceFeature([2], tf.string),
    }
    context, found = io.parse_single_sequence_example(LONG, CONTEXT, wanted)
    assert context["n"].numpy() == 3 and found["t"].numpy().tolist() == [1, 2, 3]
    assert sparse(found["v"]) == ([[0, 0], [0, 1], [2, 0]], [1.0, 2.0, 3.0], [3, 2])
    assert found["w"].numpy().tolist() == [[b"a", b"b"], [b"c", b"d"]]


def test_sequences_ragged_and_missing():
    missing = io.FixedLenSequenceFeature([], tf.int64, allow_missing=True)
    _, found = io.parse_single_sequence_example(LONG, None, {"v": R(tf.float32), "z": missing})
    assert found["v"].to_list() == [[1.0, 2.0], [], [3.0]] and found["z"].shape == (0,)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Feature list 'z' is required"):
        io.parse_single_sequence_example(LONG, None, {"z": io.FixedLenSequenceFeature([], tf.int64)})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Key: v, Index: 0\.  Number of values != expected"):
        io.parse_single_sequence_example(LONG, None, {"v": io.FixedLenSequenceFeature([], tf.float32)})
    with pytest.raises(ValueError, match="at least one"):
        io.parse_single_sequence_example(LONG)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid protocol message"):
        io.parse_single_sequence_example(b"\xff", CONTEXT)


def test_a_batch_of_sequences():
    wanted = {
        "t": io.FixedLenSequenceFeature([], tf.int64),
        "v": io.VarLenFeature(tf.float32),
        "r": R(tf.float32, "v"),
    }
    context, found, lengths = io.parse_sequence_example([LONG, SHORT], CONTEXT, wanted)
    assert context["n"].numpy().tolist() == [3, 1] and lengths["t"].numpy().tolist() == [3, 1]
    assert found["t"].numpy().tolist() == [[1, 2, 3], [7, 0, 0]]
    assert sparse(found["v"]) == ([[0, 0, 0], [0, 0, 1], [0, 2, 0], [1, 0, 0]], [1.0, 2.0, 3.0, 9.0], [2, 3, 2])
    assert found["r"].to_list() == [[[1.0, 2.0], [], [3.0]], [[9.0]]]
