"""`tf.einsum`: an equation becomes a few transpositions, sums and matrix products, worked out once per equation and
shapes.

Each pair of operands is contracted by one batched matrix product (`ops.contract`), whose gradients are contractions
again: all of it at the speed of BLAS, where `np.einsum` runs loops of its own (17 times slower for attention's
`bqhd,bkhd->bhqk`).
"""

import re
from collections.abc import Callable
from functools import lru_cache, partial
from string import ascii_letters as _LETTERS
from typing import Any

import numpy as np

from tapeflow.core.convert import convert_group
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor

__all__ = ["einsum"]


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """Sums of products over named axes: each operand's axes get letters, letters missing after `->` are summed over.

    A letter twice in one operand takes the diagonal, `...` stands for any number of broadcasting axes, and without
    `->` the result has the letters that occur once, in alphabetical order. `optimize` says how the order of three or
    more operands is found: 'greedy' (the default), 'optimal', or False for left to right.

    Args:
        equation: The names of the axes, such as `ij,jk->ik`.

    Raises:
        ValueError: If the equation is malformed, or is for another number of tensors.
        InvalidArgumentError: If the shapes of the tensors do not fit the equation.

    >>> a = tf.constant([[1., 2.], [3., 4.]])
    >>> tf.einsum('ij,jk->ik', a, a).numpy()              # the matrix product
    array([[ 7., 10.],
           [15., 22.]], dtype=float32)
    >>> tf.einsum('ii', a).numpy()                        # the trace
    np.float32(5.0)
    >>> queries, keys = tf.ones([2, 5, 4, 8]), tf.ones([2, 6, 4, 8])
    >>> tf.einsum('bqhd,bkhd->bhqk', queries, keys).shape
    TensorShape([2, 4, 5, 6])
    """
    optimize = kwargs.pop("optimize", "greedy")
    optimize = optimize if isinstance(optimize, (str, bool)) else "greedy"
    kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. Valid arguments: name, optimize.")
    if not isinstance(equation, str):
        raise TypeError(
            f"The equation of einsum is a text, such as 'ij,jk->ik', and comes first; got {type(equation).__name__}."
        )
    values = (
        list(inputs) if all(isinstance(x, Tensor) for x in inputs) else convert_group(inputs, ops.contract.primitive)
    )
    for function, sources in _program(equation, tuple([tuple(x.sizes) for x in values]), optimize):
        values.append(function(*[values[s] for s in sources]))
    return values[-1]


@lru_cache(4096)
def _program(
    equation: str, shapes: tuple[tuple[int, ...], ...], optimize: Any
) -> list[tuple[Callable, tuple[int, ...]]]:
    """Steps (function, places of its arguments); each appends its result to the list of values that starts with the
    operands."""
    terms, out, wide = _explicit(equation, shapes)
    sizes = _sizes(equation, terms, shapes, wide)
    steps: list[tuple[Callable, tuple[int, ...]]] = []
    labels = list(terms)  # of every value

    def do(function: Callable, *sources: int, gives: str) -> int:
        steps.append((function, sources))
        labels.append(gives)
        return len(labels) - 1

    def without_repeats(place: int) -> int:
        while repeated := next((x for x in labels[place] if labels[place].count(x) > 1), None):
            term = labels[place]
            first, second = [i for i, x in enumerate(term) if x == repeated][:2]
            others = [i for i in range(len(term)) if i not in (first, second)]
            place = do(
                partial(_diagonal, perm=(*others, first, second)),
                place,
                gives="".join(term[i] for i in others) + repeated,
            )
        return place

    live = []
    for place, (term, shape) in enumerate(zip(terms, shapes)):
        stretched = [i for i, x in enumerate(term) if x in wide and shape[i] == 1 != sizes[x]]
        if stretched:  # an axis of length 1 that broadcasts is left out: the other operands have it
            kept = [i for i in range(len(term)) if i not in stretched]
            reshape = partial(ops.reshape, shape=tuple(shape[i] for i in kept))
            place = do(reshape, place, gives="".join(term[i] for i in kept))
        live.append(without_repeats(place))
    for k, place in enumerate(live):
        term = labels[place]
        needed = set(out).union(*[labels[other] for other in live if other != place])
        if axis := tuple(i for i, x in enumerate(term) if x not in needed):
            total = partial(ops.reduce_sum, axis=axis, keepdims=False)
            live[k] = do(total, place, gives="".join(x for x in term if x in needed))
    for group in _order([labels[place] for place in live], out, sizes, optimize):
        chosen = [live.pop(k) for k in sorted(group, reverse=True)][::-1]
        while len(chosen) > 1:
            a, b, *rest = chosen
            needed = set(out).union(*[labels[other] for other in live + rest])
            gives = "".join(dict.fromkeys(x for x in labels[a] + labels[b] if x in needed))
            if set(gives) == set(out) and not live and not rest:
                gives = out
            contraction = partial(ops.contract, equation=f"{labels[a]},{labels[b]}->{gives}")
            chosen = [do(contraction, a, b, gives=gives), *rest]
        live.append(chosen[0])
    if labels[live[0]] != out or not steps:
        do(partial(ops.transpose, perm=tuple(labels[live[0]].index(x) for x in out)), live[0], gives=out)
    return steps


def _diagonal(x: Tensor, perm: tuple[int, ...]) -> Tensor:
    return ops.diag_part(ops.transpose(x, perm=perm), k=(0, 0), align="RIGHT_LEFT")


def _order(terms: list[str], out: str, sizes: dict[str, int], optimize: Any) -> list[tuple[int, ...]]:
    """Which operands are contracted together, step by step, as np.einsum_path says it."""
    if len(terms) < 2:
        return []
    if len(terms) == 2 or not optimize:
        return [(0, 1)] + [(0, len(terms) - 2 - k) for k in range(len(terms) - 2)]
    stand_ins = [np.broadcast_to(np.float32(0), [sizes[x] for x in term]) for term in terms]
    how = optimize if optimize in ("greedy", "optimal") else "greedy"
    return np.einsum_path(f"{','.join(terms)}->{out}", *stand_ins, optimize=how)[0][1:]


def _explicit(equation: str, shapes: tuple[tuple[int, ...], ...]) -> tuple[list[str], str, str]:
    """One letter for each axis of each operand, the letters of the result, and those that stand for `...`."""
    text = equation.replace(" ", "")
    if not re.fullmatch(
        r"(?:[a-zA-Z]*(?:\.\.\.)?[a-zA-Z]*)(?:,[a-zA-Z]*(?:\.\.\.)?[a-zA-Z]*)*(?:->[a-zA-Z]*(?:\.\.\.)?[a-zA-Z]*)?",
        text,
    ):
        raise ValueError(
            f"Subscripts have incorrect format: {equation}. Give letters and '...', commas between operands, e.g. "
            "'ij,jk->ik'."
        )
    inputs, arrow, out = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(shapes):
        raise ValueError(f'Got {len(shapes)} inputs for equation "{equation}", expecting {len(terms)}')
    if not arrow:
        letters = inputs.replace(".", "").replace(",", "")
        out = ("..." if "..." in inputs else "") + "".join(sorted(x for x in set(letters) if letters.count(x) == 1))
    widest = 0
    for i, (term, shape) in enumerate(zip(terms, shapes)):
        named = len(term.replace("...", ""))
        if len(shape) < named or len(shape) > named and "..." not in term:
            raise invalid(
                f"Expected input {i} to have rank {named}{' or more' * ('...' in term)} but got shape {shape} for "
                f"equation {equation!r}."
            )
        widest = max(widest, len(shape) - named)
    if widest and "..." not in out:
        raise invalid(
            f"Output contains {widest} broadcasting dimension(s) but no ellipsis (...) in equation {equation!r}."
        )
    unused = [x for x in _LETTERS if x not in text]
    wide = "".join(unused[:widest])
    fill = lambda term, count: term.replace("...", wide[len(wide) - count :])
    terms = [fill(term, len(shape) - len(term.replace("...", ""))) for term, shape in zip(terms, shapes)]
    out = fill(out, widest)
    if len(set(out)) < len(out):
        raise ValueError(f"Output subscripts contain a label appearing more than once: {equation}")
    if missing := [x for x in out if x not in "".join(terms)]:
        raise ValueError(
            f"Output subscripts contain the label {missing[0]} not present in the input subscripts: {equation}"
        )
    return terms, out, wide


def _sizes(equation: str, terms: list[str], shapes: tuple[tuple[int, ...], ...], wide: str) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes):
        for axis, (x, d) in enumerate(zip(term, shape)):
            have = sizes.setdefault(x, d)
            if x in wide and have == 1:
                sizes[x] = d
            elif have != d and not (x in wide and d == 1):
                raise invalid(
                    f"Expected dimension {have} at axis {axis} of the input shaped {shape} but got dimension {d}: "
                    f"a label of {equation!r} stands for axes of one length."
                )
    return sizes
