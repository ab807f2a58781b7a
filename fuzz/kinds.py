"""Kinds of arguments: each is a function of a `Draw`, the call in the making, and returns an argument."""

import random

from .values import Array as Array, Dtype, Ragged as Ragged, Slices as Slices, Sparse as Sparse

FLOATS = ["float32"] * 5 + ["float64"] * 3 + ["float16", "bfloat16"]
INTEGERS = ["int32"] * 4 + ["int64"] * 2 + ["int8", "uint8", "int16", "uint16", "uint32", "uint64"]
COMPLEX = ["complex64", "complex128"]
INEXACT = FLOATS * 2 + COMPLEX * 2
NUMBERS = FLOATS * 3 + INTEGERS + COMPLEX * 2
SHAPES = [
    (),
    (),
    (1,),
    (3,),
    (3,),
    (5,),
    (0,),
    (2, 3),
    (2, 3),
    (2, 3),
    (3, 1),
    (1, 4),
    (0, 3),
    (2, 0),
    (2, 1, 3),
    (2, 3, 2),
    (1, 2, 2, 3),
]
USUAL = "normal normal normal normal special special ties positive zeros big".split()


class Draw:
    """One call in the making: what its arguments have in common, and the arguments so far."""

    def __init__(self, seed, dtypes=NUMBERS, shapes=SHAPES, fills=USUAL):
        self.random = random.Random(seed)
        self.dtype = self.pick(dtypes)
        self.shape = self.pick(shapes)
        self.fill = self.pick(fills)
        self.made = {}

    def pick(self, options):
        return options[int(self.random.random() * len(options))]

    def chance(self, p):
        return self.random.random() < p

    def integer(self, low, high):
        return low + int(self.random.random() * (high - low + 1))

    def array(self, shape=None, fill=None, dtype=None, of=Array):
        return of(
            dtype or self.dtype, tuple(self.shape if shape is None else shape), fill or self.fill, self.integer(1, 999)
        )

    @property
    def first(self):
        """The first tensor among the arguments so far."""
        return next(
            (a for a in self.made.values() if isinstance(a, Array)), Array(self.dtype, self.shape, self.fill, 1)
        )

    @property
    def rank(self):
        return len(self.first.shape)


# ---- tensors


def same(d):
    return d.array()


def like(d):
    """Another shape that broadcasts with the first; now and then one that does not, or a Python number."""
    shape = d.first.shape
    options = [
        shape,
        shape,
        shape,
        shape[1:],
        (1,) * len(shape),
        (),
        tuple(1 if d.chance(0.5) else n for n in shape),
        (2, *shape),
    ]
    if d.chance(0.06):
        return d.pick([2, -1, 0]) if "float" not in d.dtype or d.chance(0.3) else d.pick([0.5, -2.0, 0.0])
    return d.array(
        (4, *shape[1:]) if d.chance(0.03) else d.pick(options), fill=d.fill if d.chance(0.6) else d.pick(USUAL)
    )


def tensor(shape=None, fill=None, dtype=None, of=Array):
    """A tensor of this shape ("n" and "m" and … are sizes for this call), fill and dtype (a list: one of them)."""

    def make(d):
        fills, kinds = fill, dtype
        return d.array(
            sizes(d, shape),
            d.pick(fills) if isinstance(fills, list) else fills,
            d.pick(kinds) if isinstance(kinds, list) else kinds,
            of,
        )

    return make


def sizes(d, shape):
    if shape is None or isinstance(shape, tuple) and all(isinstance(n, int) for n in shape):
        return shape
    if not hasattr(d, "sizes"):
        d.sizes = {}
    out = []
    for n in shape.split() if isinstance(shape, str) else shape:
        if n == "*":
            if "*" not in d.sizes:
                d.sizes["*"] = d.pick([(), (), (), (2,), (1,), (0,), (2, 2)])
            out += d.sizes["*"]
        elif str(n).isdigit():
            out.append(int(n))
        else:
            if n not in d.sizes:
                d.sizes[n] = d.pick([1, 2, 3, 3, 4, 4, 5, 0] if n != "b" else [1, 2, 2, 0])
            out.append(d.sizes[n])
    return tuple(out)


def several(low=1, high=3, kind=same):
    return lambda d: [kind(d) for _ in range(d.integer(low, high))]


def indices(size=None, shape=None, dtypes=("int32", "int64")):
    """Integers below `size`: an axis of the first tensor ("axis 0"), or a number."""

    def make(d):
        n = d.first.shape[0] if size is None and d.rank else size or 3
        return d.array(
            d.pick([(2,), (3,), (), (2, 2), (0,)]) if shape is None else sizes(d, shape),
            f"below {max(n, 1)}",
            d.pick(list(dtypes)),
        )

    return make


def of_first(fill=None, dtype=None, axes=slice(None), of=Array):
    """A tensor with (part of) the first one's shape."""
    return lambda d: d.array(d.first.shape[axes], fill, d.pick(dtype) if isinstance(dtype, list) else dtype, of)


def strings(d):
    return d.array(fill="words", dtype="string")


def text(*options):
    """A Python string, or a scalar string tensor's worth of it."""
    return lambda d: d.pick(options)


def booleans(d):
    return d.array(dtype="bool")


# ---- parameters


def one_of(*options):
    return lambda d: d.pick(options)


def number(low, high):
    return lambda d: d.integer(low, high)


flag = one_of(True, False)


def axis(d):
    """An axis of the first tensor, counted from either end; rarely one that it does not have."""
    if d.chance(0.03):
        return d.rank + 1
    return d.integer(-d.rank, d.rank - 1) if d.rank else d.pick([0, -1])


def axes(d):
    if d.chance(0.3) or not d.rank:
        return None if d.chance(0.8) else []
    if d.chance(0.5):
        return axis(d)
    return sorted({d.integer(0, d.rank - 1) for _ in range(d.integer(1, 2))})


def some_axes(d):
    return axes(d) or [0] * bool(d.rank)


def new_axis(d):
    return d.integer(-d.rank - 1, d.rank)


def permutation(d):
    order = list(range(d.rank))
    d.random.shuffle(order)
    return order if d.chance(0.8) else None


def per_axis(kind):
    return lambda d: [kind(d) for _ in range(d.rank)]


def shape(*options):
    options = options or ((), (2,), (2, 3), (0,), (3, 1))
    return lambda d: list(d.pick(options))


def dtypes(*names):
    return lambda d: Dtype(d.pick(names))


any_dtype = dtypes("float32", "float64", "int32", "int64", "uint8", "bool", "complex64", "float16", "bfloat16", "int8")
float_dtype = dtypes("float32", "float64", "float16", "bfloat16")
index_dtype = dtypes("int32", "int64")


def never(d):
    """For parameters that are left out: names, buffers to write to, promises about speed."""
    raise LookupError("never given")


__all__ = [name for name in dir() if not name.startswith("_")]
