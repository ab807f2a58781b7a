"""`Dataset.from_generator`: elements that Python code yields, checked against what was said of them."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tapeflow.api.arrays.specs import TensorSpec, TypeSpec
from tapeflow.api.ragged import constant as ragged_constant
from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.core import nest
from tapeflow.core.apply import as_tensor
from tapeflow.core.convert import to_tensor
from tapeflow.core.dtypes import as_dtype
from tapeflow.core.errors import dtype_clash
from tapeflow.core.shapes import TensorShape
from tapeflow.core.tensor import EagerTensor, Tensor

from .element_specs import Cell
from .elements import element
from .pipeline import new

if TYPE_CHECKING:
    from .dataset import Dataset


def from_generator(
    generator: Callable[..., Any],
    output_types: Any = None,
    output_shapes: Any = None,
    args: Any = None,
    output_signature: Any = None,
    name: str | None = None,
) -> "Dataset[Any]":
    """The elements that `generator(*args)` yields; each iteration calls it again.

    `output_signature` is a structure of specs, such as `tf.TensorSpec`; or give `output_types` and perhaps
    `output_shapes`.

    Args:
        generator: A function that returns an iterable, such as a generator function; it is called when an iteration
            begins.
        output_types: The dtypes of an element, in tuples and dicts as the element is.
        output_shapes: The shapes, in the same structure; None leaves them open.
        args: A tuple or a list of tensors, which `generator` gets as NumPy arrays.
        output_signature: Specs of an element (`tf.TensorSpec`, `tf.RaggedTensorSpec`, …) in tuples and dicts, in place
            of `output_types` and `output_shapes`.

    Raises:
        TypeError: If neither dtypes nor a signature is given, or both are.
        InvalidArgumentError: If, while iterating, an element does not have the structure, the dtypes or the shapes
            that were said.

    >>> ds = tf.data.Dataset.from_generator(lambda: iter([1, 2]), output_signature=tf.TensorSpec([], tf.float32))
    >>> [x.numpy().item() for x in ds]
    [1.0, 2.0]
    """
    if not callable(generator):
        raise TypeError(f"`generator` must be a Python callable that returns an iterable, got {generator!r}.")
    spec = _signature(output_types, output_shapes, output_signature)
    if args is not None and not isinstance(args, (tuple, list)):
        raise TypeError(f"`args` must be a tuple or a list, got {args!r}.")
    given = [as_tensor(a) for a in args or ()]

    def make() -> Iterator:
        for value in generator(*[np.asarray(a.array) if a.ndim else a.array[()] for a in given]):
            yield _checked(value, spec, spec)

    return new(make, None, Cell(spec), "FlatMap")


def _signature(types: Any, shapes: Any, signature: Any) -> Any:
    """What elements are, as specs in tuples and dicts."""
    if signature is not None:
        if types is not None or shapes is not None:
            raise TypeError(
                "`output_signature` says dtypes and shapes: give it alone, or `output_types` and `output_shapes`."
            )
        found = _with_tuples(signature)
        for leaf in nest.flatten(found):
            if not isinstance(leaf, TypeSpec):
                raise TypeError(
                    "`output_signature` must contain objects that are subclasses of `tf.TypeSpec` but found "
                    f"{type(leaf)}."
                )
        return found
    if types is None:
        raise TypeError(
            "Either `output_signature` or `output_types` must be given: the specs or the dtypes of the elements."
        )
    dtypes = nest.map_structure(as_dtype, _with_tuples(types))
    if shapes is None:
        return nest.map_structure(lambda dtype: TensorSpec(None, dtype), dtypes)
    return _shaped(dtypes, shapes)


def _with_tuples(structure: Any) -> Any:
    """Lists are tuples here: elements have no lists."""
    if isinstance(structure, list):
        return tuple(_with_tuples(s) for s in structure)
    if type(structure) is tuple:
        return tuple(_with_tuples(s) for s in structure)
    if isinstance(structure, dict):
        return type(structure)((key, _with_tuples(s)) for key, s in structure.items())
    return structure


def _shaped(dtypes: Any, shapes: Any) -> Any:
    if isinstance(dtypes, dict):
        return type(dtypes)((key, _shaped(inner, shapes[key])) for key, inner in dtypes.items())
    if isinstance(dtypes, tuple):
        if not isinstance(shapes, (list, tuple)) or len(shapes) != len(dtypes):
            raise TypeError(
                f"`output_shapes` needs one shape for each of the {len(dtypes)} parts of `output_types`, got "
                f"{shapes!r}."
            )
        return tuple(_shaped(inner, shape) for inner, shape in zip(dtypes, shapes))
    return TensorSpec(TensorShape(shapes), dtypes)


def _checked(value: Any, spec: Any, whole: Any) -> Any:
    """What a generator yielded as an element of the spec."""
    if isinstance(spec, dict):
        if not isinstance(value, dict) or set(value) != set(spec):
            raise _mismatch(whole, value)
        return type(spec)((key, _checked(value[key], inner, whole)) for key, inner in spec.items())
    if isinstance(spec, tuple):
        if not isinstance(value, (list, tuple)) or len(value) != len(spec):
            raise _mismatch(whole, value)
        parts = [_checked(part, inner, whole) for part, inner in zip(value, spec)]
        return type(spec)(*parts) if hasattr(spec, "_fields") else tuple(parts)
    if isinstance(spec, TensorSpec):
        return _tensor(value, spec)
    if spec.value_type is RaggedTensor and not isinstance(value, RaggedTensor):
        value = ragged_constant(value, spec.dtype, ragged_rank=spec.ragged_rank)
    if not spec.is_compatible_with(value):
        raise _mismatch(whole, value)
    return value


def _mismatch(spec: Any, value: Any) -> Exception:
    return dtype_clash(
        "TypeError: `generator` yielded an element that did not match the expected structure. "
        f"The expected structure was {spec!r}, but the yielded element was {value!r}."
    )


def _tensor(value: Any, spec: TensorSpec) -> Tensor:
    try:
        if isinstance(value, np.ndarray) and value.dtype == spec.dtype.np and value.dtype.kind != "O":
            tensor: Any = EagerTensor(value.copy())  # the generator may go on writing into it
        elif (
            isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc" and spec.dtype.kind in "biufc"
        ):
            tensor = EagerTensor(
                np.asarray(value).astype(spec.dtype.np)
            )  # arrays are cast, Python's numbers only without loss
        else:
            tensor = element(to_tensor(value, spec.dtype))
    except (TypeError, ValueError) as error:
        raise dtype_clash(
            "TypeError: `generator` yielded an element that could not be converted to the expected type. The "
            f"expected type was {spec.dtype.name}, but the yielded element was {value!r}."
        ) from error
    if not spec.shape.is_compatible_with(tensor.sizes):
        raise dtype_clash(
            f"TypeError: `generator` yielded an element of shape {tuple(tensor.shape)} where an element of shape "
            f"{spec.shape} was expected."
        )
    return tensor
