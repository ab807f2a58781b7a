"""How a public name is written down in the reference: the call, and its docstring as Markdown."""

import enum
import inspect
import re
from typing import Any

MESSAGE = "A protocol buffer message: `SerializeToString()` gives its bytes, `FromString(data)` reads them."
WIDTH = 100  # of a signature, in characters


def signature(name: str, value: Any, *, bound: bool = False) -> str:
    """The call as it is written, without types; a parameter to a line where it is long."""
    if hasattr(value, "DESCRIPTOR"):
        return f"{name}({', '.join(f'{field.name}=None' for field in value.DESCRIPTOR.fields)})"
    try:
        found = inspect.signature(value)
        if inspect.isclass(value) and value.__init__ is object.__init__ and value.__new__ is object.__new__:
            found = inspect.Signature()
        elif inspect.isclass(value) and all(
            p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in found.parameters.values()
        ):
            found, bound = inspect.signature(value.__init__), True  # a metaclass calls it
    except (TypeError, ValueError):
        return f"{name}(...)"
    parts, seen_star, slash = [], False, False
    for i, p in enumerate(found.parameters.values()):
        if bound and i == 0:
            continue
        if p.kind is p.KEYWORD_ONLY and not seen_star:
            parts.append("*")
            seen_star = True
        if slash and p.kind is not p.POSITIONAL_ONLY:
            parts.append("/")
        slash, seen_star = p.kind is p.POSITIONAL_ONLY, seen_star or p.kind is p.VAR_POSITIONAL
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        parts.append(star + p.name + ("" if p.default is p.empty else f"={shown(p.default)}"))
    if slash:
        parts.append("/")
    line = f"{name}({', '.join(parts)})"
    return line if len(line) <= WIDTH else f"{name}(\n" + "".join(f"    {part},\n" for part in parts) + ")"


def shown(value: Any) -> str:
    """A value as one would write it: no addresses, so that two builds are the same."""
    if inspect.isclass(value) or inspect.isroutine(value):
        return value.__name__
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    written = f"tf.{value.name}" if type(value).__name__ == "DType" else repr(value)
    return "..." if " at 0x" in written else written


def markdown(doc: str) -> str:
    """A docstring as Markdown: examples become blocks, what looks like a tag stays text."""
    lines, example = [], False
    for line in doc.splitlines():
        if line.lstrip().startswith(">>>") and not example:
            example = True
            lines += ["", "```pycon"] if lines and lines[-1] else ["```pycon"]
            indent = len(line) - len(line.lstrip())
        if example and not line.strip():
            example = False
            lines.append("```")
        lines.append(line[indent:] if example else escaped(line))
    return "\n".join([*lines, "```"] if example else lines)


def escaped(line: str) -> str:
    """Text that means something else to Markdown, outside of code."""
    if line.startswith("    "):
        return line  # a block of code
    parts = line.split("`")
    return "`".join(p if i % 2 else p.replace("<", "&lt;").replace("*", "\\*") for i, p in enumerate(parts))


def first_sentence(value: Any) -> str:
    """Of a docstring, for a cell of a table."""
    text = (
        MESSAGE if hasattr(value, "DESCRIPTOR") else " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    )
    text = text.partition(" >>>")[0]
    short = re.split(r"(?<=\.) |[:;] |:$", text)[0].rstrip(".")
    return escaped(text if short.count("`") % 2 else short).replace("|", "\\|")  # not cut in the middle of code
