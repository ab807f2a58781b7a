"""A loop that writes summaries and checkpoints, is interrupted, and goes on from its last checkpoint."""

import datetime
import os
import tempfile

import numpy as np
import tensorflow as tf

folder = tempfile.mkdtemp()
log_dir = os.path.join(folder, "logs", datetime.datetime.now().strftime("%Y%m%d-%H%M%S"))
checkpoint_dir = os.path.join(folder, "training_checkpoints")
rng = np.random.default_rng(0)
x = rng.normal(size=(64, 3)).astype("float32")
y = x @ np.array([[1.0], [2.0], [-1.0]], "float32")
dataset = tf.data.Dataset.from_tensor_slices((x, y)).repeat().batch(16)


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.l1 = tf.keras.layers.Dense(1)

    def call(self, inputs):
        return self.l1(inputs)


def train(steps):
    net = Net()
    opt = tf.keras.optimizers.Adam(0.1)
    step = tf.Variable(1, dtype=tf.int64)
    ckpt = tf.train.Checkpoint(step=step, optimizer=opt, net=net)
    manager = tf.train.CheckpointManager(ckpt, checkpoint_dir, max_to_keep=3)
    net(x[:1])
    opt.build(net.trainable_variables)
    ckpt.restore(manager.latest_checkpoint)
    if manager.latest_checkpoint:
        print("Restored from {}".format(os.path.basename(manager.latest_checkpoint)))
    else:
        print("Initializing from scratch.")
    writer = tf.summary.create_file_writer(log_dir)
    for example, target in dataset.take(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.abs(net(example) - target))
        opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
        step.assign_add(1)
        with writer.as_default():
            tf.summary.scalar("loss", loss, step=int(step))
            tf.summary.histogram("kernel", net.l1.kernel, step=int(step))
        if int(step) % 10 == 0:
            save_path = manager.save()
            print("Saved checkpoint for step {}: {}".format(int(step), os.path.basename(save_path)))
    writer.flush()
    return int(step), float(loss), net


first_step, first_loss, _ = train(25)
second_step, second_loss, net = train(25)
assert (first_step, second_step) == (26, 45)
assert tf.train.latest_checkpoint(checkpoint_dir).endswith("ckpt-4")
assert second_loss < first_loss
assert any("events" in name for name in os.listdir(log_dir))
net.save_weights(os.path.join(folder, "net.weights.h5"))
print("ok", second_loss < 2.0)
