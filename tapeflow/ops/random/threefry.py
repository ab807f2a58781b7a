"""The words that ThreeFry draws by; `tapeflow.api.random.threefry` makes numbers of them."""

from tapeflow.engines.numpy.random.samplers import threefry

from .draws import drawing, given_shape

# Random bits: uint32 or uint64. The key has two words, counter and key proper.
threefry_words = drawing("threefry_words(key, *, shape, dtype)", threefry.words, given_shape, home="threefry", words=2)
