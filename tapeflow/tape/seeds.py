"""Targets, sources and the gradients to start from (seeds): what `tape.gradient` is given, checked."""

import logging
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.composite import CompositeTensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.devices import DeviceTensor, device_of, moved
from tapeflow.core.errors import dtype_clash, invalid, line_of, user_place
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.sizes import Size
from tapeflow.core.tensor import EagerTensor, Tensor, tensor_behind
from tapeflow.core.variables.variable import Variable, unwrapped


def _is_one(value: Any) -> bool:
    return (
        isinstance(value, (Tensor, Variable, CompositeTensor))
        or hasattr(value, "__tf_variable__")
        or isinstance(tensor_behind(value), Tensor)
    )


def parts(leaves: list) -> list:
    """Tensors and variables, with composites by the tensors in them that have gradients."""
    found: list = []
    for leaf in leaves:
        if isinstance(leaf, CompositeTensor):
            found += map(unwrapped, parts(leaf.__gradient_parts__()))
        else:
            found.append(unwrapped(tensor_behind(leaf)))
    return found


def parts_of_gradient(leaf: Any, gradient: Any) -> list:
    """The gradients of the `parts` of a leaf, from the gradient of the whole; None for each where that is None."""
    if not isinstance(leaf, CompositeTensor):
        return [gradient]
    if gradient is None:
        return [None] * len(parts([leaf]))
    pairs = zip(leaf.__gradient_parts__(), leaf.__parts_of_gradient__(gradient), strict=True)
    return [part for one, g in pairs for part in parts_of_gradient(one, g)]


def checked_targets(target: Any) -> list:
    """The targets, flat; composites by the tensor in them that has a gradient."""
    if type(target) is EagerTensor:
        return [target]
    if target is None:
        raise TypeError("The target to differentiate is None; it must be a tensor, a variable or a structure of them.")
    return _checked(target, "target", "Compute it with tf operations inside the tape's `with` block.")


def checked_sources(sources: Any) -> list:
    """The sources, flat; composites by the tensors in them that have gradients."""
    if isinstance(sources, (Tensor, Variable)):
        return [sources]
    if type(sources) is list and all(isinstance(s, (Tensor, Variable)) for s in sources):
        return sources
    leaves = [sources] if _is_one(sources) else nest.flatten(sources)
    _check_leaves(sources, leaves, "source", "Sources are the tensors and variables to differentiate with respect to.")
    return parts(leaves)


def say_integer(what: str, given: Any) -> None:
    """To who asks for a gradient of, or by, integers, once at each line of the program. (TensorFlow gives None in
    silence.)"""
    place = user_place()
    if place in _told or len(_told) >= _MOST_TOLD:
        return
    _told.add(place)
    name = f"{given.name!r} " if isinstance(given, Variable) else ""
    repair = (
        "Compute it in floating numbers: tf.cast(x, tf.float32) before, not after what is differentiated."
        if what == "target"
        else "Make a floating one: tf.Variable(1.0) in place of tf.Variable(1), or dtype=tf.float32."
    )
    logging.getLogger("tapeflow").warning(
        "At %s: the gradient's %s %sis of dtype %s; only floating and complex numbers have gradients, so that the "
        "result is None. %s", line_of(place), what, name, given.dtype.name, repair,
    )  # fmt: skip


_told: set[tuple[str, int] | None] = set()
_MOST_TOLD = 100


def _checked(structure: Any, what: str, repair: str) -> list:
    leaves = [structure] if _is_one(structure) else nest.flatten(structure)
    _check_leaves(structure, leaves, what, repair)
    return parts(leaves)


def _check_leaves(structure: Any, leaves: list, what: str, repair: str) -> None:
    for k, leaf in enumerate(leaves):
        if not _is_one(leaf):
            where = f"{what.capitalize()}{nest.paths(structure)[k]}" if nest.is_nested(structure) else f"The {what}"
            given = "None" if leaf is None else f"{leaf!r} of type {type(leaf).__name__}"
            raise TypeError(f"{where} is {given}, not a tensor or variable. {repair}")


def seeds(target: Any, targets: list, output_gradients: Any) -> list:
    """One starting gradient for each target: ones, or what the caller gave. None for targets that have no gradient."""
    if output_gradients is None:
        return [_ones(t) for t in targets]
    given = _paired(target, targets, output_gradients)
    return [_seed(t, s, k) if t.dtype.is_inexact else None for k, (t, s) in enumerate(zip(targets, given))]


_FLOAT32, _ONE = np.dtype(np.float32), EagerTensor(np.float32(1))


def own(seed: Tensor) -> Tensor:
    """For walks on tensors: the shared one is copied, since the caller may get the seed back and watch it."""
    return EagerTensor(seed.array) if seed is _ONE else seed


def _ones(target: Any) -> Tensor | None:
    """Where most walks start; None for a target that has no gradient."""
    if type(target) is EagerTensor and target.array.dtype is _FLOAT32 and not target.array.ndim:
        return _ONE
    dtype = target.dtype
    if not dtype.is_inexact:
        return None
    if any(type(d) is Size for d in target.sizes):
        return ops.broadcast_to(EagerTensor(dtype.np.type(1)), shape=tuple(target.sizes))
    ones = EagerTensor(np.ones(tuple(target.sizes), dtype.np)[()])
    return moved(ones, device_of(target)) if type(target) is DeviceTensor else ones


def _paired(target: Any, targets: list, given: Any) -> list:
    if not nest.is_nested(target):
        if isinstance(target, CompositeTensor) and isinstance(given, type(target)):
            return parts_of_gradient(target, given)
        flat = nest.flatten(given)
        return flat if len(flat) == 1 and isinstance(flat[0], (Tensor, Variable, np.ndarray)) else [given]
    flat = nest.flatten(given)
    whole = nest.flatten(target)
    if len(flat) == len(whole):
        flat = [part for leaf, g in zip(whole, flat) for part in parts_of_gradient(leaf, g)]
    if len(flat) != len(targets):
        raise ValueError(
            f"output_gradients has {len(flat)} entries for {len(targets)} targets; give one for each (None for ones), "
            "in the structure of the target."
        )
    if _has_dict(target) and nest.paths(given) != nest.paths(target):
        raise ValueError(
            f"output_gradients must have the structure of the target: it has entries {nest.paths(given)}, the target "
            f"{nest.paths(target)}. (A list would pair with the dict's sorted keys.)"
        )
    if all(s is None for s in flat):
        raise ValueError(
            "Every entry of output_gradients is None, and None cannot become a tensor; leave the argument out for "
            "ones."
        )
    return flat


def _has_dict(structure: Any) -> bool:
    if isinstance(structure, dict):
        return True
    return isinstance(structure, (list, tuple)) and any(map(_has_dict, structure))


def _seed(target: Any, seed: Any, k: int) -> Tensor | None:
    if seed is None:
        return _ones(target)
    if isinstance(seed, (Tensor, Variable)) and seed.dtype is not target.dtype:
        raise dtype_clash(
            f"output_gradients[{k}] is {seed.dtype.name}, but its target is {target.dtype.name}. Convert it with "
            "tf.cast."
        )
    seed = to_tensor(seed, target.dtype)
    if tuple(seed.sizes) != tuple(target.sizes):
        raise invalid(
            f"output_gradients[{k}] has shape {tuple(seed.shape)}, but its target has shape {tuple(target.shape)}. "
            "They must be equal; tf.broadcast_to(seed, target.shape) makes them so."
        )
    return seed
