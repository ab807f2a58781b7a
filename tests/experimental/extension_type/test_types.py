"""Types of a user's own: what they are, and that functions, loops and tapes take them as they take tensors."""

import copy
import pickle
from collections.abc import Mapping

import numpy as np
import pytest

import tapeflow as tf


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor

    def total(self):
        return tf.reduce_sum(tf.where(self.mask, self.values, 0.0))


class Net(tf.experimental.ExtensionType):
    m: Masked
    n: int = 3
    name: str = "a"


class Pair(tf.experimental.ExtensionType):
    a: tf.Tensor
    b: tf.Tensor


def masked(values=(1.0, 2.0), mask=(True, False)):
    return Masked(tf.constant(values), tf.constant(mask))


# ---- what they are


def test_a_value_says_what_it_is():
    assert repr(masked([1.0], [True])) == (
        "Masked(values=<tf.Tensor: shape=(1,), dtype=float32, numpy=array([1.], dtype=float32)>, "
        "mask=<tf.Tensor: shape=(1,), dtype=bool, numpy=array([ True])>)"
    )
    assert tf.experimental.extension_type.as_dict(Net(masked(), 4))["n"] == 4
    assert isinstance(masked(), tf.experimental.ExtensionType)


def test_values_do_not_change():
    value = Net(masked())
    for change in (
        lambda: setattr(value, "n", 3),
        lambda: setattr(value, "other", 3),
        lambda: delattr(value, "n"),
        lambda: setattr(value.m, "values", 3),
    ):
        with pytest.raises(AttributeError, match=r"Cannot mutate attribute `.*` outside the custom constructor"):
            change()


def test_equality_is_of_type_fields_and_shapes():
    a = masked()
    same = a == masked()
    assert isinstance(same, tf.Tensor) and bool(same) and not bool(a != masked())
    assert not bool(a == masked([1.0, 3.0]))
    assert (a == 3) is False and (a != 3) is True and (a == masked([1.0], [True])) is False
    assert (Net(a) == Net(a, 4)) is False and bool(Net(a) == Net(a))

    class Number(tf.experimental.ExtensionType):
        n: int

    assert Number(1) == Number(1) and Number(1) != Number(2)
    with pytest.raises(TypeError, match="unhashable type: 'Number'"):
        hash(Number(1))


def test_copies_and_pickles():
    value = Net(masked())
    for other in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert other is not value and bool(other == value)


def test_types_derived_from_types():
    class Three(Masked):
        y: int = 4

        def twice(self):
            return self.total() * 2

    value = Three([1.0], [True])
    assert (value.y, float(value.twice()), isinstance(value, Masked)) == (4, 2.0, True)
    assert repr(value._type_spec).endswith("y=4)") and not issubclass(Three.Spec, Masked.Spec)


def test_a_type_may_contain_its_own():
    class Tree(tf.experimental.ExtensionType):
        children: "tuple[Tree, ...]"
        v: tf.Tensor

    tree = Tree((Tree((), 1.0),), 2.0)
    f = tf.function(lambda t: t.v + sum(c.v for c in t.children))
    assert (float(f(tree)), float(f(Tree((), 2.0))), f.experimental_get_tracing_count()) == (3, 2, 2)


def test_a_type_with_operators_meets_tensors():
    class Length(tf.experimental.ExtensionType):
        x: tf.Tensor

        def __add__(self, other):
            return Length(self.x + (other.x if isinstance(other, Length) else other))

        __radd__ = __add__

    a = Length([1.0, 2.0])
    for total in (a + a, a + a.x, a.x + a):
        assert isinstance(total, Length) and total.x.numpy().tolist() == [2, 4]


def test_no_tensor_is_made_of_one():
    with pytest.raises(ValueError, match=r"Attempt to convert a value .Masked.* with an unsupported type"):
        tf.convert_to_tensor(masked())
    with pytest.raises(ValueError, match=r"Attempt to convert a value .Masked"):
        tf.reduce_mean(masked())
    with pytest.raises(TypeError):
        masked() * 2.0
    assert tf.identity(masked()).values.numpy().tolist() == [1, 2]


# ---- nests


def test_nests_open_them_when_they_are_asked():
    value = Net(masked([1.0], [True]))
    assert tf.nest.flatten([value])[0] is value and not tf.nest.is_nested(value)
    assert [t.dtype for t in tf.nest.flatten(value, expand_composites=True)] == [tf.float32, tf.bool]
    assert [s.dtype for s in tf.nest.flatten(value._type_spec, expand_composites=True)] == [tf.float32, tf.bool]
    for like in (value, value._type_spec):
        packed = tf.nest.pack_sequence_as(like, [tf.constant([5.0]), tf.constant([False])], expand_composites=True)
        assert isinstance(packed, Net) and packed.m.values.numpy() == 5
    shapes = tf.nest.map_structure(lambda t: t.shape, value, expand_composites=True)
    assert shapes.m.values == tf.TensorShape([1])
    with pytest.raises(ValueError, match="the same nested structure"):
        tf.nest.assert_same_structure(value, Net(value.m, 4), expand_composites=True)
    tf.nest.assert_same_structure(value, Net(masked()), expand_composites=True)


# ---- functions


def test_a_function_is_traced_once_for_each_spec():
    traces = []

    @tf.function
    def scaled(net):
        traces.append(tf.executing_eagerly())
        return Masked(net.m.values * net.n, net.m.mask)

    assert scaled(Net(masked())).values.numpy().tolist() == [3, 6]
    assert scaled(Net(masked([5.0, 0.0]))).values.numpy().tolist() == [15, 0]
    assert traces == [False]
    assert scaled(Net(masked(), 4)).values.numpy().tolist() == [4, 8]
    scaled(Net(masked([1.0], [True])))
    assert len(traces) == 3


def test_sizes_may_be_left_open():
    f = tf.function(lambda m: m.total(), reduce_retracing=True)
    for k in range(1, 6):
        assert float(f(Masked(tf.ones([k]), tf.ones([k], tf.bool)))) == k
    assert f.experimental_get_tracing_count() == 2

    spec = Masked.Spec(tf.TensorSpec([None]), tf.TensorSpec([None], tf.bool))
    g = tf.function(lambda m: m.total(), input_signature=[spec])
    assert [float(g(Masked(tf.ones([k]), tf.ones([k], tf.bool)))) for k in (1, 2, 3)] == [1, 2, 3]
    assert g.experimental_get_tracing_count() == 1
    for wrong in (Masked([1], [True]), 3):
        with pytest.raises(TypeError, match=r"Binding inputs to tf.function failed due to `Can not cast"):
            g(wrong)
    concrete = tf.function(lambda m: Masked(m.values + 1.0, m.mask)).get_concrete_function(spec)
    assert concrete.structured_input_signature == ((spec,), {})
    assert concrete(masked()).values.numpy().tolist() == [2, 3]
    with pytest.raises(TypeError, match="Can not cast"):
        concrete(Masked([1], [True]))


def test_captured_nested_and_returned():
    held = masked()
    total, back, by_name = tf.function(lambda x: (held.total() * x, held, {"m": Net(held)}))(tf.constant(2.0))
    assert float(total) == 2 and isinstance(back, Masked) and by_name["m"].n == 3


def test_plain_fields_decide_which_branch_is_traced():
    @tf.function
    def f(net):
        if net.n == 3:
            return net.m.values
        return -net.m.values

    assert (f(Net(masked())).numpy()[0], f(Net(masked(), 4)).numpy()[0]) == (1, -1)


@pytest.mark.parametrize("run", [lambda f: f, tf.function])
def test_conditions_and_loops_carry_them(run):
    p = Pair([1.0], 2.0)
    chosen = run(lambda p, c: tf.cond(c, lambda: Pair(p.a + 1.0, p.b), lambda: Pair(p.a, p.b - 1.0)))
    assert chosen(p, tf.constant(True)).a.numpy() == 2 and chosen(p, tf.constant(False)).b.numpy() == 1
    loop = run(lambda p: tf.while_loop(lambda i, p: i < 3, lambda i, p: (i + 1, Pair(p.a * 2.0, p.b)), [0, p])[1])
    assert loop(p).a.numpy() == 8


def test_autograph_carries_them():
    @tf.function
    def f(p, n):
        i = 0
        while i < n:
            p = Pair(p.a * 2.0, p.b)
            i += 1
        if p.b > 0.0:
            p = Pair(p.a + 1.0, p.b)
        for k in tf.range(2):
            p = Pair(p.a + tf.cast(k, tf.float32), p.b)
        return p

    assert f(Pair([1.0], 2.0), tf.constant(3)).a.numpy() == 10
    assert f(Pair([1.0], -2.0), tf.constant(3)).a.numpy() == 9


def test_branches_must_give_one_kind():
    f = tf.function(lambda m: tf.cond(m.values[0] > 0, lambda: Net(m, 3), lambda: Net(m, 4)))
    with pytest.raises(TypeError):
        f(masked())


def test_python_functions_take_and_give_them():
    turned = Pair.Spec(tf.TensorSpec([]), tf.TensorSpec([1]))
    out = tf.py_function(lambda p: Pair(p.b, p.a), [Pair([1.0], 2.0)], turned)
    assert isinstance(out, Pair) and out.b.numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Tout says Pair.Spec"):
        tf.py_function(lambda p: p.a, [Pair([1.0], 2.0)], turned)


# ---- gradients


def test_gradients_of_their_fields():
    m = masked([1.0, 2.0, 3.0], [True, False, True])
    with tf.GradientTape() as tape:
        tape.watch(m.values)
        y = tf.function(lambda m: m.total())(m)
    assert (float(y), tape.gradient(y, m.values).numpy().tolist()) == (4.0, [1, 0, 1])


def test_gradients_of_the_whole_have_its_type():
    p = Pair([1.0, 2.0], 3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(p)
        y = tf.reduce_sum(p.a * p.a) * p.b
        z = tf.reduce_sum(p.a)
        scaled = p.a * p.b
    found = tape.gradient(y, p)
    assert isinstance(found, Pair) and found.a.numpy().tolist() == [6, 12] and float(found.b) == 5
    both = tape.gradient(y, [p, p.a])
    assert both[0].a.numpy().tolist() == both[1].numpy().tolist() == [6, 12]
    assert tape.gradient(z, p).b is None and tape.gradient(tf.constant(1.0), p) is None
    assert float(tape.gradient(z, p, unconnected_gradients="zero").b) == 0
    assert tape.jacobian(scaled, p).a.numpy().tolist() == [[3, 0], [0, 3]]
    assert str(tape.explain(z, p)).count("source") == 2  # a line for each field


def test_fields_that_have_no_gradient_stay():
    class Weighted(tf.experimental.ExtensionType):
        v: tf.Tensor
        i: tf.Tensor

    q = Weighted(2.0, [1, 2])
    with tf.GradientTape() as tape:
        tape.watch(q)
        y = q.v * q.v
    found = tape.gradient(y, q)
    assert float(found.v) == 4 and found.i.numpy().tolist() == [1, 2]


def test_as_targets():
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        p = Pair(x * x, 5.0 * x)
    assert float(tape.gradient(p, x)) == 11
    assert float(tape.gradient(p, x, output_gradients=Pair(1.0, 10.0))) == 56
    assert float(tape.gradient([p], x, output_gradients=[Pair(1.0, 10.0)])) == 56


def test_a_type_may_say_which_fields_count():
    class OnlyA:
        def get_gradient_components(self, value):
            return value.a

        def replace_gradient_components(self, value, component_grads):
            return Scaled(component_grads, value.b)

    class Scaled(tf.experimental.ExtensionType):
        __composite_gradient__ = OnlyA()
        a: tf.Tensor
        b: tf.Tensor

    s = Scaled(2.0, 3.0)
    with tf.GradientTape() as tape:
        tape.watch(s)
        y = s.a * s.a * s.b
    found = tape.gradient(y, s)
    assert float(found.a) == 12 and float(found.b) == 3


def test_rules_and_recomputation_take_them():
    @tf.custom_gradient
    def f(p):
        return Pair(p.a * p.b, p.b), lambda g: Pair(g.a * 10.0, g.b * 20.0)

    for function in (f, tf.function(f)):
        p = Pair(1.0, 3.0)
        with tf.GradientTape() as tape:
            tape.watch(p)
            out = function(p)
            y = out.a + out.b
        found = tape.gradient(y, p)
        assert (float(out.a), float(found.a), float(found.b)) == (3, 10, 20)

    p = Pair([1.0], [2.0])
    with tf.GradientTape() as tape:
        tape.watch(p)
        y = tf.recompute_grad(lambda p: p.a * p.b)(p)
    found = tape.gradient(y, p)
    assert (found.a.numpy()[0], found.b.numpy()[0]) == (2, 1)


def test_forward_mode():
    p = Pair(1.0, 3.0)
    with tf.autodiff.ForwardAccumulator(p.a, tf.constant(1.0)) as acc:
        q = Pair(p.a * p.b, p.b)
    assert float(acc.jvp(q).a) == 3 and acc.jvp(q).b is None


# ---- files


def test_a_named_type_is_saved(tmp_path):
    class Stored(tf.experimental.ExtensionType):
        __name__ = "tests.Stored"
        values: tf.Tensor
        parts: Mapping[str, tf.Tensor]
        n: int = 2

    m = tf.Module()
    spec = Stored.Spec(tf.TensorSpec([None]), {"k": tf.TensorSpec([])}, 2)
    m.f = tf.function(lambda s: Stored(s.values * s.n, s.parts, s.n), input_signature=[spec])
    tf.saved_model.save(m, str(tmp_path))
    out = tf.saved_model.load(str(tmp_path)).f(Stored([1.0, 2.0], {"k": 1.0}))
    assert isinstance(out, Stored) and out.values.numpy().tolist() == [2, 4] and float(out.parts["k"]) == 1


def test_a_type_without_a_name_is_not(tmp_path):
    m = tf.Module()
    m.f = tf.function(lambda m: m.total())
    m.f(masked())
    with pytest.raises(Exception, match="__name__"):
        tf.saved_model.save(m, str(tmp_path))


def test_functions_that_captured_one_are_saved(tmp_path):
    held = masked()
    m = tf.Module()
    m.f = tf.function(lambda x: held.total() * x, input_signature=[tf.TensorSpec([])])
    tf.saved_model.save(m, str(tmp_path))
    assert float(tf.saved_model.load(str(tmp_path)).f(tf.constant(2.0))) == 2


def test_ragged_and_sparse_fields():
    class Both(tf.experimental.ExtensionType):
        r: tf.RaggedTensor
        s: tf.SparseTensor

    value = Both(tf.ragged.constant([[1], [2, 3]]), tf.sparse.eye(2))
    assert value._type_spec.r == tf.RaggedTensorSpec([2, None], tf.int32)
    assert len(tf.nest.flatten(value, expand_composites=True)) == 5
    assert tf.function(lambda w: w.r * 2)(value).to_list() == [[2], [4, 6]]
    weights = Both(tf.ragged.constant([[1.0], [2.0, 3.0]]), tf.sparse.eye(2))
    with tf.GradientTape() as tape:
        tape.watch(weights)
        y = tf.reduce_sum(weights.r * weights.r) + tf.sparse.reduce_sum(weights.s)
    found = tape.gradient(y, weights)
    assert found.r.to_list() == [[2.0], [4.0, 6.0]]
    np.testing.assert_array_equal(found.s.values.numpy(), [1, 1])
