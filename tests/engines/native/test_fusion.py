"""Expressions of elementwise operations: NumPy's numbers, for any layout of the arguments."""

import numpy as np
import pytest

from tapeflow.core.primitive import REGISTRY
from tapeflow.engines.native import fusion
from tapeflow.engines.native.fusion import ELEMENT_BY_ELEMENT, ONE_NUMBER, ONE_ROW, Step, expression
from tapeflow.engines.native.library import library

pytestmark = pytest.mark.skipif(not fusion.has("add"), reason=f"the C library is {library.state}")

EXACT = {
    "add", "sub", "mul", "div", "neg", "abs", "square", "reciprocal", "sqrt", "maximum", "minimum", "safe_mul",
    "safe_div", "relu", "relu_grad",
}  # fmt: skip
ODD = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-45, 3e38, -3e38, 1e-38, 0.7, -88.8, 70000], np.float32)


def alone(name, shape):
    """An operation as an expression."""
    inputs = REGISTRY[name].inputs
    return expression([Step(name, inputs, "y")], dict.fromkeys(inputs, ELEMENT_BY_ELEMENT), {}, ["y"], shape)


def numpys(name, *arrays):
    with np.errstate(all="ignore"):
        kernel = REGISTRY[name].on("numpy", np)
        return getattr(kernel, "plain", kernel)(*arrays)


def test_every_instruction_is_an_elementwise_primitive():
    for name in library.instructions:
        assert REGISTRY[name].elementwise and len(REGISTRY[name].inputs) in (1, 2), name


@pytest.mark.parametrize("name", library.instructions)
def test_numbers(name):
    rng = np.random.default_rng(3)
    for shape in ((1,), (7,), (512,), (3, 515)):
        arrays = [(rng.normal(size=shape) * 3).astype(np.float32) for _ in REGISTRY[name].inputs]
        [got] = alone(name, shape)(*arrays)
        want = numpys(name, *[a.astype(np.float64) for a in arrays])
        assert (got.dtype, got.shape) == (np.float32, shape)
        if name in EXACT:
            np.testing.assert_array_equal(got, numpys(name, *arrays))
        else:  # slopes are differences of numbers near 1
            np.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-5 if "gelu" in name else 1e-7)


@pytest.mark.parametrize("name", library.instructions)
def test_nan_infinities_and_zeros(name):
    if name in ("gelu_grad", "gelu_tanh_grad"):  # see test_native.py
        return
    pairs = [a.ravel().copy() for a in np.meshgrid(ODD, ODD)][: len(REGISTRY[name].inputs)]
    [got] = alone(name, pairs[0].shape)(*pairs)
    want = numpys(name, *pairs)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
    fine = ~np.isnan(want)
    np.testing.assert_allclose(got[fine], want[fine], rtol=3e-6, atol=1e-44)
    if name in EXACT - {"maximum", "minimum", "relu", "safe_mul", "safe_div"}:  # which zero of two is larger?
        np.testing.assert_array_equal(np.signbit(got[fine]), np.signbit(want[fine]))


def test_sines_of_large_numbers():
    x = np.float32([65535, 65537, -65537, 1e6, 1e10, 3e38, np.pi, 2 * np.pi, 100 * np.pi])
    for name, reference in (("sin", np.sin), ("cos", np.cos)):
        np.testing.assert_allclose(alone(name, x.shape)(x)[0], reference(x.astype(np.float64)), rtol=1e-6)


LAYOUTS = {
    "as it is": lambda x: x,
    "columns of a wider one": lambda x: np.concatenate([x, x, x], axis=-1)[..., x.shape[-1] : 2 * x.shape[-1]],
    "every other row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "upside down": lambda x: x[::-1].copy()[::-1],
    "by columns": np.asfortranarray,
    "every other column": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "one row for all": lambda x: np.broadcast_to(x[:1], x.shape),
    "one column for all": lambda x: np.broadcast_to(x[..., :1], x.shape),
    "one number for all": lambda x: np.broadcast_to(x.ravel()[0], x.shape),
    "not aligned": lambda x: np.frombuffer(b"." + x.tobytes(), np.uint8)[1:].view(np.float32).reshape(x.shape),
    "of a class of its own": lambda x: x.view(type("Mine", (np.ndarray,), {})),
    "rows of rows": lambda x: np.broadcast_to(x, (2, *x.shape))[1],
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(5, 4), (3, 700), (2, 30, 40), (600, 3)])
def test_layouts(layout, shape):
    rng = np.random.default_rng(5)
    a, b = [rng.normal(size=shape).astype(np.float32) for _ in range(2)]
    row, one, number = rng.normal(size=shape[-1:]).astype(np.float32), np.full((1, 1), 0.5, np.float32), np.float32(3)
    steps = [
        Step("mul", ("a", "row"), "m"), Step("add", ("m", "b"), "s"), Step("sub", ("s", "one"), "d"),
        Step("mul", ("number", "d"), "p"), Step("div", ("p", "half"), "q"),
    ]  # fmt: skip
    spread = dict(a=ELEMENT_BY_ELEMENT, row=ONE_ROW, b=ELEMENT_BY_ELEMENT, one=ONE_NUMBER, number=None)
    run = expression(steps, spread, {"half": 0.5}, ["s", "q"], shape)
    laid_out = LAYOUTS[layout]
    for found, want in (
        (run(laid_out(a), row, b, one, number), np.array(laid_out(a)) * row + b),
        (run(a, row, laid_out(b), one, number), a * row + np.array(laid_out(b))),
    ):
        np.testing.assert_array_equal(found[0], want)
        np.testing.assert_array_equal(found[1], number * (want - np.float32(0.5)) / np.float32(0.5))


def test_what_is_no_such_array_is_said():
    run = expression([Step("add", ("a", "a"), "y")], {"a": ELEMENT_BY_ELEMENT}, {}, ["y"], (3, 4))
    with pytest.raises(SystemError, match="does not have the shape"):
        run(np.ones((3, 5), np.float32))
    np.testing.assert_array_equal(run([[1, 2, 3, 4]] * 3)[0], [[2, 4, 6, 8]] * 3)


def test_a_result_may_be_written_over_an_argument():
    rng = np.random.default_rng(0)
    a, b = [rng.normal(size=(40, 300)).astype(np.float32) for _ in range(2)]
    steps = [Step("gelu", ("a",), "g"), Step("mul", ("g", "b"), "y")]
    run = expression(steps, {"a": ELEMENT_BY_ELEMENT, "b": ELEMENT_BY_ELEMENT}, {}, ["g", "y"], a.shape)
    want = run(a, b)
    memory = a.copy(), b.copy()
    found = run(*memory, y0=memory[0], y1=memory[1])
    assert found[0] is memory[0] and found[1] is memory[1]
    for got, expected in zip(found, want, strict=True):
        np.testing.assert_array_equal(got, expected)


def test_memory_for_results_that_does_not_fit_is_not_used():
    a = np.ones((40, 300), np.float32)
    run = expression([Step("neg", ("a",), "y")], {"a": ELEMENT_BY_ELEMENT}, {}, ["y"], a.shape)
    other = np.zeros((300, 40), np.float32).T
    np.testing.assert_array_equal(run(a, y0=other)[0], -a)
    assert not other.any()


def test_many_values_at_a_time():
    """More than there is room for: blocks get shorter, and in the end there is no expression."""
    for count, there in ((10, True), (100, True), (300, True), (450, False)):
        steps = [Step("add", ("x", "x"), 0)]
        steps += [Step("add", (k, "x"), k + 1) for k in range(count)]
        total = [Step("add", (k, k + 1) if k == 0 else (("sum", k - 1), k + 1), ("sum", k)) for k in range(count)]
        last = ("sum", count - 1)
        run = expression([*steps, *total], {"x": ELEMENT_BY_ELEMENT}, {}, [last], (1000,))
        assert (run is not None) == there
        if run is not None:
            want = sum(k + 2 for k in range(count + 1))
            np.testing.assert_array_equal(run(np.ones(1000, np.float32))[0], np.full(1000, want, np.float32))


def test_the_number_of_threads_changes_nothing():
    a = np.random.default_rng(0).normal(size=(300, 700)).astype(np.float32)
    steps = [Step("tanh", ("a",), "t"), Step("sin", ("t",), "s"), Step("mul", ("s", "a"), "y")]
    run, found = expression(steps, {"a": ELEMENT_BY_ELEMENT}, {}, ["t", "y"], a.shape), []
    try:
        for threads in (1, 2, 5):
            library.functions.tapeflow_threads(threads)
            found.append(run(a))
    finally:
        library.functions.tapeflow_threads(library.threads)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0][0], other[0])
        np.testing.assert_array_equal(found[0][1], other[1])
