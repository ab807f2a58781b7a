"""Models with a `train_step` of their own: only it knows what is in a batch."""

import numpy as np

import tapeflow as tf

keras = tf.keras


class Triplets(keras.Model):
    """Three images at a time, which no `call` takes apart as inputs, targets and weights."""

    def __init__(self):
        super().__init__()
        self.embedding, self.mean = keras.layers.Dense(2), keras.metrics.Mean(name="loss")

    def call(self, inputs):
        anchor, positive, negative = map(self.embedding, inputs)
        return tf.reduce_sum(tf.square(anchor - positive), -1), tf.reduce_sum(tf.square(anchor - negative), -1)

    def loss_of(self, data):
        near, far = self(data)
        return tf.maximum(near - far + 0.5, 0.0)

    def train_step(self, data):
        with tf.GradientTape() as tape:
            loss = self.loss_of(data)
        variables = self.trainable_weights
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        self.mean.update_state(loss)
        return {"loss": self.mean.result()}

    def test_step(self, data):
        self.mean.update_state(self.loss_of(data))
        return {"loss": self.mean.result()}

    @property
    def metrics(self):
        return [self.mean]


def test_a_batch_may_be_three_images():
    images = [np.random.default_rng(k).normal(size=(16, 4)).astype("float32") for k in range(3)]
    batches = tf.data.Dataset.from_tensor_slices(tuple(images)).batch(8)
    model = Triplets()
    model.compile(optimizer=keras.optimizers.SGD(0.005), weighted_metrics=[])
    found = model.fit(batches, epochs=4, validation_data=batches, verbose=0).history
    assert sorted(found) == ["loss", "val_loss"] and found["val_loss"][-1] < found["val_loss"][0]
    assert model.embedding.kernel.shape == (4, 2)


def test_pictures_of_other_sizes():
    """Large ones are cropped, small ones resized, as by the layer itself."""
    model = keras.Sequential([keras.layers.CenterCrop(4, 5)])
    for shape in ((2, 9, 10, 1), (3, 9, 10, 1), (2, 3, 4, 1), (3, 3, 4, 1)):
        pictures = np.random.default_rng(0).random(shape).astype("float32")
        np.testing.assert_allclose(model.predict_on_batch(pictures), model(pictures), rtol=1e-6)


class Noisy(keras.Model):
    """Draws by `tf.random` in its step, once with a seed of its own and once without."""

    drawn: list

    def train_step(self, data):
        numbers = tf.concat([tf.random.normal([2], seed=3), tf.random.uniform([2])], 0)
        tf.py_function(lambda x: self.drawn.append(x.numpy()), [numbers], [])
        return {"loss": tf.reduce_sum(numbers)}

    def call(self, inputs):
        return inputs


def test_the_first_step_draws_as_the_others_do():
    """The first step runs eagerly: it drew from the program's stream, and the traced step began anew, with numbers
    that TensorFlow does not give."""

    @tf.function
    def step():
        return tf.concat([tf.random.normal([2], seed=3), tf.random.uniform([2])], 0)

    tf.random.set_seed(5)
    expected = [step().numpy() for _ in range(4)]
    after = tf.random.normal([2]).numpy()
    tf.random.set_seed(5)
    model = Noisy()
    model.drawn = []
    model.compile()
    model.fit(np.zeros([8, 2], "float32"), batch_size=2, epochs=1, verbose=0)
    np.testing.assert_array_equal(model.drawn, expected)
    np.testing.assert_array_equal(tf.random.normal([2]), after)
