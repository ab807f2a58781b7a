"""Protocol-buffer messages, as far as checkpoints need them: fields by number, without a description of the
message."""

import struct
from typing import Any

__all__ = ["fields", "varint"]


def varint(data: Any, place: int) -> tuple[int, int]:
    """An integer of seven bits a byte, lowest first, and the place after it."""
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
        shift += 7
        if shift > 63:  # ten bytes are the most that 64 bits take
            raise ValueError("an integer of more than 64 bits")


def fields(data: bytes) -> dict[int, list]:
    """The values of a message, by field number: integers, and bytes for texts and messages. IndexError or ValueError
    where it is none."""
    found: dict[int, list] = {}
    place = 0
    while place < len(data):
        tag, place = varint(data, place)
        value: Any
        if tag & 7 == 0:
            value, place = varint(data, place)
        elif tag & 7 == 1:
            value, place = data[place : place + 8], place + 8
        elif tag & 7 == 5:
            value, place = struct.unpack("<I", data[place : place + 4])[0], place + 4
        elif tag & 7 == 2:
            length, place = varint(data, place)
            value, place = data[place : place + length], place + length
        else:
            raise ValueError(f"a field of unknown kind {tag & 7}")
        if place > len(data):
            raise ValueError("a message that is cut off")
        found.setdefault(tag >> 3, []).append(value)
    return found
