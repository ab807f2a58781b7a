"""Texts. ONNX has few operators for them, and runtimes fewer."""

from typing import Any

import numpy as np

from tapeflow.export.lowering import Unsupported
from tapeflow.ops.arrays.tables import Entries

from .builder import Builder, Value, onnx_type

CLASSICAL = "ai.onnx.ml"


def _case(action: str) -> Any:
    def rule(onnx: Builder, x: Value, encoding: str) -> Value:
        """The operator takes vectors. The plain locale is the only one that each system has."""
        if encoding:
            raise Unsupported(f"changes the case of letters beyond ASCII ({encoding}): do it before the function")
        flat = onnx.Reshape(x, np.array([-1], np.int64))
        changed = onnx.StringNormalizer(flat, case_change_action=action, is_case_sensitive=1, locale="C")
        return onnx.Reshape(changed, onnx.Shape(x, dtype=np.dtype(np.int64)))

    return rule


def _full_match(onnx: Builder, x: Value, pattern: Any) -> Value:
    return onnx.RegexFullMatch(x, pattern=pattern, dtype=np.dtype(bool))


def _join(onnx: Builder, *xs: Value, separator: Any) -> Value:
    text = separator.encode() if isinstance(separator, str) else separator
    joined = xs[0]
    for x in xs[1:]:
        if text:
            joined = onnx.StringConcat(joined, onnx.constant(np.array(text, object)))
        joined = onnx.StringConcat(joined, x)
    return joined if len(xs) > 1 else onnx.Identity(joined)


def _to_number(onnx: Builder, x: Value, dtype: Any) -> Value:
    dtype = np.dtype(dtype)
    if dtype.kind not in "fiu":
        raise Unsupported(f"reads {dtype.name} from texts")
    return onnx.Cast(x, to=onnx_type(dtype), dtype=dtype)


_KINDS = {"O": "strings", "i": "int64s", "u": "int64s", "f": "floats"}


def _table_lookup(onnx: Builder, keys: Value, table: Entries) -> Value:
    """An operator of the domain for classical models, which knows texts, int64 and float32."""
    if table.buckets:
        raise Unsupported(
            "gives words that are not in a vocabulary numbers by their hash, which ONNX does not have: use "
            "tf.lookup.StaticHashTable, with one number for all of them"
        )
    if not len(table.keys):
        shape = onnx.Shape(keys, dtype=np.dtype(np.int64))
        return onnx.Expand(onnx.constant(table.default), shape, dtype=table.values.dtype)
    own = table.values.dtype
    if own.kind not in _KINDS or own.kind == "f" and own != np.float32 or own == np.uint64:
        raise Unsupported(f"looks up {own.name}, and ONNX has tables of texts, int64 and float32: cast its values")
    if keys.dtype.kind != "O":
        keys = onnx.Cast(keys, to=onnx_type(np.int64), dtype=np.dtype(np.int64))
    kind = _KINDS[own.kind]
    found = onnx.LabelEncoder(
        keys,
        domain=CLASSICAL,
        dtype=own if kind != "int64s" else np.dtype(np.int64),
        **{
            f"keys_{_KINDS[table.keys.dtype.kind]}": table.keys.tolist(),
            f"values_{kind}": table.values.tolist(),
            f"default_{kind.removesuffix('s')}": table.default.item(),
        },
    )
    return found if found.dtype == own else onnx.Cast(found, to=onnx_type(own), dtype=own)


RULES: dict[str, Any] = {
    "table_lookup": _table_lookup,
    "string_lower": _case("LOWER"),
    "string_upper": _case("UPPER"),
    "regex_full_match": _full_match,
    "string_join": _join,
    "string_to_number": _to_number,
}
