"""How tangents go through an operation, for each of the ways in which a declaration says so."""

import numpy as np
import pytest

from tapeflow.core.primitive import CUT, DIAGONAL, LINEAR, REGISTRY, TOGETHER, Primitive, bare

X, T = np.array([2.0, 3.0]), np.array([0.5, -1.0])
KERNEL = lambda x, y: 3 * x + 5 * y


@pytest.fixture(autouse=True)
def forgotten():
    before, names = dict(REGISTRY), set(vars(bare))
    yield
    REGISTRY.clear()
    REGISTRY.update(before)
    for name in set(vars(bare)) - names:
        delattr(bare, name)


def declare(signature, kernel, **rules):
    prim = Primitive(signature, kernel=kernel, **rules)
    setattr(bare, prim.name, prim.on("numpy", np))
    return prim


def pushed(prim, tangents, *args, **params):
    mask = sum(1 << i for i, t in enumerate(tangents) if t is not None)
    push = prim.pushforward(mask, len(args))
    tangents = [np.zeros_like(x) if i in push.zeros else t for i, (t, x) in enumerate(zip(tangents, args))]
    y = prim.on("numpy", np)(*args, **params)
    return push.run and push.run(bare, tangents, y, params, *args), push.rest


def test_linear_in_each_input():
    product = declare("times(x, y)", np.multiply, vjp={"x": lambda g, y: g * y, "y": lambda g, x: g * x}, jvp=LINEAR)
    found, rest = pushed(product, [T, T], X, X + 1)
    np.testing.assert_array_equal(found, T * (X + 1) + X * T)
    assert rest == 0


def test_linear_in_all_inputs_at_once():
    both = declare("mixed(x, y)", KERNEL, vjp={"x": lambda g: 3 * g, "y": lambda g: 5 * g}, jvp=TOGETHER)
    np.testing.assert_array_equal(pushed(both, [T, None], X, X)[0], 3 * T)
    np.testing.assert_array_equal(pushed(both, [T, 2 * T], X, X)[0], 13 * T)


def test_the_backward_rule_serves_where_elements_are_apart():
    cube = declare("cubed(x)", lambda x: x**3, vjp=lambda g, x: g * (3 * x * x), jvp=DIAGONAL)
    np.testing.assert_array_equal(pushed(cube, [T], X)[0], T * 3 * X**2)


def test_a_rule_of_its_own_asks_for_the_tangent():
    scaled = declare("scale_by(x, *, by)", lambda x, by: x * by, vjp=lambda g, by: g * by, jvp=lambda t, by: t * by)
    np.testing.assert_array_equal(pushed(scaled, [T], X, by=7.0)[0], 7 * T)


def test_what_has_no_rule_is_left_to_the_transposed_one():
    left = declare("left_over(x)", np.sin, vjp=lambda g: g)
    assert pushed(left, [T], X) == (None, 1)
    assert pushed(declare("nothing_flows(x)", np.sign, vjp=CUT), [T], X) == (None, 0)
