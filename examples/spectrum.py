"""Gradient descent trains at the edge of stability (Cohen et al., 2021): the sharpest curvature grows until it is 2 /
rate, and stays.

    python examples/spectrum.py [--steps N]

The sharpest curvature is the largest eigenvalue of the Hessian. Lanczos' method needs a symmetric matrix only as a
function v -> H v, and finds the ends of its spectrum first; `tf.derivatives.hvp` is that function. Once,
`tf.derivatives.hessian` gives the whole matrix to compare with. A parabola of a curvature above 2 / rate throws
gradient descent out; a network bends it back.
"""

import argparse
from itertools import pairwise

import numpy as np

import tapeflow as tf


def network(rng, *sizes):
    shapes = [s for n, m in pairwise(sizes) for s in ((n, m), (m,))]
    return [tf.Variable(rng.normal(size=s) * (s[0] ** -0.5 if len(s) == 2 else 0.1)) for s in shapes]


def loss_of(variables, x, y):
    w1, b1, w2, b2, w3, b3 = variables
    return tf.reduce_mean((tf.tanh(tf.tanh(x @ w1 + b1) @ w2 + b2) @ w3 + b3 - y) ** 2)


def split(vector, variables):
    """A vector with a number for each weight, as a list of the shapes of the variables."""
    sizes = [int(np.prod(v.shape)) for v in variables]
    return [tf.reshape(part, v.shape) for part, v in zip(tf.split(vector, sizes), variables, strict=True)]


def joined(parts):
    return tf.concat([tf.reshape(p, [-1]) for p in parts], axis=0)


def lanczos(product, start, steps):
    """The eigenvalues of `product` within the space of start, product(start), product(product(start)), ..."""
    basis, diagonal, beside = [start / np.linalg.norm(start)], [], []
    for _ in range(steps):
        v = product(basis[-1])
        diagonal.append(v @ basis[-1])
        for _ in range(2):  # against all that came before, twice: rounding would bring them back
            v = v - np.array(basis).T @ (np.array(basis) @ v)
        beside.append(np.linalg.norm(v))
        if beside[-1] < 1e-10:
            break
        basis.append(v / beside[-1])
    off = beside[: len(diagonal) - 1]
    return np.linalg.eigvalsh(np.diag(diagonal) + np.diag(off, 1) + np.diag(off, -1))


def whole_hessian(f, variables):
    """The blocks of every pair of variables, put together to one matrix."""
    sizes = [int(np.prod(v.shape)) for v in variables]
    blocks = tf.derivatives.hessian(f, wrt=variables)()
    return np.block(
        [
            [b.numpy().reshape(n, m) for b, m in zip(row, sizes, strict=True)]
            for row, n in zip(blocks, sizes, strict=True)
        ]
    )


class Training:
    """A network that learns a sine by gradient descent, and products with the Hessian of its loss."""

    def __init__(self, rate):
        x = np.linspace(-2, 2, 60).reshape(-1, 1)
        self.x, self.y = tf.constant(x), tf.constant(np.sin(2 * x))
        self.rate, self.variables = rate, network(np.random.default_rng(0), 1, 12, 12, 1)
        self.count = sum(int(np.prod(v.shape)) for v in self.variables)

    def loss(self):
        return loss_of(self.variables, self.x, self.y)

    def descend(self, steps):
        gradients = tf.derivatives.grad(self.loss, wrt=self.variables)
        for _ in range(steps):
            for v, g in zip(self.variables, gradients(), strict=True):
                v.assign_sub(self.rate * g)

    def product(self, vector):
        direction = split(tf.constant(vector), self.variables)
        return joined(tf.derivatives.hvp(self.loss, self.variables, direction)).numpy()

    def eigenvalues(self, products):
        return lanczos(self.product, np.random.default_rng(1).normal(size=self.count), products)


def main(steps=2000, rates=(0.05, 0.1, 0.2)):
    part = max(1, steps // 4)
    print("sharpness after".ljust(24) + "".join(f"{k * part:7}" for k in range(5)) + " steps")
    sharpness: dict[float, list] = {}
    for rate in rates:
        training, sharpness[rate] = Training(rate), []
        for k in range(5):
            training.descend(part if k else 0)
            sharpness[rate].append(training.eigenvalues(20)[-1])
        row = "".join(f"{s:7.2f}" for s in sharpness[rate])
        print(f"rate {rate:4}, 2 / rate = {2 / rate:2.0f} {row}, loss {float(training.loss()):.4f}")

    found, exact = training.eigenvalues(40), np.linalg.eigvalsh(whole_hessian(training.loss, training.variables))
    show = lambda values: " ".join(f"{v:.4f}" for v in [*values[:-4:-1], values[0]])
    print(f"the last one's three largest eigenvalues and the smallest, by 40 products: {show(found)}")
    print(f"all {training.count} from the whole Hessian, of which these: {show(exact)}")
    return {"sharpness": sharpness, "found": found, "exact": exact}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=2000)
    main(parser.parse_args().steps)
