"""Fields, constructors and checks of extension types."""

import abc
import inspect

import pytest

import tapeflow as tf

Extension = tf.experimental.ExtensionType


def test_the_constructor_takes_the_fields_in_order():
    class A(Extension):
        x: tf.Tensor
        y: int = 5
        z: int

    value = A(1, z=1)
    assert (int(value.x), value.y, value.z) == (1, 5, 1)
    assert list(inspect.signature(A).parameters) == ["x", "y", "z"]
    for arguments, error in (((), "missing a required argument: 'x'"), ((1, 2, 3), "too many positional arguments")):
        with pytest.raises(TypeError, match=error):
            A(*arguments)
    with pytest.raises(TypeError, match="got an unexpected keyword argument 'other'"):
        A(1, z=1, other=2)


def test_defaults_are_checked_when_the_class_is_made():
    with pytest.raises(TypeError, match="default value for y: expected 'int', got 'str'"):

        class A(Extension):
            y: int = "a"


@pytest.mark.parametrize("name", ["Spec", "_type_spec", "_tf_extension_type_x", "self"])
def test_reserved_names(name):
    with pytest.raises(ValueError, match=f"The field annotations for C are invalid. Field '{name}' is reserved."):
        type("C", (Extension,), {"__annotations__": {name: int}, "__module__": __name__})


def test_a_field_needs_an_annotation():
    with pytest.raises(ValueError, match="Field x is missing a type annotation"):

        class A(Extension):
            x = 5


def test_checks_of_the_users():
    class Vector(Extension):
        x: tf.Tensor

        def __validate__(self):
            self.x.shape.assert_has_rank(1)

    assert Vector([1.0]).x.shape == [1]
    with pytest.raises(ValueError, match="must have rank 1"):
        Vector(1.0)


def test_constructors_of_the_users():
    class Doubled(Extension):
        x: tf.Tensor
        n: int

        def __init__(self, x):
            self.x, self.n = x, 3
            self.x = [self.x, self.x]

    value = Doubled(2.0)
    assert value.x.numpy().tolist() == [2, 2] and value.n == 3
    with pytest.raises(AttributeError, match="outside the custom constructor"):
        value.n = 4

    class More(Doubled):
        y: int

        def __init__(self, x):
            super().__init__(x)
            self.y = 7

    assert (More(1.0).n, More(1.0).y) == (3, 7)


def test_constructors_that_set_too_little_or_too_much():
    class Little(Extension):
        x: tf.Tensor
        n: int

        def __init__(self, x):
            self.x = x

    class Much(Extension):
        x: tf.Tensor

        def __init__(self, x):
            self.x = x
            self.y = 3

    with pytest.raises(ValueError, match=r"Missing required fields: {'n'}"):
        Little(1.0)
    with pytest.raises(AttributeError, match="Cannot mutate attribute `y`"):
        Much(1.0)


def test_a_field_of_a_derived_type_replaces_one():
    class A(Extension):
        x: tf.Tensor

    class B(A):
        x: int

    assert B(1).x == 1


def test_abstract_types():
    class A(Extension):
        @abc.abstractmethod
        def f(self): ...

    with pytest.raises(TypeError, match="abstract"):
        A()
