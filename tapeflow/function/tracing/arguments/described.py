"""Arguments and results as text, in TensorFlow's notation: `Dict[['a', TensorSpec(…)]]`, `Tuple[…]`, `Literal[3]`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.dtypes import BY_NUMPY
from tapeflow.core.sizes import public


def structure_text(structure: Any, leaf: Callable[[Any], str], composites: bool = False) -> str:
    """A structure, with `leaf` of each leaf as text. `composites`: open ragged and sparse tensors, too."""
    inside = nest.children(structure, composites)
    if inside is None:
        return leaf(structure)
    kind = type(structure).__name__
    if isinstance(structure, Mapping):
        pairs = [f"[{key!r}, {structure_text(structure[key], leaf, composites)}]" for key in structure]
        return f"Dict[{', '.join(pairs)}]"
    parts = ", ".join([structure_text(part, leaf, composites) for part in inside])
    return f"{kind.capitalize() if type(structure) in (list, tuple) else kind}[{parts}]"


def spec_text(spec: Any) -> str:
    """Of a specification, a tensor or a variable."""
    if type(spec).__name__.endswith("TensorSpec"):  # of a ragged or sparse tensor, which says it itself
        return repr(spec)
    dtype = BY_NUMPY[np.dtype(getattr(spec.dtype, "np", spec.dtype))]
    shape = "<unknown>" if spec.shape is None else tuple(public(tuple(spec.shape)))
    return f"TensorSpec(shape={shape}, dtype={dtype!r}, name={getattr(spec, 'name', None)!r})"


def signature_text(parameters: list[tuple[str, str, str]], result: str, captures: list[tuple[int, str]]) -> str:
    """The arguments, what comes out, and what is taken from outside, a line each."""
    lines = ["Input Parameters:"] + ([f"  {name} ({kind}): {what}" for name, kind, what in parameters] or ["  None"])
    lines += ["Output Type:", f"  {result}", "Captures:"] + (
        [f"  {number}: {what}" for number, what in captures] or ["  None"]
    )
    return "\n".join(lines)
