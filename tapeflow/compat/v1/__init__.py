"""`tf.compat.v1`: what programs for version 2 still use of version 1, where operations are eager.

Names that mean the same in both are those of `tf`; functions whose arguments had other names take the old ones. What
needs the graphs and sessions of version 1 says so when it is called, and what to use instead.
"""

from contextlib import nullcontext as _nullcontext
from typing import Any, NamedTuple as _NamedTuple

from tapeflow.api.autodiff.gradient_registry import no_gradient as _no_gradient
from tapeflow.api.version import VERSION as _VERSION
from tapeflow.compat.v1.asserts import (
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_greater_equal as assert_greater_equal,
    assert_less as assert_less,
    assert_less_equal as assert_less_equal,
    assert_near as assert_near,
    assert_negative as assert_negative,
    assert_non_negative as assert_non_negative,
    assert_non_positive as assert_non_positive,
    assert_none_equal as assert_none_equal,
    assert_positive as assert_positive,
    assert_rank as assert_rank,
    assert_rank_at_least as assert_rank_at_least,
    verify_tensor_all_finite as verify_tensor_all_finite,
)
from tapeflow.compat.v1.fallback import found as _found, graphs_only as _graphs_only
from tapeflow.compat.v1.graphs import import_graph_def as import_graph_def, wrap_function as wrap_function
from tapeflow.compat.v1.initializers import (
    glorot_normal_initializer as glorot_normal_initializer,
    glorot_uniform_initializer as glorot_uniform_initializer,
    random_normal_initializer as random_normal_initializer,
    random_uniform_initializer as random_uniform_initializer,
    truncated_normal_initializer as truncated_normal_initializer,
    variance_scaling_initializer as variance_scaling_initializer,
)
from tapeflow.compat.v1.old_names import GRAPHS as _GRAPHS, NAMESPACES as _NAMESPACES, OLD_NAMES as _OLD_NAMES
from tapeflow.compat.v1.renamed import *  # noqa: F403
from tapeflow.compat.v1.renamed import __all__ as _renamed
from tapeflow.compat.v1.sessions import (
    ConfigProto as ConfigProto,
    GPUOptions as GPUOptions,
    InteractiveSession as InteractiveSession,
    OptimizerOptions as OptimizerOptions,
    Session as Session,
    get_default_graph as get_default_graph,
)
from tapeflow.compat.v1.variables import *  # noqa: F403
from tapeflow.compat.v1.variables import __all__ as _variables
from tapeflow.core.shapes import Dimension as Dimension
from tapeflow.core.tensor import Tensor as _Tensor

from . import (
    app as app,
    data as data,
    gfile as gfile,
    initializers as initializers,
    linalg as linalg,
    logging as logging,
    losses as losses,
    math as math,
    nn as nn,
    random as random,
    train as train,
)

__all__ = [
    "ConfigProto", "Dimension", "GPUOptions", "InteractiveSession", "NotDifferentiable", "OptimizerOptions",
    "Session", "SparseTensorValue", "app", "assert_equal", "assert_greater", "assert_greater_equal", "assert_less",
    "assert_less_equal", "assert_near", "assert_negative", "assert_non_negative", "assert_non_positive",
    "assert_none_equal", "assert_positive", "assert_rank", "assert_rank_at_least", "batch_gather", "colocate_with",
    "control_flow_v2_enabled", "data", "disable_eager_execution", "disable_v2_behavior", "div",
    "enable_control_flow_v2", "enable_eager_execution", "enable_resource_variables", "enable_v2_behavior",
    "get_default_graph", "get_default_session", "gfile", "glorot_normal_initializer", "glorot_uniform_initializer",
    "import_graph_def", "initializers", "linalg", "logging", "losses", "math", "multinomial", "nn",
    "placeholder_with_default", "random", "random_normal_initializer", "random_uniform_initializer",
    "reset_default_graph", "set_random_seed", "sparse_to_dense", "string_split", "train",
    "truncated_normal_initializer", "variance_scaling_initializer", "verify_tensor_all_finite", "wrap_function",
    *_renamed, *_variables,
]  # fmt: skip

__version__ = _VERSION
_MESSAGES = frozenset("AttrValue GraphDef MetaGraphDef NodeDef NameAttrList".split())


class SparseTensorValue(_NamedTuple):
    """The arrays of a sparse tensor.

    Args:
        indices: The places of the values, a row for each.
        dense_shape: The sizes of the whole.

    >>> tf.compat.v1.SparseTensorValue([[0, 1]], [2.], [2, 2]).values
    [2.0]
    """

    indices: Any
    values: Any
    dense_shape: Any


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(name)
    if name in _GRAPHS:
        return _graphs_only(name, _GRAPHS[name])
    if name in _NAMESPACES:
        _no_namespace(name)
    if name == "flags":
        return app.flags
    if name in _MESSAGES:
        from tapeflow.io import model_messages  # which needs protobuf

        return getattr(model_messages, name)
    if name == "graph_util":
        from tapeflow.compat import graph_util

        return graph_util
    if name == "python_io":
        from tapeflow.io import python_io

        return python_io
    return _found(_OLD_NAMES.get(name, name))


def _no_namespace(name: str) -> None:
    raise AttributeError(f"tapeflow has no tf.compat.v1.{name}: it builds graphs of TensorFlow 1. {_NAMESPACES[name]}")


def NotDifferentiable(op_type: str) -> None:
    """The same as `tf.no_gradient`.

    >>> tf.compat.v1.NotDifferentiable("DocsOldCounter")
    """
    _no_gradient(op_type)


# ---- mode


def enable_control_flow_v2() -> None:
    """Nothing: `tf.cond` and `tf.while_loop` are functions of functions.

    >>> tf.compat.v1.enable_control_flow_v2()
    """


def control_flow_v2_enabled() -> bool:
    """True.

    >>> tf.compat.v1.control_flow_v2_enabled()
    True
    """
    return True


def colocate_with(op: Any, ignore_existing: bool = False) -> Any:
    """Nothing: a value is where it is computed.

    Args:
        op: Taken and not used.
        ignore_existing: Taken and not used.

    Returns:
        A context in which nothing is different.

    >>> with tf.compat.v1.colocate_with(tf.constant(1.)):
    ...     print(tf.constant(2.).numpy())
    2.0
    """
    return _nullcontext()


def enable_eager_execution(config: Any = None, device_policy: Any = None, execution_mode: Any = None) -> None:
    """Nothing: operations are eager.

    Args:
        config: Taken and not used.

    >>> tf.compat.v1.enable_eager_execution()
    """


def enable_v2_behavior() -> None:
    """Nothing: this is version 2.

    >>> tf.compat.v1.enable_v2_behavior()
    """


def disable_v2_behavior() -> None:
    """Raises RuntimeError: there is no version 1 behaviour to go back to.

    >>> try:
    ...     tf.compat.v1.disable_v2_behavior()
    ... except RuntimeError as error:
    ...     print(str(error).partition(". ")[0])
    TensorFlow 1 behaviour (graphs and sessions) is not available: operations run when they are called
    """
    raise RuntimeError(
        "TensorFlow 1 behaviour (graphs and sessions) is not available: operations run when they are called. For a "
        "program written for TensorFlow 2 leave the call out, and say `import tapeflow as tf`. In one for "
        "TensorFlow 1 a placeholder becomes an argument of a function, session.run(y, {x: value}) a call of it, "
        "optimizer.minimize(loss) a tf.GradientTape and optimizer.apply_gradients, and tf.function makes a graph of "
        "it. `tapeflow check program.py` lists the places."
    )


def set_random_seed(seed: int) -> None:
    """The same as `tf.random.set_seed`.

    >>> tf.compat.v1.set_random_seed(1)
    """
    _found("random").set_seed(seed)


def disable_eager_execution() -> None:
    """Raises RuntimeError: operations are eager, and `tf.function` makes graphs.

    >>> tf.compat.v1.disable_eager_execution()
    Traceback (most recent call last):
    RuntimeError: TensorFlow 1 graphs and sessions are not available: operations are eager. Leave the call out;
    tf.function makes graphs.
    """
    raise RuntimeError(
        "TensorFlow 1 graphs and sessions are not available: operations are eager. Leave the call out; tf.function "
        "makes graphs."
    )


def enable_resource_variables() -> None:
    """Nothing: variables are such.

    >>> tf.compat.v1.enable_resource_variables()
    """


def reset_default_graph() -> None:
    """Nothing: there is no default graph.

    >>> tf.compat.v1.reset_default_graph()
    """


def get_default_session() -> None:
    """None: there is no session.

    >>> tf.compat.v1.get_default_session()
    """


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> _Tensor:
    """The input: nothing else can be fed where operations are eager.

    Args:
        shape: Taken and not used.

    >>> tf.compat.v1.placeholder_with_default(3., []).numpy()
    np.float32(3.0)
    """
    return _found("convert_to_tensor")(input)


# ---- operations that have changed


def batch_gather(params: Any, indices: Any, name: str | None = None) -> _Tensor:
    """`tf.gather` along the last axis of `indices`, for each of what comes before it.

    >>> tf.compat.v1.batch_gather([[1, 2], [3, 4]], [[1], [0]]).numpy().tolist()
    [[2], [3]]
    """
    indices = _found("convert_to_tensor")(indices)
    return _found("gather")(params, indices, batch_dims=indices.sizes.rank - 1)


def string_split(
    source: Any, sep: str | None = None, skip_empty: bool = True, delimiter: str | None = None,
    result_type: str = "SparseTensor", name: str | None = None,
) -> Any:  # fmt: skip
    """The words of each text, as a sparse or (`result_type="RaggedTensor"`) a ragged tensor; `tf.strings.split` is the
    new way.

    Returns:
        A `tf.SparseTensor`, or a `tf.RaggedTensor`.

    >>> tf.compat.v1.string_split(["a b", "c"]).values.numpy().tolist()
    [b'a', b'b', b'c']
    """
    sep = " " if sep is None and delimiter is None else sep if delimiter is None else delimiter
    rows = _found("strings.split")(source, sep)
    if skip_empty:
        kept = [[word for word in row if word] for row in rows.to_list()]
        rows = _found("ragged.constant")(kept, dtype="string", ragged_rank=1)
    return rows if result_type == "RaggedTensor" else rows.to_sparse()


def div(x: Any, y: Any, name: str | None = None) -> _Tensor:
    """The quotient as in Python 2: of integers it is rounded down.

    >>> tf.compat.v1.div(7, 2).numpy(), tf.compat.v1.div(7., 2.).numpy()
    (np.int32(3), np.float32(3.5))
    """
    x, y = _found("convert_to_tensor")(x), _found("convert_to_tensor")(y)
    return _found("math.floordiv")(x, y) if x.dtype.is_integer else _found("divide")(x, y)


def multinomial(
    logits: Any, num_samples: Any, seed: int | None = None, name: str | None = None, output_dtype: Any = None
) -> _Tensor:
    """`tf.random.categorical`.

    >>> tf.compat.v1.multinomial([[0., -1e9]], 2).numpy()
    array([[0, 0]])
    """
    return _found("random.categorical")(logits, num_samples, output_dtype or _found("int64"), seed)


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> _Tensor:
    """A tensor of `default_value` with some values at some places; `tf.sparse.to_dense` is the new way.

    >>> tf.compat.v1.sparse_to_dense([[1]], [3], [5]).numpy()
    array([0, 5, 0], dtype=int32)
    """
    values = _found("convert_to_tensor")(sparse_values)
    indices = _found("convert_to_tensor")(sparse_indices)
    if indices.sizes.rank < 2:
        indices = _found("reshape")(indices, [-1, 1])
    filled = _found("fill")(output_shape, _found("cast")(default_value, values.dtype))
    return _found("tensor_scatter_nd_update")(filled, indices, _found("broadcast_to")(values, [indices.sizes[0]]))
