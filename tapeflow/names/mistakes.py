"""What is said below errors that Python raises itself, or Keras: a wrong argument, a method that is not there. Nobody
can say more where they are raised, so it is said where they are shown (`core.runtime.tracebacks`)."""

import ast
import difflib
import inspect
import itertools
import linecache
import re
from types import FrameType, TracebackType
from typing import Any

_OTHERWISE = {  # arguments of PyTorch, JAX and NumPy, and what they are called here, or what to do
    "a_max": "clip_value_max",
    "a_min": "clip_value_min",
    "dim": "axis",
    "dims": "axis",
    "axes": "axis",
    "keepdim": "keepdims",
    "high": "maxval",
    "is_training": "training",
    "jit": "jit_compile",
    "keep_dims": "keepdims",
    "loc": "mean",
    "low": "minval",
    "max": "clip_value_max",
    "min": "clip_value_min",
    "newshape": "shape",
    "num_classes": "depth",
    "p": "ord",
    "scale": "stddev",
    "reduction_indices": "axis",
    "size": "shape",
    "requires_grad": "tf.Variable(value)",
    "device": "`with tf.device(…):`",
    "key": "seed",
    "generator": "seed",
    "lr": "learning_rate",
    "inplace": "the result (tensors never change)",
    "out": "the result (tensors never change)",
}
_UNEXPECTED = re.compile(r"got an unexpected keyword argument '(\w+)'")
_SAID = {  # texts of errors, and what helps
    r"^BaseOptimizer\.apply_gradients\(\) takes 2 positional": "It takes pairs: "
    "optimizer.apply_gradients(zip(gradients, variables)). optimizer.apply(gradients, variables) takes both.",
    r"^'\w+' object has no attribute 'minimize'": "Keras' optimizers take gradients: compute the loss inside "
    "`with tf.GradientTape() as tape:`, then optimizer.apply(tape.gradient(loss, variables), variables).",
    r"^'\w+' object has no attribute 'zero_grad'": "There is nothing to clear: tape.gradient returns new gradients.",
    r"^No gradients provided for any variable": "tape.explain(loss, variables) says why they are None.",
    r"^unsupported operand type\(s\) for .*'NoneType'": "If it is a gradient that is None: tape.explain(loss, "
    "variables) says why.",
    r"^'TensorShape' object is not callable": "It is an attribute: x.shape, without parentheses.",
    r"^'int' object is not callable": "x.size and x.ndim are numbers, without parentheses; x.shape has all sizes, and "
    "tf.shape(x)[0] is one of them.",
}


def hint(error: BaseException) -> str:
    """A sentence for who sees the error, or an empty text."""
    text = str(error)
    if isinstance(error, TypeError) and (found := _UNEXPECTED.search(text)):
        return _of_argument(_called(error), found[1])
    said = next((say for pattern, say in _SAID.items() if re.match(pattern, text)), "")
    return said if said and _is_about_us(error) else ""


def _is_about_us(error: BaseException) -> bool:
    """Of all that is shown in a program that imports tapeflow: is it an error of a gradient, or of Keras?"""
    if isinstance(error, AttributeError):
        return type(error.obj).__module__.startswith("keras")
    frame = _last(error)
    if str(error).startswith("'int' object"):
        return _is_number_of_a_tensor(error)
    there = {} if frame is None else frame.tb_frame.f_globals | frame.tb_frame.f_locals
    return "NoneType" not in str(error) or any(type(x).__name__ == "GradientTape" for x in there.values())


def _of_argument(function: Any, given: str) -> str:
    if not str(getattr(function, "__module__", "")).startswith("tapeflow"):
        return ""
    try:
        made: Any = function.__init__ if isinstance(function, type) else function  # type: ignore[misc]
        parameters = [name for name in inspect.signature(made).parameters if name != "self"]
    except (TypeError, ValueError):
        return ""
    known, near = _OTHERWISE.get(given, ""), difflib.get_close_matches(given, parameters, 1)
    words = []
    if known in parameters or known and not known.isidentifier():
        words.append(f"Use {known} in place of {given}.")
    elif near:
        words.append(f"Did you mean {near[0]}?")
    return " ".join([*words, f"{function.__name__} takes {', '.join(parameters)}."])


def _is_number_of_a_tensor(error: BaseException) -> bool:
    """Was it `x.size()` or `x.ndim()`?"""
    last, call = _last(error), _call(error)
    if last is None or call is None or not isinstance(call.func, ast.Attribute):
        return False
    try:
        x = _value(call.func.value, last.tb_frame)
    except Exception:  # as below
        return False
    return call.func.attr in ("size", "ndim") and type(x).__module__.startswith("tapeflow")


def _called(error: BaseException) -> Any:
    """What was called where the error was raised: a name, or an attribute of one."""
    last, call = _last(error), _call(error)
    try:
        return None if last is None or call is None else _value(call.func, last.tb_frame)
    except Exception:  # the program has changed the name since, say
        return None


def _call(error: BaseException) -> ast.Call | None:
    """The call where the error was raised, in the text of the program."""
    last = _last(error)
    if last is None:
        return None
    code = last.tb_frame.f_code
    line, end, start, stop = next(itertools.islice(code.co_positions(), last.tb_lasti // 2, None))
    if line is None or end is None or start is None or stop is None:
        return None
    lines = [linecache.getline(code.co_filename, k).encode() for k in range(line, end + 1)]
    lines[-1] = lines[-1][:stop]
    lines[0] = lines[0][start:]
    try:
        node = ast.parse(b"".join(lines).decode(), mode="eval").body
    except (SyntaxError, ValueError):  # the text has changed, or is not there: then nothing is said
        return None
    return node if isinstance(node, ast.Call) else None


def _last(error: BaseException) -> TracebackType | None:
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last


def _value(node: ast.expr, frame: FrameType) -> Any:
    if isinstance(node, ast.Attribute):
        return getattr(_value(node.value, frame), node.attr)
    if not isinstance(node, ast.Name):
        raise LookupError("what is called is itself computed")
    return (frame.f_globals | frame.f_locals)[node.id]
