"""`tensorflow.python.util.nest`, with TensorFlow's results."""

import collections

import pytest

from tapeflow.programs.inner import nests as nest

P = collections.namedtuple("P", "x y")


@pytest.mark.parametrize(
    ("shallow", "deep", "expected"),
    [
        ([1, 2], [[3, 4], 5], [[3, 4], 5]),
        ({"a": 1, "b": 0}, {"b": [1, 2], "a": (3,)}, [(3,), [1, 2]]),
        (0, [1, 2], [[1, 2]]),
    ],
)
def test_flatten_up_to(shallow, deep, expected):
    assert nest.flatten_up_to(shallow, deep) == expected


@pytest.mark.parametrize(
    ("shallow", "deep", "kind", "words"),
    [
        ([1, 2], [3], ValueError, "The two structures don't have the same sequence length. Input"),
        ([1, 2], 7, TypeError, "If shallow structure is a sequence, input must also be a sequence."),
        ([1, 2], (3, 4), TypeError, "The two structures don't have the same sequence type."),
        ({"a": 1}, {"a": 1, "b": 2}, ValueError, "The two structures don't have the same sequence length."),
        ({"a": 0}, [1], TypeError, "The two structures don't have the same sequence type."),
    ],
)  # fmt: skip
def test_structures_that_do_not_fit(shallow, deep, kind, words):
    with pytest.raises(kind, match=words):
        nest.flatten_up_to(shallow, deep)


def test_maps():
    assert nest.flatten_up_to([1, 2], (3, 4), check_types=False) == [3, 4]
    pair = lambda a, b: (a, b)
    assert nest.map_structure_up_to(P(0, 0), pair, P(1, [2]), P([3], 4)) == P(x=(1, [3]), y=([2], 4))
    assert nest.map_structure_up_to(0, lambda a: a, [1]) == [1]
    assert nest.map_structure_with_tuple_paths_up_to([0, 0], pair, [[1], 2]) == [((0,), [1]), ((1,), 2)]
    assert nest.map_structure_with_tuple_paths(pair, {"b": [1, (2,)]}) == {"b": [(("b", 0), 1), ((("b", 1, 0), 2),)]}
    assert nest.map_structure_with_paths(pair, {"b": [1, (2,)]}) == {"b": [("b/0", 1), (("b/1/0", 2),)]}


def test_paths():
    structure = {"b": [1, (2,)], "a": P(1, 2)}
    paths = [("a", "x"), ("a", "y"), ("b", 0), ("b", 1, 0)]
    assert list(nest.yield_flat_paths(structure)) == paths
    assert nest.flatten_with_tuple_paths(structure) == list(zip(paths, [1, 2, 1, 2]))
    assert nest.flatten_with_joined_string_paths(structure) == [("a/x", 1), ("a/y", 2), ("b/0", 1), ("b/1/0", 2)]


def test_how_deep():
    lists = lambda part: isinstance(part, list)
    assert nest.get_traverse_shallow_structure(lists, [1, [2, (3, 4)], (5, [6])]) == [False, [False, False], False]
    assert nest.get_traverse_shallow_structure(lambda part: False, [1, [2]]) is False


def test_parts():
    assert list(nest._yield_value({"b": 1, "a": 2})) == [2, 1]
    assert list(nest._yield_sorted_items(P(1, 2))) == [("x", 1), ("y", 2)]
    assert list(nest._yield_sorted_items([7, 8])) == [(0, 7), (1, 8)]
    assert nest._sequence_like({"b": 1, "a": 2}, [3, 4]) == {"b": 4, "a": 3}
    assert nest._sequence_like(P(1, 2), [3, 4]) == P(3, 4)
    assert nest.list_to_tuple([1, [2, {"a": [3]}]]) == (1, (2, {"a": (3,)}))
    assert nest.flatten_dict_items({(4, 5, (6, 8)): ("a", "b", ("c", "d"))}) == {4: "a", 5: "b", 6: "c", 8: "d"}
    assert nest.is_mapping({}) and nest.is_namedtuple(P(1, 2)) and not nest.is_attrs(P(1, 2))
