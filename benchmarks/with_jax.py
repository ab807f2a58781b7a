"""JAX, compiled with `jax.jit`, and without it where that is a sensible way to work."""

import jax
import jax.numpy as jnp
import numpy as np
import workloads as w


def scan(f):
    """The variant in which a loop over steps is a loop for XLA, too."""
    return jax.jit(f)


VARIANTS = {"jit": jax.jit, "scan": scan, "eager": lambda f: f}
SCAN = {"lstm"}
EAGER = {"square", "chain", "mlp", "batch_jacobian", "hvp"}  # the others are not written un-jitted by anybody


def square(wrap):
    v = jnp.asarray(w.square())
    step = wrap(jax.grad(lambda v: v**2))
    return lambda: float(step(v))


def chain(wrap):
    x = jnp.asarray(w.chain())

    def total(x):
        y = x
        for _ in range(w.CHAIN):
            y = jnp.sin(y) * y
        return jnp.sum(y)

    step = wrap(jax.grad(total))
    return lambda: float(np.asarray(step(x))[0])  # to index a JAX array takes longer than the step


def array(values):
    return jnp.asarray(values, w.Now.dtype if values.dtype == "float32" else None)


def sgd(wrap, loss_of, arrays, *data):
    """`data` are arguments of the step: what a jitted function closes over is compiled into it."""
    params = [array(a) for a in arrays]

    def step(params, *data):
        loss, gradients = jax.value_and_grad(lambda p: loss_of(*data, *p))(params)
        return loss, [p - w.Now.rate * g for p, g in zip(params, gradients)]

    step = jax.jit(step, donate_argnums=0) if wrap in (jax.jit, scan) else step

    def start():
        nonlocal params
        loss, params = step(params, *data)
        return loss

    return w.Step(start)


def cross_entropy(labels, logits):
    return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(len(labels)), labels])


def mlp(wrap):
    return dense(wrap, w.mlp())


def small_mlp(wrap):
    return dense(wrap, w.small_mlp())


def dense(wrap, data):

    def loss(x, labels, w1, b1, w2, b2, w3, b3):
        h = jax.nn.relu(x @ w1 + b1)
        h = jax.nn.relu(h @ w2 + b2)
        return cross_entropy(labels, h @ w3 + b3)

    return sgd(wrap, loss, data["params"], array(data["x"]), array(data["labels"]))


def cnn(wrap):
    data = w.cnn()

    def pool(h):
        return jax.lax.reduce_window(h, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    def loss(x, labels, k1, b1, k2, b2, k3, b3, w4, b4):
        h = x
        for k, b in ((k1, b1), (k2, b2), (k3, b3)):
            h = pool(
                jax.nn.relu(
                    jax.lax.conv_general_dilated(h, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + b
                )
            )
        return cross_entropy(labels, h.reshape(len(labels), -1) @ w4 + b4)

    return sgd(wrap, loss, data["params"], array(data["x"]), array(data["labels"]))


def lstm(wrap):
    data = w.lstm()

    def cell(wx, wh, b, state, x):
        h, c = state
        i, f, g, o = jnp.split(x @ wx + h @ wh + b, 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return jax.nn.sigmoid(o) * jnp.tanh(c), c

    def loss(steps, zero, wx, wh, b):
        state = zero, zero
        if wrap is scan:
            state, _ = jax.lax.scan(lambda state, x: (cell(wx, wh, b, state, x), None), state, steps)
        else:
            for x in steps:
                state = cell(wx, wh, b, state, x)
        return jnp.mean(state[0] * state[0])

    steps = array(data["x"]) if wrap is scan else [array(x) for x in data["x"]]
    return sgd(wrap, loss, data["params"], steps, array(data["h"]))


def layer_norm(x, scale, shift):
    mean, variance = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + shift


def transformer(wrap):
    data = w.transformer()
    batch, length, width = data["x"].shape

    def heads(t):
        return t.reshape(batch, length, data["heads"], -1).transpose(0, 2, 1, 3)

    def loss(x, scale1, shift1, qkv, out, scale2, shift2, up, down):
        q, k, v = (heads(t) for t in jnp.split(layer_norm(x, scale1, shift1) @ qkv, 3, axis=-1))
        attention = jax.nn.softmax(q @ k.transpose(0, 1, 3, 2) * (width // data["heads"]) ** -0.5)
        mixed = (attention @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
        y = x + mixed @ out
        y = y + jax.nn.gelu(layer_norm(y, scale2, shift2) @ up, approximate=False) @ down
        return jnp.mean(y * y)

    return sgd(wrap, loss, data["params"], array(data["x"]))


def embedding(wrap):
    """JAX has no sparse gradients: differentiate with respect to the rows that were read, then add into the table in
    place."""
    data = w.embedding()
    table, weight = jnp.asarray(data["table"]), jnp.asarray(data["w"])
    ids, target = jnp.asarray(data["ids"]), jnp.asarray(data["target"])

    def step(table):
        loss, g = jax.value_and_grad(lambda rows: jnp.mean((rows.mean(axis=1) @ weight - target) ** 2))(table[ids])
        return loss, table.at[ids].add(-w.RATE * g)

    step = jax.jit(step, donate_argnums=0)

    def run():
        nonlocal table
        loss, table = step(table)
        table.block_until_ready()
        return float(loss)

    return run


def small_net():
    data = w.small_net()

    def net(params, x):
        w1, b1, w2, b2, w3, b3 = params
        return jnp.tanh(jnp.tanh(x @ w1 + b1) @ w2 + b2) @ w3 + b3

    return jnp.asarray(data["x"]), [jnp.asarray(p) for p in data["params"]], net


def batch_jacobian(wrap):
    x, params, net = small_net()
    step = wrap(jax.vmap(jax.jacrev(lambda x: net(params, x))))
    return lambda: float(np.asarray(step(x))[3, 2, 1])


def weight_jacobian(wrap):
    x, params, net = small_net()
    step = wrap(jax.jacrev(lambda params: net(params, x)))
    return lambda: float(np.asarray(jax.block_until_ready(step(params))[0])[3, 2, 1, 0])


def hvp(wrap):
    x, params, net = small_net()
    direction = [jnp.ones_like(p) for p in params]
    gradient = jax.grad(lambda params: jnp.sum(net(params, x) ** 2))
    step = wrap(lambda params: jax.jvp(gradient, (params,), (direction,))[1])
    return lambda: float(np.asarray(jax.block_until_ready(step(params))[0])[3, 2])


def per_example(wrap):
    data = w.per_example()
    x, labels, params = jnp.asarray(data["x"]), jnp.asarray(data["labels"]), [jnp.asarray(p) for p in data["params"]]

    def loss(params, x, label):
        k1, b1, k2, b2, w3, b3 = params
        h = x[None]
        for k, b in ((k1, b1), (k2, b2)):
            h = jax.lax.conv_general_dilated(h, k, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")) + b
            h = jax.lax.reduce_window(jax.nn.relu(h), -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        return cross_entropy(label[None], h.reshape(1, -1) @ w3 + b3)

    step = wrap(jax.vmap(jax.grad(loss), in_axes=(None, 0, 0)))
    return lambda: float(np.asarray(jax.block_until_ready(step(params, x, labels))[0])[5, 1, 1, 0, 3])


def memory(wrap, data):
    x, params = jnp.asarray(data["x"]), [jnp.asarray(p) for p in data["params"]]

    @wrap
    def step(params):
        def loss(params):
            h = x
            for weight, bias in zip(params[::2], params[1::2]):
                h = jax.nn.relu(h @ weight + bias)
            return jnp.mean(h)

        return jax.grad(loss)(params)

    if hasattr(step, "lower"):  # compiled now: the memory of the compiler is not the question
        step = step.lower(params).compile()
    return lambda: jax.block_until_ready(step(params))
