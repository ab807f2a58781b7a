"""Seeded calls of public functions: what the tables do not say is read off the signatures."""

import inspect
import zlib

from . import tables
from .calls import Call, function
from .kinds import Draw, never

NAMESPACES = (
    "math linalg nn signal image strings sparse ragged bitwise sets random quantization experimental.numpy".split()
)


def public(tf):
    """Every public function, each under one of its names: {"math.add": function}."""
    found = {}
    for space in [*NAMESPACES, ""]:
        module = function(tf, space) if space else tf
        listed = getattr(module, "__all__", None) or [n for n in dir(module) if not n.startswith("_")]
        for name in sorted(listed):
            value = getattr(module, name, None)
            if callable(value) and not inspect.isclass(value):
                found.setdefault(id(value), (f"{space}.{name}".lstrip("."), value))
    return dict(sorted(found.values()))


def names(tf):
    """The functions to call: public, and in scope."""
    return [name for name in public(tf) if name not in tables.OUT_OF_SCOPE]


def call(tf, name, seed):
    """One call of a function, decided by the seed (and the name) alone."""
    entry = dict(tables.entry(name))
    own = {key[1:]: entry.pop(key) for key in list(entry) if key.startswith("_") and key != "_call"}
    d = Draw(zlib.crc32(f"{name} {seed}".encode()), **(tables.profile(name) | own))
    if "_call" in entry:
        args, kwargs = entry["_call"](d)
        return Call(name, tuple(args), kwargs)
    args, kwargs = [], {}
    for parameter, kind, needed in parameters(tf, name, entry):
        if not needed and not d.chance(0.35):
            continue
        value = kind(d)
        d.made[parameter] = value
        if needed:
            args.append(value)
        else:
            kwargs[parameter] = value
    return Call(name, tuple(args), kwargs)


def parameters(tf, name, entry):
    """(name, kind, whether it must be given) of each parameter that has a kind; a required one without is an error."""
    result = []
    for p in inspect.signature(function(tf, name)).parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        needed = p.default is p.empty
        kind = entry.get(p.name) or tables.by_name(name, p.name)
        if kind is None and needed:
            raise LookupError(f"tf.{name}: nothing says what `{p.name}` takes; add it to fuzz/tables")
        if kind is not None and kind is not never:
            result.append((p.name, kind, needed))
    missing = entry.keys() - inspect.signature(function(tf, name)).parameters.keys()
    if missing:
        raise LookupError(f"tf.{name} has no parameter {sorted(missing)}, which fuzz/tables describes")
    return result
