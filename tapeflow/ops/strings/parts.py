"""Strings taken apart: into words, bytes, characters, code points. How many parts there are is known when it runs."""

from collections.abc import Callable

import numpy as np

from tapeflow.core.dtypes import STRING
from tapeflow.core.primitive import CUT, Spec, primitive
from tapeflow.engines.numpy.strings.unicode_text import code_points


def _words(s: bytes, sep: bytes | None, most: int) -> list[bytes]:
    """Python's words; but after `most` of them the rest is a part too, even if it is empty."""
    if sep:
        return s.split(sep, most)
    parts = s.split(None, most)
    return [*parts, b""] if 0 < most == len(parts) else parts


# What the parts are, and the dtype of what is made of them.
PARTS: dict[str, tuple[Callable[..., list], type]] = {
    "words": (_words, object),
    "bytes": (lambda s: [s[i : i + 1] for i in range(len(s))], object),
    "characters": (lambda s, name, *how: [chr(code).encode(name) for code, _ in code_points(s, *how)], object),
    "codes": (lambda s, *how: [code for code, _ in code_points(s, *how)], np.int32),
    "places": (lambda s, *how: [place for _, place in code_points(s, *how)], np.int64),
}


def _parts_numpy(x, what, how):
    take, dtype = PARTS[what]
    rows = [take(s, *how) for s in x.flat]
    parts: np.ndarray = np.empty(sum(map(len, rows)), dtype)
    parts[:] = [part for row in rows for part in row]
    return parts, np.array([len(row) for row in rows], np.int64).reshape(x.shape)


def _parts_shape(x, what, how):
    return Spec(shape=(None,), dtype=np.dtype(PARTS[what][1])), Spec(shape=x.shape, dtype=np.dtype(np.int64))


# The parts of all strings, one after the other, and how many each has.
string_parts = primitive(
    "string_parts(x, *, what, how)",
    kernel={"numpy": _parts_numpy},
    shape=_parts_shape,
    vjp=CUT,
    dtypes=STRING,
    outputs=("parts", "lengths"),
)
