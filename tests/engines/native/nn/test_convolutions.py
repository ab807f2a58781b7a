"""Convolutions in C: as in NumPy for any sizes, close to the exact sums, in every version of the library."""

import ctypes
import tracemalloc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tapeflow.core.primitive import REGISTRY
from tapeflow.engines import native
from tapeflow.engines.native.building import file_name
from tapeflow.engines.native.library import library
from tapeflow.engines.native.nn import convolutions

needs_library = pytest.mark.skipif(library.functions is None, reason=f"the C library is {library.state}")

# size, window, channels in, channels out, strides, padding, dilations; then groups, where each channel is one
CASES = [
    ((12, 13), (3, 3), 3, 32, (1, 1), ((1, 1), (1, 1)), (1, 1)),  # SAME
    ((11, 9), (3, 3), 16, 48, (1, 1), ((1, 1), (1, 1)), (1, 1)),
    ((9, 12), (3, 3), 17, 33, (1, 1), ((0, 0), (0, 0)), (1, 1)),  # VALID, a number more than whole vectors
    ((12, 11), (3, 3), 20, 66, (2, 2), ((0, 1), (1, 1)), (1, 1)),
    ((13, 14), (3, 3), 5, 7, (1, 1), ((2, 2), (2, 2)), (2, 2)),
    ((16, 15), (5, 5), 6, 19, (1, 1), ((2, 2), (2, 2)), (1, 1)),
    ((17, 17), (7, 7), 3, 64, (2, 2), ((2, 3), (2, 3)), (1, 1)),
    ((10, 9), (1, 1), 40, 70, (1, 1), ((0, 0), (0, 0)), (1, 1)),
    ((11, 12), (1, 1), 30, 20, (2, 3), ((0, 0), (0, 0)), (1, 1)),
    ((10, 12), (3, 2), 9, 21, (3, 2), ((3, 1), (0, 4)), (2, 3)),  # more padding than the window needs
    ((9, 8), (3, 3), 4, 130, (1, 1), ((-1, 0), (0, -2)), (1, 1)),  # less than none
    ((7, 6), (2, 2), 31, 16, (5, 4), ((0, 0), (0, 0)), (1, 1)),  # pixels that no window sees
    ((6, 7), (2, 3), 12, 3, (100, 1), ((0, 0), (1, 1)), (1, 1)),
    ((90, 40), (3, 3), 24, 8, (1, 1), ((1, 1), (1, 1)), (1, 1)),  # several blocks of an image
    ((2, 2), (3, 3), 70, 9, (1, 1), ((1, 1), (1, 1)), (1, 1)),
    ((300,), (5,), 12, 17, (1,), ((4, 0),), (1,)),
    ((101,), (3,), 9, 40, (2,), ((1, 1),), (3,)),
    # by Winograd's way: sizes that are odd, blocks of several images and of several rows, panels of several widths
    ((8, 8), (3, 3), 32, 32, (1, 1), ((1, 1), (1, 1)), (1, 1)),
    ((7, 9), (3, 3), 35, 70, (1, 1), ((1, 1), (1, 1)), (1, 1)),
    ((9, 12), (3, 3), 40, 129, (1, 1), ((0, 0), (0, 0)), (1, 1)),
    ((12, 11), (3, 3), 64, 33, (1, 1), ((2, 0), (-1, 3)), (1, 1)),
    ((60, 43), (3, 3), 32, 48, (1, 1), ((1, 1), (1, 1)), (1, 1)),
    ((1, 19), (3, 3), 48, 33, (1, 1), ((1, 2), (2, 3)), (1, 1)),  # rows of the window that see padding alone
    ((3, 5), (3, 3), 270, 32, (1, 1), ((0, 0), (1, 1)), (1, 1)),
    ((11, 12), (3, 3), 32, 32, (1, 1), ((1, 1), (1, 1)), (1, 1), 32),
    ((11, 12), (3, 3), 39, 39, (2, 2), ((1, 0), (1, 1)), (1, 1), 39),
    ((13, 9), (4, 2), 16, 16, (1, 1), ((0, 0), (0, 0)), (2, 3), 16),
    ((40, 50), (7, 7), 5, 5, (1, 1), ((3, 3), (3, 3)), (1, 1), 5),
    ((9, 10), (3, 3), 21, 63, (1, 1), ((1, 1), (1, 1)), (1, 1), 21),  # three filters for each channel
    ((200,), (4,), 17, 34, (3,), ((2, 1),), (1,), 17),
]


def count_of(size, window, strides, padding, dilations):
    return tuple(
        (n + lo + hi - (k - 1) * d - 1) // s + 1
        for n, (lo, hi), k, d, s in zip(size, padding, window, dilations, strides)
    )


def arguments(name, case, draw, batch=3):
    """Arrays and parameters of a primitive for one of the cases."""
    size, window, inner, outer, strides, padding, dilations, groups = (*case, 1)[:8]
    geometry = dict(strides=strides, padding=padding, dilations=dilations, groups=groups)
    x, w = (batch, *size, inner), (*window, inner // groups, outer)
    dy = (batch, *count_of(size, window, strides, padding, dilations), outer)
    if name == "conv":
        return [draw(x), draw(w)], geometry
    if name == "conv_input_grad":
        return [draw(dy), draw(w)], geometry | {"size": size}
    return [draw(x), draw(dy)], geometry | {"window": window}


def convolution_calls(name, rng, drawn, odd, batch=2):
    """One of the cases that the library computes.

    Only images have odd numbers: whether zeros around images are multiplied by filters, which makes NaN of infinities,
    depends on the strides in NumPy's kernel.
    """
    cases = [case for other, case in PAIRS if other == name]
    arrays, params = arguments(name, cases[rng.integers(len(cases))], lambda shape: drawn(rng, shape, 0), batch)
    arrays[0] = drawn(rng, arrays[0].shape, odd / 50)
    arrays[0][(np.abs(arrays[0]) > 1e30) & np.isfinite(arrays[0])] = 1.0  # whether sums overflow depends on the order
    return arrays, params


def taken(name, case):
    """Does the library compute it?"""
    *_, inner, outer = case[:4]
    return name != "conv_input_grad" or len(case) == 7 or inner == outer


PAIRS = [
    (name, case) for name in ("conv", "conv_input_grad", "conv_filter_grad") for case in CASES if taken(name, case)
]
NAMES = ["conv", "conv_input_grad", "conv_filter_grad"]


def normal(shape):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


def plain(name):
    kernel = REGISTRY[name].on("numpy", np)
    return getattr(kernel, "plain", kernel)


def error(got, arrays, params, name):
    """The largest error beside exact sums, in roundings of what is added up."""
    exact = plain(name)(*[a.astype(float) for a in arrays], **params)
    sizes = plain(name)(*[np.abs(a.astype(float)) for a in arrays], **params)
    return float(np.max(np.abs(got - exact) / (sizes + 1e-30))) / np.finfo(np.float32).eps


@needs_library
@pytest.mark.parametrize(("name", "case"), PAIRS, ids=str)
def test_close_to_exact_sums(name, case):
    arrays, params = arguments(name, case, normal)
    got = native.named(f"nn.convolutions.{name}")(*arrays, **params)
    assert got.dtype == np.float32 and got.shape == plain(name)(*arrays, **params).shape
    assert error(got, arrays, params, name) < 6


@needs_library
def test_whole_numbers_are_exact():
    """Whatever the order of sums is: no product is left out or counted twice."""
    rng = np.random.default_rng(3)
    for name, case in PAIRS:
        arrays, params = arguments(name, case, lambda shape: rng.integers(-3, 4, shape).astype(np.float32))
        got = native.named(f"nn.convolutions.{name}")(*arrays, **params)
        np.testing.assert_array_equal(got, plain(name)(*arrays, **params), err_msg=str(case))


@needs_library
@pytest.mark.parametrize("level", [1, 3])
def test_older_processors_compute_the_same(level, monkeypatch):
    path = native.FOLDER / file_name(level)
    if not path.exists() or library.functions.tapeflow_level() < level:
        pytest.skip("this processor has no such version")
    older = ctypes.CDLL(str(path))
    for name in NAMES:
        both = {}
        for depthwise, full in ((False, name), (True, name.replace("conv", "conv_depthwise"))):
            both[depthwise] = convolutions.called(getattr(older, full))
            getattr(older, full).argtypes = (ctypes.c_void_p,) * 4
        monkeypatch.setattr(convolutions, f"_{name.removeprefix('conv_')}", both)
    for name, case in PAIRS:
        arrays, params = arguments(name, case, normal)
        got = native.named(f"nn.convolutions.{name}")(*arrays, **params)
        assert error(got, arrays, params, name) < 6, case


@needs_library
def test_the_same_bits_for_any_number_of_threads():
    try:
        for name, case in PAIRS:
            arrays, params = arguments(name, case, normal, batch=7)
            found = []
            for threads in (1, 2, 5):
                library.functions.tapeflow_threads(threads)
                found.append(native.named(f"nn.convolutions.{name}")(*arrays, **params).tobytes())
            assert found[0] == found[1] == found[2], (name, case)
    finally:
        library.functions.tapeflow_threads(library.threads)


@needs_library
@pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan, 3e38])
def test_winograds_way_is_not_for_numbers_that_are_not_finite(odd):
    """Its sums and differences made NaN of a whole tile where one number was an infinity, or where they overflow."""
    case = next(case for case in CASES if case[1] == (3, 3) and min(case[2:4]) > 32)
    for name in NAMES:
        arrays, params = arguments(name, case, normal)
        arrays[0][1, 3, 4, 5] = odd
        with np.errstate(all="ignore"):
            want = plain(name)(*arrays, **params)
        got = native.named(f"nn.convolutions.{name}")(*arrays, **params)
        whole = np.isfinite(want)
        np.testing.assert_array_equal(got[~whole], want[~whole])
        assert np.isfinite(got[whole]).all() and whole.mean() > 0.5


@needs_library
def test_what_does_not_fit_is_left_to_numpy():
    x, w = normal((2, 8, 8, 4)), normal((3, 3, 4, 5))
    same = dict(strides=(1, 1), padding=((1, 1), (1, 1)), dilations=(1, 1), groups=1)
    assert convolutions.conv(x, w, **same) is not None
    assert convolutions.conv(x.transpose(0, 2, 1, 3), w, **same) is not None  # it is copied
    for a, b, params in [
        (x.astype(float), w, same),
        (x, w.astype(float), same),
        (x[:0], w, same),
        (x[:, :0], w, same | {"padding": ((0, 0), (0, 0))}),
        (x, w[..., :0], same),
        (x[None], w[None], same),  # rows of images with filters of their own
        (x, normal((3, 3, 2, 6)), same | {"groups": 2}),
        (x, w, same | {"groups": 0}),
        (x, normal((3, 3, 5, 4)), same),
        (x, normal((3, 3, 4, 2)), same),  # vectors would be nearly empty
        (x, normal((9, 9, 4, 4)), same | {"padding": ((0, 0), (0, 0))}),
    ]:
        assert convolutions.conv(a, b, **params) is None


@needs_library
def test_from_several_threads_of_python():
    """Those that find the library's threads taken compute alone: the same bits."""
    for name in NAMES:
        for case in (CASES[3], CASES[17]):
            arrays, params = arguments(name, case, normal, batch=16)
            call = native.named(f"nn.convolutions.{name}")
            want = call(*arrays, **params).tobytes()
            with ThreadPoolExecutor(4) as pool:
                assert all(pool.map(lambda _: call(*arrays, **params).tobytes() == want, range(12)))  # noqa: B023


@needs_library
def test_a_step_of_training_goes_there(monkeypatch):
    """Eagerly and in a function: all three convolutions of layers that are large enough."""
    import tapeflow as tf

    seen = []
    for name in NAMES:
        attribute = f"_{name.removeprefix('conv_')}"
        real = getattr(convolutions, attribute)[False]
        spy = lambda *args, name=name, real=real: (seen.append(name), real(*args))[1]
        monkeypatch.setattr(convolutions, attribute, {False: spy})
    x, w = tf.constant(normal((8, 16, 16, 8))), tf.Variable(normal((3, 3, 8, 8)))

    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.nn.conv2d(x, w, 1, "SAME")
        return y, tape.gradient(y, [x, w])

    for run in (step, tf.function(step)):
        seen.clear()
        run(x)
        assert sorted(seen) == sorted(NAMES)


@needs_library
def test_no_copy_of_all_windows():
    """im2col would need nine times the images."""
    x, w = normal((16, 64, 64, 8)), normal((3, 3, 8, 8))
    params = dict(strides=(1, 1), padding=((1, 1), (1, 1)), dilations=(1, 1), groups=1)
    tracemalloc.start()
    got = convolutions.conv(x, w, **params)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < got.nbytes + (1 << 16)
