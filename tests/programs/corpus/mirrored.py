"""A custom loop under MirroredStrategy: scope, distributed dataset, run, reduce."""

import os

import numpy as np
import tensorflow as tf

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
gpus = tf.config.experimental.list_physical_devices("GPU")
for gpu in gpus:
    tf.config.experimental.set_memory_growth(gpu, True)
strategy = tf.distribute.MirroredStrategy()
print("Number of devices: {}".format(strategy.num_replicas_in_sync))
GLOBAL_BATCH_SIZE = 16 * strategy.num_replicas_in_sync

rng = np.random.default_rng(0)
x = rng.normal(size=(128, 4)).astype("float32")
y = (x @ np.array([[1.0], [-2.0], [0.5], [3.0]], "float32")).astype("float32")
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(GLOBAL_BATCH_SIZE)
dist_dataset = strategy.experimental_distribute_dataset(dataset)

with strategy.scope():
    model = tf.keras.Sequential([tf.keras.Input(shape=(4,)), tf.keras.layers.Dense(1)])
    optimizer = tf.keras.optimizers.SGD(learning_rate=0.1, momentum=0.5)

    def compute_loss(labels, predictions):
        per_example = tf.reduce_sum(tf.square(labels - predictions), axis=-1)
        return tf.nn.compute_average_loss(per_example, global_batch_size=GLOBAL_BATCH_SIZE)


def train_step(inputs):
    features, labels = inputs
    with tf.GradientTape() as tape:
        loss = compute_loss(labels, model(features, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


@tf.function
def distributed_train_step(dataset_inputs):
    per_replica_losses = strategy.run(train_step, args=(dataset_inputs,))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, per_replica_losses, axis=None)


for epoch in range(4):
    total_loss, num_batches = 0.0, 0
    for batch in dist_dataset:
        total_loss += distributed_train_step(batch)
        num_batches += 1
    print("Epoch {}, Loss: {:.5f}".format(epoch + 1, total_loss / num_batches))
assert total_loss / num_batches < 0.05
print("ok")
