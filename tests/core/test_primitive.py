"""Declarations: what is wrong with one fails where it stands."""

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.core import primitive as declared
from tapeflow.core.primitive import CUT, REGISTRY, Primitive, Spec, primitive


@pytest.fixture(autouse=True)
def forgotten():
    """What a test declares is not there afterwards."""
    before = dict(REGISTRY)
    names = {id(space): set(vars(space)) for space in (declared.recorded, declared.bare)}
    yield
    REGISTRY.clear()
    REGISTRY.update(before)
    for space in (declared.recorded, declared.bare):
        for name in set(vars(space)) - names[id(space)]:
            delattr(space, name)


def test_signatures():
    prim = Primitive("scaled(x, y, *, by, shape)", kernel=lambda x, y, by, shape: x, vjp=CUT)
    assert (prim.inputs, prim.params, prim.variadic) == (("x", "y"), ("by", "shape"), False)
    prim = Primitive("joined(*xs, axis)", kernel=lambda *xs, axis: xs[0], vjp=CUT)
    assert (prim.inputs, prim.params, prim.variadic) == (("xs",), ("axis",), True)


def test_a_name_is_declared_once():
    with pytest.raises(ValueError, match="'sin' is declared twice"):
        primitive("sin(x)", kernel="sin", vjp=CUT)


def test_every_input_has_dtypes():
    with pytest.raises(ValueError, match=r"no dtypes for \['y'\]"):
        primitive("half_said(x, y)", kernel="add", vjp=CUT, dtypes={"x": tf.dtypes and declared.ANY})


def test_an_input_cannot_have_a_name_that_the_entry_needs():
    with pytest.raises(ValueError, match="cannot be called record"):
        primitive("clash(record)", kernel="sin", vjp=CUT)


def test_kernels_by_engine():
    twice = lambda xp, x: xp.add(x, x)
    prim = Primitive("twice(x)", kernel={"numpy": twice, "other": "own.twice"}, vjp=CUT)
    assert prim.on("numpy", np)(3) == 6
    assert prim.on("other", np, lambda name: name.upper()) == "OWN.TWICE"
    with pytest.raises(NotImplementedError, match="no kernel for the engine 'third'; it has some for numpy, other"):
        prim.on("third", np)


def test_without_a_shape_rule_the_kernel_runs_on_zeros():
    prim = Primitive("rows(x)", kernel=lambda x: x.sum(0).astype(np.int8), vjp=CUT)
    spec = prim.infer([Spec(shape=(2, 3), dtype=np.dtype("float32"))], {})
    assert (spec.shape, spec.dtype) == ((3,), np.int8) and repr(spec) == "int8[3]"


def test_a_declaration_is_an_operation_with_gradients():
    cube = primitive("cube(x)", kernel=lambda x: x * x * x, vjp=lambda g, x: g * (3 * x * x), elementwise=True)
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = cube(x)
    assert y.numpy().tolist() == [8, 27] and tape.gradient(y, x).numpy().tolist() == [12, 27]
    assert declared.recorded.cube is cube and REGISTRY["cube"].inputs == ("x",)
