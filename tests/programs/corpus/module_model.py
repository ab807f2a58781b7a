"""A tf.Module with an input signature, manual updates, tf.while_loop, a TensorArray and a custom gradient."""

import tensorflow as tf


class Dense(tf.Module):
    def __init__(self, in_features, out_features, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.random.normal([in_features, out_features], stddev=0.3), name="w")
        self.b = tf.Variable(tf.zeros([out_features]), name="b")

    def __call__(self, x):
        return tf.matmul(x, self.w) + self.b


class MLP(tf.Module):
    def __init__(self, sizes, name="mlp"):
        super().__init__(name=name)
        self.layers = []
        with self.name_scope:
            for n_in, n_out in zip(sizes[:-1], sizes[1:]):
                self.layers.append(Dense(n_in, n_out))

    @tf.function(input_signature=[tf.TensorSpec(shape=[None, 2], dtype=tf.float32)])
    def __call__(self, x):
        for layer in self.layers[:-1]:
            x = tf.nn.tanh(layer(x))
        return self.layers[-1](x)


@tf.custom_gradient
def clip_gradient(x):
    def grad(upstream):
        return tf.clip_by_value(upstream, -0.5, 0.5)

    return tf.identity(x), grad


tf.random.set_seed(11)
model = MLP([2, 16, 1])
print([v.name for v in model.trainable_variables])
assert len(model.variables) == 4 and len(model.submodules) == 2
x = tf.random.uniform([64, 2], -1, 1)
y = tf.reduce_prod(x, axis=1, keepdims=True)


@tf.function
def train(steps, rate):
    losses = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for step in tf.range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.math.squared_difference(clip_gradient(model(x)), y))
        for variable, gradient in zip(model.trainable_variables, tape.gradient(loss, model.trainable_variables)):
            variable.assign_sub(rate * gradient)
        losses = losses.write(step, loss)
    return losses.stack()


history = train(tf.constant(100), tf.constant(0.3))
print("loss", float(history[0]), "->", float(history[-1]))
assert history.shape == (100,) and history[-1] < history[0]

newton, _ = tf.while_loop(
    lambda v, i: i < 20, lambda v, i: (0.5 * (v + 2.0 / v), i + 1), [tf.constant(1.0), tf.constant(0)]
)
tf.debugging.assert_near(newton, tf.sqrt(2.0))

with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        out = model(x)
    slope = tape.gradient(out, x)
hessians = outer.batch_jacobian(slope, x)
assert hessians.shape == (64, 2, 2)
tf.debugging.assert_near(hessians, tf.linalg.matrix_transpose(hessians), atol=1e-5)
print("ok")
