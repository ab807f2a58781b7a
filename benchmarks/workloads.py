"""The workloads: what they are, and the arrays they start from. NumPy only: every peer's process imports this file.

An implementation in `with_<framework>.py` has a function of the workload's name, which builds the model from these arrays and
returns a function that does one whole step and returns its loss as a Python float. All start from the same numbers, so the first
losses agree; the benchmark checks that they do.
"""

import itertools

import numpy as np

TITLES = {
    "square": "scalar v**2 and its gradient",
    "chain": "100-operation chain on 4 floats and its gradient",
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
HEADS = 4
MEMORY_LAYERS, MEMORY_WIDTH, MEMORY_BATCH = 12, 1024, 2048


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
    sizes = [784, 1024, 1024, 10]
    return {
        "x": normal(0, 512, 784),
        "labels": np.random.default_rng(1).integers(0, 10, 512).astype(np.int32),
        "params": [p for i in range(3) for p in (weights(i, sizes[i], sizes[i + 1]), np.zeros(sizes[i + 1], np.float32))],
    }


def cnn() -> dict:
    """Kernels are (height, width, in, out) and images (batch, height, width, channel)."""
    channels = [3, 32, 64, 128]
    params = [
        p for i in range(3) for p in (weights(i, 3, 3, channels[i], channels[i + 1]), np.zeros(channels[i + 1], np.float32))
    ]
    return {
        "x": normal(0, 64, 32, 32, 3),
        "labels": np.random.default_rng(1).integers(0, 10, 64).astype(np.int32),
        "params": [*params, weights(3, 4 * 4 * 128, 10), np.zeros(10, np.float32)],
    }


def lstm() -> dict:
    return {
        "x": normal(0, 50, 32, 32),  # step, batch, feature
        "h": np.zeros((32, 64), np.float32),
        "params": [normal(1, 32, 256, scale=0.2), normal(2, 64, 256, scale=0.1), np.zeros(256, np.float32)],
    }


def transformer() -> dict:
    width = 128
    ones, zeros = np.ones(width, np.float32), np.zeros(width, np.float32)
    return {
        "x": normal(0, 8, 64, width),
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
        "params": [weights(1, 3, 3, 1, 16), np.zeros(16, np.float32), weights(2, 3, 3, 16, 32), np.zeros(32, np.float32),
                   weights(3, 2 * 2 * 32, 10), np.zeros(10, np.float32)],
    }  # fmt: skip


def memory(width: int = MEMORY_WIDTH, batch: int = MEMORY_BATCH) -> dict:
    layers = [(weights(i, width, width), np.zeros(width, np.float32)) for i in range(MEMORY_LAYERS)]
    return {"x": normal(0, batch, width), "params": [p for layer in layers for p in layer]}
