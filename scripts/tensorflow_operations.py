"""Writes `tests/api/raw_ops/attributes.txt`: of each operation of our table, TensorFlow's attributes and defaults.

    python scripts/tensorflow_operations.py NAME …     # where TensorFlow is installed

The names come from the command or from standard input. A line is the name of an operation and its attributes:
`name=default` in JSON; `name` where there is no default; `*name` where the inputs say it.
"""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "tests" / "api" / "raw_ops" / "attributes.txt"
sys.path.insert(0, str(ROOT))


def operations():
    """TensorFlow's, by name."""
    found = op_def_pb2.OpList()
    found.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    return {op.name: op for op in found.op}


def plain(value):
    """An AttrValue as JSON has it."""
    kind = value.WhichOneof("value")
    if kind == "list":
        return [_plain(one) for _, several in value.list.ListFields() for one in several]
    return None if kind in (None, "shape", "func") else _plain(getattr(value, kind))


def _plain(value):
    if isinstance(value, bytes):
        return value.decode()
    return value if isinstance(value, (bool, int, float)) else str(value)


def line(op):
    said = {getattr(arg, f) for arg in op.input_arg for f in ("type_attr", "number_attr", "type_list_attr")}
    words = [op.name]
    for attr in op.attr:
        if attr.name in said:
            words.append(f"*{attr.name}")
        elif not attr.HasField("default_value"):
            words.append(attr.name)
        else:
            words.append(f"{attr.name}={json.dumps(plain(attr.default_value), separators=(',', ':'))}")
    return " ".join(words)


def main(names):
    known = operations()
    missing = [name for name in names if name not in known]
    if missing:
        print("TensorFlow does not have:", *missing)
    FILE.write_text("".join(f"{line(known[name])}\n" for name in sorted(names) if name in known))


if __name__ == "__main__":
    main(sys.argv[1:] or sys.stdin.read().split())
