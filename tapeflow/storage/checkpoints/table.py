"""The sorted-string table: the file format of TensorFlow's `.index` files, which is LevelDB's. Reading only.

A footer of 48 bytes points to the index block, whose entries point to data blocks. A block is a run of entries, each
key written as what it does not share with the key before; after every block come its kind (0: not compressed) and a
checksum.
"""

import struct
from collections.abc import Iterator

from .wire import varint

__all__ = ["crc32c", "entries", "unmasked"]

_MAGIC = 0xDB4775248B80FB57
_FOOTER = 48


def entries(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The keys and values, in order. ValueError or IndexError where the bytes are not such a table, or are damaged."""
    if len(data) < _FOOTER or struct.unpack("<Q", data[-8:])[0] != _MAGIC:
        raise ValueError("not an sstable (bad magic number)")
    footer = data[-_FOOTER:]
    _, place = varint(footer, 0)  # where the block of meta data is, and its size
    _, place = varint(footer, place)
    for _, handle in _block(data, footer[place:]):
        yield from _block(data, handle)


def _block(data: bytes, handle: bytes) -> Iterator[tuple[bytes, bytes]]:
    offset, place = varint(handle, 0)
    size, _ = varint(handle, place)
    block, trailer = data[offset : offset + size], data[offset + size : offset + size + 5]
    if len(trailer) != 5:
        raise ValueError("a block is cut off")
    if unmasked(struct.unpack("<I", trailer[1:])[0]) != crc32c(block + trailer[:1]):
        raise ValueError("the checksum of a block does not match")
    if trailer[0]:
        raise ValueError("a block is compressed, which TensorFlow does not do")
    end = len(block) - 4 - 4 * struct.unpack("<I", block[-4:])[0]
    place, key = 0, b""
    while place < end:
        shared, place = varint(block, place)
        fresh, place = varint(block, place)
        length, place = varint(block, place)
        key = key[:shared] + block[place : place + fresh]
        yield key, block[place + fresh : place + fresh + length]
        place += fresh + length


# ---- checksums


def unmasked(stored: int) -> int:
    """Stored checksums are turned and shifted, so that a checksum of data with a checksum in it is still a good
    one."""
    turned = (stored - 0xA282EAD8) & 0xFFFFFFFF
    return (turned >> 17 | turned << 15) & 0xFFFFFFFF


def _remainders() -> list[int]:
    found = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        found.append(byte)
    return found


_TABLE = _remainders()


def crc32c(data: bytes) -> int:
    """Castagnoli's checksum, by the byte: for kilobytes. `google_crc32c` is used for tensors, where it is
    installed."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF
