"""The Jacobian of a model's outputs with respect to its weights, taken at chosen epochs of `fit` by a callback.

    python examples/keras_jacobian.py [--epochs N] [--picture FILE]

J Jᵀ, the neural tangent kernel (Jacot, Gabriel and Hongler, 2018), says how a step for one point moves the answer at
another, and its largest eigenvalue how long the steps may be. In a narrow network the kernel turns while it learns; in
a wide one it hardly moves.
"""

import argparse

import numpy as np

import tapeflow as tf
from tapeflow import keras


def points(count=24):
    x = np.linspace(-1, 1, count, dtype="float32")[:, None]
    return x, np.sin(3 * x).astype("float32")


def build(width):
    spread = keras.initializers.RandomNormal  # so that the curves bend at different places of the line
    first = keras.layers.Dense(
        width, activation="tanh", kernel_initializer=spread(stddev=1.5), bias_initializer=spread(stddev=1.5)
    )
    return keras.Sequential(
        [keras.Input([1]), first, keras.layers.Dense(width, activation="tanh"), keras.layers.Dense(1)]
    )


class Jacobians(keras.callbacks.Callback):
    """Keeps the kernel J Jᵀ of the outputs for `x` at the beginning of the chosen epochs."""

    def __init__(self, x, epochs):
        super().__init__()
        self.x, self.epochs, self.kernels = tf.constant(x), set(epochs), {}

    def set_model(self, model):
        super().set_model(model)

        @tf.function
        def jacobian(x):
            with tf.GradientTape() as tape:
                outputs = model(x, training=False)[:, 0]
            return tape.jacobian(outputs, model.trainable_variables)

        self.jacobian = jacobian

    def matrix(self):
        """A row for each output, a column for each weight."""
        return np.concatenate([j.numpy().reshape(len(self.x), -1) for j in self.jacobian(self.x)], axis=1)

    def on_epoch_begin(self, epoch, logs=None):
        if epoch in self.epochs:
            jacobian = self.matrix()
            self.kernels[epoch] = jacobian @ jacobian.T

    def moved(self):
        """How far the kernel is from the first one, in parts of its norm."""
        first = self.kernels[min(self.kernels)]
        return {epoch: float(np.linalg.norm(k - first) / np.linalg.norm(first)) for epoch, k in self.kernels.items()}


def train(width, epochs, chosen, seed=0):
    keras.utils.set_random_seed(seed)
    x, y = points()
    model, jacobians = build(width), Jacobians(x, chosen)
    jacobians.set_model(model)
    values, vectors = np.linalg.eigh(jacobians.matrix() @ jacobians.matrix().T)
    rate = float(0.5 * len(x) / values[-1])  # descent on a squared error is stable up to twice this
    # If the kernel stayed as it is, each eigenvector's part of the error would shrink by a constant factor in each
    # step.
    parts = vectors.T @ (model.predict(x, verbose=0) - y)[:, 0]
    shrink = 1 - 2 * rate / len(x) * values
    foretold = [float(np.mean((parts * shrink**epoch) ** 2)) for epoch in range(epochs)]
    model.compile(keras.optimizers.SGD(rate), "mse")
    losses = model.fit(
        x, y, epochs=epochs, batch_size=len(x), shuffle=False, verbose=0, callbacks=[jacobians]
    ).history["loss"]
    return {"losses": losses, "foretold": foretold, "rate": rate, "jacobians": jacobians, "moved": jacobians.moved()}


def main(epochs=1000, widths=(8, 256), seed=0, picture=None):
    chosen = sorted({0, *(int(epochs * part) for part in (0.02, 0.1, 0.3, 0.6)), epochs - 1})
    runs = {width: train(width, epochs, chosen, seed) for width in widths}
    for width, run in runs.items():
        print(f"width {width:4}: loss {run['losses'][0]:.3f} → {run['losses'][-1]:.4f}", end=", ")
        print(f"foretold by the first kernel {run['foretold'][-1]:.4f}; kernel moved by", end=" ")
        print(", ".join(f"{moved:.1%} (epoch {epoch})" for epoch, moved in run["moved"].items() if epoch))
    if picture:
        draw(picture, runs, chosen)
    return runs


def draw(path, runs, chosen):
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 5), layout="constrained")
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=[1, 2.2])[0]
    above, below = left.subplots(2, 1)
    for (width, run), colour in zip(runs.items(), ("#c44e52", "#4c72b0")):
        above.semilogy(run["losses"], color=colour, label=f"width {width}")
        above.semilogy(run["foretold"], color=colour, linestyle=":", label="foretold at epoch 0")
        below.plot(list(run["moved"]), list(run["moved"].values()), "o-", color=colour)
    above.set(title="squared error")
    above.legend(frameon=False)
    below.set(title="how far the kernel has moved", xlabel="epoch")
    shown = [chosen[0], chosen[2], chosen[-1]]
    for row, (width, run) in zip(right.subplots(2, len(shown)), runs.items()):
        top = max(run["jacobians"].kernels[epoch].max() for epoch in shown)
        for axes, epoch in zip(row, shown):
            axes.imshow(run["jacobians"].kernels[epoch], cmap="magma", vmin=0, vmax=top)
            axes.set_title(f"width {width}, epoch {epoch}", fontsize=10)
            axes.set(xticks=[], yticks=[])
    right.suptitle("the kernel between 24 points of a line", fontsize=11)
    figure.savefig(path)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=1000)
    parser.add_argument("--picture", metavar="FILE", help="draw the kernels here")
    options = parser.parse_args()
    main(options.epochs, picture=options.picture)
