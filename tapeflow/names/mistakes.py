"""What is said below errors that Python raises itself, or Keras: a wrong argument, a method that is not there. Nobody
can say more where they are raised, so it is said where they are shown (`core.runtime.tracebacks`)."""

import ast
import difflib
import inspect
import itertools
import linecache
import re
import sys
from types import FrameType, TracebackType
from typing import Any

from .missing import words

_OTHERWISE = {  # arguments of PyTorch, JAX and NumPy, and what they are called here, or what to do
    "argnums": "wrt",
    "a_max": "clip_value_max",
    "a_min": "clip_value_min",
    "dim": "axis",
    "dims": "axis",
    "axes": "axis",
    "keepdim": "keepdims",
    "high": "maxval",
    "in_dims": "in_axes",
    "is_training": "training",
    "jit": "jit_compile",
    "keep_dims": "keepdims",
    "loc": "mean",
    "low": "minval",
    "max": "clip_value_max",
    "min": "clip_value_min",
    "newshape": "shape",
    "out_dims": "out_axes",
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
    r"^'\w+' object is not callable": "A tf.Module is called by its method __call__: define that in place of forward.",
    r"^can't multiply sequence by non-int": "tape.gradient gives a list for a list of sources: go through it with "
    "`for g, v in zip(gradients, variables)`, or ask for one source without the list.",
    r"^'type' object does not support the context manager": "Parentheses are missing: with tf.GradientTape() as tape:",
    r"^Argument\(s\) not recognized: \{'lr'": "It is called learning_rate.",
    r"^No module named 'tensorflow'$": "Say `import tapeflow as tf`, or run the program unchanged: "
    "tapeflow run program.py",
    # PyTorch's methods, of models and optimizers of Keras:
    r"^'\w+' object has no attribute '(named_)?parameters'": "Use model.trainable_variables.",
    r"^'\w+' object has no attribute '(to|cuda|cpu)'": "Make and call it inside `with tf.device('/GPU:0'):`.",
    r"^'\w+' object has no attribute '(train|eval)'": "Say which it is at each call: model(x, training=True).",
    r"^'\w+' object has no attribute 'state_dict'": "Use model.save_weights(path), or model.get_weights().",
    r"^'\w+' object has no attribute 'load_state_dict'": "Use model.load_weights(path).",
    r"^'\w+' object has no attribute 'forward'": "Call the model itself: model(x). Its call(self, x) says "
    "what it computes.",
    r"^'\w+' object has no attribute 'step'": "Use optimizer.apply(tape.gradient(loss, variables), variables).",
}


def hint(error: BaseException) -> str:
    """A sentence for who sees the error, or an empty text."""
    text = str(error)
    if isinstance(error, TypeError) and (found := _UNEXPECTED.search(text)):
        return _of_argument(_called(error), found[1])
    if isinstance(error, ModuleNotFoundError) and (space := re.match(r"No module named 'tapeflow\.(\w+)'$", text)):
        if not hasattr(sys.modules.get("tapeflow"), space[1]):
            return words(f"tf.{space[1]}")
        return f"tf.{space[1]} is no module of its own: say `from tapeflow import {space[1]}`, or tf.{space[1]}."
    said = next((say for pattern, say in _SAID.items() if re.match(pattern, text)), "")
    return said if said and _is_about_us(error, text) else ""


def _is_about_us(error: BaseException, text: str) -> bool:
    """Of all that is shown in a program that imports tapeflow: is it an error of a gradient, of a module of ours, or
    of Keras?"""
    if isinstance(error, AttributeError):
        return any(kind.__module__.startswith("keras") for kind in type(error.obj).__mro__)
    last = _last(error)
    if last is None:
        return False
    if text.startswith("'int' object"):
        return _is_number_of_a_tensor(error)
    if text.startswith("'type' object"):
        return "GradientTape" in linecache.getline(last.tb_frame.f_code.co_filename, last.tb_lineno)
    if "is not callable" in text and "TensorShape" not in text:
        return any(kind.__module__.startswith("tapeflow") for kind in type(_called(error)).__mro__)
    there = last.tb_frame.f_globals | last.tb_frame.f_locals
    about_gradients = "NoneType" in text or "sequence" in text
    return not about_gradients or any(type(x).__name__ == "GradientTape" for x in there.values())


def _of_argument(function: Any, given: str) -> str:
    if not str(getattr(function, "__module__", "")).startswith(("tapeflow", "tensorflow")):
        return ""
    try:
        made: Any = function.__init__ if isinstance(function, type) else function  # type: ignore[misc]
        parameters = [name for name in inspect.signature(made).parameters if name != "self"]
    except (TypeError, ValueError):
        return ""
    known, near = _OTHERWISE.get(given, ""), difflib.get_close_matches(given, parameters, 1)
    said = []
    if known in parameters or known and not known.isidentifier():
        said.append(f"Use {known} in place of {given}.")
    elif near:
        said.append(f"Did you mean {near[0]}?")
    return " ".join([*said, f"{function.__name__} takes {', '.join(parameters)}."])


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
