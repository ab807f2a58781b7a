"""Actor and critic learn to keep a cart near the middle; a whole episode, the environment included, is one function,
in whose loop the model makes its variables."""

import numpy as np
import tensorflow as tf

EPSILON = np.finfo(np.float32).eps.item()


class Cart:
    def reset(self):
        self.state, self.time = np.array([0.1, 0.0], np.float32), 0
        return self.state

    def step(self, action):
        self.state = (self.state + np.array([0.1 * (2 * action - 1), 0.01 * self.time])).astype(np.float32)
        self.time += 1
        return self.state, np.float32(1.0 - abs(self.state[0])), np.int32(self.time >= 12)


cart = Cart()


class ActorCritic(tf.keras.Model):
    def __init__(self, actions, hidden):
        super().__init__()
        self.common = tf.keras.layers.Dense(hidden, activation="relu")
        self.actor, self.critic = tf.keras.layers.Dense(actions), tf.keras.layers.Dense(1)

    def call(self, inputs):
        x = self.common(inputs)
        return self.actor(x), self.critic(x)


@tf.numpy_function(Tout=[tf.float32, tf.float32, tf.int32])
def act(action):
    return cart.step(action)


def episode(state, model, most):
    shape = state.shape
    arrays = [tf.TensorArray(tf.float32, size=0, dynamic_size=True) for _ in range(3)]
    probabilities, values, rewards = arrays
    for t in tf.range(most):
        logits, value = model(tf.expand_dims(state, 0))
        action = tf.random.categorical(logits, 1)[0, 0]
        values = values.write(t, tf.squeeze(value))
        probabilities = probabilities.write(t, tf.nn.softmax(logits)[0, action])
        state, reward, done = act(action)
        state.set_shape(shape)
        rewards = rewards.write(t, reward)
        if tf.cast(done, tf.bool):
            break
    return probabilities.stack(), values.stack(), rewards.stack()


def returns_of(rewards, gamma):
    count = tf.shape(rewards)[0]
    returns, total = tf.TensorArray(tf.float32, size=count), tf.constant(0.0)
    shape = total.shape
    rewards = rewards[::-1]
    for t in tf.range(count):
        total = rewards[t] + gamma * total
        total.set_shape(shape)
        returns = returns.write(t, total)
    found = returns.stack()[::-1]
    return (found - tf.math.reduce_mean(found)) / (tf.math.reduce_std(found) + EPSILON)


huber = tf.keras.losses.Huber(reduction="sum")
optimizer = tf.keras.optimizers.Adam(0.02)
model = ActorCritic(2, 16)


@tf.function
def train_step(state, model, gamma, most):
    with tf.GradientTape() as tape:
        probabilities, values, rewards = episode(state, model, most)
        returns = returns_of(rewards, gamma)
        advantage = tf.stop_gradient(returns - values)
        actor_loss = -tf.math.reduce_sum(tf.math.log(probabilities) * advantage)
        loss = actor_loss + huber(values[:, None], returns[:, None])
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return tf.math.reduce_sum(rewards)


tf.keras.utils.set_random_seed(42)
totals = [float(train_step(tf.constant(cart.reset()), model, 0.9, 20)) for _ in range(60)]
assert len(model.trainable_variables) == 6
assert np.mean(totals[-10:]) > np.mean(totals[:10]), totals
print(f"ok: from {np.mean(totals[:10]):.2f} to {np.mean(totals[-10:]):.2f}")
