"""The workloads: what they are, and the arrays they start from. NumPy only: every peer's process imports this file.

An implementation in `with_<framework>.py` has a function of the workload's name, which builds the model from these
arrays and returns a function that does one whole step and returns its loss as a Python float. All start from the same
numbers, so the first losses agree; the benchmark checks that they do. Training steps are a `Step`, which can also be
started without waiting for it.
"""

import itertools
from collections.abc import Callable

import numpy as np

TITLES = {
    "square": "scalar v**2 and its gradient",
    "chain": "100-operation chain on 4 floats and its gradient",
    "small_mlp": "MLP 784-64-64-10, batch 32, SGD step",
    "mlp": "MLP 784-1024-1024-10, batch 512, SGD step",
    "cnn": "CNN on 32x32x3 (32-64-128 channels), batch 64, SGD step",
    "lstm": "LSTM unrolled over 50 steps, batch 32, hidden 64, SGD step",
    "transformer": "transformer block, batch 8, length 64, width 128, 4 heads, SGD step",
    "embedding": "embedding with 100,000 rows, 512x16 ids, width 32, sparse SGD step",
    "batch_jacobian": "batch Jacobian of a 32-64-64-10 net, batch 16",
    "weight_jacobian": "Jacobian of the same net by its weights, 160 x 6922",
    "hvp": "Hessian-vector product by the same weights",
    "per_example": "per-example gradients of a small CNN on 28x28 (16-32 channels, strided and pooled), batch 64",
}

RATE = 0.001  # of every SGD step: small enough that nothing diverges, however many steps are timed
CHAIN = 50  # pairs of operations, y = sin(y) * y
MEMORY_LAYERS, MEMORY_WIDTH, MEMORY_BATCH = 12, 1024, 2048


# Sizes of the training steps: for two cores, for one large GPU, and to see in seconds whether the GPU's programs run.
SCALES: dict[str, dict[str, dict]] = {
    "cpu": {
        "small_mlp": {"widths": (784, 64, 64, 10), "batch": 32},
        "mlp": {"widths": (784, 1024, 1024, 10), "batch": 512},
        "cnn": {"channels": (3, 32, 64, 128), "pixels": 32, "batch": 64},
        "lstm": {"steps": 50, "batch": 32, "features": 32, "width": 64},
        "transformer": {"batch": 8, "length": 64, "width": 128, "heads": 4},
    },
    "gpu": {
        "mlp": {"widths": (4096, 4096, 4096, 10), "batch": 4096},
        "cnn": {"channels": (3, 32, 64, 128), "pixels": 64, "batch": 512},
        "transformer": {"batch": 16, "length": 1024, "width": 1024, "heads": 16},
        "lstm": {"steps": 64, "batch": 256, "features": 1024, "width": 1024},
    },
    "small": {
        "mlp": {"widths": (64, 32, 32, 10), "batch": 16},
        "cnn": {"channels": (3, 4, 8, 16), "pixels": 16, "batch": 8},
        "transformer": {"batch": 2, "length": 16, "width": 32, "heads": 4},
        "lstm": {"steps": 5, "batch": 4, "features": 16, "width": 16},
    },
}


# On a GPU: after a few steps the loss has fallen so far that it tells wrong gradients (in bfloat16, too, but for the
# LSTM's).
RATES = {"mlp": 0.001, "cnn": 0.001, "transformer": 0.1, "lstm": 3.0}


class Now:
    """What a worker builds next: one of the scales, the dtype of floating-point parameters and data, the rate of
    training steps."""

    scale, dtype, rate = "cpu", "float32", RATE


def sizes(workload: str) -> dict:
    return SCALES[Now.scale][workload]


class Step:
    """A training step. `start` does one and returns its loss in whatever form the framework has it, which need not be
    there yet."""

    def __init__(self, start: Callable) -> None:
        self.start = start

    def __call__(self) -> float:
        return float(self.start())


def normal(seed: int, *shape: int, scale: float = 1.0) -> np.ndarray:
    return (scale * np.random.default_rng(seed).standard_normal(shape)).astype(np.float32)


def weights(seed: int, *shape: int) -> np.ndarray:
    """Scaled so that signals keep their size from layer to layer."""
    return normal(seed, *shape, scale=float(np.sqrt(2.0 / np.prod(shape[:-1]))))


def square() -> np.float32:
    return np.float32(3.0)


def chain() -> np.ndarray:
    """Half of pi, where y sin(y) = y: numbers stay ordinary (no zeros, no denormals) along the whole chain."""
    return np.full(4, np.pi / 2, np.float32)


def mlp() -> dict:
    return dense(**sizes("mlp"))


def small_mlp() -> dict:
    return dense(**sizes("small_mlp"))


def dense(widths: tuple, batch: int) -> dict:
    layers = [(weights(i, a, b), np.zeros(b, np.float32)) for i, (a, b) in enumerate(itertools.pairwise(widths))]
    return {
        "x": normal(0, batch, widths[0]),
        "labels": np.random.default_rng(1).integers(0, 10, batch).astype(np.int32),
        "params": [p for layer in layers for p in layer],
    }


def cnn() -> dict:
    """Kernels are (height, width, in, out) and images (batch, height, width, channel); three times pooled, they are
    `side` wide."""
    channels, pixels, batch = sizes("cnn").values()
    layers = [
        (weights(i, 3, 3, a, b), np.zeros(b, np.float32)) for i, (a, b) in enumerate(itertools.pairwise(channels))
    ]
    side = pixels // 8
    return {
        "x": normal(0, batch, pixels, pixels, 3),
        "side": side,
        "labels": np.random.default_rng(1).integers(0, 10, batch).astype(np.int32),
        "params": [
            *[p for layer in layers for p in layer],
            weights(3, side * side * channels[-1], 10),
            np.zeros(10, np.float32),
        ],
    }


def lstm() -> dict:
    steps, batch, features, width = sizes("lstm").values()
    return {
        "x": normal(0, steps, batch, features),
        "h": np.zeros((batch, width), np.float32),
        "params": [normal(1, features, 4 * width, scale=float((1.28 / features) ** 0.5)),
                   normal(2, width, 4 * width, scale=float((0.64 / width) ** 0.5)), np.zeros(4 * width, np.float32)],
    }  # fmt: skip


def transformer() -> dict:
    batch, length, width, heads = sizes("transformer").values()
    ones, zeros = np.ones(width, np.float32), np.zeros(width, np.float32)
    return {
        "x": normal(0, batch, length, width),
        "heads": heads,
        # two layer norms, query-key-value, attention's output, and the two layers of the MLP
        "params": [ones, zeros, weights(1, width, 3 * width), weights(2, width, width),
                   ones, zeros, weights(3, width, 4 * width), weights(4, 4 * width, width)],
    }  # fmt: skip


def embedding() -> dict:
    rng = np.random.default_rng(1)
    return {
        "table": normal(0, 100_000, 32, scale=0.1),
        "ids": rng.integers(0, 100_000, (512, 16)).astype(np.int32),
        "w": normal(2, 32),
        "target": normal(3, 512),
    }


def small_net() -> dict:
    """Three layers with tanh between them, by whose input and weights the Jacobians are."""
    sizes = [32, 64, 64, 10]
    layers = [(weights(i, a, b), normal(9 + i, b, scale=0.1)) for i, (a, b) in enumerate(itertools.pairwise(sizes))]
    return {"x": normal(0, 16, 32), "params": [p for layer in layers for p in layer]}


def per_example() -> dict:
    """Two convolutions with stride 2 and pooling, a dense layer."""
    return {
        "x": normal(0, 64, 28, 28, 1),
        "labels": np.random.default_rng(1).integers(0, 10, 64).astype(np.int32),
        "params": [
            weights(1, 3, 3, 1, 16),
            np.zeros(16, np.float32),
            weights(2, 3, 3, 16, 32),
            np.zeros(32, np.float32),
            weights(3, 2 * 2 * 32, 10),
            np.zeros(10, np.float32),
        ],
    }


def memory(width: int = MEMORY_WIDTH, batch: int = MEMORY_BATCH) -> dict:
    layers = [(weights(i, width, width), np.zeros(width, np.float32)) for i in range(MEMORY_LAYERS)]
    return {"x": normal(0, batch, width), "params": [p for layer in layers for p in layer]}
