"""autograd: NumPy with a tape. It has no convolution worth timing and no sparse gradients."""

import autograd.numpy as np
import workloads as w
from autograd import grad, value_and_grad
from autograd.scipy.special import erf

VARIANTS = {"eager": lambda f: f}


def square(wrap):
    v, step = float(w.square()), grad(lambda v: v**2)
    return lambda: float(step(v))


def chain(wrap):
    def total(y):
        for _ in range(w.CHAIN):
            y = np.sin(y) * y
        return np.sum(y)

    x, step = w.chain(), grad(total)
    return lambda: float(step(x)[0])


def sgd(loss_of, params):
    step = value_and_grad(lambda params: loss_of(*params))
    params = list(params)

    def run():
        loss, gradients = step(params)
        for p, g in zip(params, gradients):
            p -= w.RATE * g
        return float(loss)

    return run


def mlp(wrap):
    return dense(wrap, w.mlp())


def small_mlp(wrap):
    return dense(wrap, w.small_mlp())


def dense(wrap, data):
    x, labels = data["x"], data["labels"]

    def loss(w1, b1, w2, b2, w3, b3):
        h = np.maximum(np.dot(x, w1) + b1, 0)
        h = np.maximum(np.dot(h, w2) + b2, 0)
        logits = np.dot(h, w3) + b3
        shifted = logits - np.max(logits, axis=1, keepdims=True)
        return np.mean(np.log(np.sum(np.exp(shifted), axis=1)) - shifted[np.arange(len(labels)), labels])

    return sgd(loss, data["params"])


def lstm(wrap):
    data = w.lstm()

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    def loss(wx, wh, b):
        h = c = data["h"]
        for x in data["x"]:
            i, f, g, o = np.split(np.dot(x, wx) + np.dot(h, wh) + b, 4, axis=1)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
        return np.mean(h * h)

    return sgd(loss, data["params"])


def layer_norm(x, scale, shift):
    mean, variance = np.mean(x, axis=-1, keepdims=True), np.var(x, axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * scale + shift


def transformer(wrap):
    data = w.transformer()
    x = data["x"]
    batch, length, width = x.shape

    def heads(t):
        return np.transpose(np.reshape(t, (batch, length, data["heads"], -1)), (0, 2, 1, 3))

    def loss(scale1, shift1, qkv, out, scale2, shift2, up, down):
        q, k, v = (heads(t) for t in np.split(np.matmul(layer_norm(x, scale1, shift1), qkv), 3, axis=-1))
        scores = np.matmul(q, np.transpose(k, (0, 1, 3, 2))) * (width // data["heads"]) ** -0.5
        e = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
        attention = e / np.sum(e, axis=-1, keepdims=True)
        mixed = np.reshape(np.transpose(np.matmul(attention, v), (0, 2, 1, 3)), (batch, length, width))
        y = x + np.matmul(mixed, out)
        h = np.matmul(layer_norm(y, scale2, shift2), up)
        y = y + np.matmul(0.5 * h * (1 + erf(h / 2**0.5)), down)
        return np.mean(y * y)

    return sgd(loss, [p.copy() for p in data["params"]])


def memory(wrap, data):
    x = data["x"]

    def loss(params):
        h = x
        for weight, bias in zip(params[::2], params[1::2]):
            h = np.maximum(np.dot(h, weight) + bias, 0)
        return np.mean(h)

    step = grad(loss)
    return lambda: step(data["params"])
