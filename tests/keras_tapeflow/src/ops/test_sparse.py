"""Sparse tensors in Keras' functions: values as of the dense tensor, sparse where Keras says so, with gradients."""

import numpy as np
import pytest
from keras.src.backend.common.keras_tensor import KerasTensor

import tapeflow as tf
from keras_tapeflow.src.ops import core, nn, numpy as knp, sparse
from keras_tapeflow.src.ops.sparse_rules import RULES
from tests.rounding import close

X = np.array([[0, 0.5, 0], [-0.75, 0, 0.25]], np.float32)
Y = np.array([[0, 2, 3], [0, 0, -4]], np.float32)
SP, SQ = tf.sparse.from_dense(X), tf.sparse.from_dense(Y)
SLICES = tf.IndexedSlices(
    tf.constant([[1.0, 2.0], [3.0, 4.0], [10.0, 20.0]]), tf.constant([2, 0, 2]), tf.constant([4, 2])
)
ROWS = np.array([[3, 4], [0, 0], [11, 22], [0, 0]], np.float32)


def is_sparse(x):
    return type(x) is tf.SparseTensor


@pytest.mark.parametrize("name", "sin sqrt square abs negative expm1 round sign floor conj".split())
def test_what_leaves_zero_at_zero_keeps_a_tensor_sparse(name):
    found = getattr(knp, name)(tf.sparse.from_dense(np.abs(X)))
    assert is_sparse(found)
    np.testing.assert_allclose(core.convert_to_numpy(found), getattr(np, name)(np.abs(X)), rtol=1e-6)


@pytest.mark.parametrize("name", ["exp", "cos", "isfinite", "sort", "max", "cumsum", "std", "flip", "argsort"])
def test_everything_else_takes_it_as_dense(name):
    found = getattr(knp, name)(SP)
    assert isinstance(found, tf.Tensor)
    np.testing.assert_allclose(found, getattr(knp, name)(X))


def test_functions_of_networks_take_it_as_dense():
    np.testing.assert_array_equal(knp.ones_like(SP), np.ones((2, 3)))
    np.testing.assert_allclose(nn.relu(SP), np.maximum(X, 0))
    np.testing.assert_allclose(nn.softmax(SP), nn.softmax(X))


@pytest.mark.parametrize("name", ["add", "subtract", "maximum", "minimum", "multiply", "divide_no_nan"])
@pytest.mark.parametrize(
    "other", [SQ, tf.constant(Y), 2.0, tf.SparseTensor([[0, 1]], [3.0], [1, 3]), tf.constant([[1.0, 2.0, 3.0]])]
)
def test_pairs_broadcast(name, other):
    dense = core.convert_to_numpy(other)
    found, turned = getattr(knp, name)(SP, other), getattr(knp, name)(other, SP)
    np.testing.assert_allclose(core.convert_to_numpy(found), getattr(knp, name)(X, dense))
    np.testing.assert_allclose(core.convert_to_numpy(turned), getattr(knp, name)(dense, X))
    if name in ("add", "subtract", "maximum", "minimum"):
        assert is_sparse(found) == is_sparse(turned) == is_sparse(other)
    if name == "multiply":
        assert is_sparse(found) and is_sparse(turned)


def test_a_quotient_has_entries_where_zero_is_divided_by_zero():
    found = knp.divide(SP, tf.constant([[1.0, 1.0, 0.0], [1.0, np.nan, 1.0]]))
    assert is_sparse(found)
    np.testing.assert_array_equal(core.convert_to_numpy(found), [[0, 0.5, np.nan], [-0.75, np.nan, 0.25]])
    np.testing.assert_array_equal(
        core.convert_to_numpy(knp.divide(SP, 0.0)), [[np.nan, np.inf, np.nan], [-np.inf, np.nan, np.inf]]
    )


def test_integers_meet_floats_by_keras_rules():
    whole = tf.SparseTensor([[0, 0]], [3], [2, 3])
    assert knp.add(whole, SP).dtype == tf.float32
    assert knp.divide(whole, 2).dtype == tf.float32
    half = core.cast(SP, "float16")
    assert knp.add(half, 1.0).dtype == knp.multiply(2.0, half).dtype == knp.divide(half, 2).dtype == tf.float16
    assert knp.sum(tf.SparseTensor([[0]], tf.constant([3], tf.int8), [2])).dtype == tf.int32


@pytest.mark.parametrize("shape", [(3, 2), (2, 3, 2)])
def test_matmul_of_two_is_sparse_and_has_gradients(shape):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(*shape[:-2], 4, shape[-2])), rng.normal(size=shape)
    a, b = a * (rng.random(a.shape) < 0.5), b * (rng.random(b.shape) < 0.5)
    sa, sb = tf.sparse.from_dense(a), tf.sparse.from_dense(b)
    with tf.GradientTape() as tape:
        tape.watch([sa, sb])
        found = knp.matmul(sa, sb)
        loss = tf.reduce_sum(tf.sparse.to_dense(found) ** 2)
    assert is_sparse(found)
    np.testing.assert_allclose(tf.sparse.to_dense(found), a @ b)
    g = 2 * (a @ b)
    ga, gb = tape.gradient(loss, [sa, sb])
    np.testing.assert_allclose(ga.values, (g @ np.swapaxes(b, -1, -2))[a != 0], atol=1e-12)
    np.testing.assert_allclose(gb.values, (np.swapaxes(a, -1, -2) @ g)[b != 0], atol=1e-12)


def test_matmul_with_a_dense_matrix_gives_it_a_gradient_of_the_rows_that_it_needed():
    table = tf.Variable(np.arange(12, dtype=np.float32).reshape(6, 2))
    x = tf.SparseTensor([[0, 4], [1, 1], [1, 4]], [1.0, 2.0, 3.0], [2, 6])
    with tf.GradientTape() as tape:
        found = knp.matmul(x, table)
    grad = tape.gradient(found, table)
    np.testing.assert_array_equal(found, tf.sparse.to_dense(x).numpy() @ table.numpy())
    assert isinstance(grad, tf.IndexedSlices) and grad.indices.numpy().tolist() == [1, 4]
    np.testing.assert_array_equal(grad.values, [[2, 2], [4, 4]])
    np.testing.assert_array_equal(knp.matmul(tf.transpose(table), tf.sparse.transpose(x)), found.numpy().T)


def test_slices_add_up_before_anything_that_is_not_linear():
    for name in ("square", "negative", "sqrt"):
        found = getattr(knp, name)(SLICES)
        assert isinstance(found, tf.IndexedSlices)
        close(core.convert_to_numpy(found), getattr(np, name)(ROWS))
    np.testing.assert_allclose(core.convert_to_numpy(knp.add(SLICES, SLICES)), 2 * ROWS)
    np.testing.assert_allclose(core.convert_to_numpy(knp.multiply(SLICES, SLICES)), ROWS**2)
    np.testing.assert_allclose(core.convert_to_numpy(knp.multiply(SLICES, ROWS + 1)), ROWS * (ROWS + 1))
    np.testing.assert_allclose(knp.sum(SLICES, axis=1), ROWS.sum(1))


def test_slices_in_a_graph():
    """The rows are not known there: what is linear stays sparse, everything else is computed of the dense tensor."""
    kinds = []

    @tf.function
    def f(values, indices):
        slices = tf.IndexedSlices(values, indices, tf.constant([4, 2]))
        found = [
            knp.multiply(slices, 0.5),
            knp.square(slices),
            knp.divide(slices, tf.constant(ROWS + 1)),
            knp.add(slices, slices),
        ]
        kinds.extend(isinstance(x, tf.IndexedSlices) for x in found)
        return [core.dense_tensor(x) for x in found]

    half, square, ratio, double = f(SLICES.values, SLICES.indices)
    assert kinds == [True, False, False, False]
    np.testing.assert_allclose(half, ROWS / 2)
    np.testing.assert_allclose(square, ROWS**2)
    np.testing.assert_allclose(ratio, ROWS / (ROWS + 1))
    np.testing.assert_allclose(double, 2 * ROWS)


def test_variables_take_slices():
    variable = core.Variable(np.ones((4, 2), np.float32))
    variable.assign_sub(SLICES)
    np.testing.assert_array_equal(variable.numpy(), 1 - ROWS)
    variable.assign_add(SLICES)
    variable.assign(SLICES)
    np.testing.assert_array_equal(variable.numpy(), ROWS)


def test_shapes_and_sums():
    np.testing.assert_array_equal(core.convert_to_numpy(knp.transpose(SP)), X.T)
    np.testing.assert_array_equal(core.convert_to_numpy(knp.reshape(SP, (3, -1))), X.reshape(3, 2))
    np.testing.assert_array_equal(core.convert_to_numpy(knp.expand_dims(SP, (0, 2))), X[None, :, None])
    np.testing.assert_allclose(core.convert_to_numpy(knp.mean(SP, axis=-1, keepdims=True)), X.mean(-1, keepdims=True))
    assert float(core.convert_to_numpy(knp.sum(SP))) == X.sum()
    both = knp.concatenate([SP, SQ], axis=-1)
    assert is_sparse(both) and not is_sparse(knp.concatenate([SP, Y], axis=0))
    np.testing.assert_array_equal(core.convert_to_numpy(both), np.concatenate([X, Y], -1))


def test_digitize_is_sparse_where_zero_is_in_the_first_bin():
    assert is_sparse(knp.digitize(SP, [0.1, 0.4]))
    assert not is_sparse(knp.digitize(SP, [-0.5, 0.4]))
    np.testing.assert_array_equal(knp.digitize(SP, [-0.5, 0.4]), np.digitize(X, [-0.5, 0.4]))


def test_classes():
    numbers = np.array([[2, 0, -1], [1, 1, 7]])
    for function in (nn.one_hot, nn.multi_hot):
        found = function(numbers, 4, sparse=True)
        assert is_sparse(found) and found.dtype == tf.float32
        np.testing.assert_array_equal(core.convert_to_numpy(found), function(numbers, 4))
    counts = knp.bincount(np.abs(numbers), weights=numbers * 2.0, minlength=9, sparse=True)
    assert is_sparse(counts)
    np.testing.assert_array_equal(
        core.convert_to_numpy(counts), knp.bincount(np.abs(numbers), weights=numbers * 2.0, minlength=9)
    )


def test_other_libraries_sparse_arrays_are_converted():
    scipy_sparse = pytest.importorskip("scipy.sparse")
    repeated = scipy_sparse.coo_matrix(([1.0, 2.0, 4.0], ([1, 0, 1], [2, 1, 2])), (2, 3))
    found = core.convert_to_tensor(repeated, "float32")
    assert is_sparse(found) and found.dtype == tf.float32
    np.testing.assert_array_equal(core.convert_to_numpy(found), repeated.toarray())
    np.testing.assert_array_equal(core.convert_to_tensor(scipy_sparse.csr_matrix(X), sparse=False), X)
    bcoo = pytest.importorskip("jax.experimental.sparse").BCOO
    for kept in (bcoo.fromdense(X), bcoo.fromdense(X, nse=5), bcoo.fromdense(X, n_batch=1)):
        np.testing.assert_array_equal(core.convert_to_numpy(core.convert_to_tensor(kept)), X)


def test_conversion_keeps_what_is_sparse_unless_told_otherwise():
    assert core.convert_to_tensor(SP) is SP and core.is_tensor(SP) and core.shape(SP) == (2, 3)
    assert core.cast(SP, "float16").dtype == tf.float16
    assert isinstance(core.convert_to_tensor(SP, sparse=False), tf.Tensor)
    unsorted = tf.SparseTensor([[1, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2])
    np.testing.assert_array_equal(core.convert_to_numpy(unsorted), [[0, 2], [4, 0]])


def test_output_specs_say_what_is_sparse():
    x = KerasTensor((None, 3), sparse=True)
    found = core.compute_output_spec(
        lambda x: (knp.sin(x), knp.exp(x), knp.matmul(x, tf.ones([3, 2])), nn.one_hot(x, 4, sparse=True)), x
    )
    assert [(y.shape, y.sparse) for y in found] == [
        ((None, 3), True),
        ((None, 3), False),
        ((None, 2), False),
        ((None, 3, 4), True),
    ]


def test_every_rule_is_for_a_function_that_there_is():
    assert all(callable(getattr(knp, name)) for names in RULES.values() for name in names.split())
    assert {tf.SparseTensor, tf.IndexedSlices} == sparse.KINDS
