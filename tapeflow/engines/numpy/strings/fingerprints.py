"""Hashes of strings, bit for bit those that TensorFlow's buckets use, so that a model trained there finds its rows
here.

`farm` is FarmHash's Fingerprint64 (https://github.com/google/farmhash), `murmur` MurmurHash64A with TensorFlow's seed,
`sip` SipHash-2-4 (Aumasson and Bernstein, 2012) with a key.
"""

import struct

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
_MURMUR, _MURMUR_SEED = 0xC6A4A7935BD1E995, 0xDECAFCAFFE


def _turned(value, bits):
    """Rotated to the right."""
    value &= _MASK
    return (value >> bits | value << 64 - bits) & _MASK


def _shifted(value):
    value &= _MASK
    return value ^ value >> 47


def _words(s, start, count):
    return struct.unpack_from(f"<{count}Q", s, start)


# ---- FarmHash


def _mixed(u, v, mul):
    """Two words to one."""
    a = _shifted((u ^ v) * mul)
    return _shifted((v ^ a) * mul) * mul & _MASK


def farm(s):
    size = len(s)
    if size <= 16:
        return _farm_short(s, size)
    if size <= 64:
        return _farm_middle(s, size)
    return _farm_long(s, size)


def _farm_short(s, size):
    mul = _K2 + size * 2
    if size >= 8:
        a, b = (_words(s, 0, 1)[0] + _K2) & _MASK, _words(s, size - 8, 1)[0]
        return _mixed(_turned(b, 37) * mul + a & _MASK, (_turned(a, 25) + b) * mul & _MASK, mul)
    if size >= 4:
        first, last = int.from_bytes(s[:4], "little"), int.from_bytes(s[-4:], "little")
        return _mixed(size + (first << 3), last, mul)
    if size:
        y, z = s[0] + (s[size >> 1] << 8), size + (s[-1] << 2)
        return _shifted(y * _K2 & _MASK ^ z * _K0 & _MASK) * _K2 & _MASK
    return _K2


def _farm_middle(s, size):
    mul = _K2 + size * 2 & _MASK
    (a, b), (d, c) = _words(s, 0, 2), _words(s, size - 16, 2)
    a, c, d = a * (_K1 if size <= 32 else _K2) & _MASK, c * mul & _MASK, d * _K2 & _MASK
    y = _turned(a + b, 43) + _turned(c, 30) + d & _MASK
    z = _mixed(y, a + _turned(b + _K2, 18) + c & _MASK, mul)
    if size <= 32:
        return z
    e, f = _words(s, 16, 2)
    near, far = _words(s, size - 32, 2)
    e, g, h = e * mul & _MASK, (y + near) * mul & _MASK, (z + far) * mul & _MASK
    return _mixed(_turned(e + f, 43) + _turned(g, 30) + h & _MASK, e + _turned(f + a, 18) + g & _MASK, mul)


def _pair(words, a, b):
    """Four words and two seeds to two words."""
    a += words[0]
    b = _turned(b + a + words[3], 21)
    c = a
    a += words[1] + words[2]
    return a + words[3] & _MASK, b + _turned(a, 44) + c & _MASK


def _farm_long(s, size):
    x, y = 81, 81 * _K1 + 113 & _MASK
    z = _shifted(y * _K2 + 113) * _K2 & _MASK
    v, w = (0, 0), (0, 0)
    x = x * _K2 + _words(s, 0, 1)[0] & _MASK
    tail = (size - 1) // 64 * 64
    for start in range(0, tail, 64):
        x, y, z, v, w = _farm_step(_words(s, start, 8), x, y, z, v, w, _K1, 1)
    mul = _K1 + ((z & 0xFF) << 1) & _MASK
    first = w[0] + (size - 1 & 63)
    v = (v[0] + first & _MASK, v[1])
    w = (first + v[0] & _MASK, w[1])
    x, y, z, v, w = _farm_step(_words(s, size - 64, 8), x, y, z, v, w, mul, 9)
    return _mixed(_mixed(v[0], w[0], mul) + _shifted(y) * _K0 + z & _MASK, _mixed(v[1], w[1], mul) + x & _MASK, mul)


def _farm_step(words, x, y, z, v, w, mul, weight):
    """64 bytes more. The last ones, which may overlap others, have a multiplier and a weight of their own."""
    x = _turned(x + y + v[0] + words[1], 37) * mul & _MASK
    y = _turned(y + v[1] + words[6], 42) * mul & _MASK
    x ^= w[1] * weight & _MASK
    y = y + v[0] * weight + words[5] & _MASK
    z = _turned(z + w[0], 33) * mul & _MASK
    v_next = _pair(words[:4], v[1] * mul & _MASK, x + w[0] & _MASK)
    w_next = _pair(words[4:], z + w[1] & _MASK, y + words[2] & _MASK)
    return z, y, x, v_next, w_next


# ---- MurmurHash64A


def murmur(s):
    h = _MURMUR_SEED ^ len(s) * _MURMUR & _MASK
    whole = len(s) // 8
    for k in _words(s, 0, whole):
        h = (h ^ _shifted(k * _MURMUR) * _MURMUR & _MASK) * _MURMUR & _MASK
    if len(s) % 8:
        h = (h ^ int.from_bytes(s[whole * 8 :], "little")) * _MURMUR & _MASK
    return _shifted(_shifted(h) * _MURMUR)


# ---- SipHash-2-4


def sip(s, key):
    k0, k1 = key
    state = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    padded = s + b"\0" * (7 - len(s) % 8) + bytes([len(s) % 256])
    for word in _words(padded, 0, len(padded) // 8):
        state[3] ^= word
        _sip_rounds(state, 2)
        state[0] ^= word
    state[2] ^= 0xFF
    _sip_rounds(state, 4)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _sip_rounds(state, count):
    a, b, c, d = state
    for _ in range(count):
        a, c = a + b & _MASK, c + d & _MASK
        b, d = _turned(b, 51) ^ a, _turned(d, 48) ^ c
        a = _turned(a, 32)
        c, a = c + b & _MASK, a + d & _MASK
        b, d = _turned(b, 47) ^ c, _turned(d, 43) ^ a
        c = _turned(c, 32)
    state[:] = a, b, c, d
