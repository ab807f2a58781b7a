"""Keras' NumPy functions: values against NumPy, the same inside a graph, and gradients against finite differences in
float64."""

import numpy as np
import pytest

import tapeflow as tf
from keras_tapeflow.src.ops import core, numpy as knp

X = np.array([[0.7, -1.3, 2.1], [0.2, 1.9, -0.4]])
Y = np.array([[1.5, 0.8, -2.2], [-0.9, 0.3, 1.1]])
SMALL = X / 4
POSITIVE = np.abs(X) + 0.5
SQUARE = np.array([[2.0, 0.3, 0.1], [0.4, 1.5, -0.2], [0.0, 0.7, 1.9]])
WITH_NAN = np.array([[0.7, np.nan, 2.1], [0.2, 1.9, np.nan]])
V, W = X[0], Y[1]
COMPLEX = X + 1j * Y

# Arrays of floats are what gradients are asked for; NumPy's function has the same name.
CASES = [
    *[(name, X) for name in ["abs", "absolute", "fabs", "sin", "cos", "sinh", "cosh", "tanh", "arctan", "arcsinh",
        "exp", "exp2", "expm1"]],
    *[(name, X) for name in ["negative", "square", "reciprocal", "cbrt", "deg2rad", "rad2deg", "sinc", "tan", "sign",
        "floor", "ceil", "trunc"]],
    *[(name, X) for name in ["real", "imag", "angle", "conj", "conjugate", "copy", "ravel", "fliplr", "flipud",
        "transpose", "flip", "mean"]],
    *[(name, X) for name in ["sum", "prod", "max", "min", "amax", "amin", "ptp", "std", "var", "median", "average",
        "cumsum", "cumprod", "sort"]],
    *[(name, SMALL) for name in ["arcsin", "arccos", "arctanh"]],
    *[(name, POSITIVE) for name in ["log", "log2", "log10", "log1p", "sqrt", "i0"]],
    *[(name, X, Y) for name in ["add", "subtract", "multiply", "divide", "true_divide", "maximum", "minimum", "fmax",
        "fmin", "mod", "fmod"]],
    *[(name, X, Y) for name in ["arctan2", "hypot", "logaddexp", "logaddexp2", "heaviside", "kron", "inner", "vdot",
        "append", "outer"]],
    *[(name, WITH_NAN) for name in ["nansum", "nanprod", "nanmean", "nanmax", "nanmin", "nanmedian", "nancumsum",
        "nancumprod", "nanargmax"]],
    *[(name, WITH_NAN, {"axis": 1}) for name in ["nanvar", "nanstd", "nanmean", "nanmedian", "nanmax", "nansum",
        "nanargmin", "nancumsum"]],
    *[(name, WITH_NAN, q, {"axis": 0}) for name, q in [("nanquantile", [0.1, 0.9]), ("nanpercentile", 30.0)]],
    *[("quantile", X, 0.4, {"axis": 1, "method": m, "keepdims": True}) for m in ["linear", "lower", "higher",
        "midpoint", "nearest"]],
    *[("pad", X, ((1, 2), (2, 1)), {"mode": m}) for m in ["edge", "wrap", "maximum", "minimum", "mean", "median",
        "linear_ramp", "constant"]],
    *[("pad", X, ((1, 1), (2, 1)), {"mode": m}) for m in ["reflect", "symmetric"]],
    *[("correlate", a, b, {"mode": m}) for a, b in [(V, W[:2]), (W[:2], V)] for m in ["valid", "same", "full"]],
    *[(name, X[None, None], 1) for name in ["hsplit", "vsplit"]],
    *[(name, COMPLEX) for name in ["angle", "real", "imag", "conj", "abs", "exp", "sum"]],
    ("arccosh", POSITIVE + 1),
    ("pad", X, 1, {"constant_values": 2.5}),
    ("pad", X, ((1, 0), (0, 2)), {"constant_values": ((1.0, 2.0), (3.0, 4.0))}),
    ("percentile", X, [10.0, 60.0], {"axis": 0}),
    ("average", X, {"axis": 1, "weights": POSITIVE}),
    ("average", X, {"axis": 1, "weights": np.array([1.0, 2.0, 3.0])}),
    ("power", POSITIVE, Y),
    ("clip", X, -0.5, 1.0),
    ("nan_to_num", WITH_NAN),
    ("ldexp", X, np.array([1, -2, 3])),
    ("broadcast_to", X, (4, 2, 3)),
    ("concatenate", [X, Y], {"axis": 1}),
    ("stack", [X, Y], {"axis": -1}),
    ("hstack", [X, Y]),
    ("vstack", [X, Y]),
    ("dstack", [X, Y]),
    ("cross", X, Y),
    ("diag", V, {"k": 1}),
    ("diag", X, {"k": 1}),
    ("diagflat", X),
    ("diagonal", X, {"offset": -1}),
    ("trace", SQUARE, {"offset": 1}),
    ("tril", SQUARE, -1),
    ("triu", SQUARE, 1),
    ("diff", X, {"n": 2}),
    ("dot", X, SQUARE),
    ("matmul", X, SQUARE),
    ("matmul", V, SQUARE),
    ("matmul", SQUARE, V),
    ("tensordot", X, Y, {"axes": ([0, 1], [0, 1])}),
    ("einsum", "ij,kj->ki", X, Y),
    ("expand_dims", X, (0, -1)),
    ("squeeze", X[None], 0),
    ("linspace", V, W, 5),
    ("linspace", V, W, 5, {"endpoint": False, "axis": 1}),
    ("logspace", V, W, 4, {"base": 2.0}),
    ("geomspace", POSITIVE[0], POSITIVE[1], 4),
    ("meshgrid", V, W),
    ("moveaxis", X[None], 0, -1),
    ("swapaxes", X[None], 0, 2),
    ("repeat", X, 2, {"axis": 1}),
    ("repeat", X, [1, 2], {"axis": 0}),
    ("tile", X, (2, 1, 2)),
    ("reshape", X, (3, -1)),
    ("roll", X, (1, -1), {"axis": (0, 1)}),
    ("rot90", X),
    ("split", X, 3, {"axis": 1}),
    ("split", X, [1, 2], {"axis": 1}),
    ("array_split", X, 2, {"axis": 1}),
    ("dsplit", X[None], 3),
    ("take", X, np.array([0, -1, 1]), {"axis": 1}),
    ("take_along_axis", X, np.array([[0, -1], [1, 1]]), {"axis": 1}),
    ("trapezoid", X, {"x": np.array([0.0, 1.0, 3.0])}),
    ("vander", V, 3),
    ("where", X > 0, X, Y),
    ("select", [X > 1, X > 0], [X, Y], 2.0),
    ("corrcoef", X),
    ("cumsum", X, {"axis": 1}),
    ("max", X, {"axis": 1, "initial": 1.5}),
    ("all", X > 0, {"axis": 0}),
    ("any", X > 0, {"axis": 0}),
    ("argmax", X, {"axis": 1}),
    ("argmin", X),
    ("argsort", X, {"axis": 0}),
    ("searchsorted", np.array([0.0, 1.0, 2.0]), X),
    ("digitize", X, np.array([0.0, 1.0, 2.0])),
    ("digitize", X, np.array([2.0, 1.0, 0.0])),
    ("histogram", X, {"bins": 4}),
    ("isin", np.array([[1, 2], [3, 4]]), [2, 3]),
    ("unravel_index", np.array([1, 5, 3]), (2, 3)),
    ("gcd", np.array([12, 18], np.int32), np.array([8, 27], np.int32)),
    ("lcm", np.array([4, 6], np.int32), np.array([10, 4], np.int32)),
    ("bitwise_xor", np.array([6, 5], np.int32), np.array([3, 1], np.int32)),
    ("count_nonzero", X > 0, {"axis": 1}),
    ("isclose", X, X + 1e-9),
    ("nextafter", X, Y),
    ("signbit", X),
    ("kaiser", 5, 3.0),
]  # fmt: skip
# Without a gradient: they give integers or truths, or finite differences say nothing of them.
STEPS = {
    "nanargmax",
    "nanargmin",
    "argmax",
    "argmin",
    "argsort",
    "searchsorted",
    "digitize",
    "isclose",
    "signbit",
    "nextafter",
    "kaiser",
}


def split_keywords(case):
    name, *args = case
    return name, args, args.pop() if isinstance(args[-1], dict) else {}


def flat(x):
    return [leaf for part in x for leaf in flat(part)] if isinstance(x, (tuple, list)) else [x]


def arrays_in(x, kinds):
    """The arrays of these kinds among arguments, and how to put others in their place."""
    if isinstance(x, np.ndarray) and x.dtype.kind in kinds:
        return [x], lambda found: found.pop(0)
    if isinstance(x, (list, tuple)):
        parts = [arrays_in(part, kinds) for part in x]
        return [a for found, _ in parts for a in found], lambda found: type(x)([put(found) for _, put in parts])
    if isinstance(x, dict):
        keys = list(x)
        arrays, put = arrays_in([x[k] for k in keys], kinds)
        return arrays, lambda found: dict(zip(keys, put(found)))
    return [], lambda found: x


def of_arrays(case, kinds="fc"):
    """The arrays in a case, and the function of them that it is."""
    name, args, keywords = split_keywords(case)
    arrays, put = arrays_in((args, keywords), kinds)

    def call(*values):
        a, k = put(list(values))
        return flat(getattr(knp, name)(*a, **k))

    return arrays, call


def expected(case):
    name, args, keywords = split_keywords(case)
    return flat(getattr(np, name)(*args, **keywords))


def named(case):
    return case[0]


@pytest.mark.parametrize("case", CASES, ids=named)
def test_values_are_numpys(case):
    arrays, call = of_arrays(case)
    got, want = call(*[tf.constant(a) for a in arrays]), expected(case)
    assert len(got) == len(want)
    for g, w in zip(got, want):
        assert tuple(g.shape) == np.shape(w)
        np.testing.assert_allclose(g.numpy(), w, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("case", CASES, ids=named)
def test_the_same_in_a_graph(case):
    arrays, call = of_arrays(case, "bifc")
    kinds = []

    @tf.function
    def traced(*values):
        kinds.extend([tf.is_symbolic_tensor(v) for v in values])
        return call(*values)

    for value, found in zip(call(*map(tf.constant, arrays)), traced(*map(tf.constant, arrays))):
        np.testing.assert_allclose(found.numpy(), value.numpy(), rtol=1e-12)
    assert all(kinds), "it asks for values, so that the function could not become a graph"


def total(values, weights):
    return sum(
        tf.reduce_sum(tf.math.real(v * tf.constant(w, v.dtype))) for v, w in zip(values, weights) if v.dtype.is_inexact
    )


DIFFERENTIABLE = [
    c for c in CASES if c[0] not in STEPS and of_arrays(c)[0] and all(a.dtype.kind == "f" for a in of_arrays(c)[0])
]


@pytest.mark.parametrize("case", DIFFERENTIABLE, ids=named)
def test_gradients_are_finite_differences(case):
    arrays, call = of_arrays(case)
    values = [tf.constant(a) for a in arrays]
    weights = [np.cos(np.arange(v.shape.num_elements())).reshape(v.shape) for v in call(*values)]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(values)
        loss = total(call(*values), weights)
    for i, (value, array) in enumerate(zip(values, arrays)):
        gradient = tape.gradient(loss, value, unconnected_gradients="zero")
        direction = np.where(np.isnan(array), 0, np.sin(1 + np.arange(array.size)).reshape(array.shape))
        before, after = ([a + h * direction if k == i else a for k, a in enumerate(arrays)] for h in (-1e-6, 1e-6))
        slope = (
            total(call(*map(tf.constant, after)), weights) - total(call(*map(tf.constant, before)), weights)
        ) / 2e-6
        np.testing.assert_allclose(np.sum(gradient.numpy() * direction), slope.numpy(), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    "found, dtype",
    [
        (lambda: knp.add(tf.constant([1]), 1.5), "float32"),
        (lambda: knp.add(tf.constant([1.0], tf.float16), 1.5), "float16"),
        (lambda: knp.add(tf.constant([1.0], tf.float16), tf.constant([1.0], tf.bfloat16)), "float32"),
        (lambda: knp.multiply(tf.constant([1.0], tf.float64), 2), "float64"),
        (lambda: knp.add(True, tf.constant([True])), "bool"),
        (lambda: knp.sum(tf.constant([1, 2], tf.uint8)), "uint32"),
        (lambda: knp.mean(tf.constant([1, 2])), "float32"),
        (lambda: knp.matmul(tf.ones([2, 2], tf.int8), tf.ones([2, 2], tf.int8)), "int32"),
        (lambda: knp.sin(tf.constant(1, tf.int8)), "float32"),
        (lambda: knp.full([2], 2, "bool"), "bool"),
        (lambda: knp.arange(3), "int32"),
        (lambda: knp.arange(3.0), "float32"),
        (lambda: knp.argmax([1, 2]), "int32"),
    ],
)
def test_dtypes_are_keras(found, dtype):
    assert found().dtype.name == dtype


def test_sums_of_halves_do_not_stick():
    assert (
        float(knp.mean(tf.ones([3000], tf.bfloat16))) == 1 and float(knp.var(tf.ones([3000], tf.float16) * 300)) == 0
    )


def test_powers_of_ten_have_whole_logarithms():
    """log(1000) / log(10) is less than 3."""
    np.testing.assert_array_equal(knp.log10(np.array([1000, 1e6])).numpy(), [3, 6])
    np.testing.assert_array_equal(knp.log2(np.float32([8, 2**13])).numpy(), [3, 13])


def test_sizes_that_a_graph_does_not_know_need_no_second_trace():
    traces = []

    @tf.function(input_signature=[tf.TensorSpec([None, 3])])
    def f(x):
        traces.append(1)
        count = core.shape(x)[0]
        ones = knp.broadcast_to(knp.expand_dims(knp.arange(count, dtype="float32"), 1), (count, 3))
        return knp.reshape(knp.tril(x) + ones, (count * 3,)), knp.median(x, axis=0), knp.take(x, [-1], axis=0)

    for count in (2, 5, 4):
        x = np.arange(3.0 * count, dtype=np.float32).reshape(count, 3)
        flat_sum, middle, last = f(x)
        np.testing.assert_array_equal(flat_sum.numpy(), (np.tril(x) + np.arange(count)[:, None]).ravel())
        np.testing.assert_array_equal(middle.numpy(), np.median(x, axis=0))
        np.testing.assert_array_equal(last.numpy(), x[-1:])
    assert len(traces) == 1


@pytest.mark.parametrize(
    "size, values, index, counts",
    [(5, [1, 2, 3, -1, -1], [1, 2, 0, 1, 1], [2, 1, 1, 0, 0]), (2, [1, 2], [1, 2], [2, 1])],
)
def test_so_many_different_elements_in_a_graph(size, values, index, counts):
    @tf.function
    def f(x):
        assert tf.is_symbolic_tensor(x)
        return knp.unique(x, return_index=True, return_inverse=True, return_counts=True, size=size, fill_value=-1)

    found = f(tf.constant([3, 1, 2, 1]))
    for got, want in zip(found, (values, index, [2, 0, 1, 0], counts)):
        np.testing.assert_array_equal(got.numpy(), want)


def test_quantiles_know_infinities_and_nan():
    x = np.array([[1.0, np.inf, np.inf, 2.0], [1.0, np.nan, 3.0, 2.0]])
    np.testing.assert_array_equal(knp.median(x, axis=1).numpy(), [np.inf, np.nan])
    np.testing.assert_array_equal(knp.nanmedian(x, axis=1).numpy(), [np.inf, 2.0])
    np.testing.assert_array_equal(knp.nanmax(np.full((2, 1), np.nan), axis=1).numpy(), [np.nan, np.nan])


def test_gradients_of_chosen_elements_go_to_them():
    x = tf.constant([3.0, 1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        smallest, middle = knp.sort(x)[0], knp.median(x)
    assert tape.gradient(smallest, x).numpy().tolist() == [0, 1, 0]
    assert tape.gradient(middle, x).numpy().tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    "from_dtype, to_dtype, shape",
    [("float32", "int32", (2, 4)), ("float32", "uint8", (2, 16)), ("int16", "int64", (2, 1))],
)
def test_bytes_seen_as_another_dtype(from_dtype, to_dtype, shape):
    x = np.arange(8).reshape(2, 4).astype(from_dtype)
    assert knp.view(x, to_dtype).shape == shape
    np.testing.assert_array_equal(knp.view(x, to_dtype).numpy(), x.view(to_dtype))


def test_an_axis_that_is_not_there():
    with pytest.raises(ValueError, match="axis 2 is out of bounds for a tensor with 2 axes"):
        knp.sum(X, axis=2)


def test_the_next_number_of_bfloat16():
    """It was computed in float32 and rounded back to the number itself."""
    bfloat16 = tf.bfloat16.as_numpy_dtype
    x = np.array([1, 1, 0, -0.0, -1, np.inf, 3e38, 2, -2, np.nan, 1], bfloat16)
    y = np.array([2, 0, 1, -1, -2, 0, np.inf, 2, 2, 1, np.nan], bfloat16)
    found = knp.nextafter(tf.constant(x), tf.constant(y)).numpy()
    np.testing.assert_array_equal(found.astype(np.float32), np.nextafter(x, y).astype(np.float32))
