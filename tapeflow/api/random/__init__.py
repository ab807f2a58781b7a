"""`tf.random`: random tensors, from explicit seeds, from generators, or from the program's own stream.

Every draw is a pure function of a key. `tf.random.normal` and its like take the next key of the program's stream,
which `tf.random.set_seed` starts again; `stateless_*` take the key from their `seed` argument; a `Generator` carries
its own. The numbers are TensorFlow's (`tapeflow.core.random.streams`).
"""

from tapeflow.api.nn.candidates import (
    all_candidate_sampler as all_candidate_sampler,
    fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler as log_uniform_candidate_sampler,
    uniform_candidate_sampler as uniform_candidate_sampler,
)
from tapeflow.api.random.drawing import (
    categorical as categorical,
    gamma as gamma,
    normal as normal,
    poisson as poisson,
    set_seed as set_seed,
    shuffle as shuffle,
    truncated_normal as truncated_normal,
    uniform as uniform,
)
from tapeflow.api.random.generator import (
    Algorithm as Algorithm,
    Generator as Generator,
    create_rng_state as create_rng_state,
    get_global_generator as get_global_generator,
    set_global_generator as set_global_generator,
)
from tapeflow.api.random.stateless import (
    fold_in as fold_in,
    split as split,
    stateless_binomial as stateless_binomial,
    stateless_categorical as stateless_categorical,
    stateless_gamma as stateless_gamma,
    stateless_normal as stateless_normal,
    stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal,
    stateless_poisson as stateless_poisson,
    stateless_truncated_normal as stateless_truncated_normal,
    stateless_uniform as stateless_uniform,
)

from . import experimental as experimental

__all__ = [
    "Algorithm",
    "Generator",
    "all_candidate_sampler",
    "categorical",
    "create_rng_state",
    "experimental",
    "fixed_unigram_candidate_sampler",
    "fold_in",
    "gamma",
    "get_global_generator",
    "learned_unigram_candidate_sampler",
    "log_uniform_candidate_sampler",
    "normal",
    "poisson",
    "set_global_generator",
    "set_seed",
    "shuffle",
    "split",
    "stateless_binomial",
    "stateless_categorical",
    "stateless_gamma",
    "stateless_normal",
    "stateless_parameterized_truncated_normal",
    "stateless_poisson",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
    "uniform_candidate_sampler",
]  # fmt: skip
