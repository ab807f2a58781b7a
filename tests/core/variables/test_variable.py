import copy
import pickle
import threading

import numpy as np
import pytest

import tapeflow as tf

c, V = tf.constant, tf.Variable


def values(v):
    return tf.identity(v).numpy().tolist()


# ---- making


def test_creation():
    v = V([1, 2], name="w", dtype=tf.float32)
    assert (v.dtype, v.shape, v.trainable, v.name) == (tf.float32, (2,), True, "w:0")
    assert V(lambda: 3.0).numpy() == 3.0 and V(V(4.0)).numpy() == 4.0
    assert V(1.0, trainable=None).trainable and not V(1.0, trainable=False).trainable
    for arguments in ((), (None,)):
        with pytest.raises(ValueError, match="initial_value"):
            V(*arguments)
    with pytest.raises(ValueError, match="shape"):
        V([1.0], shape=[2])


def test_open_shapes():
    v = V([1.0], shape=[None])
    v.assign([1.0, 2.0])
    assert (v.shape.as_list(), values(v)) == ([None], [1.0, 2.0])
    v.set_shape([2])
    assert v.shape == [2]
    with pytest.raises(ValueError):
        v.set_shape([3])
    with pytest.raises(ValueError, match="mismatch"):
        v.assign([1.0, 2.0, 3.0])


def test_policies_are_kept():
    v = V(
        1.0, aggregation=tf.VariableAggregation.SUM, synchronization=tf.VariableSynchronization.ON_READ, constraint=abs
    )
    assert (v.aggregation.name, v.synchronization.name, v.constraint) == ("SUM", "ON_READ", abs)
    assert (
        V(1.0).aggregation is tf.VariableAggregation.NONE and V(1.0).synchronization is tf.VariableSynchronization.AUTO
    )


def test_creator_scopes():
    made = []

    def outer(next_creator, **arguments):
        made.append("outer")
        return next_creator(**arguments)

    def inner(next_creator, **arguments):
        made.append("inner")
        return next_creator(**arguments | {"trainable": False})

    with tf.variable_creator_scope(outer), tf.variable_creator_scope(inner):
        v = V(1.0, name="a")
    assert made == ["inner", "outer"] and not v.trainable and v.name == "a:0"
    assert V(1.0).trainable and made == ["inner", "outer"]


# ---- as a Python object


def test_protocol():
    v = V([1.0, 2.0])
    assert (len(v), list(map(float, v)), v.ndim, float(V(1.5)), int(V(3)), [10, 20][V(1)]) == (
        2,
        [1.0, 2.0],
        1,
        1.5,
        3,
        20,
    )
    assert bool(V(1.0)) and V(1.0) in [V(1.0)]
    assert np.asarray(v).tolist() == v.numpy().tolist() == [1.0, 2.0]
    assert v.is_initialized().numpy() and v.initializer is None
    assert v.handle.dtype is tf.resource and v.device.endswith("CPU:0")
    assert tf.is_tensor(v) and not isinstance(v, tf.Tensor) and isinstance(v[0], tf.Tensor)
    assert f"{V(1.5):.2f}" == "1.50"
    with pytest.raises(TypeError, match="ref"):
        hash(v)
    with pytest.raises(TypeError, match=r"v\[i\]\.assign"):
        v[0] = 1.0
    for name, value in (("trainable", False), ("dtype", tf.float64), ("shape", (1,)), ("name", "x")):
        with pytest.raises(AttributeError):
            setattr(v, name, value)
    with pytest.raises(RuntimeError):
        v.initial_value  # noqa: B018


def test_repr():
    assert repr(V(1.0, name="x")) == "<tf.Variable 'x:0' shape=() dtype=float32, numpy=1.0>"
    assert (
        repr(V([[1.0]])) == "<tf.Variable 'Variable:0' shape=(1, 1) dtype=float32, numpy=array([[1.]], dtype=float32)>"
    )
    assert repr(V("a")).endswith("numpy=b'a'>")
    assert "'UnreadVariable'" in repr(V(1.0).assign(2.0))


def test_copies_are_independent():
    v = V([1.0], name="n", trainable=False)
    for other in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        other.assign([5.0])
        assert (values(v), other.name, other.trainable) == ([1.0], "n:0", False)
    pair = copy.deepcopy([v, v])
    assert pair[0] is pair[1]


def test_name_scopes_go_before_names():
    """Scopes used to be left out of the names, so that the layers of a model could not be told apart by the names of
    their variables."""
    with tf.name_scope("encoder"):
        v = V(1.0, name="w")
        with tf.name_scope("dense"):
            names = [V(1.0).name, V(1.0, name="w").name]
            copies = [copy.deepcopy(v), pickle.loads(pickle.dumps(v))]
        with tf.name_scope("top/"):
            names.append(V(1.0, name="b").name)
    assert names == ["encoder/dense/Variable:0", "encoder/dense/w:0", "top/b:0"] and V(1.0, name="w").name == "w:0"
    assert [c.name for c in (v, *copies)] == ["encoder/w:0"] * 3


# ---- assignment


def test_assign():
    v = V([1.0, 2.0])
    r = v.assign([3, 4])
    assert type(r).__name__ == "_UnreadVariable" and r is not v
    v.assign_add([1.0, 1.0]).assign_sub(np.ones(2))
    assert values(v) == values(r) == [3.0, 4.0]
    assert v.assign([0.0, 0.0], read_value=False) is None
    before = v.read_value()
    v.assign([9.0, 9.0])
    assert before.numpy().tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ([1.0], ValueError),
        (1.0, ValueError),
        (c([1, 2]), ValueError),
        (c([1.0, 2.0], tf.float64), ValueError),
        (["a", "b"], TypeError),
        (None, ValueError),
    ],
)
def test_assign_refuses(value, error):
    v = V([1.0, 2.0])
    with pytest.raises(error):
        v.assign(value)
    assert values(v) == [1.0, 2.0]


def test_changes_do_not_broadcast():
    v = V([1.0, 2.0])
    for f in (v.assign_add, v.assign_sub):
        for value in (1.0, [1.0], [1.0, 2.0, 3.0]):
            with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
                f(value)
    with pytest.raises(tf.errors.InvalidArgumentError, match="bool"):
        V(True).assign_add(True)


def test_integers_do_not_truncate():
    v = V([1])
    v.assign(np.array([2.0]))
    assert values(v) == [2]
    for value in (np.array([2.5]), [1.5]):
        with pytest.raises(TypeError):
            v.assign(value)


def test_overflow_is_silent():
    assert values(V(60000.0, dtype=tf.float16).assign_add(60000.0)) == np.inf


# ---- parts


def test_parts_can_be_assigned():
    v = V([1.0, 2.0, 3.0, 4.0])
    v[1].assign(9.0)
    v[2:].assign([7.0, 8.0])
    v[0].assign_add(10.0)
    v[-1].assign_sub(1.0)
    assert values(v) == [11.0, 9.0, 7.0, 7.0]
    v[:2].assign(0.0)
    v[v > 5.0].assign(-1.0)
    assert values(v) == [0.0, 0.0, -1.0, -1.0]
    v[[0, 0, 1]].assign_add([1.0, 1.0, 5.0])
    assert values(v) == [2.0, 5.0, -1.0, -1.0]
    m = V([[1.0, 2.0], [3.0, 4.0]])
    assert values(m[:, c(0)].assign([8.0, 9.0])) == [[8.0, 2.0], [9.0, 4.0]]
    m[1, tf.Variable(1)].assign([5.0])
    assert values(m) == [[8.0, 2.0], [9.0, 5.0]]
    for part, value in ((m[:, 0], [[1.0], [2.0]]), (m[0], [1.0, 2.0, 3.0])):
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
            part.assign(value)
    before = m.read_value()
    m[0, 0].assign(0.0)
    assert before.numpy()[0, 0] == 8.0


SLICES = tf.IndexedSlices([[1.0, 4.0], [2.0, 2.0]], [1, 1])


@pytest.mark.parametrize(
    ("method", "want"),
    [
        ("scatter_add", [13.0, 26.0]), ("scatter_sub", [7.0, 14.0]), ("scatter_mul", [20.0, 160.0]),
        ("scatter_div", [5.0, 2.5]), ("scatter_max", [10.0, 20.0]), ("scatter_min", [1.0, 2.0]),
        ("scatter_update", [2.0, 2.0]),
    ],
)  # fmt: skip
def test_scatter(method, want):
    v = V([[0.0, 0.0], [10.0, 20.0]])
    before = v.read_value()
    assert values(getattr(v, method)(SLICES)) == [[0.0, 0.0], want]
    assert before.numpy()[1].tolist() == [10.0, 20.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"not in \[0, 2\)"):
        getattr(v, method)(tf.IndexedSlices([[1.0, 1.0]], [2]))
    with pytest.raises(TypeError, match="IndexedSlices"):
        getattr(v, method)(c([1.0]))


@pytest.mark.parametrize(
    ("method", "want"),
    [
        ("scatter_nd_add", 12.0),
        ("scatter_nd_sub", 8.0),
        ("scatter_nd_update", 1.0),
        ("scatter_nd_max", 10.0),
        ("scatter_nd_min", 1.0),
    ],
)
def test_scatter_nd(method, want):
    v = V([[0.0, 0.0], [10.0, 20.0]])
    getattr(v, method)([[1, 0], [1, 0]], [1.0, 1.0])
    assert values(v) == [[0.0, 0.0], [want, 20.0]]
    for indices in ([[2, 0]], [[0, -1]], [[0, 0, 0]]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            getattr(v, method)(indices, [1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="fit"):
        v.scatter_nd_update([[0]], [[1.0, 2.0, 3.0]])


def test_batch_scatter_update():
    v = V([[1.0, 2.0], [3.0, 4.0]])
    v.batch_scatter_update(tf.IndexedSlices([[7.0], [8.0]], [[0], [1]]))
    assert values(v) == [[7.0, 2.0], [3.0, 8.0]]


def test_reading_rows_is_differentiable():
    v = V([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=True) as tape:
        rows, element = v.sparse_read([1, 1]), v.gather_nd([[0, 1]])
    assert tape.gradient(rows, v).indices.numpy().tolist() == [1, 1]
    assert tf.convert_to_tensor(tape.gradient(element, v)).numpy().tolist() == [[0.0, 1.0], [0.0, 0.0]]


def test_changes_from_many_threads_all_count():
    v = V(np.zeros(100), dtype=tf.float64)

    def work():
        for _ in range(200):
            v.assign_add(np.ones(100))
            v[3].assign_add(1.0)
            v.scatter_nd_sub([[4]], [1.0])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert (v[0].numpy(), v[3].numpy(), v[4].numpy()) == (800.0, 1600.0, 0.0)


def test_an_assignment_in_the_middle_of_a_read_is_seen(monkeypatch):
    """A thread that read the variable while another assigned used to keep the old value for all its later
    operations."""
    v = tf.Variable(0.0)
    value = tf.Variable.value

    def overtaken(self):
        tensor = value(self)
        monkeypatch.setattr(tf.Variable, "value", value)
        v.assign(5.0)
        return tensor

    monkeypatch.setattr(tf.Variable, "value", overtaken)
    assert float(v * 1.0) == 0.0
    assert float(v * 1.0) == 5.0


def test_a_deep_copy_keeps_what_belongs_to_the_variable():
    """Its constraint and its aggregation used to be lost."""
    v = tf.Variable(1.0, trainable=False, constraint=abs, aggregation=tf.VariableAggregation.MEAN, name="w")
    w = copy.deepcopy(v)
    assert (w.name, w.trainable, w.constraint, w.aggregation) == ("w:0", False, abs, tf.VariableAggregation.MEAN)


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.scatter_add(tf.IndexedSlices([[1.0, 1.0]], [0, 1])),
        lambda v: v.scatter_nd_update([[0], [1]], [1.0, 1.0]),
    ],
)
def test_rows_without_values_of_their_own_are_refused(change):
    """Values used to be stretched over all rows, so that a wrong number of them went unseen."""
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
        change(tf.Variable(np.zeros((3, 2), np.float32)))


def test_creators_are_told_everything():
    """As in TensorFlow, whose creators look for what was not given, too."""
    seen = {}

    def creator(make, **named):
        seen.update(named)
        return make(**named)

    with tf.variable_creator_scope(creator):
        tf.Variable(1.0)
    assert seen["trainable"] is None and seen["name"] is None and seen["dtype"] is None
    assert seen["synchronization"] is tf.VariableSynchronization.AUTO
    assert seen["aggregation"] is tf.VariableAggregation.NONE


class Elsewhere(tf.Variable):
    """Keeps its value in a tensor, and does not call __init__."""

    def __init__(self, tensor):
        self.tensor = tensor
        self._trainable, self._dtype, self._shape = True, tensor.dtype, tensor.shape

    def value(self):
        return self.tensor


def test_a_class_with_values_of_its_own():
    """Operations and operators read what its `value` gives, in whatever way it keeps it."""
    v = Elsewhere(c([1.0, 2.0]))
    assert (v * 2.0).numpy().tolist() == (2.0 * v).numpy().tolist() == [2, 4]
    assert tf.exp(v * 0.0).numpy().tolist() == [1, 1] and tf.reduce_sum(v).numpy() == 3
    assert v[1].numpy() == 2 and (-v).numpy().tolist() == [-1, -2]
    assert tf.convert_to_tensor(v).numpy().tolist() == tf.stack([v, v])[0].numpy().tolist() == [1, 2]
    v.tensor = c([3.0, 4.0])
    assert sum([v, v]).numpy().tolist() == [6, 8]
    with tf.GradientTape() as tape:
        tape.watch(v.tensor)
        y = tf.reduce_sum(v * v)
    assert tape.gradient(y, v.tensor).numpy().tolist() == [6, 8]
