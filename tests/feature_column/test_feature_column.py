"""Feature columns: their names, their texts, and what reads their features."""

import pytest

import tapeflow as tf

columns = tf.feature_column
PRICE = columns.numeric_column("price")
WORDS = columns.categorical_column_with_vocabulary_list("c", ["x", "y"])


def test_text():
    assert str(columns.numeric_column("v", shape=[3], default_value=0.5, dtype=tf.float64)) == (
        "NumericColumn(key='v', shape=(3,), default_value=(0.5, 0.5, 0.5), dtype=tf.float64, normalizer_fn=None)"
    )
    assert str(WORDS) == (
        "VocabularyListCategoricalColumn(key='c', vocabulary_list=('x', 'y'), dtype=tf.string, default_value=-1, "
        "num_oov_buckets=0)"
    )


def test_names():
    crossed = columns.crossed_column(["b", WORDS, columns.crossed_column(["z", "a"], 5)], 7)
    assert crossed.name == "a_X_b_X_c_X_z"
    assert columns.bucketized_column(PRICE, [0.0, 10.0]).name == "price_bucketized"
    assert columns.indicator_column(WORDS).name == "c_indicator"
    assert columns.embedding_column(WORDS, 4).name == "c_embedding"
    assert columns.weighted_categorical_column(WORDS, "w").name == "c_weighted_by_w"


def test_what_reads_them():
    all_of_them = [
        PRICE, columns.bucketized_column(PRICE, [1.0]), columns.embedding_column(WORDS, 4),
        columns.indicator_column(WORDS), columns.categorical_column_with_identity("id", 5),
        columns.categorical_column_with_hash_bucket("h", 10), columns.crossed_column(["a", "b"], 7),
        columns.weighted_categorical_column(WORDS, "w"),
    ]  # fmt: skip
    spec = columns.make_parse_example_spec(all_of_them)
    assert spec == {
        "price": tf.io.FixedLenFeature((1,), tf.float32), "c": tf.io.VarLenFeature(tf.string),
        "id": tf.io.VarLenFeature(tf.int64), "h": tf.io.VarLenFeature(tf.string), "a": tf.io.VarLenFeature(tf.string),
        "b": tf.io.VarLenFeature(tf.string), "w": tf.io.VarLenFeature(tf.float32),
    }  # fmt: skip
    example = tf.train.Example()
    example.features.feature["price"].float_list.value.append(2.5)
    assert tf.io.parse_example([example.SerializeToString()], {"price": spec["price"]})["price"].numpy().tolist() == [
        [2.5]
    ]


@pytest.mark.parametrize(
    "make, kind, message",
    [
        (lambda: columns.make_parse_example_spec(["price"]), ValueError, "FeatureColumn instances"),
        (
            lambda: columns.make_parse_example_spec([PRICE, columns.numeric_column("price", shape=[2])]),
            ValueError,
            "different parse_spec",
        ),
        (lambda: columns.numeric_column("a", shape=[-1]), ValueError, "greater than 0"),
        (lambda: columns.numeric_column("a", dtype=tf.string), ValueError, "convertible to float"),
        (lambda: columns.numeric_column("a", shape=[2], default_value=[1.0]), ValueError, "shape of default_value"),
        (lambda: columns.numeric_column("a", normalizer_fn=3), TypeError, "callable"),
        (lambda: columns.bucketized_column(PRICE, [2.0, 1.0]), ValueError, "sorted"),
        (lambda: columns.bucketized_column(WORDS, [1.0]), ValueError, "numeric_column"),
        (
            lambda: columns.bucketized_column(columns.numeric_column("x", shape=[2, 2]), [1.0]),
            ValueError,
            "one-dimensional",
        ),
        (lambda: columns.categorical_column_with_vocabulary_list("c", ["x", "x"]), ValueError, "Duplicate"),
        (lambda: columns.categorical_column_with_vocabulary_list("c", []), ValueError, "non-empty"),
        (lambda: columns.categorical_column_with_vocabulary_list("c", ["x"], None, 1, 2), ValueError, "both"),
        (lambda: columns.embedding_column(WORDS, 0), ValueError, "dimension"),
        (lambda: columns.indicator_column(PRICE), ValueError, "categorical"),
    ],
)
def test_bad_columns(make, kind, message):
    with pytest.raises(kind, match=message):
        make()


def test_words_of_a_file(tmp_path):
    (tmp_path / "w").write_text("red\ngreen\n")
    column = columns.categorical_column_with_vocabulary_file("c", str(tmp_path / "w"), num_oov_buckets=3)
    assert column.num_buckets == 5 and column.parse_example_spec == {"c": tf.io.VarLenFeature(tf.string)}
    with pytest.raises(tf.errors.NotFoundError):
        columns.categorical_column_with_vocabulary_file("c", str(tmp_path / "none"))


@pytest.mark.parametrize(
    "make",
    [
        lambda fc: fc.numeric_column(3),
        lambda fc: fc.categorical_column_with_hash_bucket("h", 3, tf.float32),
        lambda fc: fc.crossed_column(["a", fc.numeric_column("x")], 10),
        lambda fc: fc.crossed_column(["a", fc.categorical_column_with_hash_bucket("h", 3)], 10),
    ],
)
def test_columns_that_cannot_be(make):
    with pytest.raises(ValueError):
        make(tf.feature_column)
