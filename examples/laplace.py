"""How sure is a logistic regression? Laplace's approximation: a Gaussian at the most probable weights, as wide as the
Hessian says.

    python examples/laplace.py [--steps N]

Newton's method finds the most probable weights and `tf.derivatives.hessian` how the posterior falls off around them.
With two weights the exact posterior can be added up on a grid (`tf.vmap` evaluates it, one point as written, all at
once), so the approximation is judged by it: mean, width, evidence, and the probability of an effect at a dose that
nobody was given.
"""

import argparse

import numpy as np

import tapeflow as tf

WIDTH = 5.0  # of the Gaussian prior, for both weights
NEW_DOSE = 2.0  # twice the largest that was tried


def trial(rng, count=60):
    """Doses, and whether they had an effect: a sigmoid of -0.5 + 2.5 dose."""
    dose = rng.uniform(-1, 1, count)
    return tf.constant(dose), tf.constant((rng.uniform(size=count) < 1 / (1 + np.exp(0.5 - 2.5 * dose))).astype(float))


def minus_log_joint(w, dose, effect):
    """-log p(effects, w): the likelihood and the prior."""
    logits = w[0] + w[1] * dose
    likelihood = -tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=effect, logits=logits))
    prior = -tf.reduce_sum(w**2) / (2 * WIDTH**2) - 2 * np.log(WIDTH * (2 * np.pi) ** 0.5)
    return -(likelihood + prior)


def newton(f, w, steps):
    """Minimises f; quadratically, once it is close."""
    for step in range(1, steps + 1):
        value, gradient = tf.derivatives.value_and_grad(f)(w)
        w = w - tf.linalg.solve(tf.derivatives.hessian(f)(w), gradient[:, None])[:, 0]
        print(f"step {step}  -log p {float(value):.6f}, gradient {float(tf.norm(gradient)):.1e}")
    return w


def laplace(f, w, samples):
    """Mean, standard deviations, log evidence and predicted probability of the Gaussian at the minimum w."""
    covariance = tf.linalg.inv(tf.derivatives.hessian(f)(w))
    evidence = -f(w) + 0.5 * tf.linalg.logdet(2 * np.pi * covariance)
    drawn = w + samples @ tf.transpose(tf.linalg.cholesky(covariance))
    return (
        w,
        tf.sqrt(tf.linalg.diag_part(covariance)),
        evidence,
        tf.reduce_mean(tf.sigmoid(drawn[:, 0] + NEW_DOSE * drawn[:, 1])),
    )


def on_a_grid(f, w, widths, cells=201):
    """The same of the posterior itself, eight standard deviations to each side."""
    axes = [np.linspace(m - 8 * s, m + 8 * s, cells) for m, s in zip(w.numpy(), widths.numpy(), strict=True)]
    grid = tf.constant(np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2))
    log_joint = -tf.vmap(f, chunk_size=10_000)(grid)
    evidence = tf.reduce_logsumexp(log_joint) + np.log((axes[0][1] - axes[0][0]) * (axes[1][1] - axes[1][0]))
    weight = tf.nn.softmax(log_joint)
    mean = tf.tensordot(weight, grid, axes=1)
    probability = tf.reduce_sum(weight * tf.sigmoid(grid[:, 0] + NEW_DOSE * grid[:, 1]))
    return mean, tf.sqrt(tf.tensordot(weight, (grid - mean) ** 2, axes=1)), evidence, probability


def main(steps=6):
    rng = np.random.default_rng(0)
    dose, effect = trial(rng)
    f = lambda w: minus_log_joint(w, dose, effect)
    w = newton(f, tf.zeros(2, tf.float64), steps)
    approximate = laplace(f, w, tf.constant(rng.normal(size=(4000, 2))))
    exact = on_a_grid(f, w, approximate[1])
    for name, (mean, width, evidence, probability) in {"Laplace": approximate, "exact": exact}.items():
        weights = ", ".join(f"{m:5.2f} ± {s:.2f}" for m, s in zip(mean.numpy(), width.numpy(), strict=True))
        print(
            f"{name:8} weights {weights}; log evidence {float(evidence):.2f}; effect at dose {NEW_DOSE}: "
            f"{float(probability):.3f}"
        )
    print(f"the most probable weights alone would say {float(tf.sigmoid(w[0] + NEW_DOSE * w[1])):.3f}")
    return {"Laplace": [r.numpy() for r in approximate], "exact": [r.numpy() for r in exact]}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=6)
    main(parser.parse_args().steps)
