"""Arrays by description: `array("float32", (2, 3), "special", 7)` has the same values on every machine and for every
library.

Plain values are odd multiples of 1/2048: exact in float32, never zero, an integer or a half, so that no kink of a
common function is hit by chance. The other fills go there on purpose.
"""

from dataclasses import dataclass, replace

import numpy as np

FILLS = "normal positive unit special odd ties zeros big sorted spd lower permutation segments true words"
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.0,
    1e-40,
    -1e-40,
    1e-30,
    100.0,
    -100.0,
    3e38,
    -3e38,
    np.inf,
    -np.inf,
    np.nan,
]
WORDS = [
    b"",
    b"a",
    b"abc",
    b"Hello World",
    b"  x y ",
    b"1",
    b"-2.5",
    b"1e3",
    b"a,b,,c",
    "ä€😀".encode(),
    b"nan",
    b"\xff\xfe",
    b"aa.b",
]


@dataclass(frozen=True)
class Array:
    """A tensor; `fill` is a word of FILLS, "odd spd", or "below 5": integers from 0 to 4."""

    dtype: str
    shape: tuple
    fill: str
    seed: int

    def __repr__(self):
        return f"{type(self).__name__.lower()}({self.dtype!r}, {self.shape}, {self.fill!r}, {self.seed})"

    def numpy(self):
        bits = np.random.PCG64(self.seed).random_raw(max(1, int(np.prod(self.shape)) * 2)) >> np.uint64(11)
        size = int(np.prod(self.shape))
        values = _fill(self.fill, bits[:size].astype(np.int64), self.shape, self.dtype)
        if self.dtype.startswith("complex"):
            imaginary = _fill(
                "normal" if self.fill.endswith("spd") else self.fill,
                bits[size : 2 * size].astype(np.int64),
                self.shape,
                self.dtype,
            )
            if self.fill.endswith("spd"):
                imaginary = (imaginary - np.swapaxes(imaginary, -1, -2)) / 8
            values = _complex(values, imaginary)
        return _as_dtype(values, self.dtype)


class Sparse(Array):
    """A SparseTensor: every third place has a value."""


class Ragged(Array):
    """A RaggedTensor of rows with different lengths; `shape` is (rows, longest row, …)."""

    def lengths(self):
        return Array("int64", self.shape[:1], f"below {self.shape[1] + 1}", self.seed + 1).numpy()


class Slices(Array):
    """IndexedSlices: the values are every second row of something twice as long."""


@dataclass(frozen=True)
class Dtype:
    """A dtype as a parameter, written tf.float32."""

    name: str

    def __repr__(self):
        return f"tf.{self.name}"


def row(leaf, k):
    """What stands in row `k` of a batch of such leaves: other values, the same shape."""
    return replace(leaf, seed=leaf.seed + 1000 * k)


def tensor(tf, leaf):
    """The leaf as a tensor of the library `tf`."""
    values = leaf.numpy()
    if isinstance(leaf, Sparse):
        places = np.argwhere(np.arange(values.size).reshape(values.shape) % 3 == leaf.seed % 3).reshape(
            -1, values.ndim
        )
        kept = values[tuple(places.T)]
        return tf.sparse.SparseTensor(
            places.astype(np.int64), _constant(tf, kept, leaf.dtype), np.array(values.shape, np.int64)
        )
    if isinstance(leaf, Ragged):
        lengths = leaf.lengths()
        flat = [values[i, :n] for i, n in enumerate(lengths)]
        flat = np.concatenate(flat) if flat else values.reshape((0, *values.shape[2:]))
        return tf.RaggedTensor.from_row_lengths(_constant(tf, flat, leaf.dtype), lengths)
    if isinstance(leaf, Slices):
        rows = leaf.shape[0]
        return tf.IndexedSlices(
            _constant(tf, values, leaf.dtype), tf.range(rows) * 2, tf.constant([2 * rows, *leaf.shape[1:]])
        )
    return _constant(tf, values, leaf.dtype)


def _constant(tf, values, dtype):
    if dtype == "string" and values.size == 0:
        return tf.zeros(values.shape, tf.string)
    return tf.constant(values.tolist() if dtype == "string" else values, dtype=getattr(tf, dtype))


def _complex(real, imaginary):
    values = np.empty(real.shape, np.complex128)
    values.real, values.imag = real, imaginary  # (inf + 1j * x would make a NaN)
    return values


def _fill(fill, bits, shape, dtype):
    plain = (2 * (bits % 6144) - 6143) / 2048.0
    whole = dtype.startswith(("int", "uint"))
    size = bits.size
    if fill.startswith("below "):
        values = bits % int(fill[6:])
    elif dtype == "string":
        values = np.array([WORDS[b % len(WORDS)] for b in bits.tolist()], object)
    elif dtype == "bool":
        values = bits % 2 == 0 if fill != "true" else np.ones(size, bool)
    elif fill in ("special", "odd"):  # odd: special, but for denormal numbers
        table = [0.0 if 0 < abs(v) < 1e-38 and fill == "odd" else v for v in SPECIAL]
        values = _special_integers(bits, dtype) if whole else np.array([table[b % len(table)] for b in bits.tolist()])
    elif fill == "ties":
        values = bits % 5 - 2.0
    elif fill == "zeros":
        values = np.zeros(size)
    elif fill == "big":
        values = plain * (10 if whole else 300)
    elif fill == "positive":
        values = np.abs(plain) + (1 if whole else 0.25)
    elif fill == "unit":
        values = (2 * (bits % 1000) + 1) / 2048.0
    elif fill == "sorted":
        values = np.cumsum(np.abs(plain))
    elif fill == "segments":
        values = np.cumsum(bits % 4 == 0)
    elif fill == "permutation":
        values = np.argsort(bits, kind="stable")
    else:
        values = plain
    values = np.asarray(values).reshape(shape)
    if fill.endswith("spd") and values.ndim > 1:
        values = (
            (values + np.swapaxes(values, -1, -2)) / 8 + np.eye(*shape[-2:]) * 4 if shape[-1] == shape[-2] else values
        )
        if fill == "odd spd" and size:
            values[..., 0, 0] = SPECIAL[int(bits[0]) % len(SPECIAL)]
    elif fill == "lower" and values.ndim > 1:
        values = np.tril(values) / 4 + np.eye(*shape[-2:]) * 2
    return values


def _special_integers(bits, dtype):
    info = np.iinfo(dtype)
    table = [0, 1, 2, 3, 7, 64, info.max, info.max - 1, info.min, info.min + 1, max(-1, info.min), max(-5, info.min)]
    return np.array([table[b % len(table)] for b in bits.tolist()], dtype)


def _as_dtype(values, dtype):
    if dtype == "string":
        return values
    if dtype == "bfloat16":
        import ml_dtypes

        dtype = ml_dtypes.bfloat16
    if str(dtype).startswith("uint"):
        values = np.abs(values)
    with np.errstate(all="ignore"):
        return np.asarray(values).astype(dtype)
