"""A call: a public function's name and its arguments, as one line of text and back."""

import ast
from dataclasses import dataclass, field, replace

import numpy as np

from .values import Array, Dtype, Ragged, Slices, Sparse, tensor

NAMES = {
    "array": Array,
    "sparse": Sparse,
    "ragged": Ragged,
    "slices": Slices,
    "nan": float("nan"),
    "inf": float("inf"),
}


class _DtypeNames:
    def __getattr__(self, name):
        return Dtype(name)


@dataclass
class Call:
    """`name` is written without tf: "math.add"."""

    name: str
    args: tuple = ()
    kwargs: dict = field(default_factory=dict)

    def __str__(self):
        given = [repr(a) for a in self.args] + [f"{k}={v!r}" for k, v in self.kwargs.items()]
        return f"tf.{self.name}({', '.join(given)})"

    @property
    def leaves(self):
        """The tensors among the arguments, in order."""
        return [leaf for leaf in _walk((self.args, self.kwargs)) if isinstance(leaf, Array)]

    def with_leaves(self, leaves):
        """The same call of other tensors."""
        supply = iter(leaves)
        change = lambda a: next(supply) if isinstance(a, Array) else a
        return replace(self, args=_map(self.args, change), kwargs=_map(self.kwargs, change))

    def tensors(self, tf):
        return [tensor(tf, leaf) for leaf in self.leaves]

    def run(self, tf, tensors):
        """The library's answer for these tensors in the places of the leaves."""
        supply = iter(tensors)

        def change(a):
            if isinstance(a, Array):
                return next(supply)
            return getattr(tf, a.name) if isinstance(a, Dtype) else a

        return function(tf, self.name)(*_map(self.args, change), **_map(self.kwargs, change))


def parse(text):
    """The call that `str(call)` wrote."""
    node = ast.parse(text.strip(), mode="eval").body
    name = ast.unparse(node.func).removeprefix("tf.")
    read = lambda value: eval(
        compile(ast.Expression(value), "call", "eval"), {"__builtins__": {}, "tf": _DtypeNames(), **NAMES}
    )
    args = tuple(read(a) for a in node.args)
    return Call(name, args, {k.arg: read(k.value) for k in node.keywords})


def function(tf, name):
    found = tf
    for part in name.split("."):
        found = getattr(found, part)
    return found


def flat(result, tf):
    """The arrays of a result, in order: ragged and sparse tensors as their parts, Python values as arrays."""
    if result is None:
        return []
    if isinstance(result, dict):
        return [a for key in sorted(result) for a in flat(result[key], tf)]
    if isinstance(result, tf.RaggedTensor):
        return flat(result.flat_values, tf) + [a for s in result.nested_row_splits for a in flat(s, tf)]
    if isinstance(result, tf.sparse.SparseTensor):
        return flat([result.indices, result.values, result.dense_shape], tf)
    if isinstance(result, tf.IndexedSlices):
        return flat(tf.convert_to_tensor(result), tf)
    if isinstance(result, (list, tuple)):
        return [a for part in result for a in flat(part, tf)]
    if isinstance(result, tf.TensorShape):
        return [np.array(result.as_list(), np.int32)]
    if hasattr(result, "numpy"):
        value = result.numpy()  # one string is bytes: an array of a fixed length would lose zeros at its end
        return [np.array(value, object) if isinstance(value, bytes) else np.asarray(value)]
    array = np.asarray(result)  # a Python value, where a graph has a tensor
    return [array.astype({"i": np.int32, "f": np.float32}.get(array.dtype.kind, array.dtype))]


def _walk(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _walk(part)
    else:
        yield value


def _map(value, change):
    if isinstance(value, dict):
        return {k: _map(v, change) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_map(v, change) for v in value)
    return change(value)
