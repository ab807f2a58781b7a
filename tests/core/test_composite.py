"""Values of several tensors answer for primitives that meet them."""

import pytest

import tapeflow as tf
from tapeflow.core.composite import Composite, CompositeTensor


class Pair(Composite):
    def __init__(self, values):
        self._differentiable = values

    def _with_differentiable(self, values):
        return Pair(values)

    @classmethod
    def _apply(cls, prim, args, params):
        found = [a._differentiable if isinstance(a, Pair) else a for a in args]
        return Pair(prim.entry(*found, **params))


def test_a_composite_does_the_work_of_the_primitives():
    found = tf.exp(Pair(tf.constant([0.0, 1.0])))
    assert isinstance(found, Pair) and found._differentiable.numpy()[0] == 1
    assert (tf.constant(3.0) * Pair(tf.constant([1.0, 2.0])))._differentiable.numpy().tolist() == [3, 6]


def test_a_tape_looks_inside():
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        target = tf.square(Pair(x))
    assert tape.gradient(target, x).numpy().tolist() == [2, 4]


def test_one_that_answers_for_nothing_is_refused():
    class Silent(Composite):
        _differentiable = None

    with pytest.raises(TypeError, match="exp does not take a Silent"):
        tf.exp(Silent())


@pytest.mark.parametrize("function", [tf.identity, tf.stop_gradient])
def test_what_hands_on_its_input_hands_on_the_parts(function):
    class Plain(CompositeTensor):
        """One that says nothing of primitives."""

        def __init__(self, part, variable):
            self.part, self.variable = part, variable

        @property
        def _type_spec(self):
            return PlainSpec(tf.TensorSpec.from_tensor(self.part))

    class PlainSpec(tf.TypeSpec):
        value_type = Plain

        def __init__(self, part):
            self.part = part

        def _serialize(self):
            return (self.part,)

        _component_specs = property(lambda self: [self.part, self.part])
        _to_components = lambda self, value: [value.part, value.variable]
        _from_components = lambda self, parts: Plain(*parts)

    plain = Plain(tf.constant([3.0]), tf.Variable([4.0]))
    made = function(plain)
    assert type(made) is Plain and made.part is not plain.part and made.part.numpy() == [3]
    assert made.variable is plain.variable
    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([3, 2]))
    assert type(function(slices)) is tf.IndexedSlices
