"""Random changes: within their bounds, the same for the same seed, each image for itself."""

import numpy as np
import pytest

import tapeflow as tf
from tests.api.gradients import gradient

IMAGE = np.random.default_rng(0).uniform(0.2, 0.8, (4, 5, 3)).astype(np.float32)
STATEFUL = {
    "brightness": lambda seed: tf.image.random_brightness(IMAGE, 0.1, seed=seed),
    "contrast": lambda seed: tf.image.random_contrast(IMAGE, 0.5, 1.5, seed=seed),
    "hue": lambda seed: tf.image.random_hue(IMAGE, 0.5, seed=seed),
    "saturation": lambda seed: tf.image.random_saturation(IMAGE, 0.5, 1.5, seed=seed),
    "left_right": lambda seed: tf.image.random_flip_left_right(np.stack([IMAGE] * 9), seed=seed),
    "up_down": lambda seed: tf.image.random_flip_up_down(np.stack([IMAGE] * 9), seed=seed),
    "crop": lambda seed: tf.image.random_crop(IMAGE, [2, 2, 2], seed=seed),
}
STATELESS = {
    "brightness": lambda seed: tf.image.stateless_random_brightness(IMAGE, 0.1, seed),
    "contrast": lambda seed: tf.image.stateless_random_contrast(IMAGE, 0.5, 1.5, seed),
    "hue": lambda seed: tf.image.stateless_random_hue(IMAGE, 0.5, seed),
    "saturation": lambda seed: tf.image.stateless_random_saturation(IMAGE, 0.5, 1.5, seed),
    "left_right": lambda seed: tf.image.stateless_random_flip_left_right(np.stack([IMAGE] * 9), seed),
    "up_down": lambda seed: tf.image.stateless_random_flip_up_down(np.stack([IMAGE] * 9), seed),
    "crop": lambda seed: tf.image.stateless_random_crop(IMAGE, [2, 2, 2], seed),
}


@pytest.mark.parametrize("name", STATEFUL)
def test_the_program_s_seed_repeats_them(name):
    def draw():
        tf.random.set_seed(3)
        return [STATEFUL[name](None).numpy().tolist() for _ in range(5)]

    first = draw()
    assert first == draw() and len({str(f) for f in first}) > 1


@pytest.mark.parametrize("name", STATELESS)
def test_a_seed_decides_alone(name):
    drawn = [STATELESS[name]([k, 7]).numpy().tolist() for k in range(5)]
    assert drawn == [STATELESS[name]([k, 7]).numpy().tolist() for k in range(5)] and len({str(d) for d in drawn}) > 1


def test_amounts_stay_in_their_bounds():
    amounts = [float((tf.image.stateless_random_brightness(IMAGE, 0.1, [k, 0]) - IMAGE)[0, 0, 0]) for k in range(200)]
    assert -0.1 <= min(amounts) < -0.09 and 0.09 < max(amounts) <= 0.1
    spread = lambda x: float(np.std(np.asarray(x)[..., 0]))
    factors = [spread(tf.image.stateless_random_contrast(IMAGE, 0.5, 1.5, [k, 0])) / spread(IMAGE) for k in range(200)]
    assert 0.499 <= min(factors) < 0.55 and 1.45 < max(factors) <= 1.501


def test_each_image_of_a_batch_is_flipped_for_itself():
    batch = np.stack([IMAGE] * 200)
    flipped = tf.image.stateless_random_flip_left_right(batch, [1, 2]).numpy()
    over = [(f == IMAGE[:, ::-1]).all() for f in flipped]
    assert all(o or (f == IMAGE).all() for o, f in zip(over, flipped)) and 60 < sum(over) < 140
    assert gradient(lambda x: tf.image.stateless_random_flip_up_down(x, [1, 2]), batch).min() == 1


def test_crops_come_from_everywhere():
    value = np.arange(20).reshape(4, 5)
    seen = set()
    for k in range(200):
        crop = tf.image.stateless_random_crop(value, [3, 3], [k, 1]).numpy()
        assert (crop - crop[0, 0] == value[:3, :3]).all()
        seen.add(int(crop[0, 0]))
    assert seen == {0, 1, 2, 5, 6, 7}
    assert tf.image.random_crop(value, [4, 5]).numpy().tolist() == value.tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda: tf.image.random_brightness(IMAGE, -1.0),
        lambda: tf.image.random_contrast(IMAGE, 1.0, 0.5),
        lambda: tf.image.random_saturation(IMAGE, -1.0, 0.5),
        lambda: tf.image.random_hue(IMAGE, 0.6),
        lambda: tf.image.stateless_random_flip_left_right(IMAGE[0], [1, 2]),
    ],
)
def test_bad_bounds(call):
    with pytest.raises(ValueError):
        call()


@pytest.mark.parametrize("size", [[5, 5, 3], [2, 2]])
def test_crops_that_do_not_fit(size):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Need value"):
        tf.image.random_crop(IMAGE, size)
