"""From the arguments of a call to those of a trace: as Python binds them, with TensorFlow's first sentence where they
do not fit.

A concrete function is called in either of two ways. *Structured*: like the Python function, where what is not a tensor
must be what the function was traced for. *Flat*: with the tensors alone, in order or by name.
"""

import inspect
import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.composite import spec_of
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import BY_NUMPY
from tapeflow.core.errors import InvalidArgumentError, invalid
from tapeflow.core.tensor import Tensor
from tapeflow.core.variables.variable import Variable

from .described import spec_text, structure_text
from .mistakes import Unfit, refused


class _Parts:
    """Numbers in the place of the tensors that a ragged or sparse tensor is made of."""

    def __init__(self, of: Any, inside: list) -> None:
        self.of, self.inside = of, inside


def numbered(structure: Any, composites: bool) -> Any:
    """The structure with the numbers of its leaves in their places."""
    count = itertools.count()
    if not composites:
        return nest.pack_as(structure, [next(count) for _ in nest.flatten(structure)])

    def one(value: Any) -> Any:
        inside = nest.children(value, composites=True)
        if inside is None:
            return next(count)
        numbers = [one(v) for v in inside]
        return _Parts(value, numbers) if nest.is_composite(value) else nest.rebuilt(value, numbers)

    return one(structure)


class Binding:
    """What the arguments of one trace are to be like."""

    def __init__(
        self, name: str, signature: inspect.Signature, structure: Any, leaves: list, positions: list[int]
    ) -> None:
        """Of the leaves of `structure` those at `positions` are tensors."""
        self.name, self.signature, self.leaves = name, signature, leaves
        self.order = {position: k for k, position in enumerate(positions)}
        composites = any(map(nest.is_composite, nest.flatten(structure)))
        args, kwargs = numbered(structure, composites)
        self.wanted = dict(signature.bind(*args, **kwargs).arguments)
        self.needed = {n for n, leaf in enumerate(leaves) if n in self.order or isinstance(leaf, Variable)}
        # Tensors alone, each an argument: a call with so many needs no binding, which is slow.
        self.plain = (
            len(positions) if list(self.wanted.values()) == positions and len(positions) == len(leaves) else -1
        )
        self.flat_too = not any(isinstance(leaf, Variable) for leaf in leaves)

    def tensors(self, args: tuple, kwargs: dict, specs: list, names: list[str]) -> list[Tensor]:
        """What a call gives for the tensors of the trace. `specs` and `names` are theirs."""
        try:
            return [
                fitted(value, spec, k, self.name)
                for k, (value, spec) in enumerate(zip(self._structured(args, kwargs), specs))
            ]
        except Unfit as reason:
            given = self._flat(args, kwargs, names)
            if given is None:
                if names and not reason.help:
                    reason.help = f" It also takes its tensors alone, in order or by name: {', '.join(names)}."
                raise refused(reason, args, kwargs, self.text(specs)) from None
        return [fitted(value, spec, k, self.name) for k, (value, spec) in enumerate(zip(given, specs))]

    def text(self, specs: list) -> str:
        """The parameters, with what each is to be."""
        return f"({', '.join(f'{name}: {what}' for name, _, what in self.parameters(specs))})"

    def parameters(self, specs: list) -> list[tuple[str, str, str]]:
        """(name, kind, what it is to be) of each parameter, with those of `*args` and `**kwargs` one by one."""
        found = []
        for name, parameter in self.signature.parameters.items():
            wanted, kind = self.wanted.get(name, ()), parameter.kind
            if kind is inspect.Parameter.VAR_POSITIONAL:
                found += [(f"{name}_{k}", "POSITIONAL_ONLY", w) for k, w in enumerate(wanted)]
            elif kind is inspect.Parameter.VAR_KEYWORD:
                found += [(key, "KEYWORD_ONLY", w) for key, w in dict(wanted).items()]
            else:
                found.append((name, kind.name, wanted))
        if any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in self.signature.parameters.values()):
            found = [
                (name, kind.replace("POSITIONAL_OR_KEYWORD", "POSITIONAL_ONLY"), wanted)
                for name, kind, wanted in found
            ]
        return [(name, kind, self._described(wanted, specs)) for name, kind, wanted in found]

    def _described(self, wanted: Any, specs: list) -> str:
        def leaf(number: Any) -> str:
            if isinstance(number, _Parts):
                parts = [specs[self.order[n]] for n in _inside(number)]
                return repr(spec_of(number.of).__with_component_specs__(parts))
            return (
                spec_text(specs[self.order[number]]) if number in self.order else f"Literal[{self.leaves[number]!r}]"
            )

        return structure_text(wanted, leaf)

    # ---- like the Python function

    def _structured(self, args: tuple, kwargs: dict) -> list:
        """The values for the tensors, in order."""
        if not kwargs and len(args) == self.plain:
            return list(args)
        unknown = [name for name in kwargs if not self._takes(name)]
        try:
            given = self.signature.bind_partial(
                *args, **{k: v for k, v in kwargs.items() if k not in unknown}
            ).arguments
        except TypeError as error:
            raise Unfit(error) from None
        found: dict[int, Any] = {}
        for name, parameter in self.signature.parameters.items():
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                values, wanted = given.get(name, ()), self.wanted.get(name, ())
                if len(values) > len(wanted):
                    raise Unfit("too many positional arguments")
                self._all(
                    {f"{name}_{k}": w for k, w in enumerate(wanted)},
                    {f"{name}_{k}": v for k, v in enumerate(values)},
                    found,
                )
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                self._all(self.wanted.get(name, {}), given.get(name, {}), found)
            elif name in self.wanted:
                self._all({name: self.wanted[name]}, {name: given[name]} if name in given else {}, found)
            elif name in given and not same(parameter.default, given[name]):  # it was left out for its default
                raise Unfit(f"Can not cast {given[name]!r} to Literal[{parameter.default!r}]")
        if unknown:  # what is missing is said first, as Python does
            raise Unfit(f"got an unexpected keyword argument {unknown[0]!r}")
        return [found[position] for position in self.order]

    def _takes(self, name: str) -> bool:
        parameters = self.signature.parameters
        kind = parameters[name].kind if name in parameters else None
        named = kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        return named or any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())

    def _all(self, wanted: Mapping, given: Mapping, found: dict[int, Any]) -> None:
        for name, want in wanted.items():
            if name in given:
                self._fit(want, given[name], found)
            elif not self.needed.isdisjoint(_inside(want)):
                raise Unfit(f"missing a required argument: {name!r}")
        for name in given:
            if name not in wanted:
                raise Unfit(f"got an unexpected keyword argument {name!r}")

    def _fit(self, wanted: Any, given: Any, found: dict[int, Any]) -> None:
        if isinstance(wanted, int):
            if wanted in self.order:
                found[wanted] = given
            elif not same(self.leaves[wanted], given):
                raise Unfit(f"Can not cast {given!r} to Literal[{self.leaves[wanted]!r}]")
            return
        if isinstance(wanted, _Parts):
            inside = wanted.inside
            spec = spec_of(wanted.of)
            fits_in = isinstance(given, spec.value_type) and spec_of(given).__kind__() == spec.__kind__()
            parts = (nest.children(given, composites=True) or []) if fits_in else []
            inside_specs = nest.children(spec, composites=True) or []
            dtypes = [(getattr(p, "dtype", None), getattr(s, "dtype", None)) for p, s in zip(parts, inside_specs)]
            if not fits_in or any(own is not wanted for own, wanted in dtypes):
                raise Unfit(f"Can not cast {given!r} to {spec}")
        else:
            if isinstance(wanted, Mapping):
                if not isinstance(given, Mapping):
                    raise Unfit(f"Can not cast {given!r} to a Dict type.")
                if set(wanted) != set(given):
                    raise Unfit(
                        f"{given!r} has different keys: {sorted(map(str, given))}, not {sorted(map(str, wanted))}."
                    )
            found_parts = nest.children(given)
            fields = getattr(wanted, "_fields", None)  # those of named tuples count, not what their classes are called
            if found_parts is None or not (
                fields and fields == getattr(given, "_fields", None) or nest.same_container(wanted, given)
            ):
                raise Unfit(f"Can not cast {given!r} to {type(wanted).__name__} type.")
            inside, parts = nest.children(wanted) or [], found_parts
        if len(parts) != len(inside):
            raise Unfit(
                f"Can not cast {given!r}, which has {len(parts)} entries, to {type(wanted).__name__} of {len(inside)}"
            )
        for want, value in zip(inside, parts):
            self._fit(want, value, found)

    # ---- tensors alone

    def _flat(self, args: tuple, kwargs: dict, names: list[str]) -> list | None:
        """The values for the tensors, in order; None if they are not what is wanted."""
        if not self.flat_too or len(args) + len(kwargs) != len(names):
            return None
        if not all(isinstance(v, (Tensor, np.ndarray)) or _is_variable(v) for v in [*args, *kwargs.values()]):
            return None
        for called in (names, self._counted()):
            if set(called[len(args) :]) == set(kwargs):
                return [*args, *[kwargs[name] for name in called[len(args) :]]]
        return None

    def _counted(self) -> list[str]:
        """The tensors by the name of their argument: `d`, `d_1`, `d_2` for three in a dict."""
        found: list[str] = []
        for name, parameter in self.signature.parameters.items():
            wanted = self.wanted.get(name, ())
            several = {
                inspect.Parameter.VAR_POSITIONAL: lambda w, name=name: {f"{name}_{k}": v for k, v in enumerate(w)},
                inspect.Parameter.VAR_KEYWORD: dict,
            }.get(parameter.kind, lambda w, name=name: {name: w})
            for base, want in several(wanted).items():
                count = sum(position in self.order for position in _inside(want))
                found += [base if not k else f"{base}_{k}" for k in range(count)]
        return found


def _inside(wanted: Any) -> Iterable[int]:
    """The numbers of the leaves."""
    stack = [wanted]
    while stack:
        value = stack.pop()
        if isinstance(value, int):
            yield value
        else:
            stack += (value.inside if isinstance(value, _Parts) else nest.children(value) or [])[::-1]


def same(literal: Any, given: Any) -> bool:
    """Is it what the function was traced for?"""
    if literal is given:
        return True
    if isinstance(literal, bool) is not isinstance(given, (bool, np.bool_)):
        return False
    try:
        return bool(literal == given) or bool(literal != literal and given != given)
    except Exception:  # tensors of several elements, say: what is compared decides what is raised
        return False


def fitted(value: Any, spec: Any, which: Any, name: str) -> Tensor:
    """A value as a tensor of a specification: argument `which` of the function `name`."""
    if isinstance(value, Tensor) or _is_variable(value):
        tensor = to_tensor(value)
        if tensor.dtype.np != spec.dtype:
            raise invalid(
                f"cannot compute {name} as input #{which} was expected to be a {BY_NUMPY[np.dtype(spec.dtype)].name} "
                f"tensor but is a {tensor.dtype.name} tensor. It was traced for {spec}; cast the argument, or call "
                "the tf.function itself."
            )
        if not fits(tensor.sizes, spec):
            raise invalid(f"{name} was traced for {spec}, and was given shape {tuple(tensor.shape)}.")
        return tensor
    try:
        tensor = to_tensor(value, BY_NUMPY[np.dtype(spec.dtype)])
    except (TypeError, ValueError, InvalidArgumentError) as error:
        raise Unfit(str(error).split("\n")[0]) from None
    if not fits(tensor.sizes, spec):
        if isinstance(value, np.ndarray):
            raise invalid(f"{name} was traced for {spec}, and was given shape {tuple(tensor.shape)}.")
        raise Unfit(f"Can not cast a value of shape {tuple(tensor.shape)} to {spec_text(spec)}")
    return tensor


def fits(shape: Any, spec: Any) -> bool:
    if spec.shape is None:  # any rank
        return True
    return len(shape) == len(spec.shape) and all(want in (None, size) for want, size in zip(spec.shape, shape))


def _is_variable(value: Any) -> bool:
    return isinstance(value, Variable) or hasattr(value, "__tf_variable__")
