import numpy as np

from tests.ops.samples.sample import between, of

from .draws import KEY

SEED = np.array([1, 2])

SAMPLES = {
    "random_categorical": [of(KEY, between(-1, 1, 2, 5), num_samples=n, dtype=np.dtype("int64")) for n in (0, 3, 20)],
    "random_permutation": [of(KEY, size=7), of(KEY, size=0)],
    "shuffled_index": [
        of(SEED, np.arange(13), max_index=12),
        of(SEED, np.int32(0), max_index=0),
        of(SEED, np.zeros(0, np.int32), max_index=5),
    ],
    "sample_classes": [
        of(KEY, np.array([0.5, 0.0, 0.2]), law=law, range_max=3, num_sampled=2, unique=unique)
        for law in ("uniform", "log_uniform", "weights")
        for unique in (False, True)
    ],
}
