"""Deserialising objects for `tf.saved_model.load`: the inverse of `writing.py`."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.api.variables.module import Module
from tapeflow.core.apply import as_tensor
from tapeflow.core.dtypes import BY_NUMPY
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.function.saving.loaded import LoadedFunction
from tapeflow.function.saving.restoring import FunctionReader, RestoredFunction
from tapeflow.function.saving.stored_values import Reader
from tapeflow.function.tracing.arguments.binding import fitted
from tapeflow.function.tracing.arguments.mistakes import Unfit, refused

__all__ = ["LoadedObject", "ObjectReader", "SignatureFunction", "SignatureMap", "named_outputs", "restored_variable"]


class LoadedObject(Module):
    """What `tf.saved_model.load` gives: variables, functions and further objects as attributes, as the saved object
    had them."""

    _TF_MODULE_IGNORED_PROPERTIES = frozenset((*Module._TF_MODULE_IGNORED_PROPERTIES, "_collections", "signatures"))

    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self._collections: dict[str, Any] = {}  # attributes that a module has as properties

    if TYPE_CHECKING:  # what the saved object had

        def __getattr__(self, name: str) -> Any: ...

    def _own(self, name: str) -> Any:
        return self._collections[name] if name in self._collections else getattr(Module, name).fget(self)

    @property
    def variables(self) -> Any:
        """Those that were saved as `variables`, or all there are."""
        return self._own("variables")

    @property
    def trainable_variables(self) -> Any:
        """Those that a tape watches by itself."""
        return self._own("trainable_variables")

    @property
    def non_trainable_variables(self) -> Any:
        """The others."""
        return self._own("non_trainable_variables")

    def _saved_parts(self, root: bool) -> dict[str, Any]:
        """For saving it again."""
        return {
            name: part for name, part in vars(self).items() if name not in self._TF_MODULE_IGNORED_PROPERTIES
        } | self._collections

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if "__call__" not in vars(self):
            raise TypeError("The loaded object is not callable: the saved one had no tf.function named __call__.")
        return vars(self)["__call__"](*args, **kwargs)


class SignatureFunction:
    """A function for serving: tensors by keyword, and a dict of tensors comes back."""

    def __init__(self, function: RestoredFunction, names: list[str]) -> None:
        self.function, self._arg_keywords = function, names

    def __call__(self, *args: Any, **kwargs: Any) -> dict[str, Tensor]:
        names = self._arg_keywords
        if len(args) == len(names) == 1 and not kwargs:
            kwargs = {names[0]: args[0]}
        elif args:
            raise refused(
                "too many positional arguments",
                args,
                kwargs,
                self,
                f"A signature takes tensors by keyword, {', '.join(f'{n}=...' for n in names)}.",
            )
        for name in names:
            if name not in kwargs:
                raise refused(f"missing a required argument: {name!r}", args, kwargs, self)
        for name in kwargs:
            if name not in names:
                raise refused(f"got an unexpected keyword argument {name!r}", args, kwargs, self)
        tensors = []
        for name, spec in zip(names, self.function.specs):
            try:
                tensors.append(fitted(kwargs[name], spec, name, self.function.name))
            except Unfit as reason:
                raise refused(reason, args, kwargs, self, f"{name} must be a {spec!r}.") from None
        return named_outputs(self.function.run(tensors), "this signature")

    @property
    def structured_input_signature(self) -> tuple:
        """((), the specifications by name)."""
        pairs = zip(self._arg_keywords, self.function.specs)
        return (), {name: TensorSpec(s.shape, BY_NUMPY[s.dtype], name=name) for name, s in pairs}

    @property
    def structured_outputs(self) -> dict[str, TensorSpec]:
        found = named_outputs(self.function.structured_outputs, "this signature")
        return {name: TensorSpec(t.get_shape(), t.dtype, name=name) for name, t in found.items()}

    @property
    def variables(self) -> Any:
        """What it reads and assigns."""
        return self.function.variables

    @property
    def trainable_variables(self) -> Any:
        """Those that a tape watches by itself."""
        return self.function.trainable_variables

    @property
    def graph(self) -> Any:
        """`print(f.graph)` shows it."""
        return self.function.graph

    def __repr__(self) -> str:
        args = ", ".join(f"{name}: {spec!r}" for name, spec in zip(self._arg_keywords, self.function.specs))
        return f"<signature (*, {args}) -> {{{', '.join(self.structured_outputs)}}}>"


def named_outputs(outputs: Any, where: str) -> dict[str, Any]:
    """What a function returned, as a dict from names to tensors."""
    if hasattr(outputs, "_asdict"):
        outputs = outputs._asdict()
    if not isinstance(outputs, Mapping):
        several = outputs if isinstance(outputs, (list, tuple)) else [outputs]
        outputs = {f"output_{k}": value for k, value in enumerate(several)}
    for name, value in outputs.items():
        if not isinstance(name, str):
            raise ValueError(f"Got a dictionary with a non-string key {name!r} in the output of {where}.")
        if isinstance(value, (bool, int, float, str, bytes, np.ndarray, np.generic)):
            outputs = {**outputs, name: as_tensor(value)}
        elif not isinstance(value, Tensor):
            raise ValueError(
                f"Got a non-Tensor value {value!r} for key {name!r} in the output of {where}. Outputs for functions "
                "used as signatures must be a single Tensor, a sequence of Tensors, or a dictionary from string to "
                "Tensor."
            )
    return dict(outputs)


class SignatureMap(Mapping):
    """The signatures of a loaded model, by name."""

    def __init__(self, signatures: dict[str, SignatureFunction]) -> None:
        self._signatures = signatures

    def __getitem__(self, name: str) -> SignatureFunction:
        if name not in self._signatures:
            raise KeyError(
                f"The saved model has no signature {name!r}; it has "
                f"{', '.join(map(repr, self._signatures)) or 'none'}."
            )
        return self._signatures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._signatures)

    def __len__(self) -> int:
        return len(self._signatures)

    def __repr__(self) -> str:
        return f"_SignatureMap({self._signatures!r})"


def restored_variable(array: np.ndarray, trainable: bool, shape: TensorShape, name: str) -> Variable:
    """A variable of this name in full, whatever scope is open now."""
    made = Variable(EagerTensor(array), trainable=trainable, shape=shape)
    made._name = name
    return made


_KINDS = frozenset(("object", "variable", "function", "concrete", "list", "tuple", "dict"))


class ObjectReader:
    """Makes the objects again, each once."""

    def __init__(
        self, model: dict, array: Callable[[str], np.ndarray], variables: list[Variable] | None = None
    ) -> None:
        """`variables`: those to use; None: they are made of the arrays."""
        self.model, self.array = model, array
        self.variables = [self._restored(d) for d in model["variables"]] if variables is None else variables
        self.functions = FunctionReader(array, self.variables)
        self.made: dict[int, Any] = {}

    def root(self) -> LoadedObject:
        found = self._object(0)
        signatures = {}
        for name, entry in self.model["signatures"].items():
            function = self._object(entry["function"])
            concrete = function.concrete_functions[0] if isinstance(function, LoadedFunction) else function
            signatures[name] = SignatureFunction(concrete, entry["inputs"])
        found.signatures = SignatureMap(signatures)
        return found

    def _restored(self, described: dict) -> Variable:
        shape = TensorShape(described["shape"])
        return restored_variable(self.array(described["array"]), described["trainable"], shape, described["name"])

    def _variable(self, node: dict) -> Variable:
        return self.variables[node["variable"]]

    def _object(self, number: int) -> Any:
        if number in self.made:
            return self.made[number]
        node = self.model["objects"][number]
        kind = node["kind"]
        if kind not in _KINDS:
            raise ValueError(f"{kind!r} is no kind of object.")
        if kind == "object":
            return self._loaded(number, node)
        self.made[number] = getattr(self, f"_{kind}")(node)
        return self.made[number]

    def _loaded(self, number: int, node: dict) -> LoadedObject:
        made = self.made[number] = LoadedObject(node["name"])  # before what it holds, which may hold it
        for name, child in node["children"].items():
            part = self._object(child)
            if isinstance(getattr(Module, name, None), property):
                made._collections[name] = part
            else:
                vars(made)[name] = part
        return made

    def _entries(self, node: dict) -> list[tuple]:
        reader = Reader(self.array)
        held = lambda entry: self._object(entry["object"]) if "object" in entry else reader.value(entry["value"])
        return [(reader.value(key), held(entry)) for key, entry in node["entries"]]

    def _list(self, node: dict) -> list:
        return [part for _, part in self._entries(node)]

    def _tuple(self, node: dict) -> tuple:
        return tuple(self._list(node))

    def _dict(self, node: dict) -> dict:
        return dict(self._entries(node))

    def _concrete(self, node: dict) -> RestoredFunction:
        return self.functions.concrete(node["concrete"])

    def _function(self, node: dict) -> LoadedFunction:
        reader, parameters = Reader(self.array), []
        for name, kind, *default in node["parameters"]:
            value = reader.value(default[0]) if default else inspect.Parameter.empty
            parameters.append(inspect.Parameter(name, inspect._ParameterKind[kind], default=value))
        traces = [self.functions.concrete(trace) for trace in node["traces"]]
        signature = inspect.Signature(parameters)
        for trace in traces:
            trace.signature = signature
        return LoadedFunction(node["name"], traces, signature, node["fixed"])
