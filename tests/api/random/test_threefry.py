"""`alg="threefry"`: the numbers are those of TensorFlow 2.21 where XLA compiles, the only place where it has them."""

import numpy as np
import pytest

import tapeflow as tf
from tests.rounding import close

SEED = [1, 2]
BITS = {
    ((), "uint64"): 10065618714822106931,
    ((3,), "int64"): [-8381125358887444685, 5203543169901498931, -6540346156820057177],
    ((5,), "uint32"): [629071667, 2343584484, 2271449651, 1211544305, 2527474599],
    ((2, 3), "int32"): [[629071667, -2023517645, -1767492697], [-1951382812, 1211544305, -1522793006]],
    ((3, 3), "uint32"): [
        [629071667, 2271449651, 2527474599],
        [2343584484, 1211544305, 2772174290],
        [2392469163, 297241529, 4189447344],
    ],
}
UNIFORM = {
    "float16": [0.79980469, 0.72265625, 0.54980469],
    "bfloat16": [0.14550781, 0.54296875, 0.52734375],
    "float32": [0.14646709, 0.54565823, 0.52886307],
    "float64": [0.5456582839010438, 0.28208464047146564, 0.6454471243984237],
}
INTEGERS = [
    ((0, 10, "int32"), [7, 4, 1, 5, 9, 0, 3]),
    ((-5, 2**31 - 1, "int32"), [629071662, 196100827, 123965994, 1211544300, 379990942, 624690633, 244985506]),
    ((0, 10, "int64"), [1, 1, 9, 9, 5, 2, 1]),
    ((0, 2**40, "int64"), [979881615155, 1037358567987, 904470606759, 1020299718315, 1082629000121]),
]
NORMAL = {
    ((5,), "float32"): [-0.5546245, -1.87997353, 1.1058805, -0.22600825, -0.81545544],
    ((2, 2), "float32"): [[-0.5546245, 1.1058805], [-1.87997353, -0.22600825]],
    ((3, 3), "float32"): [
        [-0.68753737, 0.4754979, -0.15833375],
        [-1.83553839, 1.02369583, 1.01753485],
        [1.05645311, -1.04818201, -0.64863062],
    ],
    ((3,), "float64"): [1.07840238, -0.22039288, 0.89813777],
    ((3,), "float16"): [-0.20483398, -0.63623047, -0.80224609],
    ((3,), "bfloat16"): [-0.35351562, -1.921875, 1.078125],
}
TRUNCATED = {"float32": [-0.9840194, 0.10945897, 0.06911209], "float64": [0.1094591, -0.5475518, 0.35533116]}


def everything():
    """All that has a reference, with the alg."""
    rest = dict(seed=SEED, alg="threefry")
    return [
        [tf.random.stateless_uniform(s, minval=None, maxval=None, dtype=getattr(tf, d), **rest) for s, d in BITS],
        [tf.random.stateless_uniform([3], dtype=getattr(tf, d), **rest) for d in UNIFORM],
        [
            tf.random.stateless_uniform([len(want)], minval=a, maxval=b, dtype=getattr(tf, d), **rest)
            for (a, b, d), want in INTEGERS
        ],
        [tf.random.stateless_normal(s, dtype=getattr(tf, d), **rest) for s, d in NORMAL],
        [tf.random.stateless_truncated_normal([3], dtype=getattr(tf, d), **rest) for d in TRUNCATED],
    ]


@pytest.mark.parametrize("how", ["eager", "plan", "XLA"])
def test_numbers_are_tensorflows(how):
    make = everything if how == "eager" else tf.function(everything, jit_compile=how == "XLA")
    bits, uniform, integers, normal, truncated = make()
    for got, want in zip(bits, BITS.values()):
        assert got.numpy().tolist() == want
    for got, want in zip(uniform, UNIFORM.values()):
        np.testing.assert_allclose(got.numpy().astype(np.float64), want, rtol=0, atol=1e-8)
    for got, (_, want) in zip(integers, INTEGERS):
        assert got.numpy().tolist() == want
    for got, want in zip(normal + truncated, [*NORMAL.values(), *TRUNCATED.values()]):
        digits = {"float16": 2e-3, "bfloat16": 1e-2}.get(got.dtype.name, 3e-6)
        np.testing.assert_allclose(got.numpy().astype(np.float64), want, rtol=digits, atol=digits)


def test_seeds_of_seeds():
    assert tf.random.split(SEED, 3, alg="threefry").numpy().tolist() == [
        [629071667, -1951382812],
        [-2023517645, 1211544305],
        [-1767492697, -1522793006],
    ]
    assert tf.random.fold_in(SEED, 3, alg="threefry").numpy().tolist() == [629071667, 3]
    words = lambda seed: tf.random.stateless_uniform([3], seed, None, None, tf.uint32, alg="threefry").numpy().tolist()
    assert words(tf.constant([-1, -2])) == [1437115978, 3617511067, 3751721535]  # their lower halves
    assert words(tf.constant([-1, 2**40 + 3], tf.int64)) == [4127229109, 1120317449, 1860067063]


STEPS = {
    "uniform": (
        lambda g: g.uniform([5]),
        [
            ([0.15026295, 0.46410167, 0.17590547, 0.5051956, 0.17626405], 1287),
            ([0.47476637, 0.06733084, 0.17028093, 0.15602624, 0.09788656], 2567),
        ],
    ),
    "normal": (
        lambda g: g.normal([3]),
        [([1.7397739, 0.87402725, -0.04044246], 775), ([0.8090229, 0.00349643, 1.3966904], 1543)],
    ),
    "whole range": (
        lambda g: g.uniform_full_int([3], tf.uint32),
        [([645374554, 1993301756, 755508351], 775), ([3096210225, 414806948, 1070787762], 1543)],
    ),
    "integers": (lambda g: g.uniform([4], 0, 10, tf.int32), [([4, 6, 1, 7], 1031), ([1, 1, 8, 8], 2055)]),
    "seeds": (
        lambda g: g.make_seeds(3),
        [
            ([[8561165853724746330, -9127528771442170753, -2312509021038336710], [0, 0, 0]], 775),
            ([[1781582278909782833, 2061900687621680306, -3111090845589089830], [0, 0, 0]], 1543),
        ],
    ),
}


@pytest.mark.parametrize("jit", [None, False, True])
def test_generators(jit):
    """Drawn from by turns: each goes on where it stopped."""
    generators = {name: tf.random.Generator.from_seed(7, alg="threefry") for name in STEPS}
    step = lambda: {name: act(generators[name]) for name, (act, _) in STEPS.items()}
    step = step if jit is None else tf.function(step, jit_compile=jit)
    for turn in range(2):
        for name, drawn in step().items():
            want, counter = STEPS[name][1][turn]
            if drawn.dtype.is_integer:
                assert drawn.numpy().tolist() == want
            else:
                close(drawn.numpy(), np.float32(want), terms=8, size=1)
            assert generators[name].state.numpy().tolist() == [counter, 0]


def test_generators_skip_and_split():
    g, other = (tf.random.Generator.from_seed(7, alg="threefry") for _ in range(2))
    g.skip(5)
    other.uniform([5])
    assert g.uniform([2]).numpy().tolist() == other.uniform([2]).numpy().tolist()
    parts = g.split(2)
    assert all(part.algorithm == 2 and part.state.shape == (2,) for part in parts)
    assert float(parts[0].normal([])) != float(parts[1].normal([]))


def test_each_row_of_a_map_has_its_seed():
    seeds = tf.constant([[1, 2], [3, 4]])
    draw = lambda seed: tf.random.stateless_normal([3], seed, alg="threefry")
    close(tf.vectorized_map(draw, seeds).numpy(), np.stack([draw(seed) for seed in seeds]), terms=10)
    draw = lambda seed: tf.random.stateless_uniform([3], seed, None, None, tf.uint32, alg="threefry")
    np.testing.assert_array_equal(tf.vectorized_map(draw, seeds), [draw(seed) for seed in seeds])


@pytest.mark.parametrize(
    "draw",
    [
        lambda: tf.random.Generator.from_seed(1, alg="threefry").binomial([3], 2.0, 0.5),
        lambda: tf.random.experimental.stateless_shuffle([1, 2, 3], SEED, alg="threefry"),
    ],
)
def test_what_tensorflow_does_not_draw_by_it_is_refused(draw):
    with pytest.raises(tf.errors.UnimplementedError, match="ThreeFry"):
        draw()


def test_bounds_the_wrong_way_round():
    with pytest.raises(tf.errors.InvalidArgumentError, match="minval < maxval"):
        tf.random.stateless_uniform([3], SEED, 5, 5, tf.int32, alg="threefry")
