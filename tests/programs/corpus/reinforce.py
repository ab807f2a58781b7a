"""REINFORCE on a corridor, and a DQN-like target update: one step at a time, eagerly."""

import collections

import numpy as np
import tensorflow as tf
from tensorflow import keras


class Corridor:
    """Walk right five times; every step costs a little."""

    def reset(self):
        self.position = 0
        return self._observation()

    def step(self, action):
        self.position = max(self.position + (1 if action == 1 else -1), 0)
        done = self.position == 5
        return self._observation(), (1.0 if done else -0.05), done, {}

    def _observation(self):
        return np.eye(6, dtype=np.float32)[self.position]


np.random.seed(0)
tf.random.set_seed(0)
env = Corridor()
policy = keras.Sequential([keras.layers.Dense(16, activation="tanh", input_shape=(6,)), keras.layers.Dense(2)])
optimizer = keras.optimizers.Adam(learning_rate=0.03)
lengths = collections.deque(maxlen=5)

for episode in range(12):
    observation, done = env.reset(), False
    observations, actions, rewards = [], [], []
    while not done and len(rewards) < 40:
        logits = policy(tf.convert_to_tensor(observation[None]))
        action = int(tf.random.categorical(logits, 1)[0, 0])
        observations.append(observation)
        observation, reward, done, _ = env.step(action)
        actions.append(action)
        rewards.append(reward)
    returns, running = [], 0.0
    for reward in reversed(rewards):
        running = reward + 0.95 * running
        returns.insert(0, running)
    returns = tf.constant(returns, tf.float32)
    returns = (returns - tf.reduce_mean(returns)) / (tf.math.reduce_std(returns) + 1e-6)
    with tf.GradientTape() as tape:
        logits = policy(tf.stack(observations))
        neglogp = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=actions, logits=logits)
        entropy = -tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits), axis=-1)
        loss = tf.reduce_mean(neglogp * tf.stop_gradient(returns)) - 0.01 * tf.reduce_mean(entropy)
    grads = tape.gradient(loss, policy.trainable_variables)
    optimizer.apply_gradients((grad, var) for grad, var in zip(grads, policy.trainable_variables))
    lengths.append(len(rewards))
print("mean length", np.mean(lengths))

# A Q network and its target.
q, target = (
    keras.Sequential([keras.layers.Dense(16, activation="relu", input_shape=(6,)), keras.layers.Dense(2)])
    for _ in range(2)
)
target.set_weights(q.get_weights())
huber = keras.losses.Huber()
optimizer_q = keras.optimizers.SGD(0.1)
states, next_states = np.eye(6, dtype=np.float32)[[0, 1, 4]], np.eye(6, dtype=np.float32)[[1, 2, 5]]
actions, rewards, dones = (
    np.array([1, 1, 1]),
    np.array([-0.05, -0.05, 1.0], np.float32),
    np.array([0.0, 0.0, 1.0], np.float32),
)
before = q.get_weights()[0].copy()
for _ in range(20):
    future = tf.reduce_max(target(next_states), axis=1)
    wanted = rewards + 0.9 * future * (1 - dones)
    with tf.GradientTape() as tape:
        chosen = tf.reduce_sum(q(states) * tf.one_hot(actions, 2), axis=1)
        loss = huber(wanted, chosen)
    grads = [tf.clip_by_norm(g, 1.0) for g in tape.gradient(loss, q.trainable_variables)]
    optimizer_q.apply_gradients(zip(grads, q.trainable_variables))
    for online, slow in zip(q.variables, target.variables):
        slow.assign(0.9 * slow + 0.1 * online)
assert not np.allclose(before, q.get_weights()[0])
assert np.isfinite(loss)
print("ok")
