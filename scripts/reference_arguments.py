"""What a function takes, returns and raises: its signature, the sections of its docstring, and the table of meanings
put together."""

import inspect
import re
from collections.abc import Container, Iterator
from typing import Any, NamedTuple

import reference_parameters as table
from reference_text import escaped, shown

SECTIONS = {"Args": "parameters", "Returns": "result", "Raises": "errors"}

# Results of these types need no sentence: what they are is said in the first line of the docstring.
SAYS_ENOUGH = re.compile(r"Dataset\[|(?!.*\bAny\b)(?!tuple\b)(?!(list|dict|object)\b(?!\[))(?!_)")


class Docstring(NamedTuple):
    text: str  # what is in no section
    parameters: dict[str, str]
    result: str
    errors: dict[str, str]


class Parameter(NamedTuple):
    name: str  # with its stars
    type: str  # empty where it may be anything
    default: str | None
    meaning: str


def read(doc: str) -> Docstring:
    """A docstring in its parts. A section is a line `Args:`, `Returns:` or `Raises:` and the indented lines after
    it."""
    text: list[str] = []
    parts: dict[str, list[str]] = {}
    into = text
    for line in doc.splitlines():
        if line.rstrip(":") in SECTIONS and line.endswith(":"):
            into = parts.setdefault(line[:-1], [])
        elif into is not text and line and not line.startswith(" "):
            into = text
            into.append(line)
        else:
            into.append(line)
    items = {section: _items(parts.get(section, [])) for section in ("Args", "Raises")}
    result = " ".join(line.strip() for line in parts.get("Returns", []) if line.strip())
    whole = re.sub(r"\n{3,}", "\n\n", "\n".join(text)).strip()
    return Docstring(whole, items["Args"], result, items["Raises"])


def _items(lines: list[str]) -> dict[str, str]:
    """`name: text` of a section, which may go on in lines that are indented further."""
    found: dict[str, str] = {}
    name = ""
    for line in lines:
        new = re.match(r" {4}(\*{0,2}[\w.]+(?:, \*{0,2}[\w.]+)*): (.*)", line)
        if new:
            name = new[1]
            found[name] = new[2].strip()
        elif line.strip() and name:
            found[name] += " " + line.strip()
    return {one.strip().lstrip("*"): text for names, text in found.items() for one in names.split(",")}


def parameters(value: Any, names: list[str], *, bound: bool = False, owner: Any = None) -> list[Parameter]:
    """The parameters of a function with these public names; of a method (`bound`) without `self`."""
    found = signature_of(value)
    if found is None:
        return []
    told = {**read(inspect.getdoc(owner) or "").parameters, **read(inspect.getdoc(value) or "").parameters}
    made = []
    for i, p in enumerate(found.parameters.values()):
        if bound and i == 0:
            continue
        stars = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        default = None if p.default is p.empty else shown(p.default)
        known = told.get(p.name) or meaning(p.name, names, found.parameters)
        if not known:
            known = general(p.name, default, of_class=inspect.isclass(value))
        made.append(Parameter(stars + p.name, type_name(p.annotation), default, known))
    return made


def meaning(parameter: str, names: list[str], others: Container[str]) -> str:
    """What the tables say of a parameter of a function with these public names, and beside these `others`."""
    for name in names:
        space = name
        while "." in space:
            space = space.rpartition(".")[0]
            if parameter in table.IN.get(space, {}):
                return table.IN[space][parameter]
    return next((text for (one, other), text in table.BESIDE.items() if one == parameter and other in others), "")


def general(parameter: str, default: str | None, *, of_class: bool) -> str:
    """What a parameter of this name means everywhere; in a constructor, or with this default, if that is another
    thing."""
    for key in ([f"class {parameter}"] if of_class else []) + [f"{parameter}={default}", parameter]:
        if key in table.MEANINGS:
            return table.MEANINGS[key]
    return ""


def signature_of(value: Any) -> inspect.Signature | None:
    try:
        found = inspect.signature(value)
        if inspect.isclass(value) and all(
            p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in found.parameters.values()
        ):
            if value.__init__ is object.__init__:
                return inspect.Signature()
            found = inspect.signature(value.__init__)  # a metaclass calls it
            found = found.replace(parameters=list(found.parameters.values())[1:])
        written = getattr(value.__init__ if inspect.isclass(value) else value, "__annotations__", {})  # `unannotated`
        parameters = [
            p if p.annotation is not p.empty else p.replace(annotation=written.get(p.name, p.empty))
            for p in found.parameters.values()
        ]
        found = found.replace(parameters=parameters)
        if found.return_annotation is found.empty and not inspect.isclass(value):
            found = found.replace(return_annotation=written.get("return", found.empty))
        return found
    except (TypeError, ValueError):
        return None


def type_name(annotation: Any) -> str:
    """A type as one would write it; nothing for `Any`."""
    if annotation is inspect.Signature.empty:
        return ""
    if isinstance(annotation, str):
        written = annotation
    elif isinstance(annotation, type) and not hasattr(annotation, "__args__"):
        written = annotation.__name__
    else:
        written = repr(annotation)
    written = re.sub(r"<class '([^']+)'>", r"\1", written)
    written = re.sub(r"\b(?:[A-Za-z_]\w*\.)+([A-Za-z_]\w*)", r"\1", written)
    written = re.sub(r"(?<![\w.])[~+-](?=\w)", "", written).replace("NoneType", "None")
    written = re.sub(r"^Optional\[(.*)\]$", r"\1 | None", written)
    if written.startswith("Union["):
        written = written[6:-1].replace(", ", " | ")
    return "" if written in ("Any", "_empty") else written


def result_type(value: Any) -> str:
    inside = getattr(value, "__wrapped__", None)
    if inspect.isgeneratorfunction(inside) and not inspect.isgeneratorfunction(value):
        return "context manager"
    found = signature_of(value)
    written = "" if found is None else type_name(found.return_annotation)
    return "" if written.startswith("_") else written


def section(value: Any, names: list[str], *, bound: bool = False, owner: Any = None) -> Iterator[str]:
    """Markdown: the parameters one by one, the result, the errors."""
    told = read(inspect.getdoc(value) or "")
    known = parameters(value, names, bound=bound, owner=owner)
    if known:
        yield "**Parameters**\n"
        for p in known:
            about = [f"`{p.type}`"] if p.type else []
            if p.default is not None:
                about.append(f"default `{p.default}`")
            kind = f" ({', '.join(about)})" if about else ""
            yield f"- `{p.name}`{kind}" + (f": {escaped(p.meaning)}" if p.meaning else "")
        yield ""
    kind = "" if inspect.isclass(value) else result_type(value)
    if told.result or kind not in ("", "None", "NoReturn", "Never"):
        yield "**Returns** " + ": ".join(filter(None, [f"`{kind}`" if kind else "", escaped(told.result)])) + "\n"
    if told.errors:
        yield "**Raises**\n"
        yield from (f"- `{error}`: {escaped(text)}" for error, text in told.errors.items())
        yield ""


def gaps(name: str, value: Any, names: list[str], *, bound: bool = False, owner: Any = None) -> list[str]:
    """What the reference cannot say of a function: parameters without a meaning, a result of which nothing is
    known."""
    found = [
        f"{name}({p.name})"
        for p in parameters(value, names, bound=bound, owner=owner)
        if not p.meaning and p.name.lstrip("*") not in table.PLAIN
    ]
    if not inspect.getdoc(value):
        found.append(f"{name} has no docstring")
    told = read(inspect.getdoc(value) or "")
    found += [f"{name}: its Args have {other}" for other in sorted(_unknown(value, told.parameters))]
    kind = "None" if inspect.isclass(value) else result_type(value)
    if kind in ("NoReturn", "Never"):
        return found
    if not told.result and not (kind and SAYS_ENOUGH.match(kind)):
        found.append(f"{name} -> {kind or '?'}")
    return found


def _unknown(value: Any, told: dict[str, str]) -> set[str]:
    """Names that a docstring explains and the function does not take."""
    found = signature_of(value)
    return set() if found is None else set(told) - set(found.parameters)
