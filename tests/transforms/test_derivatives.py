"""tf.derivatives: each function against a formula or against another way of computing the same."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow import derivatives as d
from tapeflow.tape import memory

rng = np.random.default_rng(0)
A = rng.normal(size=(3, 3))
x0 = tf.constant(rng.normal(size=3))


def quartic(x):
    """(x' A x)**2"""
    return tf.reduce_sum(x * tf.linalg.matvec(A, x)) ** 2


def quartic_derivatives(x):
    q, s = x @ A @ x, (A + A.T) @ x
    return 2 * q * s, 2 * (np.outer(s, s) + q * (A + A.T))


def test_value_and_grad():
    value, g = d.value_and_grad(quartic)(x0)
    np.testing.assert_allclose(value, (x0.numpy() @ A @ x0.numpy()) ** 2)
    np.testing.assert_allclose(g, quartic_derivatives(x0.numpy())[0])


def test_auxiliary_results():
    f = lambda x: (tf.reduce_sum(x**2), {"twice": 2 * x, "text": "anything"})
    (value, aux), g = d.value_and_grad(f, has_aux=True)(tf.constant([1.0, 2.0]))
    assert (float(value), aux["text"], aux["twice"].numpy().tolist(), g.numpy().tolist()) == (
        5.0,
        "anything",
        [2, 4],
        [2, 4],
    )
    g, aux = d.grad(f, has_aux=True)(tf.constant([1.0, 2.0]))
    assert aux["text"] == "anything"


def test_several_arguments_and_structures():
    f = lambda p, x, scale=1.0: tf.reduce_sum(p["w"] * x + p["b"][0]) * scale
    p, x = {"w": tf.constant([1.0, 2.0]), "b": [tf.constant(3.0)]}, tf.constant([4.0, 5.0])
    of_p, of_x = d.grad(f, wrt=(0, 1))(p, x, scale=10.0)
    assert (of_p["w"].numpy().tolist(), of_p["b"][0].numpy(), of_x.numpy().tolist()) == ([40, 50], 20, [10, 20])
    np.testing.assert_allclose(d.grad(f, wrt=-1)(p, x), [1, 2])


def test_one_tensor_as_two_arguments_counts_as_two():
    x = tf.constant(3.0)
    a, b = d.grad(lambda a, b: a * b**2, wrt=(0, 1))(x, x)
    assert (float(a), float(b)) == (9.0, 18.0)


def test_variables_in_any_structure():
    w, b, unused = tf.Variable([1.0, 2.0]), tf.Variable(3.0), tf.Variable(1.0)
    value, g = d.value_and_grad(lambda x: tf.reduce_sum(w * x) * b, wrt={"w": w, "rest": [b, unused]})(
        tf.constant([1.0, 1.0])
    )
    assert (float(value), g["w"].numpy().tolist(), [float(r) for r in g["rest"]]) == (9.0, [3, 3], [3, 0])


def test_sparse_gradients_come_dense():
    table = tf.Variable(tf.ones([3, 2]))
    g = d.grad(lambda: tf.reduce_sum(tf.gather(table, [1, 1])), wrt=table)()
    np.testing.assert_allclose(g, [[0, 0], [2, 2], [0, 0]])


@pytest.mark.parametrize("options", [{}, {"chunk_size": 2}, {"mode": "forward"}, {"mode": "forward", "chunk_size": 2}])
def test_jacobian_in_both_modes(options):
    f = lambda p: {"y": tf.sin(p["a"])[:, None] * p["b"], "s": tf.reduce_sum(p["a"]) + 0 * p["b"][0]}
    p = {"a": x0, "b": tf.constant([2.0, 3.0], tf.float64)}
    j = d.jacobian(f, **options)(p)
    np.testing.assert_allclose(j["y"]["a"], np.einsum("i,ij,k->ikj", np.cos(x0.numpy()), np.eye(3), [2, 3]))
    np.testing.assert_allclose(j["y"]["b"], np.einsum("i,jk->ijk", np.sin(x0.numpy()), np.eye(2)))
    np.testing.assert_allclose(j["s"]["a"], np.ones(3))
    np.testing.assert_allclose(j["s"]["b"], np.zeros(2))


def test_jacobian_by_variables_in_both_modes():
    w = tf.Variable(A)
    f = lambda x: tf.linalg.matvec(w, x)
    for mode in ("forward", "reverse"):
        np.testing.assert_allclose(d.jacobian(f, wrt=w, mode=mode)(x0), np.einsum("ij,k->ijk", np.eye(3), x0.numpy()))


def test_hessian_and_its_product():
    _, want = quartic_derivatives(x0.numpy())
    v = tf.constant([1.0, -2.0, 0.5], tf.float64)
    np.testing.assert_allclose(d.hessian(quartic)(x0), want)
    np.testing.assert_allclose(d.hessian(quartic, chunk_size=2)(x0), want)
    np.testing.assert_allclose(d.hvp(quartic, x0, v), want @ v.numpy())


def test_hessian_of_structures():
    h = d.hessian(lambda p: p["a"] ** 2 * p["b"] ** 3)({"a": 2.0, "b": 3.0})
    assert {k: {j: float(v) for j, v in row.items()} for k, row in h.items()} == {
        "a": {"a": 54, "b": 108},
        "b": {"a": 108, "b": 72},
    }


def test_hvp_of_several_arguments_and_of_variables():
    f = lambda a, b: a**2 * b**3
    assert [float(h) for h in d.hvp(f, (2.0, 3.0), (1.0, 0.0))] == [54, 108]
    a, b = tf.Variable(2.0), tf.Variable(3.0)
    assert [float(h) for h in d.hvp(lambda: f(a, b), [a, b], [0.0, 1.0])] == [108, 72]
    assert float(d.hvp(lambda v: v**3, a, 1.0)) == 12.0


def test_jvp_and_vjp_are_transposes():
    f = lambda a, b: {"y": tf.tanh(a) * b, "z": tf.reduce_sum(a)}
    a, b = x0, tf.constant(2.0, tf.float64)
    ta, tb = tf.constant([0.3, -1.0, 2.0], tf.float64), tf.constant(0.7, tf.float64)
    value, tangent = d.jvp(f, (a, b), (ta, tb))
    again, pullback = d.vjp(f, a, b)
    u = {"y": tf.constant([1.0, 2.0, -3.0], tf.float64), "z": tf.constant(0.5, tf.float64)}
    ga, gb = pullback(u)
    np.testing.assert_allclose(value["y"], again["y"])
    forward = np.sum(tangent["y"].numpy() * u["y"].numpy()) + float(tangent["z"] * u["z"])
    np.testing.assert_allclose(forward, np.sum(ga.numpy() * ta.numpy()) + float(gb * tb))
    np.testing.assert_allclose(pullback({"y": u["y"] * 2, "z": u["z"] * 2})[0], 2 * ga.numpy())


def test_laplacian_of_one_and_of_several_values():
    harmonic = lambda x: x[0] ** 2 - x[1] ** 2 + 5 * x[2]
    np.testing.assert_allclose(d.laplacian(harmonic)(x0), 0, atol=1e-12)
    both = d.laplacian(lambda x: {"a": tf.reduce_sum(x**3), "b": x * tf.reduce_sum(x**2)})(x0)
    np.testing.assert_allclose(both["a"], 6 * x0.numpy().sum())
    np.testing.assert_allclose(both["b"], 2 * 3 * x0.numpy() + 4 * x0.numpy())
    np.testing.assert_allclose(d.laplacian(quartic, chunk_size=2)(x0), np.trace(quartic_derivatives(x0.numpy())[1]))


def test_laplacian_of_a_batch_of_points_and_its_gradient():
    points = tf.constant(rng.normal(size=(5, 3)))
    with tf.GradientTape() as tape:
        tape.watch(points)
        values = tf.vmap(d.laplacian(lambda x: tf.reduce_sum(x**4)))(points)
    np.testing.assert_allclose(values, 12 * (points.numpy() ** 2).sum(1))
    np.testing.assert_allclose(tape.gradient(values, points), 24 * points.numpy())


def test_per_example_gradients_by_argument_and_by_variables():
    w = rng.normal(size=(3, 2))
    x, y = tf.constant(rng.normal(size=(4, 3))), tf.constant([0, 1, 1, 0])
    loss = lambda w, x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(y, tf.linalg.matvec(w, x, transpose_a=True))
    got = d.per_example_gradients(loss)(tf.constant(w), x, y)
    want = np.stack([d.grad(loss)(tf.constant(w), x[i], y[i]).numpy() for i in range(4)])
    np.testing.assert_allclose(got, want, rtol=1e-12)
    v = tf.Variable(w)
    by_variable = d.per_example_gradients(lambda x, y: loss(v, x, y), wrt=[v], chunk_size=3)(x, y)
    np.testing.assert_allclose(by_variable[0], want, rtol=1e-12)
    batched = lambda x, y: tf.nn.sparse_softmax_cross_entropy_with_logits(y, x @ v)
    np.testing.assert_allclose(d.per_example_gradients(batched, wrt=v, keep_batch=True)(x, y), want, rtol=1e-12)
    losses, again = d.per_example_gradients(batched, wrt=v, keep_batch=True, with_values=True)(x, y=y)
    np.testing.assert_allclose(losses, tf.nn.sparse_softmax_cross_entropy_with_logits(y, x @ v), rtol=1e-12)
    np.testing.assert_allclose(again, want, rtol=1e-12)


def test_pullbacks_to_variables():
    v = tf.Variable([1.0, 2.0])
    value, pullback = d.vjp(lambda x: x * v, tf.constant([3.0, 4.0]), wrt={"v": v})
    np.testing.assert_allclose(value, [3, 8])
    np.testing.assert_allclose(pullback(tf.constant([1.0, 10.0]))["v"], [3, 40])


def test_transforms_nest():
    f = lambda x: tf.sin(x) * x
    third = d.grad(d.grad(d.grad(f)))(tf.constant(0.7, tf.float64))
    np.testing.assert_allclose(third, -3 * np.sin(0.7) - 0.7 * np.cos(0.7))
    forward = d.jvp(lambda x: d.jvp(f, x, tf.ones_like(x))[1], tf.constant(0.7, tf.float64), 1.0)[1]
    np.testing.assert_allclose(forward, 2 * np.cos(0.7) - 0.7 * np.sin(0.7))


def named(*_):
    return tf.ones([2, 3])


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: d.grad(named)(x0), ValueError, r"named must return one floating number.*shape \(2, 3\).*jacobian"),
        (lambda: d.grad(lambda x: "text")(x0), ValueError, "string"),
        (lambda: d.grad(lambda x: object())(x0), TypeError, "must return tensors, it returned <object"),
        (lambda: d.grad(lambda x: None)(x0), TypeError, "it returned None"),
        (
            lambda: d.grad(named, wrt=2)(x0),
            ValueError,
            "named was called with 1 positional arguments, and has no number 2",
        ),
        (lambda: d.grad(named)(3), TypeError, "Argument 0 of named is int32.*Cast it"),
        (lambda: d.grad(named)(object()), TypeError, "Argument 0 of named is <object.*no derivative"),
        (lambda: d.grad(named, wrt=["w"])(x0), TypeError, r"wrt\[0\] is 'w'"),
        (lambda: d.jacobian(named, mode="both"), ValueError, "mode must be 'reverse' or 'forward', got 'both'"),
        (
            lambda: d.jvp(tf.sin, x0, tf.ones([2], tf.float64)),
            ValueError,
            r"the tangent has shape \(2,\), but its primal has shape \(3,\)",
        ),
        (lambda: d.jvp(tf.sin, x0, tf.ones([3])), ValueError, "the tangent is float32, but its primal is float64"),
        (lambda: d.jvp(lambda a, b: a, (x0, x0), (x0,)), ValueError, "different structures"),
        (
            lambda: d.jvp(lambda a, b: a, (x0, x0), (x0, tf.ones([1], tf.float64))),
            ValueError,
            r"tangents\[1\] has shape \(1,\)",
        ),
        (lambda: d.hvp(x0, named, x0), TypeError, r"tf.derivatives.hvp takes a function first, got <tf.Tensor"),
        (lambda: d.vjp(lambda: x0), ValueError, "nothing to differentiate by.*wrt=model.trainable_variables"),
        (lambda: d.grad(named)(x=x0), ValueError, "differentiated by is given by position"),
        (lambda: d.grad(named, wrt=[0, 1])(x0, x0), TypeError, "a tuple of numbers"),
        (lambda: d.laplacian(lambda p: p["a"])({"a": x0}), TypeError, "takes one tensor as argument 0, got dict"),
        (lambda: d.value_and_grad(named, has_aux=True)(x0), TypeError, r"must return \(value, anything else\)"),
        (lambda: d.vjp(tf.sin, x0)[1](tf.ones([2], tf.float64)), ValueError, r"shape \(2,\).*\(3,\)"),
        (
            lambda: d.per_example_gradients(lambda w, x, y: w)(x0, tf.ones([2]), tf.ones([3])),
            ValueError,
            "'x' has 2.*'y' has 3",
        ),
    ],
)
def test_errors_say_what_was_given(call, error, words):
    with pytest.raises((error, tf.errors.InvalidArgumentError) if error is ValueError else error, match=words):
        call()


def test_random_numbers_are_the_same_in_every_direction():
    f = lambda a, b: tf.nn.dropout(a + b, 0.5)
    a, b = tf.ones([50]), tf.ones([50])
    of_a, of_b = d.jacobian(f, wrt=(0, 1), mode="forward", chunk_size=7)(a, b)
    np.testing.assert_array_equal(of_a, of_b)
    generator = tf.random.Generator.from_seed(1)
    noisy = d.jacobian(lambda x: x * generator.normal([]), mode="forward", chunk_size=2)(tf.ones([5])).numpy()
    assert len(set(np.diag(noisy))) == 1


def test_both_modes_agree_on_complex_numbers_and_integers():
    z = tf.constant([1 + 2j, 3 - 1j], tf.complex64)
    f = lambda z: z * z
    np.testing.assert_allclose(d.jacobian(f, mode="forward")(z), d.jacobian(f)(z))
    whole = lambda x: tf.cast(x, tf.int32)
    forward, reverse = [d.jacobian(whole, mode=mode)(x0) for mode in ("forward", "reverse")]
    assert forward.dtype is reverse.dtype is tf.float64 and not np.any(forward.numpy())
    assert d.jacobian(lambda x: x, wrt=(), mode="forward")(x0) == ()


def test_memory_limits_forward_chunks_too(monkeypatch):
    seen = []

    def wide(x):
        seen.append(1)
        return tf.reduce_sum(tf.broadcast_to(x[:, None], [40, 1000]) ** 2, 1)

    monkeypatch.setattr(memory, "LIMIT", 4 * 40_000 * 4 * 10)  # ten directions
    j = d.jacobian(wide, mode="forward")(tf.range(40.0))
    np.testing.assert_allclose(j, np.diag(2000 * np.arange(40.0)))
    assert len(seen) == 1 + 4  # eight to look, then four times eight


def test_options_are_not_arguments():
    v = tf.Variable(3.0)
    assert float(d.hvp(lambda training=False: v**2 * (5.0 if training else 1.0), v, 1.0)) == 2.0
