"""A layer whose output is a fixed point, z = tanh(z W + x U + b), with the gradient of the implicit function theorem,
to any order.

    python examples/implicit_layer.py [--steps N]

The tape never sees how the fixed point was found: `tf.custom_gradient` says that its gradient is the solution of
another fixed-point equation. That one is solved by the same function, so the gradient has a gradient of its own. Both
orders are compared with a tape that records the whole iteration, then the layer learns to tell two half-moons apart.
Only TensorFlow's names are used.
"""

import argparse
import tracemalloc

import numpy as np

import tapeflow as tf


def iterate(f, z, tolerance=1e-12, most=1000):
    for _ in range(most):
        z, before = f(z), z
        if float(tf.reduce_max(tf.abs(z - before))) < tolerance:
            break
    return z


def fixed_point(f, start, *args):
    """The z with z = f(z, *args), as a differentiable function of `args`. `f` must read nothing else that is
    differentiated."""

    @tf.custom_gradient
    def solved(*args):
        unwatched = [tf.stop_gradient(a) for a in args]  # what happens on the way is nobody's business
        z = iterate(lambda z: f(z, *unwatched), tf.stop_gradient(start))

        def backward(g):
            # The theorem: dz = (1 - ∂f/∂z)⁻¹ ∂f/∂args dargs. Transposed, u = g + (∂f/∂z)ᵀ u, and the gradient is
            # (∂f/∂args)ᵀ u.
            here = fixed_point(f, z, *args)  # the same numbers, which a tape around us knows to depend on `args`

            def adjoint(u, g, z, *args):
                with tf.GradientTape() as tape:
                    tape.watch(z)
                    out = f(z, *args)
                return g + tape.gradient(out, z, output_gradients=u)

            u = fixed_point(adjoint, g, g, here, *args)
            with tf.GradientTape() as tape:
                tape.watch(args)
                out = f(here, *args)
            return tape.gradient(out, args, output_gradients=u)

        return z, backward

    return solved(*args)


def cell(z, x, w, u, b):
    w = 0.9 * w / tf.maximum(1.0, tf.norm(w))  # a contraction, so that there is exactly one fixed point
    return tf.tanh(z @ w + x @ u + b)


def unrolled(f, start, *args, steps=300):
    """What the layer is to be compared with: the iteration, recorded step by step."""
    z = start
    for _ in range(steps):
        z = f(z, *args)
    return z


def logits(layer, x, variables):
    w, u, b, v, c = [tf.convert_to_tensor(p) for p in variables]
    return (layer(cell, tf.zeros([len(x), w.shape[0]], tf.float64), x, w, u, b) @ v + c)[:, 0]


def gradient(layer, x, y, variables):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits(layer, x, variables)))
    return loss, tape.gradient(loss, variables)


def hessian_product(layer, x, y, variables, direction):
    with tf.GradientTape() as tape:
        _, gradients = gradient(layer, x, y, variables)
        along = tf.add_n([tf.reduce_sum(g * d) for g, d in zip(gradients, direction, strict=True)])
    return tape.gradient(along, variables)


def half_moons(rng, count):
    angle, side = rng.uniform(0, np.pi, count), np.arange(count) % 2
    x = np.where(side, [np.cos(angle), np.sin(angle)], [1 - np.cos(angle), 0.5 - np.sin(angle)]).T
    return tf.constant(x + 0.1 * rng.normal(size=x.shape)), tf.constant(side.astype(np.float64))


def compared(layer, x, y, variables, direction):
    """The gradient, the product of Hessian and direction, and the megabytes it took (Python's and NumPy's; those of
    C++ are not seen)."""
    tracemalloc.start()
    _, first = gradient(layer, x, y, variables)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    return first, hessian_product(layer, x, y, variables, direction), peak


def main(steps=100):
    rng = np.random.default_rng(0)
    x, y = half_moons(rng, 200)
    shapes = [(12, 12), (2, 12), (12,), (12, 1), (1,)]
    variables, direction = (
        [tf.Variable(rng.normal(size=s)) for s in shapes],
        [tf.constant(rng.normal(size=s)) for s in shapes],
    )
    first, second, memory = zip(
        *[compared(layer, x, y, variables, direction) for layer in (fixed_point, unrolled)], strict=True
    )
    difference = lambda a, b: max(float(tf.reduce_max(tf.abs(p - q))) for p, q in zip(a, b, strict=True))
    results = {"first order": difference(*first), "second order": difference(*second), "memory": memory}
    print(
        f"largest difference from unrolling: gradient {results['first order']:.1e}, Hessian product "
        f"{results['second order']:.1e}"
    )
    print("peak memory of a gradient: {:.1f} MB, unrolled {:.1f} MB".format(*memory))

    for step in range(1, steps + 1):
        loss, gradients = gradient(fixed_point, x, y, variables)
        for v, g in zip(variables, gradients, strict=True):
            v.assign_sub(2.0 * g)
        if step % max(1, steps // 5) == 0:
            print(f"step {step:5}  loss {float(loss):.4f}")
    x, y = half_moons(rng, 1000)
    results["right"] = np.mean((logits(fixed_point, x, variables).numpy() > 0) == y.numpy())
    print(f"{results['right']:.1%} of new points told apart")
    return results


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=100)
    main(parser.parse_args().steps)
