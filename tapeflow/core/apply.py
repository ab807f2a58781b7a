"""The general path of applying a primitive: conversion, dtype checks, any executor, and errors that explain.

Entries (`core.entry`) handle the common case themselves and send everything else here.
"""

import warnings
from typing import Any

import numpy as np

from .composite import Composite, CompositeTensor
from .contracts import Observer, Operation
from .convert import constant_like, convert_group, to_tensor
from .devices import DeviceTensor, computed, on_device, raw
from .dtypes import ANY, BY_NUMPY, NATIVE, DType
from .errors import OpError, dtype_clash, invalid, out_of_memory, user_line
from .frames import Frame, current
from .runtime.floating import quiet
from .runtime.memory_limits import of_memory_error
from .tensor import EagerTensor, Tensor
from .variables.variable import Variable

# NumPy reports overflow and division by zero as RuntimeWarnings; tensors give inf and nan in silence, as in
# TensorFlow. Where a user has made warnings or NumPy's floating-point errors fatal, `retry` computes again with both
# off.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"tapeflow\b")


def apply(prim: Operation, args: tuple, params: dict) -> Any:
    if len(args) == 2:  # `2.0 * x`, far the most frequent guest here
        a, b = args
        if type(a) is EagerTensor and (type(b) is float or type(b) is int):
            b = constant_like(b, a.array)
            if b is not None:
                return prim.entry(a, b, **params)
        elif type(b) is EagerTensor and (type(a) is float or type(a) is int):
            a = constant_like(a, b.array)
            if a is not None:
                return prim.entry(a, b, **params)
    frame = current()
    if (not frame.eager or DeviceTensor in map(type, args)) and (tensors := _all_tensors(args)) is not None:
        return _executed(frame, prim, tensors, params)
    for a in args:
        if isinstance(a, CompositeTensor):
            answer = a._apply(prim, args, params)
            if answer is not NotImplemented:
                return answer
    tensors = convert_arguments(prim, args)
    if tensors is not args and not prim.variadic:
        return prim.entry(*tensors, **params)  # now it may be the common case
    return _executed(current(), prim, tensors, params)


def _executed(frame: Frame, prim: Operation, tensors: tuple, params: dict) -> Any:
    """By whoever is in charge; whoever watches is told."""
    if frame.executor is None:
        check_dtypes(prim, tensors)
        out = compute(prim, tensors, params)
    else:
        out = frame.executor.execute(prim, tensors, params)
    if frame.observers:
        tell(frame.observers, prim, tensors, params, out)
    return out


def _all_tensors(args: tuple) -> tuple | None:
    """The arguments, when they are tensors, or one a tensor and one a number: what backward rules compute with."""
    for a in args:
        if not isinstance(a, Tensor):
            break
    else:
        return args
    if len(args) == 2:
        a, b = args
        if isinstance(a, Tensor) and (type(b) is float or type(b) is int):
            b = constant_like(b, _DTYPE_ONLY[a.dtype.np])
            return None if b is None else (a, b)
        if isinstance(b, Tensor) and (type(a) is float or type(a) is int):
            a = constant_like(a, _DTYPE_ONLY[b.dtype.np])
            return None if a is None else (a, b)
    return None


class _OfDtype(dict):
    def __missing__(self, dtype: np.dtype) -> np.ndarray:
        made = self[dtype] = np.zeros(1, dtype)
        return made


_DTYPE_ONLY = _OfDtype()


def tell(observers: tuple[Observer, ...], prim: Operation, args: tuple, params: dict, out: Any) -> None:
    """Tell each observer that watches one of the arguments of the operation, and which: bit k of the mask is argument
    k."""
    for observer in observers:
        watched = observer.watched
        mask = sum(1 << k for k, a in enumerate(args) if a.serial in watched)
        if mask:
            observer.see(prim, args, params, out, mask)


def convert_arguments(prim: Operation, args: tuple) -> tuple:
    """The arguments as tensors; `args` itself when they are tensors already."""
    if prim.variadic:
        return tuple(convert_group(args, prim))
    converted = list(args)
    others = 0
    for k, a in enumerate(args):
        if isinstance(a, Variable):
            converted[k] = a.operand()
        elif not isinstance(a, Tensor):
            others += 1
    if others:
        for positions, _, _ in prim.groups:
            if any(not isinstance(converted[p], Tensor) for p in positions):
                for p, tensor in zip(positions, convert_group([converted[p] for p in positions], prim)):
                    converted[p] = tensor
    return args if all(a is b for a, b in zip(args, converted)) else tuple(converted)


def check_dtypes(prim: Operation, args: tuple) -> None:
    for positions, allowed, _ in prim.groups:
        members = args if prim.variadic else [args[p] for p in positions]
        if not members:
            continue
        first = members[0].dtype.np
        for k, other in enumerate(members):
            if other.dtype.np != first:
                raise dtype_clash(
                    f"cannot compute {prim.name} as input #{positions[min(k, len(positions) - 1)]} was expected to be "
                    f"a {BY_NUMPY[first].name} tensor but is a {other.dtype.name} tensor.\n"
                    f"  {describe(prim, args)}\n"
                    f"  Dtypes do not mix by themselves; {_advice(members[0].dtype, other.dtype)}."
                )
        if first not in allowed:
            names = sorted(BY_NUMPY[d].name for d in allowed)
            better = next((n for n in ("float32", "int32", "bool", "string") if n in names), names[0])
            how = "tf.strings.to_number(x)" if BY_NUMPY[first].kind == "s" else f"tf.cast(x, tf.{better})"
            raise invalid(
                f"{prim.name} does not take {BY_NUMPY[first].name} tensors; it takes {', '.join(names)}.\n"
                f"  {describe(prim, args)}\n  Convert it first: {how}."
            )


def _advice(a: DType, b: DType) -> str:
    """Which of two dtypes to convert. Of two kinds the one that loses nothing by it (bool before integer before float
    before complex), but float64 beside float32: that is data as NumPy makes it, and not the weights."""
    if "s" in (a.kind, b.kind):
        return "tf.strings.to_number and tf.as_string convert between strings and numbers"
    low, high = sorted((a, b), key=lambda d: ("buifc".index(d.kind), d.size))
    if (low.name, high.name) in (("float32", "float64"), ("complex64", "complex128")):
        low, high = high, low
    return f"convert the {low.name} one: tf.cast(x, tf.{high.name})"


def compute(prim: Operation, args: tuple, params: dict) -> Any:
    """Run the kernel where the values are. NumPy's, whatever the dtype, runs with floating-point warnings off."""
    try:
        if on_device(args) and (out := computed(prim, args, params)) is not NotImplemented:
            return out
    except (ValueError, TypeError, IndexError) as error:
        raise explained(prim, args, params, error) from error
    try:
        arrays = [a.array for a in args]
    except AttributeError:
        raise TypeError(
            f"{prim.name} was given a tensor outside the function it belongs to, a vectorised or a traced one: there "
            "it has no value. Return the tensor from that function and use the result."
        ) from None
    narrow = None
    for positions, allowed, _ in prim.groups:
        if allowed is not ANY:  # ANY only moves elements
            for k in range(len(arrays)) if prim.variadic else positions:
                a = arrays[k]
                if a.dtype not in NATIVE and a.dtype.kind != "O":  # bfloat16, float8, int4: compute in a wider type
                    narrow, arrays[k] = a.dtype, a.astype(np.int8 if BY_NUMPY[a.dtype].is_integer else np.float32)
    try:
        with quiet():
            out = prim.on("numpy", np)(*arrays, **params)
    except (ValueError, TypeError, IndexError, MemoryError, np.linalg.LinAlgError) as error:
        raise explained(prim, args, params, error) from error
    if narrow is not None:
        wide = np.int8 if BY_NUMPY[narrow].is_integer else np.float32
        back = lambda o: o.astype(narrow) if o.dtype == wide else o
        out = tuple(map(back, out)) if prim.outputs else back(out)
    return tuple([EagerTensor(o) for o in out]) if prim.outputs else EagerTensor(out)


def retry(prim: Operation, args: tuple, params: dict, error: Exception) -> Any:
    """A kernel raised in the fast path: either a floating-point warning made fatal, or an error to explain."""
    if isinstance(error, (RuntimeWarning, FloatingPointError)):
        return compute(prim, args, params)
    if isinstance(error, (ValueError, TypeError, IndexError, MemoryError)) and not isinstance(error, OpError):
        raise explained(prim, args, params, error) from error
    raise error


def explained(prim: Operation, args: tuple, params: dict, error: Exception, line: str | None = None) -> Exception:
    if isinstance(error, OpError):
        return error
    if isinstance(error, MemoryError):
        return out_of_memory(f"{of_memory_error(error)}\n  {describe(prim, args, params, line)}")
    return invalid(f"{_misfit(prim, args, params) or error}\n  {describe(prim, args, params, line)}")


def _misfit(prim: Operation, args: tuple, params: dict) -> str | None:
    """What the shape rule has to say: eagerly the same words, which are TensorFlow's, as when a function is traced. A
    kernel's are NumPy's."""
    from .primitive import Spec  # which is above

    try:
        if prim.shape is not None:
            prim.infer([Spec(shape=tuple(a.sizes), dtype=a.dtype.np) for a in args], params)
    except OpError as found:
        return getattr(found, "found", found.message)
    except Exception:  # what is wrong is no shape
        pass
    return None


def describe(prim: Operation, args: tuple, params: dict | None = None, line: str | None = None) -> str:
    """`matmul(a: float32 (2, 3), b: float32 (4, 5)) at train.py:12`"""
    names = [f"#{i}" for i in range(len(args))] if prim.variadic else prim.inputs
    parts = [f"{n}: {a.dtype.name} {tuple(a.shape)}" for n, a in zip(names, args)]
    parts += [f"{k}={v!r}" for k, v in (params or {}).items()]
    return f"In {prim.name}({', '.join(parts)}) at {line or user_line()}"


def as_tensor(value: Any) -> Any:
    """`value` itself when it is a tensor (or ragged, or sparse), else converted: what public functions call on their
    arguments."""
    return value if isinstance(value, (Tensor, Composite)) else to_tensor(value)


def array_of(value: Any) -> np.ndarray:
    """The values of anything that can be a tensor, for a function that computes with them in Python.

    Not `value.numpy()` and not `np.asarray(value)`: while a tf.function is traced these are a mistake of who wrote it,
    where this makes it run as plain Python.
    """
    return np.asarray(raw(as_tensor(value)))
