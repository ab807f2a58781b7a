"""`tf.function`: the public name, with TensorFlow's options."""

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, overload

from tapeflow.api.arrays.specs import TensorSpec
from tapeflow.core import nest
from tapeflow.core.composite import spec_of
from tapeflow.core.dtypes import BY_NUMPY
from tapeflow.function.tracing.concrete import ConcreteFunction, opened
from tapeflow.function.tracing.polymorphic import Function

__all__ = ["function"]


P = ParamSpec("P")
R = TypeVar("R")


@overload
def function(
    func: Callable[P, R], input_signature: Any = None, autograph: bool = True, jit_compile: bool | None = None,
    reduce_retracing: bool = False, experimental_implements: Any = None, experimental_autograph_options: Any = None,
    experimental_attributes: Any = None, experimental_relax_shapes: Any = None, experimental_compile: Any = None,
    experimental_follow_type_hints: Any = None,
) -> Function[P, R]: ...  # fmt: skip
@overload
def function(
    func: None = None, input_signature: Any = None, autograph: bool = True, jit_compile: bool | None = None,
    reduce_retracing: bool = False, experimental_implements: Any = None, experimental_autograph_options: Any = None,
    experimental_attributes: Any = None, experimental_relax_shapes: Any = None, experimental_compile: Any = None,
    experimental_follow_type_hints: Any = None,
) -> Callable[[Callable[P, R]], Function[P, R]]: ...  # fmt: skip
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Any = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: Any = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: Any = None,
    experimental_compile: Any = None,
    experimental_follow_type_hints: Any = None,
) -> Any:
    """Turns `func` into a graph. Python runs once for each kind of arguments; later calls run the graph.

    `jit_compile=True` compiles the graph with XLA (`pip install "tapeflow[xla]"`). A function that cannot be a graph,
    since shapes in it depend on values, runs as plain Python.

    Args:
        func: The Python function; None: return a decorator with these options.
        input_signature: `tf.TensorSpec`s, one for each argument: one graph for all that fit; None: a graph for each
            kind of arguments.
        autograph: Turn Python's `if`, `while` and `for` on tensors into operations.
        jit_compile: Compile by XLA.
        reduce_retracing: From the second shape on, leave open the sizes that differ.
        experimental_implements: Taken and not used.
        experimental_autograph_options: Taken and not used.
        experimental_attributes: Taken and not used.
        experimental_relax_shapes: `reduce_retracing`, by its earlier name.
        experimental_compile: `jit_compile`, by its earlier name.
        experimental_follow_type_hints: Taken and not used.

    Returns:
        The function as a graph, to be called like `func`; or a decorator.

    >>> @tf.function
    ... def slope(x):
    ...     print("traced")
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = x ** 3
    ...     return tape.gradient(y, x)
    >>> slope(tf.constant(2.)).numpy(), slope(tf.constant(3.)).numpy()
    traced
    (np.float32(12.0), np.float32(27.0))
    """
    if func is None:
        options = input_signature, autograph, jit_compile, reduce_retracing or bool(experimental_relax_shapes)
        return lambda func: function(func, *options, experimental_compile=experimental_compile)
    if not callable(func):
        raise TypeError(f"tf.function takes a function, got {func!r} of type {type(func).__name__}.")
    return Function(
        func.python_function if isinstance(func, Function) else func,
        input_signature,
        autograph,
        bool(jit_compile or experimental_compile),
        bool(reduce_retracing or experimental_relax_shapes),
    )


def _structured_input_signature(self: ConcreteFunction) -> tuple:
    """The arguments of a concrete function, with specifications in the place of tensors."""
    leaves = opened(self.structure)
    for k, spec, symbol in zip(self.tensor_positions, self.specs, self.graph.inputs):
        leaves[k] = TensorSpec(spec.shape, BY_NUMPY[spec.dtype], name=self.graph.names.get(symbol))
    rest = iter(leaves)

    def one(leaf: Any) -> Any:
        own = [next(rest) for _ in opened(leaf)]
        return spec_of(leaf).__with_component_specs__(own) if nest.is_composite(leaf) else own[0]

    return nest.map_structure(one, self.structure)


ConcreteFunction.structured_input_signature = property(_structured_input_signature)
