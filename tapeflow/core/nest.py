"""Nested structures: lists, tuples, named tuples, dicts and whatever optree knows. None is a leaf."""

from collections.abc import Callable
from typing import Any

import optree


def is_nested(structure: Any) -> bool:
    return not optree.tree_is_leaf(structure, none_is_leaf=True)


def flatten(structure: Any) -> list:
    """The leaves in order; dicts by sorted key."""
    return optree.tree_leaves(structure, none_is_leaf=True)


def flatten_with_spec(structure: Any) -> tuple[list, Any]:
    return optree.tree_flatten(structure, none_is_leaf=True)


def paths(structure: Any) -> list[str]:
    """How to reach each leaf: `['a'][0]`; the empty string for a bare leaf."""
    return [optree.PyTreeAccessor(a).codify("") for a in optree.tree_accessors(structure, none_is_leaf=True)]


def pack_as(structure: Any, leaves: list) -> Any:
    return optree.tree_unflatten(optree.tree_structure(structure, none_is_leaf=True), leaves)


def map_structure(f: Callable, structure: Any, *rest: Any) -> Any:
    return optree.tree_map(f, structure, *rest, none_is_leaf=True)
