"""Parts of random samplers that the NumPy and the XLA kernels share."""

import numpy as np

# ---- standard normal numbers between bounds: of normal numbers where the bounds leave enough of them, of uniform ones
# where the bounds are close, and else of exponential ones (Robert, 1995)

_WIDE = 1.3  # deviations within the bounds on one side, from which on normal numbers are tried
TRIES = 2000  # numbers that each number may take: where the next pair of bounds begins


def recipes(xp, low, high):
    """(What is tried; in which rows.) A recipe takes numbers of shape (rows, blocks, numbers in a block), of an even
    count of blocks."""
    root = xp.sqrt(low * low + 4)
    with np.errstate(over="ignore", invalid="ignore"):
        cutoff = 2 * xp.exp(0.5 + low * (low - root) / 4) / (low + root)
        by_normal = ((low < -_WIDE) & (high >= 0)) | ((high > _WIDE) & (low <= 0))
        close = high - low < cutoff
    valid = low < high
    return (
        (normal, by_normal & valid),
        (uniform, ~by_normal & close & valid),
        (exponential, ~by_normal & ~close & valid),
    )


def normal(xp, low, high, drawn):
    z = drawn.reshape(len(low), -1)
    return z, (z >= low) & (z <= high)


def uniform(xp, low, high, drawn):
    """Blocks in turn: numbers, and what accepts them."""
    pairs = drawn.reshape(len(low), -1, 2, drawn.shape[-1])
    z = pairs[:, :, 0].reshape(len(low), -1) * (high - low) + low
    top = xp.where(low < 0, xp.zeros_like(low), low * low)
    return z, pairs[:, :, 1].reshape(len(low), -1) <= xp.exp((top - z * z) / 2)


def exponential(xp, low, high, drawn):
    alpha = (low + xp.sqrt(low * low + 4)) / 2
    pairs = drawn.reshape(len(low), -1, 2)
    z = -xp.log(pairs[..., 0]) / alpha + low
    x = xp.where(low < alpha, alpha - z, low - alpha)
    return z, (pairs[..., 1] <= xp.exp(-x * x / 2)) & (z < high)


# ---- an index in a permutation: four rounds of the Simon cipher (Beaulieu et al., 2013) with words of any size

_PAD = 498247692  # the first of the three words that keys are made of
_COMPLEMENT, _BIT = 0xFFFFFFFC, 1


def half_of(max_index):
    """How many bits half an index has: at least 8."""
    size = (int(max_index) - 1).bit_length()
    return max(8, (size + 1) // 2)


def round_keys(first, second, half, word):
    """The keys of the rounds, `half` bits each, from two 32-bit words; all of the type `word`, which has 64 bits."""
    mask = word((1 << half) - 1)
    turned = lambda x, by: (x >> word(by) | x << word(half - by)) & mask
    keys = [word(_PAD) & mask, first & mask, second & mask]
    return [*keys, word(_COMPLEMENT) & mask ^ word(_BIT) ^ keys[0] ^ turned(keys[2], 3) ^ turned(keys[2], 4)]
