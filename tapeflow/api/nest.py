"""`tf.nest`: structures of lists, tuples, named tuples, mappings and classes that say how they unfold.

Dicts are walked in the order of their sorted keys and keep their own order when they are rebuilt. Strings, arrays,
tensors, sets and None are leaves. With `expand_composites=True` ragged, sparse and sliced tensors unfold into their
tensors.
"""

from collections.abc import Callable, Mapping
from typing import Any, overload

from tapeflow.core.nest import children, compare, packed, walked

__all__ = ["assert_same_structure", "flatten", "is_nested", "map_structure", "pack_sequence_as"]


def is_nested(seq: Any) -> bool:
    """Whether `seq` is a structure that `flatten` would open.

    Args:
        seq: Anything.

    >>> tf.nest.is_nested([1, 2]), tf.nest.is_nested({}), tf.nest.is_nested("text"), tf.nest.is_nested(np.ones(3))
    (True, True, False, False)
    """
    return children(seq, False) is not None if not isinstance(seq, Mapping) else True


def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of `structure` in order, dicts by sorted key. A leaf gives a list of itself.

    Returns:
        A list of the leaves.

    >>> tf.nest.flatten({"weights": [1, 2], "bias": (3, {"b": 4, "a": 5})})
    [3, 5, 4, 1, 2]
    >>> tf.nest.flatten(None)
    [None]
    """
    return walked(structure, expand_composites)


def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """`flat_sequence`, as `flatten` would give it, folded into the shape of `structure`: the inverse of `flatten`.

    Args:
        flat_sequence: The leaves, in a sequence.

    Returns:
        The leaves in the structure.

    Raises:
        ValueError: If there are more leaves than places, or fewer.

    >>> tf.nest.pack_sequence_as({"b": 0, "a": (0, 0)}, [1, 2, 3])
    {'b': 3, 'a': (1, 2)}
    """
    if children(flat_sequence, False) is None:
        raise TypeError(
            f"Attempted to pack value {flat_sequence!r} into a structure, but {type(flat_sequence).__name__} is not "
            "a sequence."
        )
    flat = list(flat_sequence)
    count = len(flatten(structure, expand_composites))
    if count != len(flat):
        raise ValueError(
            f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had {len(flat)} items. "
            f"Structure: {structure!r}, flat_sequence: {flat!r}."
        )
    return packed(structure, iter(flat), expand_composites)


# A lambda's parameters are known to checkers when its function says how many there are.
@overload
def map_structure(
    func: Callable[[Any], Any], structure: Any, /, *, check_types: bool = True, expand_composites: bool = False
) -> Any: ...
@overload
def map_structure(
    func: Callable[[Any, Any], Any], first: Any, second: Any, /, *, check_types: bool = True,
    expand_composites: bool = False,
) -> Any: ...  # fmt: skip
@overload
def map_structure(
    func: Callable[..., Any], *structure: Any, check_types: bool = True, expand_composites: bool = False
) -> Any: ...
def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`func` applied to the leaves of one structure, or to the corresponding leaves of several; the result is like the
    first.

    `check_types=False` lets a list meet a tuple; `expand_composites=True` opens ragged and sparse tensors.

    Args:
        func: A function of as many leaves as there are structures.
        *structure: Structures that are alike.
        **kwargs: `check_types` and `expand_composites`.

    Returns:
        What `func` gave, in the structure of the first.

    Raises:
        ValueError: If the structures are nested differently.
        TypeError: If their containers are of different types, and `check_types` is on.

    >>> grads, scales = {"w": 3., "b": 4.}, {"w": 10., "b": 1.}
    >>> tf.nest.map_structure(lambda g, s: g * s, grads, scales)
    {'w': 30.0, 'b': 4.0}
    """
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func!r}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    check_types, composites = kwargs.pop("check_types", True), kwargs.pop("expand_composites", False)
    if kwargs:
        raise ValueError(
            f"Only valid keyword arguments are `check_types` and `expand_composites`, not: `{', '.join(kwargs)}`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, composites)
    columns = zip(*[flatten(s, composites) for s in structure])
    return pack_sequence_as(structure[0], [func(*leaves) for leaves in columns], composites)


def assert_same_structure(nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False) -> None:
    """Raises ValueError when the two differ in nesting or keys, TypeError when only the types of their containers
    differ.

    All mappings count as one type, and so do lists and subclasses of list; named tuples must have the same name and
    fields.

    Args:
        nest1: The first structure.
        nest2: The second structure.

    >>> tf.nest.assert_same_structure({"a": [1, 2]}, {"a": [3., None]})
    >>> tf.nest.assert_same_structure([1, (2, 3)], [1, [2, 3]])
    Traceback (most recent call last):
    TypeError: The two structures don't have the same nested structure: at [1] the first has a tuple, the second
    a list.
    """
    compare(nest1, nest2, check_types, expand_composites)
