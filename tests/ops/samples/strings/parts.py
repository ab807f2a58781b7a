import numpy as np

from tests.ops.samples.sample import of
from tests.ops.samples.strings.text import _strings

_texts = _strings(("to be ", "né"), ("", " a"))


def _gives(dtype, *rows):
    """These parts of the four texts."""
    parts = np.empty(sum(map(len, rows)), dtype)
    parts[:] = [part.encode() if isinstance(part, str) else part for row in rows for part in row]
    return lambda *_, **__: (parts, np.array([len(row) for row in rows]).reshape(2, 2))


_utf8 = ("utf-8", "replace", 65533, False)

SAMPLES = {
    "string_parts": [
        of(_texts, order=0, what="words", how=(None, -1), reference=_gives(object, ["to", "be"], ["né"], [], ["a"])),
        of(_texts, order=0, what="words", how=(None, 1), reference=_gives(
            object, ["to", "be "], ["né", ""], [], ["a", ""])),
        of(_texts, order=0, what="words", how=(b" ", -1), reference=_gives(
            object, ["to", "be", ""], ["né"], [""], ["", "a"])),
        of(_texts, order=0, what="bytes", how=(), reference=_gives(
            object, "to be ", [b"n", b"\xc3", b"\xa9"], [], " a")),
        of(_texts, order=0, what="characters", how=("UTF-8", *_utf8), reference=_gives(
            object, "to be ", "né", [], " a")),
        of(_texts, order=0, what="codes", how=_utf8, reference=_gives(
            np.int32, [116, 111, 32, 98, 101, 32], [110, 233], [], [32, 97])),
        of(_texts, order=0, what="places", how=_utf8, reference=_gives(
            np.int64, [0, 1, 2, 3, 4, 5], [0, 1], [], [0, 1])),
    ]
}  # fmt: skip
