"""A `tf.function` loaded from a saved model: the concrete functions that were saved, chosen by the arguments."""

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.convert import is_convertible, to_tensor
from tapeflow.core.dtypes import BY_NUMPY
from tapeflow.core.errors import InvalidArgumentError
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.function.tracing.arguments.mistakes import bound, refused
from tapeflow.function.tracing.concrete import ConcreteFunction
from tapeflow.function.tracing.symbols import SymbolicTensor

from .restoring import RestoredFunction


class LoadedFunction:
    """Called like the function that was saved, for arguments that one of its traces is for."""

    def __init__(
        self, name: str, concrete_functions: Sequence[RestoredFunction], signature: inspect.Signature, fixed: bool
    ) -> None:
        """`signature` is that of the Python function. `fixed`: it had an `input_signature`."""
        self.__name__, self.concrete_functions, self.signature, self.fixed = (
            name,
            list(concrete_functions),
            signature,
            fixed,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        concrete, tensors = self._chosen(args, kwargs)
        return concrete.run(tensors)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for these arguments; specifications stand for tensors."""
        if not args and not kwargs and len(self.concrete_functions) == 1:
            return self.concrete_functions[0]
        return self._chosen(args, kwargs)[0]

    def _list_all_concrete_functions(self) -> list[RestoredFunction]:
        return list(self.concrete_functions)

    def experimental_get_tracing_count(self) -> int:
        """Nothing is traced any more."""
        return 0

    @property
    def variables(self) -> tuple[Any, ...]:
        """What its traces read and assign."""
        return tuple({v.serial: v for f in self.concrete_functions for v in f.variables}.values())

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        return tuple(v for v in self.variables if v.trainable)

    def _chosen(self, args: tuple, kwargs: dict) -> tuple[RestoredFunction, list[Tensor]]:
        if not self.concrete_functions:
            raise ValueError(
                f"Found zero restored functions for caller function: {self.__name__} had not been traced when it was "
                "saved. Call it, or give it an input_signature, before saving."
            )
        found = bound(self.signature, args, kwargs)
        if not self.fixed:
            found.apply_defaults()
        given = found.args, found.kwargs
        for convert in (False, True):  # what fits as it is comes first
            for concrete in self.concrete_functions:
                specs = dict(zip(concrete.graph.inputs, concrete.specs))
                tensors: list[Tensor] = []
                if _fits(concrete.structure, given, specs, convert, tensors):
                    return concrete, tensors
        raise self._no_match(given, args, kwargs)

    def _no_match(self, given: tuple[tuple, dict], args: tuple, kwargs: dict) -> Exception:
        options = [f"  {k + 1}. {described(f.structure, f)}" for k, f in enumerate(self.concrete_functions)]
        if self.fixed:
            wanted = described(self.concrete_functions[0].structure, self.concrete_functions[0])
            saved_for = "It was saved for\n" + "\n".join(options)
            return refused(f"Can not cast {described(given)} to {wanted}", args, kwargs, self.signature, saved_for)
        return ValueError(
            "Could not find matching concrete function to call loaded from the SavedModel. "
            f"{self.__name__} was called with\n  {described(given)}\nand was saved for\n" + "\n".join(options)
        )

    def __repr__(self) -> str:
        return f"<loaded tf.function {self.__name__} with {len(self.concrete_functions)} concrete functions>"


def _fits(wanted: Any, given: Any, specs: dict, convert: bool, tensors: list[Tensor]) -> bool:
    """Are the arguments as the trace wants them? The tensors among them are added to `tensors`."""
    if isinstance(wanted, SymbolicTensor):
        tensor = fitted(given, specs[wanted.index], convert)
        if tensor is None:
            return False
        tensors.append(tensor)
        return True
    inside, parts = nest.children(wanted, composites=True), nest.children(given, composites=True)
    if inside is None:
        return type(wanted) is type(given) and (wanted is given or wanted == given)
    if parts is None or len(parts) != len(inside) or not nest.same_container(wanted, given):
        return False
    if isinstance(wanted, Mapping) and set(wanted) != set(given):
        return False
    return all(_fits(w, g, specs, convert, tensors) for w, g in zip(inside, parts))


def fitted(value: Any, spec: Any, convert: bool) -> Tensor | None:
    """A value as a tensor of a specification, if it can be one."""
    if isinstance(value, Variable) or hasattr(value, "__tf_variable__"):
        value = to_tensor(value)
    if hasattr(value, "is_compatible_with") and not isinstance(
        value, Tensor
    ):  # a specification, for `get_concrete_function`
        tensor = value
    elif isinstance(value, (Tensor, np.ndarray, np.generic)) and not convert:
        tensor = to_tensor(value)
    elif isinstance(value, Tensor) or not convert or not is_convertible(value):
        return None
    else:
        try:
            tensor = to_tensor(value, BY_NUMPY[np.dtype(spec.dtype)])
        except (TypeError, ValueError, InvalidArgumentError):
            return None
    shape = tuple(tensor.sizes)
    fits = len(shape) == len(spec.shape) and all(want is None or want == size for want, size in zip(spec.shape, shape))
    return tensor if fits and tensor.dtype.np == spec.dtype else None


def described(structure: tuple[tuple, dict], function: ConcreteFunction | None = None) -> str:
    """Arguments as text: tensors as their dtype and shape. `function`: whose graph the symbols among them belong
    to."""
    specs = {} if function is None else dict(zip(function.graph.inputs, function.specs))

    def text(value: Any) -> str:
        if isinstance(value, SymbolicTensor) and value.index in specs:
            return f"{value.dtype.name} {tuple(specs[value.index].shape)}"
        if isinstance(value, (Tensor, np.ndarray, Variable)):
            return f"{getattr(value.dtype, 'name', value.dtype)} {tuple(value.shape)}"
        if isinstance(value, Mapping):
            return "{" + ", ".join(f"{key!r}: {text(part)}" for key, part in value.items()) + "}"
        if isinstance(value, (list, tuple)):
            return ("[{}]" if isinstance(value, list) else "({})").format(", ".join(map(text, value)))
        return repr(value)

    args, kwargs = structure
    return "(" + ", ".join([*map(text, args), *[f"{name}={text(value)}" for name, value in kwargs.items()]]) + ")"
