"""Primitive: what one operation is to every interpretation, declared once.

    tanh = elementwise("tanh(x)", kernel="tanh", vjp=lambda g, y: g * (1 - y * y))

Inputs are positional tensors; whatever follows `*,` is static. A rule asks by name for what it reads: `ops` (the
primitives), `g` (the incoming gradient), `y` (the output) or a named output, an input, `<input>_shape`,
`<input>_dtype`, a parameter. Nothing else stays alive for it. The families in `tapeflow.ops.families` fill in what
many primitives share.
"""

import inspect
from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import entry, pullbacks, pushforwards
from .contracts import Across, Operation, supplied
from .dtypes import ANY, INDEX, NATIVE
from .record import Broadcasts, Pushforward, Recorder

REGISTRY: dict[str, "Primitive"] = {}

# The two meanings of `ops` in a rule: operations on tensors that whoever watches is told of, and kernels on bare
# arrays.
recorded, bare = SimpleNamespace(), SimpleNamespace()

# What a `vjp` can be besides rules.
CUT = "cut"  # no gradient flows, by nature: comparisons, argmax, rounding
NO_RULE = "no rule"  # a gradient would exist, nobody has written it: LookupError when a backward walk meets it

# What a `jvp` can be besides rules. The tangent goes through:
LINEAR = "linear"  # the operation itself, in the place of its input: linear in each of its inputs
# The same, but linear in all of its inputs at once: zeros stand for those without a tangent.
TOGETHER = "linear together"
DIAGONAL = "diagonal"  # the backward rule: each element of the output depends on one element of the input


class Spec(SimpleNamespace):
    """Shape and dtype of a value that is not there: what shape rules take and give."""

    def __repr__(self) -> str:
        return f"{np.dtype(self.dtype).name}{'' if self.shape is None else list(self.shape)}"


class Primitive(Operation):
    """One operation. Use `primitive(...)`, which returns the function to call."""

    def __init__(
        self,
        signature: str,
        *,
        kernel: str | Callable | Mapping[str, Callable],
        vjp: Any,
        jvp: Any = None,
        batch: Callable | None = None,
        shape: Callable | None = None,
        dtypes: Any = ANY,
        outputs: tuple[str, ...] | None = None,
        elementwise: bool = False,
        moves: bool | None = None,
        zero: str = "",
        broadcasts: Broadcasts | None = None,
        holomorphic: bool = True,
        result: str | Callable | None = None,
        sparse: bool = False,
        keeps_sparse: bool = False,
        clash: type[Exception] = TypeError,
        unchanged: bool | Callable | None = None,
        neutral: Mapping[str, int] | None = None,
        merges: Callable | None = None,
        makes_new: bool = False,
        over: str | None = None,
        cuts: tuple[str, str, str] | None = None,
        across: Across | None = None,
        takes_none: bool = False,
    ) -> None:
        """What a declaration says:

        `kernel`       a NumPy name, a function of `(xp, *arrays, **params)`, or one of these per engine: {"numpy": f,
                       "jax": "sorting.sort"}; "native" names a compiled one for large arrays, beside NumPy's
        `vjp`          one rule, rules by input name (a tuple of names for a joint rule that returns a tuple), CUT or
                       NO_RULE
        `jvp`          one rule, or rules by input name, that ask for `t` instead of `g`; or LINEAR, TOGETHER,
                       DIAGONAL; without it the backward rule is transposed
        `batch`        (op, args, batched, params) -> the result for a whole batch, whose axis is the first of every
                       argument that is `batched` and of the result (see `tapeflow.ops.batching`); without it axes are
                       aligned where the operation broadcasts or is elementwise, else rows are computed one by one
        `shape`        (*specs, **params) -> Spec, or a tuple of them; without it the kernel is run on zeros
        `dtypes`       the set that all inputs share one dtype of, or sets by input: {"x updates": NUMERIC, "indices":
                       INDEX}
        `outputs`      names of several outputs; ("*",) when their number varies
        `elementwise`  every element of the output depends on the elements of the inputs at the same place alone
        `moves`        every element of the output is one of the inputs'; by default, when they may have any dtype
        `zero`         the inputs whose zeros make the output zero, whatever the others are: "a b" for a product
        `broadcasts`   LIKE_NUMPY or LEADING_AXES (matmul), of `tapeflow.ops.broadcasting`: the walk sums gradients
                       back
        `holomorphic`  False when the rules deal with complex numbers themselves; otherwise they are written as for
                       real numbers and the walk conjugates around them
        `result`       "cut", "complex" or "any" when the output is not of the inputs' kind, or a function of the
                       parameters that says which; else None
        `sparse`       a rule returns a SparseGradient
        `keeps_sparse` IndexedSlices pass through the rule without being made dense
        `clash`        what a Python value of the wrong kind raises as second argument
        `unchanged`    True, or a function of the parameters that says so: where shape and dtype stay, the output is
                       the first input
        `neutral`      the number that an input may be for the output to be the other one: {"b": 1} for a quotient
        `makes_new`    the NumPy kernel never gives back an input, or a view of one, so what comes out may be written
                       over
        `over`         the input whose shape and dtype the output has, and that the NumPy kernel changes in place if it
                       is given as `out`, too
        `merges`       (inner parameters, outer parameters) -> the parameters of one operation that does what two of it
                       do
        `cuts`         (in a word or two, what happened, what to do): how `tape.explain` says that a path ends here, if
                       there is more to say than that it is not differentiable
        `across`       of a collective: what replicas get from the inputs of all; `kernel` is for one replica alone
        `takes_none`   of several outputs: `vjp` takes None for the gradient of one that nothing reached, not zeros
        """
        self.name, inputs, params = _parse(signature)
        self.variadic = bool(inputs) and inputs[0].startswith("*")
        self.inputs = tuple(i.lstrip("*") for i in inputs)
        self.params = params
        self.outputs, self.holomorphic = outputs, holomorphic
        self.elementwise, self.broadcasts = elementwise, broadcasts
        self.zero = frozenset(zero.split())
        self.result, self.sparse, self.keeps_sparse, self.clash = result, sparse, keeps_sparse, clash
        self.kernel, self.shape = kernel, shape
        self.unchanged, self.neutral, self.merges, self.makes_new = unchanged, neutral or {}, merges, makes_new
        self.cuts, self.across, self.over, self.takes_none = cuts, across, over, takes_none
        self.groups = self._dtype_groups(dtypes)
        self.moves = all(allowed in (ANY, INDEX) for _, allowed, _ in self.groups) if moves is None else moves
        self.vjp = {self.inputs[0]: vjp} if callable(vjp) else vjp
        self.jvp = {self.inputs[0]: jvp} if callable(jvp) else jvp
        # Rules of elementwise primitives serve both ways, and need no other batching than the alignment of axes.
        if jvp is None and elementwise and holomorphic and result is None and isinstance(self.vjp, dict):
            self.jvp = DIAGONAL
        self.batch = batch
        self.recorders: dict[Any, Any] = {}
        self.pushforwards: dict[Any, Any] = {}
        # By mask, what makes a tape's record; None until first used, and for several outputs or results of another
        # kind.
        self.usual: list[Callable | None] = [None] * 2 ** len(self.inputs)
        self.engines: dict[str, Callable] = {}
        pullbacks.check_names(self)
        if self.name in REGISTRY:
            raise ValueError(f"primitive {self.name!r} is declared twice")
        REGISTRY[self.name] = self

    def on(self, engine: str, xp: Any, named: Callable | None = None) -> Callable:
        """The kernel on one engine, whose array library is `xp`; it may know kernels of its own by name
        ("sorting.sort")."""
        if engine not in self.engines:
            kernel = self.kernel
            if isinstance(kernel, Mapping):
                if engine not in kernel:
                    raise NotImplementedError(
                        f"{self.name} has no kernel for the engine {engine!r}; it has some for {', '.join(kernel)}."
                    )
                kernel = kernel[engine]
            if isinstance(kernel, str):
                kernel = named(kernel) if "." in kernel and named is not None else getattr(xp, kernel)
            elif next(iter(inspect.signature(kernel).parameters), None) == "xp":
                kernel = partial(kernel, xp)
            if engine == "numpy" and isinstance(self.kernel, Mapping) and "native" in self.kernel and supplied.native:
                kernel = supplied.native(kernel, self.kernel["native"])
            self.engines[engine] = kernel
        return self.engines[engine]

    def recorder(self, mask: int, count: int) -> Recorder | None:
        """What to keep and how to pull gradients back when the inputs in `mask` are watched; written once per mask."""
        key = mask if not self.variadic else (mask, count)
        if key not in self.recorders:
            made = self.recorders[key] = pullbacks.write(self, mask, count)
            if made is not None and not self.variadic and self.outputs is None and self.result is None:
                self.usual[mask] = made.record
        return self.recorders[key]

    def pushforward(self, mask: int, count: int) -> Pushforward:
        """How to push tangents of the inputs in `mask` forward; written once per mask."""
        key = mask if not self.variadic else (mask, count)
        if key not in self.pushforwards:
            self.pushforwards[key] = pushforwards.write(self, mask, count)
        return self.pushforwards[key]

    def infer(self, specs: list[Spec], params: dict) -> Any:
        """The output's Spec (or a tuple of them) by the shape rule, or by running the kernel on zeros."""
        if self.shape is not None:
            return self.shape(*specs, **params)
        zeros = [np.zeros(s.shape, s.dtype) for s in specs]
        out = self.on("numpy", np)(*zeros, **params)
        as_spec = lambda o: Spec(shape=o.shape, dtype=o.dtype)
        return tuple(map(as_spec, out)) if self.outputs else as_spec(out)

    def _dtype_groups(self, dtypes: Any) -> list[tuple[list[int], frozenset, frozenset]]:
        """(positions that share one dtype, what is allowed, what the fast path takes) for each group."""
        if not isinstance(dtypes, Mapping):
            dtypes = {" ".join(self.inputs): dtypes}
        groups = []
        for names, allowed in dtypes.items():
            positions = [self.inputs.index(n) for n in names.split()]
            groups.append((positions, allowed, allowed if allowed is ANY else allowed & NATIVE))
        missing = set(range(len(self.inputs))) - {p for g in groups for p in g[0]}
        if missing and not self.variadic:
            raise ValueError(f"{self.name}: no dtypes for {[self.inputs[p] for p in missing]}")
        return groups

    def __repr__(self) -> str:
        return f"<primitive {self.name}({', '.join(self.inputs + self.params)})>"


def primitive(signature: str, **rules: Any) -> Callable:
    """Declare a primitive; returns the function that applies it."""
    prim = Primitive(signature, **rules)
    setattr(bare, prim.name, prim.on("numpy", np))
    function = prim.entry = entry.write(prim)
    setattr(recorded, prim.name, function)
    return function


def _parse(signature: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    name, _, rest = signature.partition("(")
    inputs, _, params = rest.rstrip(")").partition("*,")
    if inputs.startswith("*"):  # "concat(*xs, axis)": everything after the inputs is static
        inputs, _, params = rest.rstrip(")").partition(",")
    split = lambda text: tuple(s.strip() for s in text.split(",") if s.strip())
    return name.strip(), split(inputs), split(params)
