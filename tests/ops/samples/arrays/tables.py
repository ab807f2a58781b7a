import numpy as np

from tapeflow.ops.arrays.tables import Entries
from tests.ops.samples.sample import each, of


def _texts(*texts):
    return np.array([t.encode() for t in texts] + [None], object)[:-1]


_words = Entries(_texts("a", "b", "c"), np.array([0, 1, 2]), np.array(-1))
_hashed = Entries(_texts("a", "b", "c"), np.array([0, 1, 2]), np.array(-1), 3)
_names = Entries(np.array([7, 9]), _texts("seven", "nine"), np.array(b"?", object))
_weights = Entries(np.array([7, 9], np.int32), np.array([0.5, 2.0], np.float32), np.array(-1, np.float32))
_given = _texts("b", "zz", "a", "hello").reshape(2, 2)
_numbers = np.array([[9, 0], [7, 9]])


def _of(values, default, dtype):
    return each(lambda key: values.get(key, default), dtype=dtype)


SAMPLES = {
    "table_lookup": [
        of(_given, table=_words, order=0, reference=_of({b"a": 0, b"b": 1, b"c": 2}, -1, int)),
        # the numbers of words that are not there are TensorFlow's
        of(_given, table=_hashed, order=0, reference=_of({b"a": 0, b"b": 1, b"zz": 4, b"hello": 4}, -1, int)),
        of(_numbers, table=_names, order=0, reference=_of({7: b"seven", 9: b"nine"}, b"?", object)),
        of(_numbers.astype(np.int32), table=_weights, order=0, reference=_of({7: 0.5, 9: 2.0}, -1, np.float32)),
        of(np.zeros((0, 2), object), table=_words, order=0, reference=_of({}, -1, int)),
    ]
}  # fmt: skip
