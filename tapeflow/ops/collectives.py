"""Collectives: what the replicas of a strategy compute together. Each gives one tensor and gets one that depends on
those of all.

`count` is the number of replicas. Eagerly they meet (`tapeflow.distribute.turns`), where `across` says what comes out;
in a program of XLA the replicas are the devices of a mesh. One replica alone has nobody to ask: its kernel gives back
what it was given.

Summed over replicas, a result belongs to all of them, so what goes back to an input is the sum of their gradients: the
rules are collectives again.
"""

import hashlib

import numpy as np

from tapeflow.core.contracts import Across
from tapeflow.core.dtypes import ANY, NUMERIC
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import check_axes, differ
from tapeflow.core.primitive import LINEAR, Spec, primitive
from tapeflow.core.runtime.undisturbed import loaded
from tapeflow.ops.batching import shift
from tapeflow.ops.families import same_shape


def _alone(x, count, **_):
    if count != 1:
        raise RuntimeError(
            f"A collective of {count} replicas was computed outside of them. Call it, and ask tapes for gradients "
            "through it, in the function that strategy.run is given."
        )
    return x


def _same_shapes(name, xs):
    shapes = [tuple(x.sizes) for x in xs]
    if any(shape != shapes[0] for shape in shapes):
        each = ", ".join(f"{shape} in replica {k}" for k, shape in enumerate(shapes))
        raise invalid(f"Shape mismatch in the collective {name}: replicas gave {each}; they must be equal.")


# ---- sums and means

all_reduce = primitive(
    "all_reduce(x, *, count, mean)",
    kernel={"numpy": lambda x, count, mean: _alone(x, count), "jax": "collectives.all_reduce"},
    shape=same_shape,
    vjp=lambda ops, g, count, mean: ops.all_reduce(g, count=count, mean=mean),
    jvp=LINEAR,
    batch=lambda op, args, batched, params: op(*args, **params),
    dtypes=NUMERIC,
    across=Across(lambda ops, xs, params: _reduced(ops, xs, **params[0]), each=True),
)


def _reduced(ops, xs, count, mean):
    _same_shapes("all_reduce", xs)
    total = ops.add_n(*xs)
    if mean:
        total = total / count
    return [ops.identity(total) for _ in range(count)]  # for each a tensor of its own, as their gradients are


# ---- joining, and taking apart what was summed


def _gathered_shape(x, axis, count):
    check_axes(x, axis)
    size = x.shape[axis]
    return Spec(shape=(*x.shape[:axis], None if size is None else size * count, *x.shape[axis + 1 :]), dtype=x.dtype)


def _gathered_alone(x, axis, count):
    check_axes(x, axis)
    return _alone(x, count)


def _gathered(ops, xs, axis):
    joined = ops.concat(*xs, axis=axis)
    return [ops.identity(joined) for _ in xs]


# Eagerly, replicas may have parts of different sizes along the axis.
all_gather = primitive(
    "all_gather(x, *, axis, count)",
    kernel={"numpy": _gathered_alone, "jax": "collectives.all_gather"},
    shape=_gathered_shape,
    vjp=lambda ops, g, x_shape, axis, count: ops.reduce_scatter(g, axis=axis, size=x_shape[axis], count=count),
    jvp=LINEAR,
    batch=shift("axis"),
    dtypes=ANY,
    across=Across(lambda ops, xs, params: _gathered(ops, xs, params[0]["axis"])),
)


def _scattered_shape(x, axis, size, count):
    check_axes(x, axis)
    if differ(x.shape[axis], size * count):
        raise invalid(f"reduce_scatter of {x.shape[axis]} places: {size} for each of {count} replicas do not fit.")
    return Spec(shape=(*x.shape[:axis], size, *x.shape[axis + 1 :]), dtype=x.dtype)


def _scattered_alone(x, axis, size, count):
    _scattered_shape(x, axis, size, count)
    return _alone(x, count)


def _scattered(ops, xs, params):
    _same_shapes("reduce_scatter", xs)
    total, axis, parts, start = ops.add_n(*xs), params[0]["axis"], [], 0
    for each in params:
        stop = start + each["size"]
        slab = tuple((start, stop, 1) if i == axis else (None, None, None) for i in range(total.ndim))
        parts.append(ops.getitem(total, index=slab))
        start = stop
    return parts


# The sum, of which each replica gets `size` places along the axis.
reduce_scatter = primitive(
    "reduce_scatter(x, *, axis, size, count)",
    kernel={"numpy": _scattered_alone, "jax": "collectives.reduce_scatter"},
    shape=_scattered_shape,
    vjp=lambda ops, g, axis, size, count: ops.all_gather(g, axis=axis, count=count),
    jvp=LINEAR,
    batch=shift("axis"),
    dtypes=NUMERIC,
    across=Across(_scattered, same=False),
)


# ---- workers, each a process


def _from_all(x, count, number):
    if count == 1:
        return x[None]
    return loaded("tapeflow.engines.xla.exchanges").of_one_kind(x)


# The tensors of all workers, which have one shape, along a new first axis. NumPy's alone: between programs.
from_workers = primitive(
    "from_workers(x, *, count, number)",
    kernel={"numpy": _from_all},
    shape=lambda x, count, number: Spec(shape=(count, *x.shape), dtype=x.dtype),
    vjp=lambda ops, g, count, number: ops.reduce_sum(
        ops.getitem(ops.from_workers(g, count=count, number=number), index=((None, None, None), number)),
        axis=(0,),
        keepdims=False,
    ),
    jvp=LINEAR,
    dtypes=ANY,
)


def _check_same(x, count, number, name):
    if count > 1:
        own = np.frombuffer(hashlib.sha256(np.ascontiguousarray(x).tobytes()).digest(), np.uint8)
        if (loaded("tapeflow.engines.xla.exchanges").of_one_kind(own) != own).any():
            raise ValueError(
                f"Replicas assign different values to variable '{name}', which has one value for all of them: worker "
                f"{number} has another one than others. Combine them first, by all_reduce, or say what becomes of "
                "them by the variable's aggregation."
            )
    return x


# The tensor, which all workers have: they compare it before a variable gets it. What is compared is short.
the_same_in_workers = primitive(
    "the_same_in_workers(x, *, count, number, name)",
    kernel={"numpy": _check_same},
    shape=same_shape,
    vjp=lambda ops, g: g,
    jvp=LINEAR,
    batch=lambda op, args, batched, params: op(*args, **params),
    dtypes=ANY,
)
