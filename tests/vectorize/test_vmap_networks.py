"""Convolution, pooling, losses and resizing in mapped functions: programs as people write them, against loops over the
rows."""

import itertools

import numpy as np
import pytest

import tapeflow as tf
from tests.rounding import close


def normal(*shape, seed=0, dtype=np.float64):
    return tf.constant(np.random.default_rng([seed, *shape]).normal(size=shape).astype(dtype))


def looped(f, in_axes, *args):
    rows = next(len(a) for a, axis in zip(args, in_axes) if axis is not None)
    outs = [f(*[a if axis is None else a[k] for a, axis in zip(args, in_axes)]) for k in range(rows)]
    return np.stack([o.numpy() for o in outs])


def every_axes(count):
    return [axes for axes in itertools.product((0, None), repeat=count) if 0 in axes]


# ---- convolutions

CONVOLUTIONS = {
    "plain": (lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), (2, 5, 6, 3), (3, 3, 3, 4)),
    "strided": (lambda x, w: tf.nn.conv2d(x, w, 2, "VALID"), (1, 6, 7, 2), (3, 2, 2, 4)),
    "dilated": (lambda x, w: tf.nn.conv2d(x, w, 1, "SAME", dilations=2), (1, 6, 6, 2), (3, 3, 2, 2)),
    "grouped": (lambda x, w: tf.nn.conv2d(x, w, 1, "SAME"), (2, 4, 4, 4), (3, 3, 2, 6)),
    "depthwise": (lambda x, w: tf.nn.depthwise_conv2d(x, w, (1, 1, 1, 1), "SAME"), (2, 5, 4, 3), (3, 3, 3, 2)),
    "transposed": (lambda x, w: tf.nn.conv2d_transpose(x, w, (2, 6, 8, 3), 2, "SAME"), (2, 3, 4, 5), (3, 3, 3, 5)),
    "1d": (lambda x, w: tf.nn.conv1d(x, w, 1, "SAME"), (2, 6, 2), (3, 2, 4)),
    "3d": (lambda x, w: tf.nn.conv3d(x, w, (1,) * 5, "SAME"), (1, 3, 4, 3, 2), (2, 2, 2, 2, 3)),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
@pytest.mark.parametrize("in_axes", every_axes(2))
def test_convolutions_and_their_gradients(name, in_axes):
    f, images, filters = CONVOLUTIONS[name]
    x, w = [normal(*([3] if axis == 0 else []), *shape) for axis, shape in zip(in_axes, (images, filters))]

    def gradients(which):
        def of(x, w):
            with tf.GradientTape() as tape:
                tape.watch([x, w])
                loss = tf.reduce_sum(f(x, w) ** 2)
            return tape.gradient(loss, [x, w])[which]

        return of

    for function in (f, gradients(0), gradients(1)):
        got = tf.vmap(function, in_axes)(x, w).numpy()
        np.testing.assert_allclose(got, looped(function, in_axes, x, w), rtol=1e-9, atol=1e-9)


def test_maps_of_maps_over_images_and_filters():
    """Every pair of a set of filters and a set of images, then pairs whose members both differ in both maps."""
    conv = CONVOLUTIONS["plain"][0]
    x, w = normal(2, 3, 1, 4, 4, 3), normal(2, 3, 3, 3, 3, 4)
    pairs = tf.vmap(tf.vmap(conv, (0, None)), (None, 0))(x[0], w[:, 0])
    assert pairs.shape == (2, 3, 1, 4, 4, 4)
    np.testing.assert_allclose(pairs[1, 2], conv(x[0, 2], w[1, 0]), rtol=1e-9)
    both = tf.vmap(tf.vmap(conv))(x, w)
    np.testing.assert_allclose(both[1, 2], conv(x[1, 2], w[1, 2]), rtol=1e-9)
    mixed = tf.vmap(tf.vmap(conv), (0, None))(x, w[0])
    np.testing.assert_allclose(mixed[1, 2], conv(x[1, 2], w[0, 2]), rtol=1e-9)


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_no_rows_at_all(name):
    f, images, filters = CONVOLUTIONS[name]
    out = tuple(f(normal(*images), normal(*filters)).shape)
    for axes in every_axes(2):
        x, w = [tf.zeros((*([0] if axis == 0 else []), *shape)) for axis, shape in zip(axes, (images, filters))]
        assert tuple(tf.vmap(f, axes)(x, w).shape) == (0, *out)
        again = [tf.zeros((2, *t.shape)) if axis == 0 else t for axis, t in zip(axes, (x, w))]
        assert tuple(tf.vmap(tf.vmap(f, axes), axes)(*again).shape) == (2, 0, *out)


def test_filters_that_do_not_fit_are_refused_in_a_map():
    with pytest.raises(tf.errors.InvalidArgumentError, match="divisible by filter depth: 3 vs 5"):
        tf.vmap(lambda x: tf.nn.conv2d(x, tf.zeros((3, 3, 5, 2)), 1, "SAME"))(tf.zeros((4, 1, 6, 6, 3)))


# ---- whole networks


def small_network(dtype=np.float64):
    shapes = [(3, 3, 1, 4), (4,), (3, 3, 4, 6), (6,), (2 * 2 * 6, 5), (5,)]
    return [tf.Variable(normal(*s, seed=7, dtype=dtype) * 0.3) for s in shapes]


def loss_of(weights, image, label):
    w1, b1, w2, b2, w3, b3 = weights
    h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(image[None], w1, 1, "SAME") + b1), 2, 2, "SAME")
    h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(h, w2, 1, "SAME") + b2), 2, 2, "SAME")
    logits = tf.reshape(h, (1, -1)) @ w3 + b3
    return tf.nn.sparse_softmax_cross_entropy_with_logits(label[None], logits)[0]


def test_gradients_of_each_example_of_a_network():
    weights, images, labels = small_network(), normal(6, 8, 8, 1), tf.constant([0, 4, 2, 2, 1, 3])

    def gradients(image, label):
        with tf.GradientTape() as tape:
            loss = loss_of(weights, image, label)
        return tape.gradient(loss, weights)

    mapped = tf.vmap(gradients)(images, labels)
    one_by_one = [gradients(image, label) for image, label in zip(images, labels)]
    for k, got in enumerate(mapped):
        np.testing.assert_allclose(got, np.stack([g[k].numpy() for g in one_by_one]), rtol=1e-9, atol=1e-12)


def test_gradient_of_the_norms_of_the_gradients_of_each_example():
    """Second order through a map: the penalty that differentially private and natural-gradient methods
    differentiate."""
    weights, images, labels = small_network(), normal(3, 8, 8, 1), tf.constant([0, 4, 2])

    def norm(image, label):
        with tf.GradientTape() as tape:
            loss = loss_of(weights, image, label)
        return tf.add_n([tf.reduce_sum(g * g) for g in tape.gradient(loss, weights)])

    with tf.GradientTape() as tape:
        total = tf.reduce_sum(tf.vmap(norm)(images, labels))
    got = tape.gradient(total, weights)
    with tf.GradientTape() as tape:
        total = tf.add_n([norm(image, label) for image, label in zip(images, labels)])
    for a, b in zip(got, tape.gradient(total, weights)):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-10)


def test_an_ensemble_trained_in_one_tape():
    """Networks with weights of their own on the same images: their gradients are those of each alone."""
    members = [tf.stack([w * (1 + 0.1 * k) for k in range(3)]) for w in small_network()]
    images, labels = normal(4, 8, 8, 1), tf.constant([0, 4, 2, 1])

    def loss(*weights):
        return tf.reduce_mean(tf.vmap(lambda image, label: loss_of(weights, image, label))(images, labels))

    with tf.GradientTape() as tape:
        tape.watch(members)
        losses = tf.vmap(loss)(*members)
    got = tape.gradient(losses, members)
    for k in range(3):
        mine = [m[k] for m in members]
        with tf.GradientTape() as tape:
            tape.watch(mine)
            alone = tf.reduce_mean([loss_of(mine, image, label) for image, label in zip(images, labels)])
        np.testing.assert_allclose(losses[k], alone, rtol=1e-9)
        for a, b in zip(got, tape.gradient(alone, mine)):
            np.testing.assert_allclose(a[k], b, rtol=1e-7, atol=1e-10)


def test_jacobians_of_a_network():
    weights, images = small_network()[:4], normal(2, 8, 8, 1)

    def network(x):
        h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, weights[0], 1, "SAME") + weights[1]), 2, 2, "SAME")
        return tf.nn.avg_pool2d(tf.nn.conv2d(h, weights[2], 2, "SAME") + weights[3], 2, 2, "SAME")

    with tf.GradientTape(persistent=True) as tape:
        tape.watch(images)
        y = network(images)
    found = tape.jacobian(y, [images, *weights])
    expected = tape.jacobian(y, [images, *weights], experimental_use_pfor=False)
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


# ---- pooling, losses, resizing

IMAGES = normal(3, 2, 6, 5, 2)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: tf.nn.max_pool2d(x, 3, 2, "SAME"),
        lambda x: tf.nn.avg_pool2d(x, 3, 2, "SAME"),
        lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME")[1],
        lambda x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME", include_batch_in_index=True)[1],
        lambda x: tf.image.resize(x, (9, 4)),
        lambda x: tf.image.resize(x, (3, 8), method="bicubic"),
        lambda x: tf.nn.softmax(x, axis=1),
        lambda x: tf.nn.log_softmax(x),
        lambda x: tf.nn.l2_loss(x),
        lambda x: tf.nn.leaky_relu(x),
        lambda x: tf.nn.space_to_depth(x[:, :4, :4], 2),
    ],
)
def test_functions_of_images(f):
    want = np.asarray(looped(f, (0,), IMAGES))
    close(tf.vmap(f)(IMAGES), want, terms=20, size=np.abs(want).max())


@pytest.mark.parametrize("in_axes", every_axes(2))
def test_dilation(in_axes):
    f = lambda x, w: tf.nn.dilation2d(x, w, (1, 1, 1, 1), "SAME", "NHWC", (1, 1, 1, 1))
    x, w = IMAGES if in_axes[0] == 0 else IMAGES[0], normal(*([3] if in_axes[1] == 0 else []), 2, 3, 2)
    np.testing.assert_allclose(tf.vmap(f, in_axes)(x, w), looped(f, in_axes, x, w), rtol=1e-9)


@pytest.mark.parametrize("in_axes", every_axes(2))
def test_losses(in_axes):
    logits = normal(3, 4, 5) if in_axes[0] == 0 else normal(4, 5)
    classes = tf.constant([[0, 4, 2, 1], [1, 1, 3, 0], [2, 0, 0, 4]])
    classes = classes if in_axes[1] == 0 else classes[0]
    sparse = lambda x, c: tf.nn.sparse_softmax_cross_entropy_with_logits(c, x)
    dense = lambda x, c: tf.nn.softmax_cross_entropy_with_logits(tf.one_hot(c, 5, dtype=x.dtype), x)
    for f in (sparse, dense):
        np.testing.assert_allclose(
            tf.vmap(f, in_axes)(logits, classes), looped(f, in_axes, logits, classes), rtol=1e-9
        )


def test_a_label_out_of_range_is_refused_in_a_map():
    with pytest.raises(tf.errors.InvalidArgumentError, match="label value of 7"):
        tf.vmap(lambda x, c: tf.nn.sparse_softmax_cross_entropy_with_logits(c, x))(
            tf.zeros((2, 3, 5)), tf.constant([[0, 1, 2], [1, 7, 0]])
        )


def test_ctc_loss_and_its_gradient():
    logits, labels = normal(3, 2, 6, 4), tf.constant([[1, 2, 0], [3, 3, 1]])

    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.nn.ctc_loss(labels, x, [3, 2], [6, 5], logits_time_major=False, blank_index=0)
        return tape.gradient(loss, x)

    np.testing.assert_allclose(tf.vmap(gradient)(logits), looped(gradient, (0,), logits), rtol=1e-9, atol=1e-12)
