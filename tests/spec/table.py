"""The tables of `gradient_tape.md` and `distribute.md`: reading them, running a row, writing a value as the tables do,
comparing."""

import ast
import builtins
import contextlib
import io
import json
import linecache
import re
import sys
import types
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tapeflow as tf

SPEC = Path(__file__).with_name("gradient_tape.md")


class Row(NamedTuple):
    number: str  # "7.12"
    program: str
    expected: str  # the result cell
    note: str

    @property
    def section(self) -> str:
        return self.number.split(".")[0]

    @property
    def place(self) -> tuple[int, ...]:
        return tuple(map(int, self.number.split(".")))


def rows(spec: Path = SPEC) -> list[Row]:
    """Every row that has a program."""
    found = []
    for line in spec.read_text(encoding="utf-8").splitlines():
        if re.match(r"\| \d+\.\d+ \| ", line):
            number, program, expected, *note = re.split(r"(?<!\\) \| ?", line.strip()[2:].removesuffix("|").rstrip())
            lines = [
                "  " * part.count("&emsp;") + part.replace("&emsp;", "")[1:-1].replace("\\|", "|")
                for part in program.split("<br>")
            ]
            found.append(Row(number, "\n".join(lines), expected.strip(), "".join(note).strip()))
    return found


def prelude(spec: Path = SPEC) -> str:
    """The helper functions that every program may use."""
    return re.search(r"```python\n(.*?)```", spec.read_text(encoding="utf-8"), re.S)[1]


# ---- running a row


def run(program: str, start: Any) -> str:
    """The value of the program's last line as the tables write it, `ok`, or `raises …`.

    The program becomes a module with a source that `inspect` finds, since some rows ask for their own source.
    """
    module = types.ModuleType("case")
    module.__file__ = name = "<row>"
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    before = sys.modules.get("case")
    sys.modules["case"] = module
    tree = ast.parse(program, name)
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("ignore")
            exec(start, module.__dict__)
            value_at_end = isinstance(tree.body[-1], ast.Expr)
            head = tree.body[:-1] if value_at_end else tree.body
            exec(compile(ast.Module(head, []), name, "exec"), module.__dict__)
            if not value_at_end:
                return "ok"
            return written(eval(compile(ast.Expression(tree.body[-1].value), name, "eval"), module.__dict__))
    except Exception as error:
        kind = type(error).__name__
        ours = not hasattr(builtins, kind) and isinstance(error, getattr(tf.errors, kind, ()))
        return f"raises {'tf.errors.' if ours else ''}{kind}: {str(error)[:300]}"
    finally:
        sys.modules.pop("case")
        if before is not None:
            sys.modules["case"] = before


def main(number: str, spec: str = SPEC.name) -> None:
    """`python -m tests.spec.table 8.410` prints what one row gives, in a process of its own; `all` gives a line of
    JSON for each row. A second argument names another specification."""
    path = SPEC.with_name(spec)
    sys.modules["tensorflow"] = tf
    start = compile(prelude(path), str(path), "exec")
    for row in rows(path):
        if number == "all":
            print(json.dumps([row.number, run(row.program, start)]), flush=True)
        elif row.number == number:
            print(run(row.program, start))


# ---- writing values

SHORT = {"float": "f", "int": "i", "uint": "u", "complex": "c", "bfloat": "bf"}


def short(dtype: Any) -> str:
    name = getattr(dtype, "name", str(dtype))
    kind = re.match(r"([a-z]+)(\d+)$", name)
    return SHORT.get(kind[1], kind[1]) + kind[2] if kind else {"string": "str"}.get(name, name)


def number(v: Any) -> str:
    if isinstance(v, bool | np.bool_):
        return str(bool(v))
    if isinstance(v, bytes):
        return repr(bytes(v))
    if isinstance(v, str):
        return repr(str(v))
    if isinstance(v, complex | np.complexfloating):
        real, imag = number(float(v.real)), number(float(v.imag))
        return f"{real}{'' if imag[0] == '-' else '+'}{imag}j"
    if isinstance(v, int | np.integer):
        return str(int(v))
    try:
        text = f"{float(v):.7g}"
    except (TypeError, ValueError):
        return str(v)
    return text if re.search(r"[.enN]", text) else text + ".0"


def entries(a: Any, limit: int = 24) -> str:
    a = np.asarray(a)
    if a.size > limit:
        return "…"
    return number(a[()]) if a.ndim == 0 else "[" + ", ".join(entries(x) for x in a) + "]"


def dims(shape: Any) -> str:
    if shape is None or getattr(shape, "rank", 0) is None:
        return "[?]"
    return "[" + ",".join("?" if d is None else str(d) for d in shape) + "]" if len(shape) else ""


def written(x: Any) -> str:
    def is_a(name: str) -> bool:
        cls = getattr(tf, name, None)
        return isinstance(cls, type) and isinstance(x, cls)

    if x is None:
        return "None"
    if is_a("IndexedSlices"):
        return (
            f"IndexedSlices(values={written(x.values)}, indices={written(x.indices)}, "
            f"dense_shape={written(x.dense_shape)})"
        )
    if is_a("Variable"):
        return f"Variable {short(x.dtype)}{dims(x.shape)}"
    if is_a("RaggedTensor"):
        return f"Ragged {x.to_list()}"
    if is_a("SparseTensor"):
        return (
            f"SparseTensor(indices={written(x.indices)}, values={written(x.values)}, "
            f"dense_shape={written(x.dense_shape)})"
        )
    if is_a("Tensor"):
        head = short(x.dtype) + dims(x.shape)
        return f"{head} {entries(x.numpy())}" if hasattr(x, "numpy") else f"symbolic {head}"
    if isinstance(x, np.ndarray):
        return f"np {short(x.dtype)}{dims(x.shape)} {entries(x)}"
    if isinstance(x, np.generic):
        return f"np.{type(x).__name__} {number(x)}"
    if is_a("DType"):
        return f"tf.{x.name}"
    if is_a("TensorShape"):
        return str(x)
    if isinstance(x, dict):
        return "{" + ", ".join(f"{k!r}: {written(v)}" for k, v in x.items()) + "}"
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x).__name__ + "(" + ", ".join(f"{k}={written(getattr(x, k))}" for k in x._fields) + ")"
    if isinstance(x, tuple):
        return "(" + ", ".join(map(written, x)) + (",)" if len(x) == 1 else ")")
    if isinstance(x, list):
        return "[" + ", ".join(map(written, x)) + "]"
    if isinstance(x, bool | int | str | bytes):
        return repr(x)
    if isinstance(x, float | complex):
        return number(x)
    return x.__name__ if isinstance(x, type) else f"<{type(x).__name__}>"


# ---- comparing

NUMBER = re.compile(r"(?<![A-Za-z_\d.])-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf|nan)(?=j|(?![A-Za-z_\d.]))")


def matches(expected: str, got: str) -> bool:
    """Exceptions are compared by type, numbers to 2e-5 (relative), -0.0 equals 0.0; all other text must be equal."""
    if expected.startswith("raises "):
        return got.startswith("raises ") and got.split(":")[0] == "raises " + re.search(r"`(.*?)`", expected)[1]
    expected, got = (text.strip("`").replace("\\|", "|").replace("-0.0j", "+0.0j") for text in (expected, got))
    if NUMBER.sub("#", expected) != NUMBER.sub("#", got):
        return False
    return all(
        a == b or a != a and b != b or abs(a - b) <= 2e-5 * max(abs(a), abs(b)) + 2e-6
        for a, b in zip(map(float, NUMBER.findall(expected)), map(float, NUMBER.findall(got)), strict=True)
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
