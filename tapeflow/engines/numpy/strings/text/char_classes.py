"""Classes of characters as ranges of code points."""

import sys
import unicodedata
from functools import lru_cache
from itertools import groupby

NOT_TEXT = (0xD800, 0xDFFF)  # where bytes that are not UTF-8 are put while a text is looked at; part of no class
_LAST = sys.maxunicode


def _ranges(text: str) -> list:
    """ "a-z_" as ranges."""
    return [(ord(part[0]), ord(part[-1])) for part in text.split()]


PERL = {"d": _ranges("0-9"), "s": [(9, 10), (12, 13), (32, 32)], "w": _ranges("0-9 A-Z _ a-z")}

_POSIX = {
    "alnum": _ranges("0-9 A-Z a-z"),
    "alpha": _ranges("A-Z a-z"),
    "ascii": [(0, 127)],
    "blank": [(9, 9), (32, 32)],
    "cntrl": [(0, 31), (127, 127)],
    "digit": _ranges("0-9"),
    "graph": _ranges("!-~"),
    "lower": _ranges("a-z"),
    "print": [(32, 126)],
    "punct": _ranges("!-/ :-@ [-` {-~"),
    "space": [(9, 13), (32, 32)],
    "upper": _ranges("A-Z"),
    "word": _ranges("0-9 A-Z _ a-z"),
    "xdigit": _ranges("0-9 A-F a-f"),
}


def posix(name: str) -> list | None:
    return _POSIX.get(name)


@lru_cache(64)
def category(name: str) -> list | None:
    """The characters of a general category ("Lu"), or of all that begin with a letter ("L")."""
    if name == "Any":
        return complement([])
    within = lambda code: unicodedata.category(chr(code)).startswith(name)
    known = {"L", "M", "N", "P", "S", "Z", "C"}
    if len(name) not in (1, 2) or name[0] not in known:
        return None
    found, code = [], 0
    for inside, run in groupby(map(within, range(_LAST + 1))):
        count = sum(1 for _ in run)
        if inside:
            found.append((code, code + count - 1))
        code += count
    return found or None


def complement(ranges: list) -> list:
    out, start = [], 0
    for low, high in sorted([*ranges, NOT_TEXT]):
        if low > start:
            out.append((start, low - 1))
        start = max(start, high + 1)
    return [*out, (start, _LAST)] if start <= _LAST else out


def written(ranges: list, negated: bool = False) -> str:
    """As `re` writes it: one character of these, or one of the others."""
    if not ranges and not negated:
        return "(?!)"
    one = lambda code: f"\\U{code:08x}"
    body = "".join([f"{one(low)}-{one(high)}" for low, high in ([*ranges, NOT_TEXT] if negated else ranges)])
    return f"[{'^' if negated else ''}{body}]"
