"""The control: the same mathematics written out by hand in NumPy, forward and backward. It runs none of our code.

It says what the machine can do, and whether the machine itself was slow in a round.
"""

import numpy as np
import workloads as w

VARIANTS = {"by hand": lambda f: f}


def square(wrap):
    v = w.square()

    def step():
        y = np.multiply(v, v)
        return np.multiply(np.ones_like(y), 2 * v)

    return lambda: float(step())


def chain(wrap):
    x = w.chain()

    def step():
        ys, sines, y = [], [], x
        for _ in range(w.CHAIN):
            sine = np.sin(y)
            ys.append(y)
            sines.append(sine)
            y = sine * y
        g = np.ones_like(y)
        for y, sine in zip(reversed(ys), reversed(sines)):
            g = g * sine + g * y * np.cos(y)
        return g

    return lambda: float(step()[0])


def softmax_cross_entropy(logits, labels):
    """The mean loss, and its gradient with respect to the logits."""
    rows = np.arange(len(labels))
    shifted = logits - logits.max(axis=1, keepdims=True)
    p = np.exp(shifted)
    total = p.sum(axis=1, keepdims=True)
    loss = np.mean(np.log(total[:, 0]) - shifted[rows, labels])
    p /= total
    p[rows, labels] -= 1.0
    p /= np.float32(len(labels))
    return loss, p


def mlp(wrap):
    return dense(wrap, w.mlp())


def small_mlp(wrap):
    return dense(wrap, w.small_mlp())


def dense(wrap, data):
    x, labels = data["x"], data["labels"]
    w1, b1, w2, b2, w3, b3 = data["params"]

    def step():
        nonlocal w1, b1, w2, b2, w3, b3
        h1 = np.maximum(x @ w1 + b1, 0)
        h2 = np.maximum(h1 @ w2 + b2, 0)
        loss, g = softmax_cross_entropy(h2 @ w3 + b3, labels)
        dw3, db3, g = h2.T @ g, g.sum(axis=0), (g @ w3.T) * (h2 > 0)
        dw2, db2, g = h1.T @ g, g.sum(axis=0), (g @ w2.T) * (h1 > 0)
        dw1, db1 = x.T @ g, g.sum(axis=0)
        w1, b1, w2 = w1 - w.RATE * dw1, b1 - w.RATE * db1, w2 - w.RATE * dw2
        b2, w3, b3 = b2 - w.RATE * db2, w3 - w.RATE * dw3, b3 - w.RATE * db3
        return loss

    return lambda: float(step())


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(wrap):
    data = w.lstm()
    xs, h0 = data["x"], data["h"]
    wx, wh, b = data["params"]
    n = h0.shape[1]

    def step():
        nonlocal wx, wh, b
        h, c, kept = h0, h0, []
        for x in xs:
            z = x @ wx + h @ wh + b
            i, f, g, o = (
                sigmoid(z[:, :n]),
                sigmoid(z[:, n : 2 * n]),
                np.tanh(z[:, 2 * n : 3 * n]),
                sigmoid(z[:, 3 * n :]),
            )
            before = (h, c)
            c = f * c + i * g
            t = np.tanh(c)
            h = o * t
            kept.append((x, *before, i, f, g, o, t))
        loss = np.mean(h * h)
        dh, dc = 2 * h / np.float32(h.size), np.zeros_like(h)
        dwx, dwh, db = np.zeros_like(wx), np.zeros_like(wh), np.zeros_like(b)
        for x, h, c, i, f, g, o, t in reversed(kept):
            dc = dc + dh * o * (1 - t * t)
            dz = np.concatenate(
                [dc * g * i * (1 - i), dc * c * f * (1 - f), dc * i * (1 - g * g), dh * t * o * (1 - o)], axis=1
            )
            dwx += x.T @ dz
            dwh += h.T @ dz
            db += dz.sum(axis=0)
            dh, dc = dz @ wh.T, dc * f
        wx, wh, b = wx - w.RATE * dwx, wh - w.RATE * dwh, b - w.RATE * db
        return loss

    return lambda: float(step())


def embedding(wrap):
    data = w.embedding()
    table, ids, weight, target = data["table"], data["ids"], data["w"], data["target"]
    flat, each = ids.reshape(-1), ids.shape[1]

    def step():
        error = table[ids].mean(axis=1) @ weight - target
        change = (2 * w.RATE / error.size / each) * error[:, None] * weight
        order = np.argsort(flat, kind="stable")  # rows may repeat: bring them together, add them up
        rows = flat[order]
        first = np.flatnonzero(np.concatenate([[True], rows[1:] != rows[:-1]]))
        table[rows[first]] -= np.add.reduceat(change[order // each], first, axis=0)
        return np.mean(error * error)

    return lambda: float(step())
