"""`tensorflow.python.util.nest`: what it has besides `tf.nest`: structures that follow a shallower one, and paths."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tapeflow.api.nest import *  # noqa: F403 - all of the public one
from tapeflow.api.nest import flatten, is_nested, pack_sequence_as
from tapeflow.core.nest import children, is_composite, rebuilt, same_container, sorted_keys

is_nested_or_composite = is_sequence_or_composite = lambda structure: is_nested(structure) or is_composite(structure)
is_sequence = is_nested


def is_mapping(structure: Any) -> bool:
    """Is it a mapping?"""
    return isinstance(structure, Mapping)


def is_attrs(structure: Any) -> bool:
    """Is it of a class that attrs made?"""
    return hasattr(type(structure), "__attrs_attrs__")


def is_namedtuple(structure: Any, strict: bool = False) -> bool:
    """Is it a named tuple?"""
    return isinstance(structure, tuple) and hasattr(structure, "_fields")


_is_mapping, _is_attrs, _is_namedtuple = is_mapping, is_attrs, is_namedtuple


def _sequence_like(instance: Any, args: Any) -> Any:
    return rebuilt(instance, list(args))


sequence_like = _sequence_like


def _yield_sorted_items(iterable: Any) -> Iterator[tuple[Any, Any]]:
    """(key, child): keys of mappings in order, names of fields, places of sequences."""
    inside = children(iterable, True) or []
    if isinstance(iterable, Mapping):
        keys: Any = sorted_keys(iterable)
    elif is_namedtuple(iterable):
        keys = iterable._fields
    elif is_attrs(iterable):
        keys = [field.name for field in type(iterable).__attrs_attrs__]
    elif is_composite(iterable):
        keys = [type(iterable).__name__]
    else:
        keys = range(len(inside))
    yield from zip(keys, inside)


def _yield_value(iterable: Any) -> Iterator[Any]:
    yield from (value for _, value in _yield_sorted_items(iterable))


def list_to_tuple(structure: Any) -> Any:
    """The same with tuples for lists."""
    inside = children(structure)
    if inside is None:
        return structure
    inside = [list_to_tuple(child) for child in inside]
    return tuple(inside) if isinstance(structure, list) else rebuilt(structure, inside)


# ---- as deep as another structure


def assert_shallow_structure(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raises TypeError or ValueError unless the second structure has the first at its top."""
    inside = _inside(shallow_tree, expand_composites)
    if inside is None:
        return
    found = _inside(input_tree, expand_composites)
    if found is None:
        raise TypeError(
            f"If shallow structure is a sequence, input must also be a sequence. Input has type: {type(input_tree)}."
        )
    if check_types and not same_container(shallow_tree, input_tree):
        raise TypeError(
            "The two structures don't have the same sequence type. Input structure has type "
            f"{type(input_tree)}, while shallow structure has type {type(shallow_tree)}."
        )
    if len(inside) != len(found):
        raise ValueError(
            f"The two structures don't have the same sequence length. Input structure has length {len(found)}, while "
            f"shallow structure has length {len(inside)}."
        )
    if isinstance(shallow_tree, Mapping) and isinstance(input_tree, Mapping) and set(shallow_tree) - set(input_tree):
        raise ValueError(
            "The shallow_tree's keys are not a subset of the input_tree's keys. The shallow_tree has the following "
            f"keys that are not in the input_tree: {sorted(set(shallow_tree) - set(input_tree))}."
        )
    for shallow, given in zip(inside, found):
        assert_shallow_structure(shallow, given, check_types, expand_composites)


def _inside(structure: Any, composites: bool) -> list | None:
    return (
        [structure[key] for key in sorted_keys(structure)]
        if is_mapping(structure)
        else children(structure, composites)
    )


def _up_to(shallow: Any, given: Any, composites: bool, path: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    if _inside(shallow, composites) is None:
        yield path, given
    else:
        for (key, below), (_, child) in zip(_yield_sorted_items(shallow), _yield_sorted_items(given)):
            yield from _up_to(below, child, composites, (*path, key))


def flatten_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[Any]:
    """What of the second structure stands where the first has leaves."""
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    return [value for _, value in _up_to(shallow_tree, input_tree, expand_composites)]


def flatten_with_tuple_paths_up_to(
    shallow_tree: Any, input_tree: Any, check_types: bool = True, expand_composites: bool = False
) -> list[tuple[tuple, Any]]:
    """The same, each with its path."""
    assert_shallow_structure(shallow_tree, input_tree, check_types, expand_composites)
    return list(_up_to(shallow_tree, input_tree, expand_composites))


def map_structure_up_to(shallow_tree: Any, func: Callable, *inputs: Any, **kwargs: Any) -> Any:
    """`func` of what several structures have where the first has leaves; the result is like the first."""
    return map_structure_with_tuple_paths_up_to(shallow_tree, lambda path, *values: func(*values), *inputs, **kwargs)


def map_structure_with_tuple_paths_up_to(shallow_tree: Any, func: Callable, *inputs: Any, **kwargs: Any) -> Any:
    """The same; `func` gets the path first."""
    if not inputs:
        raise ValueError("Cannot map over no sequences")
    check_types, composites = kwargs.pop("check_types", True), kwargs.pop("expand_composites", False)
    for given in inputs:
        assert_shallow_structure(shallow_tree, given, check_types, composites)
    paths = [path for path, _ in _up_to(shallow_tree, inputs[0], composites)]
    columns = [[value for _, value in _up_to(shallow_tree, given, composites)] for given in inputs]
    found = [func(path, *values, **kwargs) for path, *values in zip(paths, *columns)]
    if _inside(shallow_tree, composites) is None:
        return found[0]
    return pack_sequence_as(shallow_tree, found, composites)


def get_traverse_shallow_structure(traverse_fn: Callable, structure: Any, expand_composites: bool = False) -> Any:
    """A structure of booleans as deep as `traverse_fn` says: go into a part, or into which of its parts."""
    answer = traverse_fn(structure)
    inside = _inside(structure, expand_composites)
    if inside is None:
        if not isinstance(answer, bool):
            raise ValueError(f"traverse_fn returned structure: {answer!r} for non-structure: {structure!r}.")
        return answer
    if isinstance(answer, bool):
        if not answer:
            return False
        deeper = [get_traverse_shallow_structure(traverse_fn, child, expand_composites) for child in inside]
        return rebuilt(structure, deeper)
    below = zip(_yield_value(answer), inside)
    return rebuilt(
        structure,
        [
            get_traverse_shallow_structure(traverse_fn, child, expand_composites) if go else False
            for go, child in below
        ],
    )


# ---- paths


def yield_flat_paths(nest: Any, expand_composites: bool = False) -> Iterator[tuple]:
    """The paths of the leaves."""
    yield from (path for path, _ in _up_to(nest, nest, expand_composites))


def flatten_with_tuple_paths(structure: Any, expand_composites: bool = False) -> list[tuple[tuple, Any]]:
    """The leaves, each with its path."""
    return list(zip(yield_flat_paths(structure, expand_composites), flatten(structure, expand_composites)))


def flatten_with_joined_string_paths(
    structure: Any, separator: str = "/", expand_composites: bool = False
) -> list[tuple[str, Any]]:
    """The leaves, each with its path as text."""
    pairs = flatten_with_tuple_paths(structure, expand_composites)
    return [(separator.join(map(str, path)), value) for path, value in pairs]


def map_structure_with_tuple_paths(func: Callable, *structure: Any, **kwargs: Any) -> Any:
    """`func` of the path and the leaves at it."""
    return map_structure_with_tuple_paths_up_to(structure[0], func, *structure, **kwargs)


def map_structure_with_paths(func: Callable, *structure: Any, **kwargs: Any) -> Any:
    """The same with the path as text."""
    joined = lambda path, *values, **options: func("/".join(map(str, path)), *values, **options)
    return map_structure_with_tuple_paths(joined, *structure, **kwargs)


def flatten_dict_items(dictionary: Mapping) -> dict:
    """Structures of keys and of values that are alike, as one dict."""
    flat = {}
    for key, value in dictionary.items():
        keys, values = (flatten(key), flatten(value)) if is_nested(key) else ([key], [value])
        if len(keys) != len(values):
            raise ValueError(
                f"Could not flatten dictionary. Key had {len(keys)} elements, but value had {len(values)}."
            )
        for one, other in zip(keys, values):
            if one in flat:
                raise ValueError(f"Could not flatten dictionary: key {one} is not unique.")
            flat[one] = other
    return flat
