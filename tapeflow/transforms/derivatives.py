"""`tf.derivatives`: `grad`, `jvp`, `vjp`, `jacobian`, `hessian`, `hvp`, … as functions of functions, over the tape.

    value, gradients = value_and_grad(loss, wrt=model.trainable_variables)(x, y)

`wrt` says with respect to what: the number of an argument, a tuple of numbers, or a structure of variables that the
function reads. Results come in the structure of what is differentiated by; what the function does not depend on has
zeros.
"""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from tapeflow.core import nest
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.random.streams import snapshot
from tapeflow.core.runtime.memory_limits import check_rows_fit
from tapeflow.core.tensor import Tensor, sizes_of
from tapeflow.core.variables.variable import Variable, unwrapped
from tapeflow.ops.batching import rows_to
from tapeflow.tape.gradient_tape import GradientTape
from tapeflow.vectorize.vmap import check_chunk_size, vmap

from .directions import in_every_direction
from .forward import ForwardAccumulator
from .functions import check_function, dense, directed, name_of, one_number, positions, sources_of, tensors, with_aux

__all__ = [
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "laplacian",
    "per_example_gradients",
    "value_and_grad",
    "vjp",
    "vmap",
]

P = ParamSpec("P")
R = TypeVar("R")


def value_and_grad(f: Callable[P, R], wrt: Any = 0, *, has_aux: bool = False) -> Callable[P, tuple[R, Any]]:
    """Returns a function that computes the value of `f`, which must be a scalar, and its gradient.

    With `has_aux`, `f` returns `(value, anything else)`, and the result is `((value, anything else), gradient)`.

    Args:
        f: A function that returns one floating number.
        wrt: What to differentiate by: the number of an argument, a tuple of numbers, or variables in any structure.
        has_aux: `f` returns a pair, of which the first is differentiated.

    Returns:
        A function with the parameters of `f`: the value, and the gradient in the structure of what `wrt` says.

    Raises:
        ValueError: Where it is called: if `f` returns no single number.
        TypeError: Where it is called: if an argument is not floating or complex.

    >>> value, g = tf.derivatives.value_and_grad(lambda p: p["w"] ** 2 * p["b"])({"w": 3., "b": 2.})
    >>> value.numpy(), g["w"].numpy(), g["b"].numpy()
    (np.float32(18.0), np.float32(12.0), np.float32(9.0))
    >>> w = tf.Variable([1., 2.])
    >>> tf.derivatives.value_and_grad(lambda x: tf.reduce_sum(w * x), wrt=w)(tf.constant([5., 7.]))[1].numpy()
    array([5., 7.], dtype=float32)
    """

    check_function(f, "value_and_grad")

    @functools.wraps(f)
    def both(*args: Any, **kwargs: Any) -> Any:
        args, sources = sources_of(f, wrt, args)
        with GradientTape() as tape:
            tape.watch(sources)
            out, aux = with_aux(f, f(*args, **kwargs), has_aux)
            value = one_number(f, out)
        gradients = tape.gradient(value, sources, unconnected_gradients="zero")
        return ((value, aux) if has_aux else value), dense(gradients)

    return both


def grad(f: Callable[P, Any], wrt: Any = 0, *, has_aux: bool = False) -> Callable[P, Any]:
    """Returns a function that computes the gradient of `f`, which must return a scalar. Can be nested.

    Args:
        f: A function that returns one floating number.
        wrt: What to differentiate by: the number of an argument, a tuple of numbers, or variables in any structure.
        has_aux: `f` returns a pair, of which the first is differentiated.

    Returns:
        A function with the parameters of `f`: the gradient in the structure of what `wrt` says.

    Raises:
        ValueError: Where it is called: if `f` returns no single number.
        TypeError: Where it is called: if an argument is not floating or complex.

    >>> cube = lambda x: x ** 3
    >>> tf.derivatives.grad(tf.derivatives.grad(cube))(2.).numpy()
    np.float32(12.0)
    """
    check_function(f, "grad")
    both = value_and_grad(f, wrt, has_aux=has_aux)

    @functools.wraps(f)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        value, gradients = both(*args, **kwargs)
        return (gradients, value[1]) if has_aux else gradients

    return gradient


def jacobian(
    f: Callable[P, Any], wrt: Any = 0, *, mode: str = "reverse", chunk_size: int | None = None
) -> Callable[P, Any]:
    """Returns a function that computes the derivative of every element of the result by every element of the argument:
    out.shape + in.shape.

    `mode="reverse"` computes all rows at once, `"forward"` all columns, which is better if there are fewer inputs than
    outputs. `chunk_size` limits how many are computed together; by default, as many as fit into memory. For nested
    structures, the result has the structure of the output, and each leaf of it that of the input.

    Args:
        f: A function of tensors.
        wrt: What to differentiate by: the number of an argument, a tuple of numbers, or variables in any structure.
        mode: `reverse` or `forward`.
        chunk_size: How many rows (columns) are computed together, at most; None: as many as fit.

    Returns:
        A function with the parameters of `f`.

    Raises:
        ValueError: Where it is called: if `mode` is another word.

    >>> f = lambda x: tf.stack([x[0] * x[1], x[0] + x[1]])
    >>> tf.derivatives.jacobian(f)(tf.constant([2., 3.])).numpy().tolist()
    [[3.0, 2.0], [1.0, 1.0]]
    """
    if mode not in ("reverse", "forward"):
        raise ValueError(f"mode must be 'reverse' or 'forward', got {mode!r}.")
    check_chunk_size(chunk_size)
    check_function(f, "jacobian")

    @functools.wraps(f)
    def derivative(*args: Any, **kwargs: Any) -> Any:
        args, sources = sources_of(f, wrt, args)
        if mode == "forward":
            return _forward_jacobian(f, args, kwargs, sources, chunk_size)
        with GradientTape(persistent=True) as tape:
            tape.watch(sources)
            out = tensors(f, f(*args, **kwargs))
        of_one = lambda y: tape.jacobian(y, sources, unconnected_gradients="zero", parallel_iterations=chunk_size)
        return nest.map_structure(of_one, out)

    return derivative


def _forward_jacobian(f: Callable, args: tuple, kwargs: dict, sources: Any, chunk_size: int | None) -> Any:
    like: list[Any] = []
    leaves = nest.flatten(sources)
    replay = snapshot()

    def of_leaf(x: Any) -> list:
        def pushed(direction: Tensor) -> list:
            with ForwardAccumulator(x, direction) as accumulator:
                out = tensors(f, f(*args, **kwargs))
            like[:] = [out]
            return accumulator.jvp(nest.flatten(out), unconnected_gradients="zero")

        with replay():  # the same random numbers for every leaf
            rows = in_every_direction(pushed, x, chunk_size)
        return [_directions_last(t, x) for t in rows]

    if not leaves:
        return nest.map_structure(lambda _: sources, tensors(f, f(*args, **kwargs)))
    columns = zip(*map(of_leaf, leaves))
    return nest.pack_as(
        like[0], [nest.pack_as(sources, list(c)) if nest.is_nested(sources) else c[0] for c in columns]
    )


def _directions_last(rows: Tensor, x: Any) -> Tensor:
    """[directions, *out.shape] as out.shape + x.shape, in the convention of the tape: conjugate, and of the source's
    dtype."""
    if not rows.dtype.is_inexact:
        rows = ops.zeros_like(ops.cast(rows, dtype=x.dtype.np))
    elif rows.dtype.is_complex:
        rows = ops.conj(rows)
    rows = ops.reshape(rows_to(rows, len(rows.sizes) - 1), shape=(*rows.sizes[1:], *sizes_of(x)))
    return rows if rows.dtype is x.dtype else ops.cast(rows, dtype=x.dtype.np)


def hessian(f: Callable[P, Any], wrt: Any = 0, *, chunk_size: int | None = None) -> Callable[P, Any]:
    """Returns a function that computes the second derivatives of `f`, which must return a scalar: in.shape + in.shape.

    Args:
        f: A function that returns one floating number.
        wrt: What to differentiate by: the number of an argument, a tuple of numbers, or variables in any structure.
        chunk_size: How many rows are computed together, at most; None: as many as fit.

    Returns:
        A function with the parameters of `f`.

    >>> tf.derivatives.hessian(lambda x: x[0] ** 2 * x[1])(tf.constant([3., 5.])).numpy().tolist()
    [[10.0, 6.0], [6.0, 0.0]]
    """
    return jacobian(grad(f, wrt), wrt, chunk_size=chunk_size)


def jvp(f: Callable[..., R], primals: Any, tangents: Any) -> tuple[R, R]:
    """`(value, tangent)`: the value of `f` at `primals`, and its derivative in the direction `tangents`.

    `primals` is a tuple of arguments; anything else is the single argument. If it consists of variables and `f` takes
    no arguments, `f` reads them.

    Args:
        f: A function of tensors.
        primals: Its arguments, a tuple; anything else is the single argument.
        tangents: The direction, of the same structure and shapes.

    Returns:
        The value of `f`, and its derivative in the direction, in the same structure.

    Raises:
        ValueError: If a tangent has another shape than its primal.

    >>> value, tangent = tf.derivatives.jvp(tf.sin, 0., 2.)
    >>> value.numpy(), tangent.numpy()
    (np.float32(0.0), np.float32(2.0))
    """
    check_function(f, "jvp")
    call, primals, tangents = directed(f, primals, tangents)
    with ForwardAccumulator(primals, tangents) as accumulator:
        out = tensors(f, call(primals))
    return out, accumulator.jvp(out, unconnected_gradients="zero")


def vjp(f: Callable[..., R], *primals: Any, wrt: Any = None) -> tuple[R, Callable[[Any], Any]]:
    """`(value, pullback)`: the value of `f`, and a function that turns a gradient of the value into the gradients of
    the arguments.

    The pullback may be called any number of times. It returns a tuple with one entry for each argument, or the entry
    alone for a single argument. With `wrt` (some of the arguments, or variables), it returns their structure.

    Args:
        f: A function of tensors.
        *primals: Its arguments.
        wrt: Some of the arguments, or variables; None: all arguments.

    Returns:
        The value of `f`, and a function from a gradient of the value to those of the arguments.

    >>> value, pullback = tf.derivatives.vjp(lambda x: x * x, tf.constant([1., 2.]))
    >>> pullback(tf.constant([1., 10.])).numpy()
    array([ 2., 40.], dtype=float32)
    """
    check_function(f, "vjp")
    if wrt is None:
        if not primals:
            raise ValueError(
                f"vjp of {name_of(f)}: nothing to differentiate by. Give arguments, or variables: "
                "wrt=model.trainable_variables."
            )
        wrt = 0 if len(primals) == 1 else tuple(range(len(primals)))
    args, sources = sources_of(f, wrt, primals)
    with GradientTape(persistent=True) as tape:
        tape.watch(sources)
        value = tensors(f, f(*args))

    def pullback(gradient: Any) -> Any:
        return dense(tape.gradient(value, sources, output_gradients=gradient, unconnected_gradients="zero"))

    return value, pullback


def hvp(f: Callable[..., Any], primals: Any, tangents: Any) -> Any:
    """The product of the Hessian of `f`, which must return a scalar, with the direction `tangents`.

    It is computed by forward mode over the gradient, for about the cost of two gradients, whatever the size. Arguments
    are as for `jvp`; the result has the structure of `primals`.

    Args:
        f: A function that returns one floating number.
        primals: Its arguments, a tuple; anything else is the single argument.
        tangents: The direction, of the same structure and shapes.

    Returns:
        The product, in the structure of `primals`.

    >>> tf.derivatives.hvp(lambda x: tf.reduce_sum(x ** 3), tf.constant([1., 2.]), tf.constant([1., 0.])).numpy()
    array([6., 0.], dtype=float32)
    >>> w = tf.Variable(3.)
    >>> tf.derivatives.hvp(lambda: w ** 4, w, 1.).numpy()
    np.float32(108.0)
    """
    check_function(f, "hvp")
    call, primals, tangents = directed(f, primals, tangents)
    with ForwardAccumulator(primals, tangents) as accumulator:
        with GradientTape() as tape:
            tape.watch(primals)
            value = one_number(f, call(primals))
        gradients = dense(tape.gradient(value, primals, unconnected_gradients="zero"))
    return accumulator.jvp(gradients, unconnected_gradients="zero")


def laplacian(f: Callable[P, R], wrt: int = 0, *, chunk_size: int | None = None) -> Callable[P, R]:
    """Returns a function that computes the Laplacian of `f`, the sum of its unmixed second derivatives.

    `f` may return any number of values: each has its own Laplacian. For a batch of points:
    `tf.vmap(tf.derivatives.laplacian(f))`.

    Args:
        f: A function of tensors.
        wrt: The number of the argument to differentiate by.
        chunk_size: How many elements are taken together, at most; None: as many as fit.

    >>> r2 = lambda x: tf.reduce_sum(x ** 2)
    >>> tf.vmap(tf.derivatives.laplacian(r2))(tf.constant([[1., 2., 3.], [4., 5., 6.]])).numpy()
    array([6., 6.], dtype=float32)
    """

    check_function(f, "laplacian")

    @functools.wraps(f)
    def summed(*args: Any, **kwargs: Any) -> Any:
        args, x = sources_of(f, wrt, args)
        if not isinstance(x, (Tensor, Variable)):
            raise TypeError(f"laplacian of {name_of(f)} takes one tensor as argument {wrt}, got {type(x).__name__}.")

        def curvature(direction: Tensor) -> Any:
            with ForwardAccumulator(x, direction) as outer:
                with ForwardAccumulator(x, direction) as inner:
                    out = tensors(f, f(*args, **kwargs))
                slope = inner.jvp(out, unconnected_gradients="zero")
            return outer.jvp(slope, unconnected_gradients="zero")

        total = lambda c: ops.reduce_sum(c, axis=(0,), keepdims=False)
        return in_every_direction(curvature, x, chunk_size, lambda part: nest.map_structure(total, part), ops.add)

    return summed


def per_example_gradients(
    f: Callable[..., Any],
    wrt: Any = 0,
    *,
    with_values: bool = False,
    keep_batch: bool = False,
    randomness: str = "different",
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """Returns a function that computes the gradient of `f` for each example of a batch, along a new first axis.

    `f` is the loss of one example. Its arguments become batches along their first axis, except those in `wrt`, which
    are the same for every example. `with_values` returns `(losses, gradients)`. `keep_batch` passes each example as a
    batch of one, for models that expect a batch.

    Args:
        f: The loss of one example.
        wrt: What to differentiate by, the same for all examples: the number of an argument, a tuple of numbers, or
            variables.
        with_values: Return the losses, too.
        keep_batch: Pass examples as batches of one.
        randomness: `different`, `same` or `error`: random numbers drawn in `f`.
        chunk_size: How many examples are computed together, at most; None: all.

    Returns:
        A function of the same arguments that gives a gradient for each example.

    >>> w = tf.Variable([1., 1.])
    >>> loss = lambda x, y: (tf.reduce_sum(w * x) - y) ** 2
    >>> x, y = tf.constant([[1., 0.], [2., 1.]]), tf.constant([0., 1.])
    >>> tf.derivatives.per_example_gradients(loss, wrt=w)(x, y).numpy().tolist()
    [[2.0, 0.0], [8.0, 4.0]]
    """
    shared = positions(wrt) or ()
    one = lambda x: ops.reshape(x, shape=(1, *x.sizes)) if isinstance(x, Tensor) else x

    @functools.wraps(f)
    def loss(*args: Any, **kwargs: Any) -> Any:
        if keep_batch:
            args = tuple([a if _among(k, args, shared) else nest.map_structure(one, a) for k, a in enumerate(args)])
            kwargs = nest.map_structure(one, kwargs)
        out = f(*args, **kwargs)
        return ops.reshape(out, shape=()) if keep_batch and isinstance(out, Tensor) and out.sizes == (1,) else out

    each = value_and_grad(loss, wrt) if with_values else grad(loss, wrt)

    @functools.wraps(f)
    def gradients(*args: Any, **kwargs: Any) -> Any:
        in_axes = tuple(None if _among(k, args, shared) else 0 for k in range(len(args)))
        _check_gradients_fit(wrt, args, in_axes)
        return vmap(each, in_axes, randomness=randomness, chunk_size=chunk_size)(*args, **kwargs)

    return gradients


def _check_gradients_fit(wrt: Any, args: tuple, in_axes: tuple) -> None:
    """Before anything is computed: there is one gradient for each example."""
    shapes = lambda structure: [
        (tuple(sizes_of(x)), getattr(x.dtype, "np", x.dtype))
        for x in map(unwrapped, nest.flatten(structure))
        if hasattr(x, "shape")
    ]
    batches = [
        shape
        for a, axis in zip(args, in_axes)
        if axis == 0
        for x in nest.flatten(a)
        if (shape := getattr(x, "shape", None))
    ]
    numbers = positions(wrt)
    sources = wrt if numbers is None else [args[k] for k in numbers if -len(args) <= k < len(args)]
    if batches and isinstance(batches[0][0], int):
        instead = "Their sum is tape.gradient; or take fewer examples at a time."
        check_rows_fit(shapes(sources), batches[0][0], "one gradient for each example", instead)


def _among(k: int, args: Any, chosen: tuple[int, ...]) -> bool:
    return k in chosen or k - len(args) in chosen
