"""The specs of extension types: what they say, what fits them, and specs of the users'."""

import pytest

import tapeflow as tf


class Masked(tf.experimental.ExtensionType):
    values: tf.Tensor
    mask: tf.Tensor


class Net(tf.experimental.ExtensionType):
    m: Masked
    n: int = 3


def masked(size=1):
    return Masked(tf.ones([size]), tf.ones([size], tf.bool))


ANY = Masked.Spec(tf.TensorSpec([None]), mask=tf.TensorSpec(None, tf.bool))


def test_a_spec_has_the_fields_of_the_type():
    spec = Net(masked())._type_spec
    assert repr(spec) == (
        "Net.Spec(m=Masked.Spec(values=TensorSpec(shape=(1,), dtype=tf.float32, name=None), "
        "mask=TensorSpec(shape=(1,), dtype=tf.bool, name=None)), n=3)"
    )
    assert (spec.n, spec.m.values, spec.value_type) == (3, tf.TensorSpec([1]), Net)
    assert isinstance(spec, tf.experimental.ExtensionTypeSpec) and isinstance(spec, tf.TypeSpec)
    assert tf.type_spec_from_value(Net(masked())) == spec == Net.Spec.from_value(Net(masked()))
    with pytest.raises(AttributeError, match="custom constructor of ExtensionTypeSpec"):
        spec.n = 4


def test_equality_and_what_fits():
    spec = Net(masked())._type_spec
    assert spec == Net(masked())._type_spec and hash(spec) == hash(Net(masked())._type_spec)
    assert spec != Net(masked(2))._type_spec and spec != Net(masked(), 4)._type_spec
    assert ANY.is_compatible_with(masked()) and ANY.is_compatible_with(masked()._type_spec)
    for other in (Masked([1], [True]), Masked([[1.0]], [True]), 3, Net(masked())):
        assert not ANY.is_compatible_with(other)
    assert masked()._type_spec.is_subtype_of(ANY) and not ANY.is_subtype_of(masked()._type_spec)


def test_what_covers_two():
    one, two = masked(1)._type_spec, masked(2)._type_spec
    wide = Masked.Spec(tf.TensorSpec([None]), tf.TensorSpec([None], tf.bool))
    assert one.most_specific_common_supertype([two]) == wide == one.most_specific_compatible_type(two)
    assert one.most_specific_common_supertype([Net(masked())._type_spec]) is None
    three, four = Net(masked())._type_spec, Net(masked(), 4)._type_spec
    assert three.most_specific_common_supertype([four]) is None
    with pytest.raises(ValueError, match="No spec covers both"):
        three.most_specific_compatible_type(four)


def test_fields_of_specs_are_specs():
    for arguments, error in (
        ((1, 2), "values: expected a TensorSpec, got 'int'"),
        ((tf.TensorSpec([1]),), "missing a required argument: 'mask'"),
        ((tf.constant(1.0), tf.constant(True)), "values: expected a TensorSpec, got 'EagerTensor'"),
    ):
        with pytest.raises(TypeError, match=error):
            Masked.Spec(*arguments)
    with pytest.raises(TypeError, match="n: expected 'int', got 'str'"):
        Net.Spec(ANY, "a")


def test_a_value_comes_apart_and_together():
    value = Net(masked())
    spec = value._type_spec
    assert spec._component_specs == (masked()._type_spec,) and spec._to_components(value) == (value.m,)
    assert bool(spec._from_components(spec._to_components(value)) == value)


def test_specs_of_the_users():
    class A(tf.experimental.ExtensionType):
        x: tf.Tensor
        shape = property(lambda self: self.x.shape)

        class Spec:
            def __init__(self, shape, dtype=tf.float32):
                self.x = tf.TensorSpec(shape, dtype)

            @property
            def shape(self):
                return self.x.shape

            def __repr__(self):
                return f"A.Spec({self.shape})"

    assert repr(A([[1.0]])._type_spec) == "A.Spec((1, 1))" and A([[1.0]])._type_spec == A.Spec([1, 1])
    assert A.Spec([2, 3]).is_compatible_with(A(tf.ones([2, 3])))
    f = tf.function(lambda a: a.x * 2.0, input_signature=[A.Spec([None])])
    assert f(A([1.0, 2.0])).numpy().tolist() == [2, 4]

    with pytest.raises(ValueError, match=r"must be directly subclassed from tf.TypeSpec"):

        class B(tf.experimental.ExtensionType):
            class Spec(tf.experimental.ExtensionTypeSpec):
                pass


def test_plain_values_are_told_apart():
    """1 and True are equal, and traced apart."""

    class Flag(tf.experimental.ExtensionType):
        on: "bool | int"

    f = tf.function(lambda flag: tf.constant(str(type(flag.on))))
    assert b"bool" in f(Flag(True)).numpy() and b"int" in f(Flag(1)).numpy()
    assert Flag(True)._type_spec != Flag(1)._type_spec
