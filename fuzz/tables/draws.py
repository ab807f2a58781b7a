"""tf.random: numbers that a seed decides."""

from ..kinds import *

_seed = lambda d: [d.integer(0, 9), d.integer(0, 9)]

TABLE = {
    "random.fold_in": dict(seed=_seed, data=number(0, 9), alg=never),
    "random.split": dict(seed=_seed, num=number(1, 4), alg=never),
    "random.stateless_binomial": dict(
        shape=shape((3,), (2, 2)),
        seed=_seed,
        counts=one_of(5.0),
        probs=one_of(0.3, 0.9),
        output_dtype=dtypes("int32", "float32"),
    ),
    "random.stateless_categorical": dict(
        logits=tensor((2, 3), "normal"),
        num_samples=number(0, 4),
        seed=_seed,
        dtype=index_dtype,
        _dtypes=["float32", "float64"],
    ),
    "random.stateless_gamma": dict(
        shape=shape((3,), (2, 3)),
        seed=_seed,
        alpha=one_of(0.5, 2.0, 1.0),
        beta=one_of(2.0),
        dtype=dtypes("float32", "float64"),
    ),
    "random.stateless_normal": dict(
        seed=_seed, mean=one_of(1.0), stddev=one_of(0.5), dtype=dtypes("float32", "float64", "float16"), alg=never
    ),
    "random.stateless_truncated_normal": dict(
        seed=_seed, mean=one_of(1.0), stddev=one_of(0.5), dtype=dtypes("float32", "float64"), alg=never
    ),
    "random.stateless_parameterized_truncated_normal": dict(
        shape=shape((3,)),
        seed=_seed,
        means=one_of(0.0),
        stddevs=one_of(1.0),
        minvals=one_of(-1.0),
        maxvals=one_of(2.0),
    ),
    "random.stateless_poisson": dict(
        shape=shape((3,), (2, 3)), seed=_seed, lam=one_of(0.5, 4.0), dtype=dtypes("int32", "float32")
    ),
    "random.stateless_uniform": dict(
        seed=_seed,
        minval=one_of(0, 1),
        maxval=one_of(4),
        dtype=dtypes("float32", "float64", "int32", "float16"),
        alg=never,
    ),
}
