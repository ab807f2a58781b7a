"""Texts. ONNX has few operators for them, and runtimes fewer."""

from typing import Any

import numpy as np

from tapeflow.export.lowering import Unsupported

from .builder import Builder, Value, onnx_type


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


RULES: dict[str, Any] = {
    "string_lower": _case("LOWER"),
    "string_upper": _case("UPPER"),
    "regex_full_match": _full_match,
    "string_join": _join,
    "string_to_number": _to_number,
}
