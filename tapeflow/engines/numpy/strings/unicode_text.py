"""Strings of bytes as characters, and back; what is no character is replaced, left out or refused."""

import codecs

from tapeflow.core.errors import invalid


def checked_encoding(encoding):
    """The encoding as Python knows it."""
    try:
        return codecs.lookup(encoding.replace(" ", "-")).name
    except LookupError:
        raise invalid(f"Could not create converter for input encoding: {encoding}.") from None


def code_points(s, encoding, errors, replacement, controls):
    """[(code point, the byte where it begins), …]. `controls`: control characters are replaced too."""
    found = []
    for code, place in _read(s, encoding):
        if code is None and errors == "strict":
            raise invalid(
                f"Invalid formatting on input string: byte {place} of {s[:40]!r} begins no {encoding} character."
            )
        if code is None and errors == "replace" or controls and code is not None and code <= 0x1F:
            found.append((replacement, place))
        elif code is not None:
            found.append((code, place))
    return found


def _read(s, encoding):
    """Pairs of a code point, or None for bytes that are none, and its place."""
    place = 0
    while place < len(s):
        bad = 0
        try:
            text = s[place:].decode(encoding)
        except UnicodeDecodeError as error:
            text, bad = s[place : place + error.start].decode(encoding), error.end - error.start
        for character in text:
            yield ord(character), place
            place += len(character.encode(encoding))
        if bad:
            yield None, place
            place += bad


def encoded(codes, encoding, errors, replacement):
    """Code points as bytes."""
    kept = []
    for code in codes:
        if not 0 <= code <= 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            if errors == "strict":
                raise invalid(f"Code point is out of range for Unicode, or is a surrogate: {code}.")
            if errors == "ignore":
                continue
            code = replacement
        kept.append(chr(code))
    return "".join(kept).encode(encoding)
