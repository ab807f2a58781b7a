"""Lookup tables; results are TensorFlow's."""

import pytest

import tapeflow as tf

lookup = tf.lookup
Words = lookup.KeyValueTensorInitializer
WHOLE, NUMBER = lookup.TextFileIndex.WHOLE_LINE, lookup.TextFileIndex.LINE_NUMBER


@pytest.fixture
def table():
    return lookup.StaticHashTable(Words(["a", "b"], [1, 2]), -1)


def test_lookup(table):
    assert table.lookup(tf.constant([["a", "z"]])).numpy().tolist() == [[1, -1]]
    assert table[tf.constant("b")].numpy() == 2 and table.lookup("b").dtype == tf.int32
    assert table.size().numpy() == 2 and table.size().dtype == tf.int64
    assert [part.numpy().tolist() for part in table.export()] == [[b"a", b"b"], [1, 2]]
    assert table.default_value.numpy() == -1


def test_other_dtypes():
    names = lookup.StaticHashTable(Words(tf.constant([1, 2], tf.int64), ["x", "y"]), "none")
    assert names.lookup(tf.constant([2, 5], tf.int64)).numpy().tolist() == [b"y", b"none"]
    wide = lookup.StaticHashTable(Words(["a"], [1], key_dtype=tf.string, value_dtype=tf.int64), 0)
    assert wide.lookup(tf.constant(["a"])).dtype == tf.int64


def test_ragged_and_sparse(table):
    assert table.lookup(tf.ragged.constant([["a"], ["b", "q"]])).to_list() == [[1], [2, -1]]
    found = table.lookup(tf.SparseTensor([[0, 0], [1, 1]], ["a", "q"], [2, 2]))
    assert found.values.numpy().tolist() == [1, -1] and found.indices.numpy().tolist() == [[0, 0], [1, 1]]


def test_in_functions(table):
    assert tf.function(lambda x: table.lookup(x) * 2)(tf.constant(["a", "b"])).numpy().tolist() == [2, 4]


def test_a_function_with_a_table_is_a_graph(table, tmp_path):
    """It used to run as plain Python, and could not be saved."""
    module = tf.Module()
    module.f = tf.function(lambda x: table.lookup(x) * 2, input_signature=[tf.TensorSpec([None], tf.string)])
    assert "table_lookup" in str(module.f.get_concrete_function().graph)
    tf.saved_model.save(module, str(tmp_path))
    assert tf.saved_model.load(str(tmp_path)).f(["b", "z"]).numpy().tolist() == [4, -2]


def test_a_vocabulary_that_was_saved(tmp_path):
    words = lookup.StaticVocabularyTable(Words(["a", "b", "c"], tf.constant([0, 1, 2], tf.int64)), 3)
    module = tf.Module()
    module.f = tf.function(words.lookup, input_signature=[tf.TensorSpec([None], tf.string)])
    tf.saved_model.save(module, str(tmp_path))
    given = ["a", "c", "zz", "hello", "x"]
    assert tf.saved_model.load(str(tmp_path)).f(given).numpy().tolist() == words.lookup(given).numpy().tolist()


def test_bad_tables(table):
    with pytest.raises(TypeError, match="Dtype of argument `keys`"):
        table.lookup(tf.constant([1]))
    with pytest.raises(tf.errors.FailedPreconditionError, match="Key a has 1 and trying to add value 2"):
        lookup.StaticHashTable(Words(["a", "a"], [1, 2]), -1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected shape"):
        Words(["a", "b"], [1])
    with pytest.raises(TypeError, match="default_value"):
        lookup.StaticHashTable(Words(["a"], [1]), "none")


# ---- files


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "words.txt"
    path.write_bytes(b"apple,10\nbanana,20\r\ncherry,30\n")
    return str(path)


def test_from_lines(lines):
    numbers = lookup.StaticHashTable(
        lookup.TextFileInitializer(lines, tf.string, 0, tf.int64, NUMBER, delimiter=","), -1
    )
    assert numbers.lookup(tf.constant(["cherry", "q"])).numpy().tolist() == [2, -1]
    columns = lookup.StaticHashTable(lookup.TextFileInitializer(lines, tf.string, 0, tf.int64, 1, delimiter=","), -1)
    assert columns.lookup(tf.constant(["banana"])).numpy().tolist() == [20]
    whole = lookup.StaticHashTable(lookup.TextFileInitializer(lines, tf.int64, NUMBER, tf.string, WHOLE), "?")
    assert whole.lookup(tf.constant([0, 9], tf.int64)).numpy().tolist() == [b"apple,10", b"?"]
    later = lookup.TextFileInitializer(
        lines, tf.string, 0, tf.int64, NUMBER, delimiter=",", value_index_offset=10, vocab_size=2
    )
    assert lookup.StaticHashTable(later, -1).lookup(tf.constant(["banana", "cherry"])).numpy().tolist() == [11, -1]


def test_bad_files(lines, tmp_path):
    build = lambda *args, **kwargs: lookup.StaticHashTable(lookup.TextFileInitializer(*args, **kwargs), -1)
    with pytest.raises(tf.errors.NotFoundError):
        build(str(tmp_path / "none"), tf.string, WHOLE, tf.int64, NUMBER)
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected 5 but got 3"):
        build(lines, tf.string, WHOLE, tf.int64, NUMBER, vocab_size=5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="not a valid int64"):
        build(lines, tf.string, WHOLE, tf.int64, 0, delimiter=",")
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected at least 4 got 2"):
        build(lines, tf.string, 0, tf.int64, 3, delimiter=",")
    with pytest.raises(ValueError, match="must be int64"):
        build(lines, tf.string, NUMBER, tf.int64, NUMBER)


# ---- vocabularies


def test_unknown_words():
    words = lookup.StaticVocabularyTable(Words(["a", "b", "c"], tf.constant([0, 1, 2], tf.int64)), 3)
    assert words.lookup(tf.constant(["a", "c", "zz", "hello", "x"])).numpy().tolist() == [0, 2, 4, 4, 5]
    assert words.size().numpy() == 6
    assert lookup.StaticVocabularyTable(None, 5).lookup(tf.constant(["a", "zz"])).numpy().tolist() == [4, 2]


def test_integers_as_words():
    seven = Words(tf.constant([7, 8], tf.int64), tf.constant([0, 1], tf.int64))
    assert lookup.StaticVocabularyTable(seven, 3).lookup(tf.constant([7, 99, -5], tf.int64)).numpy().tolist() == [
        0,
        2,
        2,
    ]
    assert lookup.StaticVocabularyTable(seven, 3, lookup_key_dtype=tf.int32).lookup(
        tf.constant([7, 99])
    ).numpy().tolist() == [
        0,
        2,
    ]


def test_bad_vocabularies():
    with pytest.raises(ValueError, match="num_oov_buckets"):
        lookup.StaticVocabularyTable(None, 0)
    with pytest.raises(TypeError, match="value_dtype"):
        lookup.StaticVocabularyTable(Words(["a"], [1]), 2)


# ---- tables that change


def test_insert_and_remove():
    table = lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))
    table.remove(tf.constant(["a", "zz"]))
    assert table.lookup(tf.constant(["a", "b"])).numpy().tolist() == [-1, 2] and table.size().numpy() == 1
    read = tf.function(lambda x: table.lookup(x))
    assert read(tf.constant(["b"])).numpy().tolist() == [2]
    table.insert(tf.constant(["b"]), tf.constant([5], tf.int64))
    assert read(tf.constant(["b"])).numpy().tolist() == [5]


def test_vectors_as_values():
    table = lookup.experimental.MutableHashTable(tf.string, tf.float32, tf.zeros([2]))
    table.insert(tf.constant(["a"]), [[1.0, 2.0]])
    assert table.lookup(tf.constant(["a", "z"])).numpy().tolist() == [[1.0, 2.0], [0.0, 0.0]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="for each of 1 keys"):
        table.insert(tf.constant(["a"]), [[1.0]])


def test_reserved_keys():
    table = lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, empty_key=-2, deleted_key=-3)
    table.insert(tf.constant([1], tf.int64), tf.constant([10], tf.int64))
    assert table.lookup(tf.constant([1, 9], tf.int64)).numpy().tolist() == [10, -1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty_key"):
        table.insert(tf.constant([-2], tf.int64), tf.constant([10], tf.int64))


def test_in_graphs_and_saved_models(tmp_path):
    """Functions that look something up ran as plain Python: none could be a signature of a saved model."""
    words = lookup.StaticVocabularyTable(Words(["a", "b"], tf.constant([0, 1], tf.int64)), num_oov_buckets=2)
    names = lookup.StaticHashTable(Words(tf.constant([0, 1], tf.int64), ["A", "B"]), "?")
    module = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def numbers(keys):
        found = words.lookup(keys)
        return {"number": found * 10, "name": names[found]}

    module.numbers = numbers
    keys = tf.constant(["b", "zebra", "a"])
    expected = numbers(keys)
    assert expected["name"].numpy().tolist() == [b"B", b"?", b"A"]
    assert [op.type for op in numbers.get_concrete_function().graph.get_operations()].count("LookupTableFindV2") == 2
    tf.saved_model.save(module, tmp_path / "model", signatures=numbers)
    loaded = tf.saved_model.load(tmp_path / "model")
    for found in (loaded.numbers(keys), loaded.signatures["serving_default"](keys)):
        assert found["name"].numpy().tolist() == expected["name"].numpy().tolist()
        assert found["number"].numpy().tolist() == expected["number"].numpy().tolist()


def test_ragged_and_sparse_keys_in_functions(table):
    counted = tf.function(lambda keys: table.lookup(keys))
    assert counted(tf.ragged.constant([["a"], ["z", "b"]])).to_list() == [[1], [-1, 2]]
    found = counted(tf.sparse.from_dense([["a", ""], ["", "b"]]))
    assert found.values.numpy().tolist() == [1, 2] and found.dense_shape.numpy().tolist() == [2, 2]
