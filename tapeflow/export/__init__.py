"""`tf.export`: functions as files that other programs run, without tapeflow.

A function is traced for a signature, and its graph of primitives is written down with the operators of a format: ONNX
for runtimes such as `onnxruntime`, StableHLO for whatever runs XLA.
"""

import contextlib as _contextlib
import os as _os
from collections.abc import Callable as _Callable, Sequence as _Sequence
from typing import TYPE_CHECKING, Any

from tapeflow.api.control.function import function as _function
from tapeflow.export.lowering import CannotBeExported as CannotBeExported
from tapeflow.function.saving.loaded import LoadedFunction as _LoadedFunction
from tapeflow.function.tracing.concrete import ConcreteFunction as _ConcreteFunction
from tapeflow.function.tracing.polymorphic import BoundFunction as _BoundFunction, Function as _Function
from tapeflow.function.tracing.ranks import RankedFunction as _RankedFunction
from tapeflow.names.extras import install as _install
from tapeflow.storage.places import place as _place
from tapeflow.storage.whole_files import replacing as _replacing

if TYPE_CHECKING:
    import jax
    import onnx as _onnx

__all__ = ["CannotBeExported", "onnx", "stablehlo"]


def onnx(
    function: _Callable[..., Any],
    signature: _Sequence[Any] | None = None,
    path: "str | _os.PathLike[str] | None" = None,
) -> "_onnx.ModelProto":
    """A function as an ONNX model, which `onnxruntime` and others run. It needs the extra `export`.

    Sizes that the signature leaves open stay open. Variables become constants with their names; what the function
    prints or checks is left out.

    Args:
        function: A Python function of tensors, a `tf.function`, or one of its concrete functions.
        signature: A `tf.TensorSpec` for each argument, or structures of them. None for a `tf.function` with an
            `input_signature`, or a concrete function.
        path: Where to write the model; None: it is only returned.

    Raises:
        CannotBeExported: If the function draws random numbers, assigns to variables, or needs an operation that ONNX
            does not have: the message names it, and its line.

    >>> weights = tf.Variable([[1.0], [2.0]], name="weights")
    >>> model = tf.export.onnx(lambda x: tf.nn.relu(x @ weights), [tf.TensorSpec([None, 2], name="x")])
    >>> [node.op_type for node in model.graph.node]
    ['MatMul', 'Relu', 'Identity']
    >>> import onnxruntime
    >>> session = onnxruntime.InferenceSession(model.SerializeToString())
    >>> [result] = session.run(None, {"x": tf.constant([[1.0, 1.0]]).numpy()})
    >>> result
    array([[3.]], dtype=float32)
    """
    try:
        from .to_onnx import model
    except ModuleNotFoundError as error:
        if error.name != "onnx":
            raise
        raise ModuleNotFoundError(f"ONNX needs onnx, which is not installed: {_install('export')}.") from error
    with _place_of(path, "an ONNX model") as file:
        made = model(_concrete(function, signature))
        if file is not None:
            _write(file, made.SerializeToString())
    return made


def stablehlo(
    function: _Callable[..., Any],
    signature: _Sequence[Any] | None = None,
    path: "str | _os.PathLike[str] | None" = None,
) -> "jax.export.Exported":
    """A function as a portable program for XLA, which `jax.export` loads and runs. It needs the extra `xla`.

    The program runs on CPUs, GPUs and TPUs, and gives a tuple of results. Its weights are part of it.

    Args:
        function: A Python function of tensors, a `tf.function`, or one of its concrete functions.
        signature: A `tf.TensorSpec` for each argument, or structures of them. None for a `tf.function` with an
            `input_signature`, or a concrete function.
        path: Where to write the program; None: it is only returned.

    Raises:
        CannotBeExported: If the function draws random numbers, assigns to variables, works on texts, or has results
            whose sizes depend on values.

    >>> program = tf.export.stablehlo(lambda x: tf.sqrt(x) + 1, [tf.TensorSpec([None])])
    >>> import jax
    >>> loaded = jax.export.deserialize(program.serialize())  # in a program that knows nothing of tapeflow
    >>> [result] = loaded.call(tf.constant([4.0, 9.0]).numpy())
    >>> print(result)
    [3. 4.]
    """
    from .to_stablehlo import program_of

    with _place_of(path, "a StableHLO program") as file:
        made = program_of(_concrete(function, signature))
        if file is not None:
            _write(file, bytes(made.serialize()))
    return made


def _concrete(function: Any, signature: Any) -> _ConcreteFunction:
    """The trace to export."""
    function = function.function if isinstance(function, _BoundFunction) else function
    if isinstance(function, _ConcreteFunction):
        if signature is not None:
            raise ValueError("A concrete function has its signature: leave `signature` out.")
        found = function
    elif signature is not None:
        of = function if isinstance(function, (_Function, _LoadedFunction)) else _function(function)
        found = of.get_concrete_function(*_checked(signature))
    elif isinstance(function, (_Function, _LoadedFunction)):
        found = function.get_concrete_function()
    else:
        raise ValueError(
            "A Python function needs a signature, one tf.TensorSpec for each argument: "
            "signature=[tf.TensorSpec([None, 3])]. A Keras model has one, which model.export(path, format=...) takes."
        )
    if isinstance(found, _RankedFunction):
        raise CannotBeExported(
            f"{found.name} cannot be exported for tensors of any rank: say it, as in tf.TensorSpec([None, 3])."
        )
    return found


def _checked(signature: Any) -> _Sequence[Any]:
    """A signature, if it is one: a shape or the name of a dtype would be taken for constants."""
    expected = "`signature` is a list with a tf.TensorSpec for each argument, such as [tf.TensorSpec([None, 3])]"
    if not isinstance(signature, (list, tuple)) or _is_shape(signature) and signature:
        raise TypeError(f"{expected}; got {signature!r}.")
    for k, one in enumerate(signature):
        if isinstance(one, (str, bytes, type)) or isinstance(one, (list, tuple)) and _is_shape(one):
            raise TypeError(f"{expected}; its argument {k} is {one!r}.")
    return signature


def _is_shape(value: _Sequence[Any]) -> bool:
    return all(d is None or isinstance(d, int) and not isinstance(d, bool) for d in value)


def _place_of(path: Any, what: str) -> "_contextlib.AbstractContextManager[str | None]":
    return _contextlib.nullcontext() if path is None else _place(path, what)


def _write(path: str, content: bytes) -> None:
    _os.makedirs(_os.path.dirname(_os.path.abspath(path)), exist_ok=True)
    with _replacing(path) as file:
        file.write(content)
