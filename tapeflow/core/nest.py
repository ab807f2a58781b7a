"""Nested structures: lists, tuples, named tuples, mappings and classes that say how they unfold. None is a leaf.

Plain containers go through optree; where a leaf of its is still a container (a subclass of list, a view of a dict, …)
the walk here takes over.
"""

import collections
import itertools
from collections.abc import Callable, Mapping, MappingView, Sequence
from typing import Any

import optree

from .composite import CompositeTensor, TypeSpec, of_parts, parts_of, spec_of
from .dtypes import DType
from .shapes import TensorShape
from .tensor import EagerTensor, Tensor

_LEAVES = (str, bytes, bytearray, memoryview, Tensor, TensorShape, DType)


def is_composite(value: Any) -> bool:
    """Is it made of several tensors (ragged, sparse, slices, a type of the user's), or the spec of such a value?"""
    return isinstance(value, CompositeTensor) or isinstance(value, TypeSpec) and value._component_specs is not value


def children(value: Any, composites: bool = False) -> list | None:
    """What `value` is made of, in order; None for a leaf."""
    if isinstance(value, (list, tuple)):
        return None if isinstance(value, TensorShape) else list(value)
    if isinstance(value, Mapping):
        return [value[key] for key in sorted_keys(value)]
    if isinstance(value, _LEAVES):
        return None
    if isinstance(value, (Sequence, collections.deque)):
        return list(value)
    if isinstance(value, MappingView):
        return [*value]  # type: ignore[misc]  # views of mappings are iterable, all of them
    if hasattr(type(value), "__tf_flatten__"):
        return list(value.__tf_flatten__()[1])
    if hasattr(type(value), "__attrs_attrs__"):
        return [getattr(value, a.name) for a in type(value).__attrs_attrs__]
    if composites and isinstance(value, (CompositeTensor, TypeSpec)):
        return parts_of(value)
    return None


def sorted_keys(mapping: Mapping) -> list:
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError(
            f"nest only supports dicts with sortable keys: {list(mapping)!r} cannot be sorted, so the order of the "
            "leaves would be arbitrary."
        ) from None


def rebuilt(like: Any, children: list) -> Any:
    """A structure of the type of `like` with these children; only called where `like` has children."""
    if isinstance(like, tuple) and hasattr(like, "_fields"):
        return type(like)(*children)
    if isinstance(like, Mapping):
        by_key = dict(zip(sorted_keys(like), children))
        if isinstance(like, collections.defaultdict):
            return type(like)(like.default_factory, {key: by_key[key] for key in like})
        remade: Any = type(like)
        return remade({key: by_key[key] for key in like})
    if isinstance(like, (range, MappingView)):
        return children
    if hasattr(type(like), "__tf_flatten__"):
        return type(like).__tf_unflatten__(like.__tf_flatten__()[0], tuple(children))
    if hasattr(type(like), "__attrs_attrs__"):
        return type(like)(*children)
    if is_composite(like):
        return of_parts(like, children)
    return type(like)(children)


def walked(structure: Any, composites: bool = False) -> list:
    """The leaves in order, whatever the containers; mappings by sorted key."""
    leaves: list = []
    stack = [structure]
    for steps in itertools.count():
        if not stack:
            return leaves
        if steps == _SUSPICIOUS:
            _check_ends(structure, composites)
        value = stack.pop()
        inside = children(value, composites)
        if inside is None:
            leaves.append(value)
        else:
            stack.extend(reversed(inside))
    raise AssertionError("the count ends before the walk")


_SUSPICIOUS = 100_000  # values after which it is worth a look whether the walk will end
_DEEPEST = 1_000_000


def _check_ends(structure: Any, composites: bool) -> None:
    """Raises RecursionError, as TensorFlow does, if something contains itself: walking through it would not end."""
    inside, done, path = {id(structure)}, set(), [(structure, iter(children(structure, composites) or ()))]
    while path:
        value, rest = path[-1]
        for child in rest:
            if id(child) in inside or len(path) == _DEEPEST:
                raise RecursionError(
                    f"A {type(child).__name__} in the nested structure contains itself. Take it out, or pass its "
                    "parts."
                )
            if id(child) not in done and (parts := children(child, composites)) is not None:
                inside.add(id(child))
                path.append((child, iter(parts)))  # which keeps it alive, so that its id stays its own
                break
        else:
            path.pop()
            inside.discard(id(value))
            done.add(id(value))


def packed(structure: Any, leaves: Any, composites: bool = False) -> Any:
    """The structure with what the iterator `leaves` gives in the place of its leaves."""
    inside = children(structure, composites)
    if inside is None:
        return next(leaves)
    return rebuilt(structure, [packed(child, leaves, composites) for child in inside])


_leaf_types: set[type] = {EagerTensor, type(None)}


def _is_plain(leaves: list) -> bool:
    """Did optree open everything there is to open? Whether a value is a leaf depends on its type alone, so types are
    remembered."""
    for leaf in leaves:
        if type(leaf) not in _leaf_types:
            if children(leaf) is not None:
                return False
            _leaf_types.add(type(leaf))
    return True


# ---- what the library itself uses


def is_nested(structure: Any) -> bool:
    return isinstance(structure, Mapping) or children(structure) is not None


def flatten(structure: Any) -> list[Any]:
    leaves = optree.tree_leaves(structure, none_is_leaf=True)
    return leaves if _is_plain(leaves) else walked(structure)


def pack_as(structure: Any, leaves: list) -> Any:
    """The inverse of `flatten`: these leaves in the structure's containers."""
    found, spec = optree.tree_flatten(structure, none_is_leaf=True)
    return optree.tree_unflatten(spec, leaves) if _is_plain(found) else packed(structure, iter(leaves))


def map_structure(f: Callable[..., Any], structure: Any) -> Any:
    return pack_as(structure, [f(leaf) for leaf in flatten(structure)])


def map_together(f: Callable, first: Any, *others: Any) -> Any:
    """`f` of the leaves of structures that are alike, one of each."""
    return pack_as(first, [f(*leaves) for leaves in zip(*map(flatten, (first, *others)))])


def alike(a: Any, b: Any) -> bool:
    """Have both the same containers, all of them plain?"""
    (one, first), (other, second) = [optree.tree_flatten(s, none_is_leaf=True) for s in (a, b)]
    return first == second and _is_plain(one) and _is_plain(other)


def paths(structure: Any) -> list[str]:
    """How to reach each leaf: `['a'][0]`; the empty string for a bare leaf."""
    if not _is_plain(optree.tree_leaves(structure, none_is_leaf=True)):
        return [f"[{k}]" for k in range(len(walked(structure)))]
    return [optree.PyTreeAccessor(a).codify("") for a in optree.tree_accessors(structure, none_is_leaf=True)]


def compare(a: Any, b: Any, types: bool = True, composites: bool = False, path: str = "") -> None:
    """Raises ValueError when two structures differ in nesting or keys, TypeError when only the types of their
    containers do."""
    where = f"The two structures don't have the same nested structure: {'at ' + path if path else 'at the top'}"
    in_a, in_b = children(a, composites), children(b, composites)
    if (in_a is None) != (in_b is None):
        kind = lambda value, children: "a leaf" if children is None else f"a {type(value).__name__}"
        raise ValueError(f"{where} the first has {kind(a, in_a)}, the second {kind(b, in_b)}.")
    if in_a is None:
        return
    if composites and is_composite(a) and is_composite(b):
        one, other = spec_of(a), spec_of(b)
        if type(one) is not type(other) or one.__kind__() != other.__kind__():
            raise ValueError(f"{where} the first has a {one}, the second a {other}.")
    elif types and not same_container(a, b):
        raise TypeError(f"{where} the first has a {type(a).__name__}, the second a {type(b).__name__}.")
    assert in_b is not None, "containers are met by containers"
    if len(in_a) != len(in_b):
        raise ValueError(f"{where} the first has {len(in_a)} entries, the second {len(in_b)}.")
    if types and isinstance(a, Mapping) and isinstance(b, Mapping) and set(a) != set(b):
        raise ValueError(f"{where} the first has the keys {sorted_keys(a)}, the second {sorted_keys(b)}.")
    names = sorted_keys(a) if isinstance(a, Mapping) else range(len(in_a))
    for name, left, right in zip(names, in_a, in_b):
        compare(left, right, types, composites, f"{path}[{name!r}]")


def same_container(a: Any, b: Any) -> bool:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return True
    if hasattr(a, "_fields") and hasattr(b, "_fields"):
        return type(a).__name__ == type(b).__name__ and a._fields == b._fields
    if hasattr(a, "_fields") or hasattr(b, "_fields"):
        return False
    return issubclass(type(a), type(b)) or issubclass(type(b), type(a))
