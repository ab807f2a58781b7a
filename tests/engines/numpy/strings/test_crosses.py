import pytest

from tapeflow.core.errors import InvalidArgumentError
from tapeflow.engines.numpy.strings import crosses

COLUMNS = [[[b"a", b"b"], []], [[1], [2, 3]]]


def test_every_combination_the_last_column_first():
    assert crosses.joined(COLUMNS, b"-") == [[b"a-1", b"b-1"], []]
    assert crosses.joined([[[1, 2]], [[3, 4]]], b"") == [[b"13", b"14", b"23", b"24"]]


def test_hashes_depend_on_order_and_key():
    ab, ba = (crosses.hashed(c, 1000, None)[0][0] for c in ([[[b"a"]], [[b"b"]]], [[[b"b"]], [[b"a"]]]))
    assert ab != ba and crosses.hashed([[[b"a"]], [[7]]], 50, 3) == [[18]]  # the last is TensorFlow's
    assert crosses.hashed([[[-1]]], 0, None)[0][0] >= 0


def test_rows_must_agree():
    with pytest.raises(InvalidArgumentError, match="same number of rows"):
        crosses.joined([[[1]], [[1], [2]]], b"")
