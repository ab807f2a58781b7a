"""tf.nest: order, rebuilding, and the type of error for each kind of mismatch."""

import collections

import numpy as np
import pytest

import tapeflow as tf

Point = collections.namedtuple("Point", "x y")
Other = collections.namedtuple("Other", "x y")


class Wrapped(list):
    pass


class Pair:
    """A class that says how it unfolds."""

    def __init__(self, a, b, tag):
        self.a, self.b, self.tag = a, b, tag

    def __tf_flatten__(self):
        return (self.tag,), (self.a, self.b)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*components, *metadata)


@pytest.mark.parametrize(
    ("structure", "leaves"),
    [
        (None, [None]),
        ([], []),
        ("text", ["text"]),
        ({"b": 1, "a": [2, 3]}, [2, 3, 1]),
        (collections.OrderedDict([("b", 1), ("a", 2)]), [2, 1]),
        (collections.defaultdict(list, {"b": 1, "a": 2}), [2, 1]),
        (Point(1, [2, 3]), [1, 2, 3]),
        (Wrapped([1, (2,)]), [1, 2]),
        (range(3), [0, 1, 2]),
        (collections.deque([1, 2]), [1, 2]),
        ({"b": 1, "a": 2}.values(), [1, 2]),
        ({"b": 1}.items(), ["b", 1]),
        ({1, 2}, [{1, 2}]),
        (tf.TensorShape([1, 2]), [tf.TensorShape([1, 2])]),
        (Pair(1, [2], "t"), [1, 2]),
    ],
)
def test_flatten(structure, leaves):
    assert tf.nest.flatten(structure) == leaves


def test_arrays_and_tensors_are_leaves():
    array, tensor = np.ones(2), tf.ones(2)
    assert [id(x) for x in tf.nest.flatten([array, tensor])] == [id(array), id(tensor)]
    assert not tf.nest.is_nested(array) and not tf.nest.is_nested(tensor)


@pytest.mark.parametrize(
    "structure",
    [
        {"b": 1, "a": (2, [3])},
        collections.OrderedDict([("b", 1), ("a", 2)]),
        collections.defaultdict(list, {"b": 1, "a": 2}),
        collections.Counter("abb"),
        Point(1, Point(2, 3)),
        Wrapped([1, 2]),
        5,
    ],
)
def test_pack_is_the_inverse_of_flatten(structure):
    packed = tf.nest.pack_sequence_as(structure, tf.nest.flatten(structure))
    assert packed == structure and type(packed) is type(structure)
    if isinstance(structure, dict):
        assert list(packed) == list(structure)  # the dict keeps its own order


def test_own_classes_are_rebuilt_with_their_metadata():
    packed = tf.nest.map_structure(lambda x: x * 10, Pair(1, 2, "t"))
    assert (packed.a, packed.b, packed.tag) == (10, 20, "t")


def test_packing_the_wrong_number():
    with pytest.raises(ValueError, match="3 atoms, but flat_sequence had 2"):
        tf.nest.pack_sequence_as([1, [2, 3]], [4, 5])
    with pytest.raises(TypeError):
        tf.nest.pack_sequence_as([1], 4)


@pytest.mark.parametrize(
    ("a", "b", "error"),
    [
        ([1], 2, ValueError),
        ([1], [[2]], ValueError),
        ([1, 2], [1, 2, 3], ValueError),
        ({"a": 1}, {"b": 1}, ValueError),
        ({"a": [1]}, {"a": 1}, ValueError),
        (np.ones(2), [1, 2], ValueError),
        ([1], (2,), TypeError),
        ({"a": [1]}, {"a": (1,)}, TypeError),
        (Point(1, 2), Other(1, 2), TypeError),
        (Point(1, 2), (1, 2), TypeError),
    ],
)
def test_structures_that_differ(a, b, error):
    with pytest.raises(error):
        tf.nest.assert_same_structure(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [([1], Wrapped([2])), ({"a": 1}, collections.OrderedDict(a=2)), (1, "a"), (None, 1), (Point(1, 2), Point(3, 4))],
)
def test_structures_that_agree(a, b):
    tf.nest.assert_same_structure(a, b)


def test_types_can_be_left_unchecked():
    tf.nest.assert_same_structure([1], (2,), check_types=False)
    assert tf.nest.map_structure(lambda a, b: a + b, [1, 2], (3, 4), check_types=False) == [4, 6]


def test_the_place_of_a_difference_is_named():
    with pytest.raises(ValueError, match=r"at \['a'\]\[1\]"):
        tf.nest.assert_same_structure({"a": [1, 2]}, {"a": [1, [2]]})


def test_map_structure_refuses_what_it_cannot_use():
    with pytest.raises(TypeError, match="callable"):
        tf.nest.map_structure(5, [1])
    with pytest.raises(ValueError, match="at least one structure"):
        tf.nest.map_structure(lambda x: x)
    with pytest.raises(ValueError, match="foo"):
        tf.nest.map_structure(lambda x: x, [1], foo=3)


def test_composites_are_leaves_unless_expanded():
    ragged, sparse = tf.ragged.constant([[1, 2], [3]]), tf.sparse.eye(2)
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([2, 1]))
    for value, parts in ((ragged, 2), (sparse, 3), (slices, 3)):
        assert tf.nest.flatten(value)[0] is value
        assert len(tf.nest.flatten(value, expand_composites=True)) == parts
        rebuilt = tf.nest.pack_sequence_as(
            value, tf.nest.flatten(value, expand_composites=True), expand_composites=True
        )
        assert type(rebuilt) is type(value)


def test_unsortable_keys():
    with pytest.raises(TypeError, match="sortable"):
        tf.nest.flatten({1: 2, "a": 3})


def test_deep_structures_do_not_overflow_the_stack_when_flattened():
    deep = [1]
    for _ in range(5000):
        deep = [deep]
    assert tf.nest.flatten(deep) == [1]
