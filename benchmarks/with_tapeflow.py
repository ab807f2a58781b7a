"""tapeflow: eager on NumPy, as a tf.function on NumPy, and compiled by XLA."""

import workloads as w

import tapeflow as tf


def loop(f):
    """The variant in which examples go one by one."""
    return f


VARIANTS = {
    "eager": lambda f: f,
    "loop": loop,
    "function": lambda f: tf.function(f),
    "xla": lambda f: tf.function(f, jit_compile=True),
}
LOOP = {"per_example"}


def placed():
    """Where data and parameters are: on the GPU, if that is what is measured and there is one."""
    gpu = w.Now.scale == "gpu" and tf.config.list_physical_devices("GPU")
    return tf.device("/GPU:0" if gpu else "/CPU:0")


def tensor(array):
    with placed():
        return tf.constant(array, w.Now.dtype if array.dtype == "float32" else None)


def variable(array):
    with placed():
        return tf.Variable(array, dtype=w.Now.dtype)


def square(wrap):
    v = tf.Variable(w.square())

    @wrap
    def step():
        with tf.GradientTape() as tape:
            y = v**2
        return tape.gradient(y, v)

    return lambda: float(step())


def chain(wrap):
    x = tf.constant(w.chain())

    @wrap
    def step():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(w.CHAIN):
                y = tf.sin(y) * y
        return tape.gradient(y, x)

    return lambda: float(step().numpy()[0])  # to index a tensor is one more operation


def sgd(wrap, loss_of, params):
    """One step on variables made from `params`; `loss_of` gets them."""
    variables = [variable(p) for p in params]

    @wrap
    def step():
        with tf.GradientTape() as tape:
            loss = loss_of(*variables)
        for v, g in zip(variables, tape.gradient(loss, variables)):
            v.assign_sub(w.Now.rate * g)
        return loss

    return w.Step(step)


def cross_entropy(labels, logits):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))


def mlp(wrap):
    return dense(wrap, w.mlp())


def small_mlp(wrap):
    return dense(wrap, w.small_mlp())


def dense(wrap, data):
    x, labels = tensor(data["x"]), tensor(data["labels"])

    def loss(w1, b1, w2, b2, w3, b3):
        h = tf.nn.relu(x @ w1 + b1)
        h = tf.nn.relu(h @ w2 + b2)
        return cross_entropy(labels, h @ w3 + b3)

    return sgd(wrap, loss, data["params"])


def cnn(wrap):
    data = w.cnn()
    x, labels = tensor(data["x"]), tensor(data["labels"])

    def loss(k1, b1, k2, b2, k3, b3, w4, b4):
        h = x
        for k, b in ((k1, b1), (k2, b2), (k3, b3)):
            h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(h, k, 1, "SAME") + b), 2, 2, "VALID")
        return cross_entropy(labels, tf.reshape(h, (len(labels), -1)) @ w4 + b4)

    return sgd(wrap, loss, data["params"])


def lstm(wrap):
    data = w.lstm()
    steps, zero = [tensor(x) for x in data["x"]], tensor(data["h"])

    def loss(wx, wh, b):
        h = c = zero
        for x in steps:
            i, f, g, o = tf.split(x @ wx + h @ wh + b, 4, axis=1)
            c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
            h = tf.sigmoid(o) * tf.tanh(c)
        return tf.reduce_mean(h * h)

    return sgd(wrap, loss, data["params"])


def layer_norm(x, scale, shift):
    mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, shift, scale, 1e-5)


def transformer(wrap):
    data = w.transformer()
    x = tensor(data["x"])
    batch, length, width = data["x"].shape

    def heads(t):
        return tf.transpose(tf.reshape(t, (batch, length, data["heads"], -1)), (0, 2, 1, 3))

    def loss(scale1, shift1, qkv, out, scale2, shift2, up, down):
        q, k, v = (heads(t) for t in tf.split(layer_norm(x, scale1, shift1) @ qkv, 3, axis=-1))
        attention = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * (width // data["heads"]) ** -0.5)
        mixed = tf.reshape(tf.transpose(attention @ v, (0, 2, 1, 3)), (batch, length, width))
        y = x + mixed @ out
        y = y + tf.nn.gelu(layer_norm(y, scale2, shift2) @ up) @ down
        return tf.reduce_mean(y * y)

    return sgd(wrap, loss, data["params"])


def embedding(wrap):
    data = w.embedding()
    table, weight = tf.Variable(data["table"]), tf.constant(data["w"])
    ids, target = tf.constant(data["ids"]), tf.constant(data["target"])

    @wrap
    def step():
        with tf.GradientTape() as tape:
            mean = tf.reduce_mean(tf.gather(table, ids), axis=1)
            loss = tf.reduce_mean((tf.linalg.matvec(mean, weight) - target) ** 2)
        g = tape.gradient(loss, table)
        table.scatter_sub(tf.IndexedSlices(w.RATE * g.values, g.indices))
        return loss

    return lambda: float(step())


def small_net():
    data = w.small_net()
    variables = [tf.Variable(p) for p in data["params"]]

    def net(x):
        w1, b1, w2, b2, w3, b3 = variables
        return tf.tanh(tf.tanh(x @ w1 + b1) @ w2 + b2) @ w3 + b3

    return tf.constant(data["x"]), variables, net


def batch_jacobian(wrap):
    x, _, net = small_net()

    @wrap
    def step():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = net(x)
        return tape.batch_jacobian(y, x)

    return lambda: float(step()[3, 2, 1])


def weight_jacobian(wrap):
    x, variables, net = small_net()

    @wrap
    def step():
        with tf.GradientTape() as tape:
            y = net(x)
        return tape.jacobian(y, variables)

    return lambda: float(step()[0][3, 2, 1, 0])


def hvp(wrap):
    x, variables, net = small_net()
    direction = [tf.ones_like(v) for v in variables]

    @wrap
    def step():
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = tf.reduce_sum(net(x) ** 2)
            gradients = inner.gradient(loss, variables)
        return outer.gradient(gradients, variables, output_gradients=direction)

    return lambda: float(step()[0][3, 2])


def per_example(wrap):
    data = w.per_example()
    batch = tf.constant(data["x"]), tf.constant(data["labels"])
    variables = [tf.Variable(p) for p in data["params"]]

    def gradients(example):
        x, label = example
        k1, b1, k2, b2, w3, b3 = variables
        with tf.GradientTape() as tape:
            h = x[tf.newaxis]
            for k, b in ((k1, b1), (k2, b2)):
                h = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(h, k, 2, "SAME") + b), 2, 2, "VALID")
            loss = cross_entropy(label[tf.newaxis], tf.reshape(h, (1, -1)) @ w3 + b3)
        return tape.gradient(loss, variables)

    def one_by_one(f, batch):
        return [tf.stack(rows) for rows in zip(*[f((x, label)) for x, label in zip(*map(tf.unstack, batch))])]

    each = one_by_one if wrap is loop else tf.vectorized_map

    @wrap
    def step():
        return each(gradients, batch)

    return lambda: float(step()[0][5, 1, 1, 0, 3])


def memory(wrap, data):
    x, variables = tf.constant(data["x"]), [tf.Variable(p) for p in data["params"]]

    @wrap
    def step():
        with tf.GradientTape() as tape:
            h = x
            for weight, bias in zip(variables[::2], variables[1::2]):
                h = tf.nn.relu(h @ weight + bias)
            loss = tf.reduce_mean(h)
        return tape.gradient(loss, variables)

    return lambda: step()[0].numpy()
