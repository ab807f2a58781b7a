"""An actor and a critic learn to balance a pole (Barto, Sutton and Anderson, 1983): one Keras model with two heads.

    python examples/keras_actor_critic.py [--updates N] [--picture FILE]

A cart is pushed to the left or to the right fifty times a second, and an episode ends when its pole leans by more than
twelve degrees. The critic learns what a state is worth, and the actor does more of whatever turned out better than
that: advantages are data to the tape, so they are computed outside of it.
"""

import argparse

import numpy as np

import tapeflow as tf
from tapeflow import keras

POLES, STEPS, LIMIT = 16, 8, 500  # balanced side by side, ticks between two updates, ticks that are enough
DISCOUNT, TRACE, REWARD = 0.99, 0.95, 0.05  # for each tick that a pole stands, so that no state is worth more than 5


class Poles:
    """Many carts on a track, each with a pole on a hinge; those that fall are set up again."""

    gravity, cart, pole, half_length, force, tick = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02

    def __init__(self, rng, count):
        self.rng, self.states, self.age = rng, rng.uniform(-0.05, 0.05, (count, 4)), np.zeros(count, int)

    def step(self, actions):
        """Pushes every cart (0: left, 1: right). Gives who fell, and how old those were who did or who ran out of
        time."""
        speed, angle, turning = self.states.T[1:]
        push = self.force * (2 * actions - 1)
        total = self.cart + self.pole
        swing = (push + self.pole * self.half_length * turning**2 * np.sin(angle)) / total
        tilt = (self.gravity * np.sin(angle) - np.cos(angle) * swing) / (
            self.half_length * (4 / 3 - self.pole * np.cos(angle) ** 2 / total)
        )
        drive = swing - self.pole * self.half_length * tilt * np.cos(angle) / total
        self.states = self.states + self.tick * np.stack([speed, drive, turning, tilt], axis=1)
        self.age = self.age + 1
        fell = (np.abs(self.states[:, 0]) > 2.4) | (np.abs(self.states[:, 2]) > np.radians(12))
        again, ages = fell | (self.age >= LIMIT), self.age
        self.states = np.where(again[:, None], self.rng.uniform(-0.05, 0.05, self.states.shape), self.states)
        self.age = np.where(again, 0, self.age)
        return fell, ages[again]


def build():
    inputs = keras.Input([4])
    common = keras.layers.Dense(64, activation="tanh")(inputs)
    actor = keras.layers.Dense(2)(keras.layers.Dense(64, activation="tanh")(common))
    critic = keras.layers.Dense(1)(keras.layers.Dense(64, activation="tanh")(common))
    return keras.Model(inputs, [actor, critic])


def advantages(worth, falls):
    """How much better each push turned out than the critic had thought (generalised estimate; Schulman et al.,
    2016)."""
    found, ahead = np.zeros([STEPS, POLES]), 0.0
    for t in reversed(range(STEPS)):
        goes_on = 1.0 - falls[t]  # a pole that only ran out of time is worth as much as the one that replaces it
        found[t] = ahead = REWARD + DISCOUNT * worth[t + 1] * goes_on - worth[t] + DISCOUNT * TRACE * goes_on * ahead
    return found


def main(updates=2000, seed=0, picture=None):
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(seed)
    model, poles = build(), Poles(rng, POLES)
    optimizer = keras.optimizers.Adam(keras.optimizers.schedules.PolynomialDecay(3e-3, updates), global_clipnorm=1.0)
    huber = keras.losses.Huber()

    @tf.function
    def look(states):
        logits, values = model(states)
        return tf.nn.softmax(logits), values[:, 0]

    @tf.function
    def train_step(states, actions, advantages, returns):
        with tf.GradientTape() as tape:
            logits, values = model(states, training=True)
            surprise = tf.nn.sparse_softmax_cross_entropy_with_logits(actions, logits)  # -log p(action)
            entropy = tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(logits), logits)
            actor_loss = tf.reduce_mean(surprise * advantages) - 0.01 * tf.reduce_mean(entropy)
            loss = actor_loss + 0.5 * huber(returns[:, None], values)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    finished: list[int] = []
    history = []
    for update in range(1, updates + 1):
        seen, pushed = np.zeros([STEPS, POLES, 4]), np.zeros([STEPS, POLES], int)
        worth, falls = np.zeros([STEPS + 1, POLES]), np.zeros([STEPS, POLES])
        for t in range(STEPS):
            chances, worth[t] = (found.numpy() for found in look(tf.constant(poles.states, tf.float32)))
            seen[t], pushed[t] = poles.states, rng.uniform(size=POLES) < chances[:, 1]
            falls[t], ages = poles.step(pushed[t])
            finished += list(ages)
        worth[STEPS] = look(tf.constant(poles.states, tf.float32))[1].numpy()
        gained = advantages(worth, falls)
        scaled = (gained - gained.mean()) / (gained.std() + 1e-6)
        flat = lambda a: tf.constant(
            a.reshape(STEPS * POLES, *a.shape[2:]), tf.int32 if a.dtype == int else tf.float32
        )
        train_step(*map(flat, (seen, pushed, scaled, gained + worth[:-1])))
        if update % max(1, updates // 20) == 0:
            history.append({"update": update, "length": float(np.mean(finished[-POLES:] or [0]))})
            print(f"update {update:4}  the last {POLES} episodes took {history[-1]['length']:5.1f} ticks")
    lengths, track = balance(look, np.random.default_rng(seed + 1))
    print(f"pushing as it thinks best, it balances for {lengths.mean():.0f} ticks of {LIMIT}")
    if picture:
        draw(picture, history, track, model)
    return {"history": history, "first": float(np.mean(finished[:POLES] or [0])), "balanced": float(lengths.mean())}


def balance(look, rng):
    """How long each pole stands when the likelier push is always made, and where the first one went."""
    poles, lengths, track = Poles(rng, POLES), np.full(POLES, LIMIT), []
    for tick in range(1, LIMIT):
        track.append(poles.states[0])
        fell, _ = poles.step(look(tf.constant(poles.states, tf.float32))[0].numpy().argmax(axis=1))
        lengths = np.where(fell & (lengths == LIMIT), tick, lengths)
    return lengths, np.stack(track[: lengths[0]])


def draw(path, history, track, model):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 3.4), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    left.plot([h["update"] for h in history], [h["length"] for h in history], color="#4c72b0")
    left.set(title="length of an episode", xlabel="update", ylabel="ticks", ylim=(0, LIMIT))
    middle.plot(np.degrees(track[:, 2]), color="#c44e52", label="pole (degrees)")
    middle.plot(track[:, 0], color="#4c72b0", label="cart (metres)")
    middle.set(title="one episode after training", xlabel="tick")
    middle.legend(frameon=False)
    angle, turning = np.meshgrid(np.radians(np.linspace(-12, 12, 80)), np.linspace(-2, 2, 80))
    states = np.stack([0 * angle, 0 * angle, angle, turning], axis=-1).reshape(-1, 4).astype("float32")
    chances = tf.nn.softmax(model(states)[0]).numpy()[:, 1].reshape(80, 80)
    image = right.imshow(chances, extent=(-12, 12, -2, 2), aspect="auto", origin="lower", cmap="RdBu", vmin=0, vmax=1)
    figure.colorbar(image, ax=right, label="chance of a push to the right")
    right.set(title="what the actor does", xlabel="angle (degrees)", ylabel="angular speed (1/s)")
    figure.savefig(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--updates", type=int, default=2000)
    parser.add_argument("--picture", metavar="FILE", help="draw the learning curve and an episode here")
    options = parser.parse_args()
    main(options.updates, picture=options.picture)
