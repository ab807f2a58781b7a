"""Strings: tensors of bytes, one Python `bytes` per element. No gradient goes through any of these."""

import math

import numpy as np

from tapeflow.core.broadcasting import broadcast_shapes
from tapeflow.core.dtypes import ANY, INDEX, STRING
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import check_axes, same_sizes
from tapeflow.core.primitive import CUT, Spec, primitive, recorded as ops
from tapeflow.engines.numpy.arrays.segments import check_start
from tapeflow.engines.numpy.strings.fingerprints import farm, murmur, sip
from tapeflow.engines.numpy.strings.text import re2
from tapeflow.engines.numpy.strings.unicode_text import code_points, encoded
from tapeflow.ops.batching import aligned, rows_of, shift, spread
from tapeflow.ops.families import reduced


def _filled(values, shape, dtype=object):
    """An array of `values` in order. (Assigned one by one: NumPy would take a list of bytes for fixed-width text.)"""
    out = np.empty(len(values), dtype)
    for i, value in enumerate(values):
        out[i] = value
    return out.reshape(shape)


def per_string(signature, function, dtype=object):
    """One string in, one value out, element by element; `function(string, **params)`."""
    return primitive(
        signature,
        kernel={"numpy": lambda x, **params: _filled([function(s, **params) for s in x.flat], x.shape, dtype)},
        shape=lambda x, **params: Spec(shape=x.shape, dtype=np.dtype(dtype)),
        vjp=CUT,
        dtypes=STRING,
        elementwise=True,
    )


# ---- one string at a time


def _cased(change_bytes, change_text):
    return lambda s, encoding: change_text(s.decode(errors="replace")).encode() if encoding else change_bytes(s)


string_lower = per_string("string_lower(x, *, encoding)", _cased(bytes.lower, str.lower))
string_upper = per_string("string_upper(x, *, encoding)", _cased(bytes.upper, str.upper))
string_strip = per_string("string_strip(x)", bytes.strip)
string_length = per_string(
    "string_length(x, *, unit)",
    lambda s, unit: len(s) if unit == "BYTE" else len(s.decode(errors="replace")),
    np.int32,
)


regex_replace = per_string("regex_replace(x, *, pattern, rewrite, replace_global)", re2.replaced)
regex_full_match = per_string("regex_full_match(x, *, pattern)", re2.full_match, np.bool_)


def _bucket(s, num_buckets, method, key):
    return (sip(s, key) if method == "strong" else farm(s) if method == "fast" else murmur(s)) % num_buckets


string_to_hash_bucket = per_string("string_to_hash_bucket(x, *, num_buckets, method, key)", _bucket, np.int64)


def _transcoded(s, source, target, errors, replacement, controls):
    codes = [code for code, _ in code_points(s, source, errors, replacement, controls)]
    return encoded(codes, target, errors, replacement)


unicode_transcode = per_string("unicode_transcode(x, *, source, target, errors, replacement, controls)", _transcoded)


# ---- several strings at a time


def _joined_shape(*xs, separator):
    shapes = [tuple(x.shape) for x in xs if len(x.shape)]
    if not all(same_sizes(shapes[0], s) for s in shapes[1:]):
        raise invalid(f"Input shapes do not match: {' vs. '.join(map(str, shapes))}. Only scalars fit every shape.")
    return Spec(shape=shapes[0] if shapes else (), dtype=np.dtype(object))


def _joined(*xs, separator):
    separator = separator if isinstance(separator, bytes) else separator.encode()
    shape = _joined_shape(*xs, separator=separator).shape
    columns = [np.broadcast_to(x, shape).flat for x in xs]
    return _filled([separator.join(row) for row in zip(*columns)], shape)


def _join_rows(op, args, batched, params):
    """Only what is one string for all rows stays a scalar; one string for each row stands beside all elements of its
    row."""
    size = rows_of(args, batched)
    shape = next((s for a, b in zip(args, batched) if (s := tuple(a.sizes)[b:])), ())

    def fitted(x, has_rows):
        if not has_rows:
            return spread(x, size) if len(x.sizes) else x
        if len(x.sizes) > 1:
            return x
        return ops.broadcast_to(ops.reshape(x, shape=(size, *[1] * len(shape))), shape=(size, *shape))

    return op(*map(fitted, args, batched), **params)


string_join = primitive(
    "string_join(*xs, separator)",
    kernel={"numpy": _joined},
    shape=_joined_shape,
    vjp=CUT,
    batch=_join_rows,
    dtypes=STRING,
    elementwise=True,
)


def _reduce_joined(x, axis, keepdims, separator):
    """Joins along one axis after the other, in the order given."""
    rest = [i for i in range(x.ndim) if i not in axis]
    count = int(np.prod([x.shape[i] for i in axis]))
    rows = x.transpose(*rest, *reversed(axis)).reshape(int(np.prod([x.shape[i] for i in rest])), count)
    return _filled([separator.join(row) for row in rows], reduced(x.shape, axis, keepdims))


def _reduce_joined_shape(x, axis, keepdims, separator):
    check_axes(x, *axis)
    return Spec(shape=reduced(x.shape, axis, keepdims), dtype=x.dtype)


string_reduce_join = primitive(
    "string_reduce_join(x, *, axis, keepdims, separator)",
    kernel={"numpy": _reduce_joined},
    shape=_reduce_joined_shape,
    vjp=CUT,
    batch=shift("axis"),
    dtypes=STRING,
)


def _substrings(x, position, length, unit):
    shape = np.broadcast_shapes(x.shape, position.shape, length.shape)
    triples = zip(*[np.broadcast_to(a, shape).flat for a in (x, position, length)])
    cut = (
        _substring
        if unit == "BYTE"
        else lambda s, p, n: _substring(s.decode(errors="surrogateescape"), p, n).encode(errors="surrogateescape")
    )
    return _filled([cut(s, int(p), int(n)) for s, p, n in triples], shape)


def _substring(s, position, length):
    if not -len(s) <= position <= len(s):
        raise invalid(f"pos {position} out of range for string {s!r}, which has length {len(s)}.")
    start = position + len(s) if position < 0 else position
    return s[start:] if length < 0 else s[start : start + length]


substr = primitive(
    "substr(x, position, length, *, unit)",
    kernel={"numpy": _substrings},
    shape=lambda x, position, length, unit: Spec(
        shape=broadcast_shapes(x.shape, position.shape, length.shape), dtype=x.dtype
    ),
    vjp=CUT,
    batch=aligned,
    dtypes={"x": STRING, "position length": INDEX},
)


# ---- numbers and back


def _as_strings(x, precision, scientific, shortest, width, fill):
    kind = "f" if x.dtype.name in _SMALL_FLOATS else x.dtype.kind
    if precision >= 0 and kind not in "fc":
        raise invalid(f"precision not supported for datatype {x.dtype.name}; it is for floating and complex tensors.")
    dots = f".{precision}" if precision >= 0 else ""
    code = "e" if scientific else "g" if shortest else "f"
    form = f"%{fill}{width if width > 0 else ''}"
    if kind == "b":
        text = lambda v: "true" if v else "false"
    elif kind in "iuV":
        text = lambda v: (form + "d") % int(v)
    elif kind == "O":
        return _filled(
            [v.rjust(width) if fill != "-" else v.ljust(width) for v in x.flat] if width > 0 else list(x.flat), x.shape
        )
    elif kind == "c":
        text = lambda v: f"({(form + dots + code) % v.real},{(form + dots + code) % v.imag})"
    else:
        text = lambda v: (form + dots + code) % float(v)
    return _filled([text(v).encode() for v in np.asarray(x).flat], x.shape)


_SMALL_FLOATS = ("bfloat16", "float8_e5m2", "float8_e4m3fn")

as_string = primitive(
    "as_string(x, *, precision, scientific, shortest, width, fill)",
    kernel={"numpy": _as_strings},
    shape=lambda x, **_: Spec(shape=x.shape, dtype=np.dtype(object)),
    vjp=CUT,
    dtypes=ANY,
    elementwise=True,
)


def _to_numbers(x, dtype):
    dtype = np.dtype(dtype)
    return _filled([_number(s, dtype) for s in x.flat], x.shape, dtype)


def _number(s, dtype):
    text = s.strip().decode(errors="replace")
    try:
        if "_" in text:  # Python's grouping of digits is nobody else's
            raise ValueError
        if dtype.kind == "f":
            return dtype.type(float.fromhex(text) if "0x" in text.lower() else float(text))
        value, limits = int(text), np.iinfo(dtype)
        if limits.min <= value <= limits.max:
            return dtype.type(value)
    except ValueError:
        pass
    raise invalid(f"StringToNumberOp could not correctly convert string: {s!r} is not a {dtype.name}.")


string_to_number = primitive(
    "string_to_number(x, *, dtype)",
    kernel={"numpy": _to_numbers},
    shape=lambda x, dtype: Spec(shape=x.shape, dtype=np.dtype(dtype)),
    vjp=CUT,
    dtypes=STRING,
    elementwise=True,
)


def _segments_shape(x, ids, num_segments, separator):
    check_start(tuple(x.shape), tuple(ids.shape))
    return Spec(shape=(num_segments, *x.shape[len(ids.shape) :]), dtype=np.dtype(object))


def _segment_join(x, ids, num_segments, separator):
    shape = _segments_shape(x, ids, num_segments, separator).shape
    width = math.prod(shape[1:])
    strings: list[list[bytes]] = [[] for _ in range(math.prod(shape))]
    for place, row in zip(ids.flat, x.reshape(ids.size, width)):
        if 0 <= place < num_segments:
            for k, string in enumerate(row):
                strings[place * width + k].append(string)
    return _filled([separator.join(one) for one in strings], shape)


# The strings of a segment joined, in order; what belongs to no segment is left out.
string_segment_join = primitive(
    "string_segment_join(x, ids, *, num_segments, separator)",
    kernel={"numpy": _segment_join},
    shape=_segments_shape,
    vjp=CUT,
    dtypes={"x": STRING, "ids": INDEX},
    makes_new=True,
)
