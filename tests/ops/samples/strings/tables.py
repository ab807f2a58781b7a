import numpy as np

from tapeflow.ops.strings.tables import Table
from tests.ops.samples.sample import each, of
from tests.ops.samples.strings.text import _strings

_words = _strings(("one", "two"), ("", "zebra"))
_numbers = np.array([[3, 7], [3, 0]])


def _counted(word):
    """Of the words that are not in the table the buckets are TensorFlow's."""
    return {b"one": 0, b"two": 1, b"": 5, b"zebra": 4}[word]


SAMPLES = {
    "table_lookup": [
        of(
            _words,
            order=0,
            table=Table({b"one": 1.5, b"two": 2.5}, np.float32, -1.0),
            reference=each(lambda word: {b"one": 1.5, b"two": 2.5}.get(word, -1.0), dtype=np.float32),
        ),
        of(
            _words,
            order=0,
            table=Table({b"one": 0, b"two": 1}, np.int64, -1, 4),
            reference=each(_counted, dtype=np.int64),
        ),
        of(
            _numbers,
            order=0,
            table=Table({3: b"three", 7: b"seven"}, object, b"?"),
            reference=each(lambda n: {3: b"three", 7: b"seven"}.get(n, b"?"), dtype=object),
        ),
        of(
            _numbers[:0],
            order=0,
            table=Table({}, np.int32, 0),
            reference=each(lambda n: 0, dtype=np.int32),
        ),
    ]
}
