"""Pullbacks (VJPs), generated: for each primitive and each set of watched inputs, what to keep and how to call the
rules.

A pullback is written once as source text for its exact case, so that recording an operation is one tuple and pulling a
gradient back is one call: no names are looked up, no arguments packed, nothing is computed for inputs that nobody
watches.
"""

import inspect
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from .record import Broadcasts, Pullback, Recorder
from .sizes import alike

if TYPE_CHECKING:
    from .primitive import Primitive

# In the globals of what is written here, the name of the primitive: `inspect.numerics` finds by it whose gradient is
# computed.
PULLBACK_OF = "__pullback_of__"


def rule_names(rule: Any) -> tuple[str, ...]:
    return tuple(inspect.signature(rule).parameters)


def check_names(prim: "Primitive") -> None:
    """A rule that asks for a name that does not exist fails when its module is imported."""
    for rules in (prim.vjp, prim.jvp):
        for names, rule in rules.items() if isinstance(rules, dict) else ():
            if rules is prim.jvp and isinstance(names, tuple):
                raise TypeError(f"{prim.name}: a forward rule belongs to one input, not to {names}")
            for name in names if isinstance(names, tuple) else (names,):
                if name not in prim.inputs:
                    raise TypeError(f"{prim.name} has a rule for {name!r}, but its inputs are {prim.inputs}")
            if callable(rule):
                for name in rule_names(rule):
                    if not (rules is prim.jvp and name == "t"):
                        locate(prim, name)


def locate(prim: "Primitive", name: str) -> tuple[str, str]:
    """(kind, source expression) of what a rule calls `name`."""
    if name in ("ops", "g", "i"):
        return "given", name
    if name == "y":
        return "values" if prim.outputs else "value", "y"
    if prim.outputs and name in prim.outputs:
        return "value", f"y[{prim.outputs.index(name)}]"
    if name in prim.params:
        return "static", f"p[{name!r}]"
    base, _, what = name.rpartition("_")
    if name in prim.inputs:
        return ("values", "x") if prim.variadic else ("value", f"x{prim.inputs.index(name)}")
    if base in prim.inputs and what in ("shape", "dtype"):
        return (what + "s", "x") if prim.variadic else (what, f"x{prim.inputs.index(base)}")
    raise TypeError(
        f"a rule of {prim.name!r} asks for {name!r}. It can ask for ops, g, "
        f"y{', ' + str(prim.outputs) if prim.outputs else ''}, "
        f"the inputs {prim.inputs}, their <input>_shape and <input>_dtype, and the parameters {prim.params}."
    )


# How each kind of thing is taken from a tensor on an array, and from any tensor.
_TAKE_EAGER = {
    "value": "{}", "values": "{}", "static": "{}",
    "shape": "{}.array.shape", "dtype": "{}.array.dtype",
    "shapes": "[t.array.shape for t in {}]", "dtypes": "[t.array.dtype for t in {}]",
}  # fmt: skip
_TAKE_ANY = _TAKE_EAGER | {
    "shape": "tuple({}.sizes)", "dtype": "{}.dtype.np",
    "shapes": "[tuple(t.sizes) for t in {}]", "dtypes": "[t.dtype.np for t in {}]",
}  # fmt: skip


def write(prim: "Primitive", mask: int, count: int) -> Recorder | None:
    """The recorder, or None when no watched input has a rule."""
    general = _Writer(prim, mask, count, undo=prim.broadcasts)
    if not general.positions:
        return None
    pullback, name = general.pullback(), f"<record of {prim.name}>"
    env: dict[str, Any] = {"general": pullback, "alike": alike, "__name__": "tapeflow.pullbacks"}
    inputs = "*x" if prim.variadic else ", ".join(f"x{i}" for i in range(count))
    compiled = lambda source: eval(compile(f"lambda new, y, p, {inputs}: {source}", name, "eval"), env)
    eager = general.record("general", _TAKE_EAGER)
    if (
        prim.broadcasts is not None and prim.broadcasts.everywhere and count == 2
    ):  # most often both have one shape, and there is nothing to undo or to keep
        same = _Writer(prim, mask, count, undo=None)
        env["same"] = same.pullback()
        eager = f"{same.record('same', _TAKE_EAGER)} if x0.array.shape == x1.array.shape else {eager}"
    return Recorder(compiled(eager), compiled(general.record("general", _TAKE_ANY)), pullback)


class _Writer:
    """Writes the two halves of a pullback that share their slots: what to keep, and how to call the rules with it."""

    def __init__(self, prim: "Primitive", mask: int, count: int, undo: Broadcasts | None) -> None:
        self.prim, self.undo = prim, undo
        self.slots: dict[tuple[str, str], int] = {}
        self.env: dict[str, Any] = {
            "undo": undo and undo.undo,
            "__name__": "tapeflow.pullbacks",
            PULLBACK_OF: prim.name,
        }
        self.positions: list[int] = []
        self.pulled: list[str] = []
        self.joint: list[str] = []  # calls of joint rules, one for each input
        for i in range(count):
            if mask >> i & 1:
                self._input(i)

    def _input(self, i: int) -> None:
        prim = self.prim
        rules = prim.vjp if isinstance(prim.vjp, dict) else {}
        name = prim.inputs[0] if prim.variadic else prim.inputs[i]
        rule = rules.get(name)
        joint = next((k for k in rules if isinstance(k, tuple) and name in k), None)
        if joint is not None:
            call = self._call(rules[joint], "joint_" + "_".join(joint), i)
            self.joint.append(call)
            text = f"{call}[{joint.index(name)}]"
        elif callable(rule):
            text = self._call(rule, f"rule{0 if prim.variadic else i}", i)
        elif rule is not None and rule != "cut" or prim.vjp == "no rule":
            self.env["missing"], text = _missing(prim), "missing()"
        else:
            return
        self.positions.append(i)
        self.pulled.append(self._unbroadcast(text, i, joint is not None))

    def _call(self, rule: Any, tag: str, i: int) -> str:
        self.env[tag] = rule
        arguments = []
        for name in rule_names(rule):
            kind, source = locate(self.prim, name)
            arguments.append(str(i) if source == "i" else source if kind == "given" else self._saved(kind, source))
        return f"{tag}({', '.join(arguments)})"

    def _saved(self, kind: str, source: str) -> str:
        ref = f"s[{self.slots.setdefault((kind, source), len(self.slots))}]"
        return f"@{kind}({ref})" if kind in ("value", "values") else ref

    def _unbroadcast(self, text: str, i: int, joint: bool) -> str:
        """`joint`: of a rule whose call is to stand here once (`_share`)."""
        if self.undo is None:
            return text
        if joint or not self.undo.everywhere:
            return f"undo(ops, {text}, {self._saved('shape', f'x{i}')})"
        ref = self._saved("unless", f"x{i}")
        return f"({text} if {ref} is None else undo(ops, {text}, {ref}))"

    def pullback(self, positions: tuple[int, ...] | None = None) -> Pullback:
        pulled = _share(self.joint, self.pulled if positions is None else [self.pulled[k] for k in positions])
        text = f"lambda ops, g, s: {pulled[0] if len(pulled) == 1 else '(' + ', '.join(pulled) + ')'}"
        on_tensors = text.replace("@values", "").replace("@value", "")
        on_arrays = text.replace("@values", "arrays").replace("@value", "array")
        for i in range(len(self.slots)):  # inlined: a call per saved value would cost as much as a small kernel
            on_arrays = on_arrays.replace(f"array(s[{i}])", f"s[{i}].array")
            on_arrays = on_arrays.replace(f"arrays(s[{i}])", f"[t.array for t in s[{i}]]")
        compiled = lambda source: eval(compile(source, f"<backward of {self.prim.name}>", "eval"), self.env)
        prim = self.prim
        unusual = prim.outputs is not None or prim.sparse or prim.keeps_sparse
        return Pullback(
            compiled(on_tensors),
            compiled(on_arrays),
            unusual=unusual,
            holomorphic=prim.holomorphic,
            takes_sparse=prim.keeps_sparse,
            restricted=cache(self.pullback) if positions is None else None,
            title=prim.name,
        )

    def record(self, pullback: str, how: dict[str, str]) -> str:
        """The source text of a `core.record.Record`."""
        of = "x[{}].serial" if self.prim.variadic else "x{}.serial"
        ids = ", ".join(of.format(i) for i in self.positions)
        kept = "".join(_take(how, kind, source) + ", " for kind, source in self.slots)
        return f"(new, {ids if len(self.positions) == 1 else f'({ids})'}, {pullback}, ({kept}))"


def _take(how: dict[str, str], kind: str, source: str) -> str:
    if kind == "unless":  # the input's shape, unless it is the output's: then there is nothing to undo
        shape, out = how["shape"].format(source), how["shape"].format("y")
        same = f"alike(shape := {shape}, {out})" if how is _TAKE_ANY else f"(shape := {shape}) == {out}"
        return f"(None if {same} else shape)"
    return how[kind].format(source)


def _share(calls: list[str], expressions: list[str]) -> list[str]:
    """A joint rule is called once, however many of its gradients are wanted."""
    for k, call in enumerate(dict.fromkeys(calls)):
        users = [place for place, text in enumerate(expressions) if call in text]
        if len(users) > 1:
            first, *others = users
            expressions = [
                text.replace(call, f"shared{k}") if n in others else text for n, text in enumerate(expressions)
            ]
            expressions[first] = expressions[first].replace(call, f"(shared{k} := {call})")
    return expressions


def _missing(prim: "Primitive") -> Callable:
    def missing() -> Any:
        raise LookupError(
            f"gradient registry has no entry for: {prim.name}\n"
            "  It lies between the target and a source. Wrap its argument in tf.stop_gradient(...) if no gradient "
            "should flow, or give one with tf.custom_gradient."
        )

    return missing
