"""The entry of a primitive: the function that users call, generated as source text for its signature.

Measured for a 2x2 add, where NumPy itself takes 250 ns: a function for the exact signature with one context check
costs 290 ns more, one with `*args, **kwargs` 610, going through an interpreter each time 670. So the common case,
eager tensors of a common dtype, is straight-line code here; everything else (Python numbers, variables, other dtypes,
other executors) goes to `apply`.
"""

from functools import cache

import numpy as np

from . import apply as general
from .dtypes import ANY
from .frames import current
from .tensor import EagerTensor, next_id

# Written for speed, each choice measured: asking for the type is free when it fits and spares a raised AttributeError
# (700 ns) when it does not; `blank` and two stores are 60 ns faster than a call of the class; float32 is asked for by
# identity. A tape's record is made here, without a call of its `see` (150 ns), once the recorder for these watched
# inputs is known (`usual`).
_TEMPLATE = """
def entry({signature}):
    if {eager}:
        {unpack}
        frame = current()
        if frame.eager{fits}:
            try:
                {compute}
            except Exception as error:
                out = retry(prim, {args}, {params}, error)
            for observer in frame.observers:
                watched = observer.watched
{mask}
                record = usual[mask]
                records = observer.records
                if record is None or records is None:
                    observer.see(prim, {args}, {params}, out, mask)
                else:
                    new = out.serial
                    if not new:
                        out.serial = new = next_id()
                    watched.add(new)
                    records.append(record(new, out, {params}, {inputs}))
            return out
    return apply(prim, {args}, {params})
"""

_ONE = """out = blank(EagerTensor)
                out.serial = 0
                out.array = {call}"""

_SEVERAL = "out = tuple([EagerTensor(o) for o in {call}])"

_VARIADIC = """
def entry(*xs{signature}):
    frame = current()
    if frame.eager:
        arrays = [x.array for x in xs if type(x) is EagerTensor]
        if len(arrays) == len(xs) and len({{a.dtype for a in arrays}}) == 1{fits}:
            try:
                {compute}
            except Exception as error:
                out = retry(prim, xs, {params}, error)
            if frame.observers:
                tell(frame.observers, prim, xs, {params}, out)
            return out
    return apply(prim, xs, {params})
"""


_LOCALS = {"frame", "observer", "watched", "mask", "record", "records", "new", "out", "error", "xs", "arrays"}


def write(prim, *, name=None, inputs=None, extra="", doc=None):
    """The entry of `prim`. `name`, `inputs`, `extra` (more parameters) and `doc` make a public function of it."""
    xs = tuple(inputs or prim.inputs)
    if not prim.variadic and (taken := _LOCALS.intersection(xs)):
        raise ValueError(f"{prim.name}: an input cannot be called {', '.join(taken)}; the entry uses that name itself")
    params = f"dict({', '.join(f'{p}={p}' for p in prim.params)})" if prim.params else "nothing"
    static = "".join(f", {p}" for p in prim.params)
    if prim.variadic:
        call = f"kernel(*arrays{''.join(f', {p}={p}' for p in prim.params)})"
        source = _VARIADIC.format(
            signature=static + extra,
            params=params,
            fits="" if prim.groups[0][1] is ANY else " and arrays[0].dtype in fast0",
            compute=(_SEVERAL if prim.outputs else _ONE).format(call=call),
        )
    else:
        call = f"kernel({', '.join([*['_' + x for x in xs], *[f'{p}={p}' for p in prim.params]])})"
        source = _TEMPLATE.format(
            signature=", ".join([*xs, "*" + static] if static else xs) + extra,
            eager=" and ".join(f"type({x}) is EagerTensor" for x in xs) or "True",
            unpack="; ".join(f"_{x} = {x}.array" for x in xs) or "pass",
            args="(" + "".join(x + ", " for x in xs) + ")",
            params=params,
            inputs=", ".join(xs),
            mask=_mask(xs),
            fits="".join(_fits(xs, *group) for group in prim.groups),
            compute=(_SEVERAL if prim.outputs else _ONE).format(call=call),
        )
    env = {f"fast{p[0]}": fast for p, _, fast in prim.groups if p}
    env |= dict(prim=prim, usual=prim.usual, kernel=prim.on("numpy", np), nothing={}, __name__="tapeflow.entries")
    env |= dict(
        EagerTensor=EagerTensor, blank=object.__new__, next_id=next_id, float32=np.dtype("float32"), current=current
    )
    env |= dict(apply=general.apply, retry=general.retry, tell=general.tell)
    exec(_compiled(source), env)
    function = env.pop("entry")
    function.__name__ = function.__qualname__ = called = name or prim.name
    function.__code__ = function.__code__.replace(
        co_name=called, co_qualname=called, co_filename=f"<entry of {prim.name}>"
    )
    function.primitive = prim
    if doc is not None:
        function.__doc__ = doc
    return function


@cache
def _compiled(source):
    """Many entries are the same text (all functions of one number, say); compiling is what takes time at import."""
    return compile(source, "<entry>", "exec")


def _fits(xs, positions, allowed, fast):
    """The test that the inputs at `positions` share one dtype, and one that the fast path takes."""
    if not positions or allowed is ANY and len(positions) == 1:
        return ""
    first, *others = [f"_{xs[p]}.dtype" for p in positions]
    d = f"d{positions[0]}"
    test = f" and ({d} := {first}) is {others[0]}" if others else ""
    test += "".join(f" and {d} is {other}" for other in others[1:])
    if allowed is not ANY:
        d_now = d if others else f"({d} := {first})"
        among = f"{d} in fast{positions[0]}"
        test += (
            f" and ({d_now} is float32 or {among})"
            if np.dtype("float32") in fast
            else f" and {d_now} in fast{positions[0]}"
        )
    return test


_MASK = {
    1: """
                if {0}.serial not in watched:
                    continue
                mask = 1""",
    2: """
                if {0}.serial in watched:
                    mask = 3 if {1}.serial in watched else 1
                elif {1}.serial in watched:
                    mask = 2
                else:
                    continue""",
}


def _mask(xs):
    """Which inputs are watched, as bits. Branches for one and two inputs: arithmetic on bools would cost 50 ns
    more."""
    if len(xs) in _MASK:
        return _MASK[len(xs)].format(*xs).lstrip("\n")
    bits = " + ".join(f"({x}.serial in watched) * {1 << k}" for k, x in enumerate(xs)) or "0"
    return f"                mask = {bits}\n                if not mask:\n                    continue"
