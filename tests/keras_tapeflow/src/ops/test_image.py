import numpy as np
import pytest
import scipy.ndimage

import tapeflow as tf
from keras_tapeflow.src.ops import image

RNG = np.random.default_rng(0)
PICTURES = RNG.random((2, 6, 5, 3)).astype("float32")


def slopes(function, *xs):
    """Gradients of a sum of squares, and what finite differences in one direction say: both along that direction."""
    xs = [tf.constant(x, tf.float64) for x in xs]
    with tf.GradientTape() as tape:
        tape.watch(xs)
        y = tf.reduce_sum(function(*xs) ** 2)
    gradients = tape.gradient(y, xs)
    rng = np.random.default_rng(1)
    ways = [rng.normal(size=x.shape) for x in xs]
    shifted = [[x + e * way for x, way in zip(xs, ways)] for e in (1e-6, -1e-6)]
    up, down = [tf.reduce_sum(function(*moved) ** 2).numpy() for moved in shifted]
    return sum((g.numpy() * way).sum() for g, way in zip(gradients, ways)), (up - down) / 2e-6


GENTLE = np.array([[0.9, 0.12, 0.31, -0.07, 1.1, -0.43, 0.01, -0.02], [1.05, -0.2, 0.77, 0.1, 0.95, 0.23, 0.0, 0.01]])
GENTLE += RNG.normal(size=(2, 8)) * 0.001  # no position is a whole number, where there is a kink
STARTS = np.array([[0.0, 0.3], [4.0, 0.1], [0.2, 5.0], [4.4, 5.3]])
ENDS = STARTS + RNG.normal(size=(4, 2)) * 0.3
BORDERS = ("constant", "nearest", "wrap", "mirror", "reflect")
FUNCTIONS = {
    "gray": (image.rgb_to_grayscale,),
    "hsv": (image.rgb_to_hsv,),
    "rgb": (image.hsv_to_rgb,),
    "resize": (lambda x: image.resize(x, (3, 9), "bicubic", antialias=True),),
    "resize crop": (lambda x: image.resize(x, (3, 9), crop_to_aspect_ratio=True),),
    "resize pad": (lambda x: image.resize(x, (3, 9), pad_to_aspect_ratio=True, fill_value=0.5),),
    "affine": (lambda x, t: image.affine_transform(x, t, fill_value=0.3), GENTLE),
    "affine nearest": (lambda x: image.affine_transform(x, GENTLE, "nearest", "reflect"),),
    "perspective": (image.perspective_transform, STARTS, ENDS),
    "blur": (lambda x, s: image.gaussian_blur(x, (3, 4), s), np.array([0.7, 1.3])),
    "elastic": (
        lambda x, alpha, sigma: image.elastic_transform(x, alpha, sigma, seed=3),
        np.array(1.3),
        np.array(0.8),
    ),
    "sobel": (image.sobel_edges,),
    "scale": (
        lambda x, s, t: image.scale_and_translate(x, (2, 7, 4, 3), s, t, (1, 2), "lanczos3"),
        np.array([1.2, 0.7]),
        np.array([0.31, -0.23]),
    ),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_reach_pixels_and_parameters(name):
    function, *parameters = FUNCTIONS[name]
    found, expected = slopes(function, PICTURES, *parameters)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_in_a_graph(name, compiled):
    if name == "elastic" and compiled:
        pytest.skip("each engine draws numbers of its own")
    function, *parameters = FUNCTIONS[name]
    given = [tf.constant(x, tf.float32) for x in (PICTURES, *parameters)]
    found = tf.function(function, jit_compile=compiled)(*given)
    np.testing.assert_allclose(found.numpy(), function(*given).numpy(), atol=2e-4)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_colours_may_be_in_front(name):
    if name in ("perspective", "elastic", "scale"):
        pytest.skip("this test's function has no argument for it")
    plain = {
        "gray": image.rgb_to_grayscale,
        "hsv": image.rgb_to_hsv,
        "rgb": image.hsv_to_rgb,
        "resize": lambda x, **kw: image.resize(x, (3, 9), "bicubic", **kw),
        "resize crop": lambda x, **kw: image.resize(x, (3, 9), crop_to_aspect_ratio=True, **kw),
        "resize pad": lambda x, **kw: image.resize(x, (3, 9), pad_to_aspect_ratio=True, fill_value=0.5, **kw),
        "affine": lambda x, **kw: image.affine_transform(x, GENTLE, **kw),
        "affine nearest": lambda x, **kw: image.affine_transform(x, GENTLE, "nearest", "reflect", **kw),
        "blur": lambda x, **kw: image.gaussian_blur(x, (3, 4), (0.7, 1.3), **kw),
        "sobel": image.sobel_edges,
    }[name]
    found = plain(np.moveaxis(PICTURES, -1, 1), data_format="channels_first").numpy()
    np.testing.assert_allclose(
        np.moveaxis(found, 1, 3), plain(PICTURES, data_format="channels_last").numpy(), atol=1e-6
    )


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("fill_mode", BORDERS)
def test_beyond_the_borders(fill_mode, order):
    """SciPy extends the picture in the same way; it is extended by hand first because it treats the border itself
    differently."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(5, 4)).astype("float32")
    at = rng.uniform(-6, 9, size=(2, 40)).astype("float32")
    modes = {"constant": "constant", "nearest": "edge", "wrap": "wrap", "mirror": "reflect", "reflect": "symmetric"}
    extra = {"constant_values": 0.7} if fill_mode == "constant" else {}
    wide = np.pad(x, 12, modes[fill_mode], **extra)
    expected = scipy.ndimage.map_coordinates(wide, at + 12, order=order)
    np.testing.assert_allclose(image.map_coordinates(x, at, order, fill_mode, 0.7).numpy(), expected, atol=1e-5)


def test_integers_are_rounded_and_large_ones_kept():
    x = np.array([2**30 + 1, 2**30 + 4], "int32")
    found = image.map_coordinates(x, np.array([[0.0, 0.4, 1.0]], "float32"), 1)
    assert found.numpy().tolist() == [2**30 + 1, 2**30 + 2, 2**30 + 4]
    gray = image.rgb_to_grayscale(np.full((1, 1, 3), 255, "uint8"))
    assert gray.dtype is tf.uint8 and int(gray[0, 0, 0]) == 255


def test_a_projective_map_divides():
    """(x, y) shows x / (1 + y): the second row is a stretched copy of the first."""
    x = np.tile(np.arange(4.0, dtype="float32"), (2, 1))[..., None]
    y = image.affine_transform(x, [1.0, 0, 0, 0, 1, 0, 0, 1], fill_mode="nearest").numpy()[..., 0]
    assert y.tolist() == [[0, 1, 2, 3], [0, 0.5, 1, 1.5]]


def test_points_at_the_horizon_are_filled():
    y = image.affine_transform(np.ones((3, 3, 1), "float32"), [1.0, 0, 1, 0, 1, 1, -1, 0], fill_value=9.0).numpy()
    assert np.isfinite(y).all() and (y[:, 1] == 9).all()


def test_a_homography_takes_end_points_to_start_points():
    a = image.compute_homography_matrix(STARTS, ENDS).numpy()[0]
    matrix = np.append(a, 1).reshape(3, 3)
    points = np.concatenate([ENDS, np.ones((4, 1))], 1) @ matrix.T
    np.testing.assert_allclose(points[:, :2] / points[:, 2:], STARTS, atol=1e-9)


def test_the_first_number_of_a_blur_is_about_width():
    x = np.zeros((5, 5, 1), "float32")
    x[2, 2] = 1
    y = image.gaussian_blur(x, (3, 1), (1.0, 1.0)).numpy()[..., 0]
    assert (y[2] > 0).tolist() == [False, True, True, True, False] and np.count_nonzero(y) == 3
    np.testing.assert_allclose(y.sum(), 1, rtol=1e-6)


def test_an_elastic_transform_takes_a_sigma_that_a_graph_does_not_know():
    bent = lambda sigma: image.elastic_transform(PICTURES, 2.0, sigma, seed=1)
    np.testing.assert_allclose(tf.function(bent)(tf.constant(1.1)).numpy(), bent(1.1).numpy(), atol=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_finds_the_right_pixels(dtype):
    """Positions beyond 256 are not all numbers of bfloat16."""
    x = tf.cast(tf.reshape(tf.range(600) % 7, [1, 600, 1]), dtype)
    y = image.affine_transform(x, tf.constant([1.0, 0, 1, 0, 1, 0, 0, 0], dtype), fill_mode="wrap")
    assert y.dtype.name == dtype
    np.testing.assert_array_equal(y[0, :-1, 0].numpy(), x[0, 1:, 0].numpy())


def test_options_are_checked():
    with pytest.raises(ValueError, match="`interpolation`"):
        image.resize(PICTURES, (3, 3), interpolation="magic")
    with pytest.raises(ValueError, match="`fill_mode`"):
        image.affine_transform(PICTURES, GENTLE, fill_mode="magic")
    with pytest.raises(ValueError, match="rank 3"):
        image.gaussian_blur(PICTURES[0, 0])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_sizes_that_a_trace_leaves_open(name):
    """After the second shape a function is traced for all: `x.shape` has None in it, which must not be computed
    with."""
    if name == "scale":
        pytest.skip("its result's shape is an argument")
    function, *parameters = FUNCTIONS[name]
    if name == "affine nearest":
        function = lambda x: image.affine_transform(x, GENTLE[:1], "nearest", "reflect")
    traced = tf.function(function, reduce_retracing=True)
    for count, height in ((2, 6), (3, 6), (3, 7), (4, 8)):
        x = tf.constant(np.random.default_rng(3).random((count, height, 5, 3)), tf.float32)
        rest = [tf.constant(p, tf.float32) for p in parameters]
        if name == "affine":
            rest = [tf.repeat(rest[0][:1], count, axis=0)]
        np.testing.assert_allclose(traced(x, *rest).numpy(), function(x, *rest).numpy(), atol=1e-4)
