"""A function that modifies its arguments raises: it has copies, and what it did to them was lost without a word."""

import collections

import pytest

import tapeflow as tf

c = tf.constant
Pair = collections.namedtuple("Pair", "u v")


def leave(x):
    pass


class Box:
    def __init__(self):
        self.inside = [1]


MODIFY = {
    "append": (lambda x: x.append(1), [1.0]),
    "pop": (lambda x: x.pop(), [1.0]),
    "replace": (lambda x: x.__setitem__(0, 2.0), [1.0]),
    "sort": (lambda x: x.sort(), [3, 1]),
    "another type": (lambda x: x.__setitem__(0, 1.0), [1]),
    "new key": (lambda x: x.__setitem__("loss", 1), {"a": 1.0}),
    "no key": (lambda x: x.__delitem__("a"), {"a": 1.0}),
    "list in a dict": (lambda x: x["a"].append(1), {"a": [1.0]}),
    "list in a tuple": (lambda x: x[0].append(1), ([1.0],)),
    "list in a named tuple": (lambda x: x.u.append(1), Pair([1.0], 2)),
}
KEEP = {
    "nothing": (leave, [1.0]),
    "the same again": (lambda x: x.__setitem__(0, x[0]), [1.0]),
    "out and in": (lambda x: x.__setitem__("a", x.pop("a")), {"a": 1.0, "b": 2.0}),
    "an object": (lambda x: x.inside.append(1), Box()),  # the object itself: nothing is lost
}


def tensors(value):
    return tf.nest.map_structure(lambda v: c(v) if isinstance(v, float) else v, value)


@pytest.mark.parametrize("name", MODIFY)
@pytest.mark.parametrize("wrap", ["plain", "args", "kwargs", "method", "specification"])
def test_a_modified_argument_raises(name, wrap):
    """The function is given copies of the caller's containers; what it did to them was lost without a word."""
    modify, value = MODIFY[name]

    def f(x):
        modify(x)
        return c(1.0)

    class Method:
        @tf.function
        def f(self, x):
            return f(x)

    value = tensors(value)
    copy = tf.nest.map_structure(lambda v: v, value)
    calls = {
        "plain": (lambda: tf.function(f)(value), "x"),
        "args": (lambda: tf.function(lambda *others: f(others[1]))(1, value), "others"),
        "kwargs": (lambda: tf.function(lambda **named: f(named["k"]))(k=value), "named"),
        "method": (lambda: Method().f(value), "x"),
        "specification": (lambda: tf.function(f).get_concrete_function(value), "x"),
    }
    call, parameter = calls[wrap]
    for _ in range(2):  # each time
        with pytest.raises(ValueError, match=rf"should not modify its Python input .* modified: {parameter}$"):
            call()
    tf.nest.assert_same_structure(value, copy)


@pytest.mark.parametrize("name", KEEP)
def test_an_argument_that_is_not_modified(name):
    keep, value = KEEP[name]
    assert tf.function(lambda x: (keep(x), c(1.0))[1])(tensors(value)).numpy() == 1.0


def test_which_were_modified():
    def f(x, d, n):
        x.append(1)
        n["a"][0]["b"] = 2
        return c(1.0)

    with pytest.raises(
        ValueError,
        match=r"<locals>.f\(x, d, n\) should not modify .* The following parameter\(s\) were modified: x, n",
    ):
        tf.function(f)([], {}, {"a": [{"b": 1}]})


def test_modified_where_python_runs():
    """Without a graph the function is given copies, too."""

    @tf.function
    def f(x):
        x.append(1.0)
        return tf.where(x[0] > 0.0)  # as many rows as the values say: no graph

    with pytest.raises(ValueError, match="should not modify its Python input"):
        f([c([1.0])])


def test_datasets_give_their_own():
    rows = tf.data.Dataset.from_tensor_slices({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    assert [d["a"].numpy() for d in rows.map(lambda d: (d.pop("b"), d)[1])] == [1.0, 2.0]
