"""Pushforwards (JVPs), generated: for each primitive and each set of inputs that have a tangent, how the tangents of
the outputs are computed.

Like a pullback (`core.pullbacks`), a pushforward is written once as source text for its exact case. Inputs whose
primitive declares no `jvp` are left to the stand-in, which transposes the backward rule (`transforms.forward`).
"""

from typing import TYPE_CHECKING, Any

from .pullbacks import locate, rule_names
from .record import Pushforward

if TYPE_CHECKING:
    from .primitive import Primitive


def write(prim: "Primitive", mask: int, count: int) -> Pushforward:
    if not isinstance(prim.vjp, dict):
        return Pushforward(None, 0 if prim.vjp == "cut" else mask)
    if prim.jvp is None:
        return Pushforward(None, mask)
    wanted = [i for i in range(count) if mask >> i & 1 and _has_rule(prim, i)]
    env: dict[str, Any] = {"add": _add, "__name__": "tapeflow.pushforwards"}
    zeros: tuple[int, ...] = ()
    if prim.broadcasts is not None:
        env["widen"] = prim.broadcasts.widen
    if prim.jvp == "linear together" or prim.jvp == "linear" and prim.variadic:
        zeros = tuple([i for i in range(count) if i not in wanted and _has_rule(prim, i)])
        terms, rest = [_together(prim, {*wanted, *zeros}, count)] if wanted else [], 0
    else:
        found = {i: _term(prim, i, count, env) for i in wanted}
        terms = [text for text in found.values() if text]
        rest = sum(1 << i for i, text in found.items() if not text)
    if not terms:
        return Pushforward(None, rest)
    text = terms[0]
    for other in terms[1:]:
        text = f"add({text}, {other})"
    inputs = "*x" if prim.variadic else ", ".join(f"x{i}" for i in range(count))
    run = eval(compile(f"lambda ops, ts, y, p, {inputs}: {text}", f"<forward of {prim.name}>", "eval"), env)
    return Pushforward(run, rest, zeros)


def _has_rule(prim: "Primitive", i: int) -> bool:
    name = prim.inputs[0] if prim.variadic else prim.inputs[i]
    return any(
        (name in key if isinstance(key, tuple) else name == key) and rule != "cut" for key, rule in prim.vjp.items()
    )


def _together(prim: "Primitive", with_tangent: set[int], count: int) -> str:
    """All inputs that can have a tangent give way to theirs."""
    x = "x[{}]" if prim.variadic else "x{}"
    places = [f"ts[{i}]" if i in with_tangent else x.format(i) for i in range(count)]
    return f"ops.{prim.name}({', '.join(places)}, **p)"


def _term(prim: "Primitive", i: int, count: int, env: dict) -> str | None:
    """The tangent that input `i` alone gives, as source text; None without a rule."""
    name = prim.inputs[0 if prim.variadic else i]
    how = prim.jvp.get(name) if isinstance(prim.jvp, dict) else prim.jvp
    if how is None:
        return None
    if how == "linear":
        return f"ops.{prim.name}({', '.join(f'ts[{i}]' if k == i else f'x{k}' for k in range(count))}, **p)"
    rule = prim.vjp.get(name) if how == "diagonal" else how
    if not callable(rule):  # a joint rule, or none at all
        return None
    env[f"rule{i}"] = rule
    call = f"rule{i}({', '.join(_argument(prim, i, n) for n in rule_names(rule))})"
    return f"widen(ops, {call}, y)" if prim.broadcasts and not prim.outputs else call


def _argument(prim: "Primitive", i: int, name: str) -> str:
    if name in ("g", "t"):
        return f"ts[{i}]"
    kind, source = locate(prim, name)
    if source == "i":
        return str(i)
    if kind == "shape":
        return f"tuple({source}.sizes)"
    return f"{source}.dtype.np" if kind == "dtype" else source


def _add(a: Any, b: Any) -> Any:
    if type(a) is not tuple:
        return a + b
    return tuple(q if p is None else p if q is None else p + q for p, q in zip(a, b))
