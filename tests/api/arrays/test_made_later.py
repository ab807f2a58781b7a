"""Large constants of a graph are made when it runs: a trace allocates nothing large."""

import contextlib
import inspect
import io
import tracemalloc
import warnings

import numpy as np
import pytest

import tapeflow as tf
import tapeflow.experimental.numpy as tnp

LARGE = {
    "ones": lambda: tf.ones([3_000_000]),
    "eye": lambda: tf.eye(1500),
    "a range": lambda: tf.range(3, 3_000_000),
    "a range of floats": lambda: tf.range(0.5, 1_000_000.0, 0.5),
    "a range with a step": lambda: tf.range(9_000_000, 0, -3),
    "linspace": lambda: tf.linspace(0.0, 1.0, 1_000_000),
    "diag": lambda: tf.linalg.diag(tf.fill([1500], 2.0)),
    "sequence_mask": lambda: tf.sequence_mask([2_000_000]),
    "repeat": lambda: tf.repeat([3, 4], [1_000_000, 2_000_000]),
    "hann_window": lambda: tf.signal.hann_window(1_000_001),
    "hamming_window": lambda: tf.signal.hamming_window(1_000_000, dtype=tf.float64),
    "kaiser_window": lambda: tf.signal.kaiser_window(1_000_000),
    "kaiser_bessel_derived_window": lambda: tf.signal.kaiser_bessel_derived_window(1_000_000, dtype=tf.float64),
    "vorbis_window": lambda: tf.signal.vorbis_window(1_000_000),
    "mel": lambda: tf.signal.linear_to_mel_weight_matrix(100, 10_000),
    "sobol": lambda: tf.math.sobol_sample(2, 500_000),
    "NumPy's zeros": lambda: tnp.zeros((1000, 1000), dtype=np.int32),
    "NumPy's ones": lambda: tnp.ones(1_000_000),
    "NumPy's ones_like": lambda: tnp.ones_like([1.0], shape=(1_000_000,)),
    "NumPy's arange": lambda: tnp.arange(7, 3_000_000, 3),
    "NumPy's arange of floats": lambda: tnp.arange(0.5, 1_000_000.0),
    "NumPy's arange of few bits": lambda: tnp.arange(1_000_000, dtype=np.uint8),
    "NumPy's eye": lambda: tnp.eye(1000, 1100, -3),
    "NumPy's identity": lambda: tnp.identity(1000, dtype=np.float32),
    "NumPy's tri": lambda: tnp.tri(1000, 1100, 5),
    "NumPy's linspace": lambda: tnp.linspace(0, 1, 1_000_000, endpoint=False),
    "NumPy's geomspace": lambda: tnp.geomspace(1, 100, 1_000_000),
    "NumPy's vander": lambda: tnp.vander([0.5, 1.0, -1.0], 500_000),
    "NumPy's repeat": lambda: tnp.repeat([1, 2], [400_000, 600_000]),
    "Keras' arange": lambda: tf.keras.ops.arange(3, 3_000_000, 2),
    "Keras' tri": lambda: tf.keras.ops.tri(1000, 1100, -1),
    "Keras' bartlett": lambda: tf.keras.ops.bartlett(1_000_000),
    "Keras' blackman": lambda: tf.keras.ops.blackman(1_000_000),
    "Keras' kaiser": lambda: tf.keras.ops.kaiser(1_000_000, 14.0),
}


def traced_bytes(function):
    """The most that a trace needs at a time; the first one imports modules."""
    tf.function(function, autograph=False).get_concrete_function()
    again = tf.function(function, autograph=False)
    tracemalloc.start()
    try:
        traced = again.get_concrete_function()
        return traced, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", LARGE)
def test_a_trace_makes_no_large_constants(name):
    """They were computed while tracing, and `tf.eye` of a known size was no part of a graph at all."""
    makes = LARGE[name]
    traced, peak = traced_bytes(lambda: tf.reduce_sum(tf.cast(makes(), tf.float64)))
    assert peak < 400_000
    assert {node.type for node in traced.graph.get_operations()} > {"Sum"}
    whole = tf.function(makes)
    eager = makes()
    exact = eager.dtype.is_integer
    np.testing.assert_allclose(whole().numpy(), eager.numpy(), rtol=0 if exact else 1e-6, atol=0 if exact else 1e-7)
    assert whole().dtype == eager.dtype and whole().shape == eager.shape
    assert whole.get_concrete_function().graph.get_operations()


@pytest.mark.long
@pytest.mark.parametrize("name", LARGE)
def test_xla_makes_the_same(name):
    makes = LARGE[name]
    jitted = tf.function(makes, jit_compile=True)()
    np.testing.assert_allclose(jitted.numpy(), makes().numpy(), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_small_ones_are_constants_of_the_trace(size):
    for makes in (tf.signal.hann_window, tf.signal.vorbis_window, tnp.arange, tf.keras.ops.hanning):
        graph = tf.function(lambda makes=makes: makes(size)).get_concrete_function().graph
        assert not graph.get_operations()
        np.testing.assert_array_equal(tf.function(lambda makes=makes: makes(size))(), makes(size))


# ---- every public function

N, S = 400_000, 640  # of a vector, and of each side of a matrix
SPACES = (
    "", "audio", "bitwise", "compat.v1", "experimental.numpy", "experimental.numpy.random", "image", "keras.ops",
    "keras.random", "linalg", "math", "nn", "quantization", "ragged", "random", "random.experimental", "raw_ops",
    "sets", "signal", "sparse", "strings",
)  # fmt: skip
GUESSES = [
    (N,), (S,), (S, S), ([S, S],), ([S, S], 2.0), ([S, S], 1.0, 2.0), (0.0, 1.0, N), (1.0, float(N)), (0, N),
    (0, N, 1), ([N // 2, 3],), (2.0, [S, S]), ([0.5, 0.5], [S, S]), ([S, S], [1, 2]), ([S, S], [1, 2], 0.5),
    ([S, S], [1, 2], 0.5, 2.0), ([1.0, 2.0], N // 2), ([[1.0, 2.0]], N // 2), ([1, 2], N // 2), (1000, 1000), (2, N),
    (1.0, 2.0, N), (N, 5.0), ([1, 2], [N // 2, N // 2]),
]  # fmt: skip
OTHERS = {  # what no tensor is made from nothing by
    "function", "py_function", "numpy_function", "init_scope", "Print", "print", "print_v2", "Variable", "placeholder",
}  # fmt: skip
SETTINGS = ("_", "enable_", "disable_", "experimental_enable_", "reset_", "set_", "initialize_", "global_")
NEEDS_VALUES = {
    "keras.ops.bincount",
    "math.confusion_matrix",
    "compat.v1.confusion_matrix",
    "raw_ops.DenseBincount",
    "raw_ops.RaggedRange",
}  # whose results have no size before they run


def made_from_nothing(function, of_arguments):
    """The first guess at arguments from which a function makes a large tensor."""
    for given in of_arguments:
        with contextlib.suppress(Exception):
            made = function(given)
            leaves = [x for x in tf.nest.flatten(made) if isinstance(x, tf.Tensor) and x.dtype != tf.string]
            if any(x.shape.num_elements() >= 300_000 for x in leaves):
                return given
    return None


def public_functions():
    seen = set()
    for space in SPACES:
        module = tf
        for part in filter(None, space.split(".")):
            module = getattr(module, part)
        for name in sorted(set(dir(module)) - OTHERS):
            function = getattr(module, name, None)
            if (
                not name.startswith(SETTINGS)
                and callable(function)
                and not inspect.isclass(function)
                and id(function) not in seen
            ):
                seen.add(id(function))
                yield f"{space}.{name}".strip("."), function


@pytest.mark.long
def test_no_public_function_makes_large_constants_while_it_is_traced():
    found, large = [], []
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for name, function in public_functions():
            call = lambda given, function=function: function(*given)
            if name.startswith("raw_ops."):
                named = [p for p in inspect.signature(function).parameters if p != "name"]
                call = lambda given, function=function, named=named: function(**dict(zip(named, given, strict=False)))
            given = made_from_nothing(call, GUESSES)
            if given is None or name in NEEDS_VALUES:
                continue
            found.append(name)
            if (peak := traced_bytes(lambda call=call, given=given: call(given))[1]) > 300_000:
                large.append((name, given, peak))
    assert large == []
    assert {"ones", "signal.hann_window", "experimental.numpy.tri", "keras.ops.kaiser", "raw_ops.Range"} <= set(found)
    assert len(found) > 80
