"""Regular expressions as RE2 reads them, matched by Python's `re`.

The two languages differ where nobody would notice: `$`, `\\s`, `[[:alpha:]]`, `.` on text that is not ASCII, an empty
match after another one. So a pattern is read by RE2's rules and written out for `re`. What RE2 refuses (lookaround,
back references) is refused, and so is the little that `re` cannot say (single bytes, scripts). Text is UTF-8; bytes
that are not are characters that nothing matches.
"""

import re
from functools import lru_cache

from tapeflow.core.errors import invalid

from .char_classes import PERL, category, complement, posix, written

_MOST_REPEATS = 1000
_CONTROLS = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_PLACES = {"A": r"\A", "z": r"\Z", "b": r"(?a:\b)", "B": r"(?a:\B)"}
_REPEAT = re.compile(r"\{(\d+)(,(\d*))?\}")


class _Refused(Exception):
    """Why a pattern is not one."""


def _text(s: bytes) -> str:
    return s.decode(errors="surrogateescape")


def _bytes(s: str) -> bytes:
    return s.encode(errors="surrogateescape")


@lru_cache(256)
def compiled(pattern: bytes) -> re.Pattern:
    try:
        return re.compile(_Reader(pattern.decode()).whole())
    except UnicodeDecodeError:
        why = "invalid UTF-8"
    except (_Refused, re.error, OverflowError) as error:
        why = str(error)
    raise invalid(f"Invalid pattern: {_text(pattern)!r}, error: {why}. Patterns are those of RE2, as in TensorFlow.")


def full_match(s: bytes, pattern: bytes) -> bool:
    return compiled(pattern).fullmatch(_text(s)) is not None


def replaced(s: bytes, pattern: bytes, rewrite: bytes, replace_global: bool) -> bytes:
    """`\\0` in the rewrite is the whole match, `\\1` … the groups. Nothing changes if there is no such group."""
    expression, pieces = compiled(pattern), _pieces(rewrite)
    if any(type(p) is int and p > expression.groups for p in pieces):
        return s
    text, out, at, last_end = _text(s), [], 0, -1
    while at <= len(text) and (match := expression.search(text, at)):
        start, end = match.span()
        out.append(text[at:start])
        if start == end == last_end:  # nothing, right after a match: no match
            out.append(text[start : start + 1])
            at = start + 1
            continue
        out += [p if type(p) is str else match[p] or "" for p in pieces]
        at = last_end = end
        if not replace_global:
            break
    return _bytes("".join([*out, text[at:]]))


@lru_cache(256)
def _pieces(rewrite: bytes) -> list[str | int]:
    pieces: list[str | int] = []
    for literal, escape, odd in re.findall(r"([^\\]+)|\\([0-9\\])|(\\(?:.|$))", _text(rewrite), re.DOTALL):
        if odd:
            raise invalid(
                f"Invalid rewrite pattern: {_text(rewrite)!r}. After a backslash comes a digit or another backslash."
            )
        pieces.append(literal or ("\\" if escape == "\\" else int(escape)))
    return pieces


class _Reader:
    """One pass over a pattern. Flags last to the end of the group that they are set in."""

    def __init__(self, pattern: str) -> None:
        self.pattern, self.at = pattern, 0
        self.flags: frozenset[str] = frozenset()
        self.done = ""  # what was written by a piece that no repetition can follow

    def peek(self, text: str) -> bool:
        return self.pattern.startswith(text, self.at)

    def take(self, text: str) -> bool:
        found = self.peek(text)
        self.at += len(text) * found
        return found

    def next(self) -> str:
        if self.at >= len(self.pattern):
            raise _Refused("trailing \\ or missing end")
        self.at += 1
        return self.pattern[self.at - 1]

    def matching(self, regex: str) -> str:
        """What follows and matches, or nothing."""
        found = re.compile(regex).match(self.pattern, self.at)
        return found[0] if found else ""

    def whole(self) -> str:
        out = self.alternatives()
        if self.at < len(self.pattern):
            raise _Refused("unexpected )")
        return out

    def alternatives(self) -> str:
        out, flags = [], self.flags
        while self.at < len(self.pattern) and not self.peek(")"):
            out.append(self.repeated(self.piece()))
        self.flags = flags
        return "".join(out)

    def piece(self) -> str | None:
        """What a repetition can follow, or (None) the rest."""
        c = self.next()
        if c == "|":
            self.done = "|"
            return None
        if c == "(":
            return self.group()
        if c == "[":
            return self.cased(self.char_class())
        if c == ".":
            return written([] if "s" in self.flags else [(10, 10)], negated=True)
        if c == "^":
            return "(?m:^)" if "m" in self.flags else r"\A"
        if c == "$":
            return "(?m:$)" if "m" in self.flags else r"\Z"
        if c in "*+?" or c == "{" and _REPEAT.match(self.pattern, self.at - 1):
            raise _Refused(f"no argument for repetition operator: {c}")
        if c != "\\":
            return self.cased(re.escape(c))
        if self.peek("Q"):
            self.quoted()
            return None
        if self.pattern[self.at : self.at + 1] in _PLACES:
            return _PLACES[self.next()]
        found = self.escape()
        return self.cased(re.escape(found) if isinstance(found, str) else written(found))

    def cased(self, written: str) -> str:
        return f"(?i:{written})" if "i" in self.flags else written

    def quoted(self) -> None:
        """\\Q…\\E: its characters, escaped, take its place, so that a repetition is of the last of them."""
        start = self.at - 1
        text, _, rest = self.pattern[self.at + 1 :].partition("\\E")
        escaped = "".join([c if c.isalnum() or not c.isascii() or c.isspace() or c == "_" else f"\\{c}" for c in text])
        self.pattern, self.at, self.done = self.pattern[:start] + escaped + rest, start, ""

    # ---- groups

    def group(self) -> str | None:
        opened = "("
        outer = self.flags
        if self.take("?P<"):
            name = self.pattern[self.at :].partition(">")[0]
            if not re.fullmatch(r"\w+", name) or not self.peek(name + ">"):
                raise _Refused(f"invalid named capture group: (?P<{name}")
            self.at += len(name) + 1
        elif self.take("?"):
            opened = "(?:"
            if not self.set_flags():
                self.done = ""
                return None
        inside = self.alternatives()
        self.flags = outer
        if not self.take(")"):
            raise _Refused("missing closing )")
        return f"{opened}{inside})"

    def set_flags(self) -> bool:
        """Reads `ims:` or `i-s)`; does a group follow?"""
        start, on = self.at, True
        while (c := self.next()) not in ":)":
            if c == "-" and on:
                on = False
            elif c in "imsU":
                self.flags = self.flags | {c} if on else self.flags - {c}
            else:
                raise _Refused(f"invalid perl operator: (?{self.pattern[start : self.at]}")
        return c == ":"

    # ---- repetitions

    def repeated(self, piece: str | None) -> str:
        if piece is None:
            return self.done
        found = _REPEAT.match(self.pattern, self.at)
        operator = found[0] if found else self.pattern[self.at : self.at + 1]
        if not found and (not operator or operator not in "*+?"):
            return piece
        if found and (int(found[1]) > _MOST_REPEATS or int(found[3] or 0) > _MOST_REPEATS):
            raise _Refused(f"invalid repetition size: {operator}")
        self.at += len(operator)
        lazy = self.take("?") != ("U" in self.flags)
        following = self.pattern[self.at : self.at + 1]
        if following and following in "*+?" or _REPEAT.match(self.pattern, self.at):
            raise _Refused(f"bad repetition operator: {operator}{following}")
        return f"(?:{piece}){operator}{'?' if lazy else ''}"

    # ---- one character, or a class of them

    def escape(self) -> str | list:
        """What stands after a backslash: a character, or the ranges of a class."""
        c = self.next()
        if c in _CONTROLS:
            return _CONTROLS[c]
        if c in PERL or c.lower() in PERL:
            return PERL[c] if c in PERL else complement(PERL[c.lower()])
        if c in "pP":
            return self.unicode_class(negated=c == "P")
        if c == "x":
            return self.hexadecimal()
        if c in "01234567":
            digits = self.matching("[0-7]{0,2}")
            if c == "0" or digits:
                self.at += len(digits)
                return chr(int(c + digits, 8))
        elif c.isascii() and not c.isalnum() and c != "_":
            return c
        raise _Refused(f"invalid escape sequence: \\{c}" if c != "C" else "\\C, a single byte, is not supported")

    def hexadecimal(self) -> str:
        found = self.matching(r"\{[0-9a-fA-F]+\}|[0-9a-fA-F]{2}")
        code = int(found.strip("{}") or "-1", 16)
        if not 0 <= code <= 0x10FFFF:
            raise _Refused("invalid escape sequence: \\x")
        self.at += len(found)
        return chr(code)

    def unicode_class(self, negated: bool) -> list:
        name = self.next()
        if name == "{":
            name, closed, _ = self.pattern[self.at :].partition("}")
            self.at += len(name) + len(closed)
        if name.startswith("^"):
            name, negated = name[1:], not negated
        found = category(name)
        if found is None:
            raise _Refused(
                f"character class \\p{{{name}}} is not known: general categories (L, Lu, Nd, …) are, scripts are not"
            )
        return complement(found) if negated else found

    def char_class(self) -> str:
        ranges: list[tuple[int, int]] = []
        negated, first = self.take("^"), True
        while first or not self.peek("]"):
            first = False
            found = self.member()
            if not isinstance(found, str):
                ranges += found
                continue
            low = high = ord(found)
            if self.peek("-") and not self.peek("-]"):
                self.at += 1
                end = self.member()
                if not isinstance(end, str) or ord(end) < low:
                    raise _Refused("invalid character class range")
                high = ord(end)
            ranges.append((low, high))
        self.at += 1
        return written(ranges, negated)

    def member(self) -> str | list:
        if self.at >= len(self.pattern):
            raise _Refused("missing closing ]")
        named = re.compile(r"\[:(\^?)(\w+):\]").match(self.pattern, self.at)
        if named:
            found = posix(named[2])
            if found is None:
                raise _Refused(f"invalid character class range: {named[0]}")
            self.at += len(named[0])
            return complement(found) if named[1] else found
        c = self.next()
        return self.escape() if c == "\\" else c
