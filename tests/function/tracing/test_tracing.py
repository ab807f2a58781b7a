"""A function is traced once for each kind of arguments; what goes in and out is as without tracing."""

import copy
import gc
import sys
import threading
import weakref

import numpy as np
import pytest

import tapeflow as tf
from tests.function.programs import X, grad_of

# ---- tracing


def test_one_trace_for_each_kind_of_arguments():
    seen = []
    f = tf.function(lambda x, k=1, **options: (seen.append(1), x * k)[1])
    for call in (
        lambda: f(X), lambda: f(X + 1.0), lambda: f(tf.ones([4])), lambda: f(X, 2), lambda: f(X, k=2),
        lambda: f(tf.cast(X, tf.float64), 1), lambda: f(np.ones(3, np.float32)), lambda: f(X, tf.constant(2.0)),
        lambda: f(X, tf.constant(3.0)), lambda: f(X, other=True),
    ):  # fmt: skip
        call()
    assert len(seen) == f.experimental_get_tracing_count() == 6


def test_structures_go_in_and_out():
    f = tf.function(lambda p: {"sum": p["a"] + p["b"][0], "none": None, "pair": (p["a"], 3)})
    out = f({"a": X, "b": [X]})
    np.testing.assert_allclose(out["sum"], 2 * X.numpy())
    assert out["none"] is None and out["pair"][1].dtype is tf.int32


def test_methods_are_traced_for_each_object():
    class Scale:
        def __init__(self, factor):
            self.factor, self.traced = factor, 0

        @tf.function
        def __call__(self, x):
            self.traced += 1
            return x * self.factor

    two, three = Scale(2.0), Scale(3.0)
    for _ in range(2):
        np.testing.assert_allclose(two(X) + three(X), 5 * X.numpy())
    assert (two.traced, three.traced) == (1, 1)


def test_methods_have_variables_and_signatures_of_their_own():
    class Layer(tf.Module):
        w = None

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(2.0)
            return x * self.w

    one, two = Layer(), Layer()
    np.testing.assert_allclose(one([1, 2]) + two(x=X[:2]), [4, 8])
    assert one.w is not two.w and one.__call__.experimental_get_tracing_count() == 2
    np.testing.assert_allclose(Layer()(X), 2 * X.numpy())
    gone = weakref.ref(two)
    del two
    gc.collect()
    assert gone() is None


def test_a_copy_of_an_object_has_a_function_of_its_own():
    class Scale:
        def __init__(self):
            self.w = tf.Variable(2.0)
            self.run = tf.function(self._run)

        def _run(self, x):
            return x * self.w

    scale = Scale()
    scale.run(X)
    other = copy.deepcopy(scale)
    other.w.assign(3.0)
    np.testing.assert_allclose(scale.run(X) + other.run(X), 5 * X.numpy())


def test_threads_lose_no_update():
    count = tf.Variable(0)
    add = tf.function(lambda: count.assign_add(1))
    add()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=lambda: [add() for _ in range(100)]) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert int(count) == 401


def test_sparse_and_ragged_results():
    ragged = tf.function(lambda x: tf.RaggedTensor.from_row_lengths(x * 2.0, [1, 2]))(X)
    assert ragged.to_list() == [[2.0], [4.0, 6.0]]
    sparse = tf.sparse.from_dense([[1.0, 0.0]])
    np.testing.assert_allclose(tf.sparse.to_dense(tf.function(lambda s: s * 2.0)(sparse)), [[2, 0]])


def test_variables_are_made_once():
    class Dense:
        w = None

        @tf.function
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(tf.ones_like(x) * 2.0)
            return x * self.w

    layer = Dense()
    np.testing.assert_allclose(layer(X), 2 * X.numpy())
    np.testing.assert_allclose(grad_of(layer, X), [2, 2, 2])
    with pytest.raises(ValueError, match="created once, on the first call"):
        tf.function(lambda x: tf.Variable(x) * x)(X)


def test_a_signature_converts_and_checks():
    f = tf.function(lambda x: x * 2.0, input_signature=[tf.TensorSpec([None], tf.float32)])
    np.testing.assert_allclose(f([1, 2]), [2, 4])
    with pytest.raises(TypeError, match=r"'x' does not fit the input_signature: TensorSpec\(shape=\(None,\)"):
        f(tf.constant([[1.0]]))
    with pytest.raises(TypeError, match=r"its input_signature, and was called with 2|too many positional"):
        f(X, X)


def test_concrete_functions():
    w = tf.Variable(2.0)
    made = tf.function(lambda x: x * w).get_concrete_function(tf.TensorSpec([3], tf.float32))
    np.testing.assert_allclose(made(X), 2 * X.numpy())
    assert [v is w for v in made.variables] == [True]
    assert [tuple(t.shape) for t in made.outputs] == [(3,)]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"traced for float32\[3\], and was given shape \(2,\)"):
        made(tf.ones([2]))


def test_functions_and_graphs_show_themselves():
    """In a notebook, where nobody calls `print`."""

    @tf.function
    def f(x):
        return tf.sin(x) * 2.0

    assert repr(f) == "<tf.function f(x), 0 traces>"
    f(1.0 * tf.ones([2]))
    assert repr(f) == "<tf.function f(x), 1 trace>"
    assert repr(f.graph).startswith("<Graph of 2 operations, of (Tensor(")
    assert "sin(x)" in f.graph._repr_html_() and f.graph._repr_html_().startswith("<pre>")


def test_tensors_know_the_graph_that_is_traced():
    found = []

    @tf.function
    def f(x):
        found.append((x.graph, (x + 1).graph, tf.constant(True).graph))
        return x

    f(tf.constant(1.0))
    [graphs] = found
    assert set(graphs) == {f.get_concrete_function(tf.constant(1.0)).graph}
    with pytest.raises(AttributeError, match="Eager tensors have no graph"):
        tf.constant(1.0).graph  # noqa: B018
    assert not hasattr(tf.constant(1.0), "graph")


def test_a_concrete_function_may_be_asked_to_join_a_graph():
    double = tf.function(lambda x: x * 2)

    @tf.function
    def f(x):
        concrete = double.get_concrete_function(x)
        concrete.add_to_graph()
        concrete.add_gradient_functions_to_graph()
        return concrete(x)

    assert f(tf.constant(3.0)).numpy() == 6
