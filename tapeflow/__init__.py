"""TensorFlow's GradientTape, the whole system, without TensorFlow: `import tapeflow as tf`."""

from . import ops as _ops
from .api.arrays import (
    properties as _properties,
    clipping as _clipping,
    constants as _constants,
    getitem as _getitem,
    operators as _operators,
    tensor_methods as _tensor_methods,
)
from .api.interop import array_protocol as _array_protocol, dlpack as _dlpack
from tapeflow.api import (
    autodiff as autodiff,
    autograph as autograph,
    bitwise as bitwise,
    errors as errors,
    dtypes as dtypes,
    linalg as linalg,
    math as math,
    nest as nest,
    nn as nn,
    ragged as ragged,
    random as random,
    runtime as _runtime,
    sparse as sparse,
    strings as strings,
    config as config,
    version as version,
)
from .api.control import branches_and_loops as _control
from .api.autodiff.graph_gradients import gradients as gradients, hessians as hessians
from .transforms.custom_gradient import custom_gradient as custom_gradient, grad_pass_through as grad_pass_through
from .transforms.recompute import recompute_grad as recompute_grad
from .api.math.arithmetic import (
    add as add,
    add_n as add_n,
    atan2 as atan2,
    maximum as maximum,
    minimum as minimum,
    multiply as multiply,
    negative as negative,
    scalar_mul as scalar_mul,
    subtract as subtract,
)
from .api.math.division import (
    divide as divide,
    realdiv as realdiv,
    truediv as truediv,
    truncatediv as truncatediv,
    truncatemod as truncatemod,
)
from .api.math.powers import pow as pow, sqrt as sqrt, square as square
from .api.arrays.properties import (
    broadcast_dynamic_shape as broadcast_dynamic_shape,
    broadcast_static_shape as broadcast_static_shape,
    ensure_shape as ensure_shape,
    guarantee_const as guarantee_const,
    identity as identity,
    identity_n as identity_n,
    rank as rank,
    shape as shape,
    shape_n as shape_n,
    size as size,
    stop_gradient as stop_gradient,
)
from .api.arrays.blocks import (
    batch_to_space as batch_to_space,
    extract_volume_patches as extract_volume_patches,
    required_space_to_batch_paddings as required_space_to_batch_paddings,
    space_to_batch as space_to_batch,
    space_to_batch_nd as space_to_batch_nd,
)
from .api.arrays.building import (
    eye as eye,
    fill as fill,
    linspace as linspace,
    meshgrid as meshgrid,
    one_hot as one_hot,
    ones as ones,
    ones_like as ones_like,
    range as range,
    sequence_mask as sequence_mask,
    zeros as zeros,
    zeros_like as zeros_like,
)
from .api.arrays.clipping import (
    clip_by_global_norm as clip_by_global_norm,
    clip_by_norm as clip_by_norm,
    clip_by_value as clip_by_value,
)
from .api.math.comparison import (
    equal as equal,
    greater as greater,
    greater_equal as greater_equal,
    less as less,
    less_equal as less_equal,
    logical_and as logical_and,
    logical_not as logical_not,
    logical_or as logical_or,
    not_equal as not_equal,
)
from .api.math.complex_numbers import complex as complex
from .api.arrays.constants import constant as constant, convert_to_tensor as convert_to_tensor
from .api.math.elementwise import (
    abs as abs,
    acos as acos,
    acosh as acosh,
    asin as asin,
    asinh as asinh,
    atan as atan,
    atanh as atanh,
    cos as cos,
    cosh as cosh,
    exp as exp,
    floor as floor,
    round as round,
    sigmoid as sigmoid,
    sign as sign,
    sin as sin,
    sinh as sinh,
    tan as tan,
    tanh as tanh,
)
from .api.linalg.einsum import einsum as einsum
from .api.arrays.casting import bitcast as bitcast, cast as cast, saturate_cast as saturate_cast
from .api.math.counting import (
    histogram_fixed_width as histogram_fixed_width,
    histogram_fixed_width_bins as histogram_fixed_width_bins,
)
from .api.arrays.indexing import (
    boolean_mask as boolean_mask,
    gather as gather,
    gather_nd as gather_nd,
    slice as slice,
    strided_slice as strided_slice,
    where as where,
)
from .api.arrays.joining import (
    concat as concat,
    dynamic_partition as dynamic_partition,
    dynamic_stitch as dynamic_stitch,
    parallel_stack as parallel_stack,
    split as split,
    stack as stack,
    unstack as unstack,
)
from .api.linalg.norms import norm as norm
from .api.linalg.products import matmul as matmul, tensordot as tensordot
from .api.arrays.scatter import (
    scatter_nd as scatter_nd,
    tensor_scatter_nd_add as tensor_scatter_nd_add,
    tensor_scatter_nd_max as tensor_scatter_nd_max,
    tensor_scatter_nd_min as tensor_scatter_nd_min,
    tensor_scatter_nd_sub as tensor_scatter_nd_sub,
    tensor_scatter_nd_update as tensor_scatter_nd_update,
)
from .api.arrays.shaping import (
    broadcast_to as broadcast_to,
    expand_dims as expand_dims,
    pad as pad,
    repeat as repeat,
    reshape as reshape,
    reverse as reverse,
    reverse_sequence as reverse_sequence,
    roll as roll,
    squeeze as squeeze,
    tile as tile,
    transpose as transpose,
)
from .api.math.reductions import (
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
)
from .api.math.scans import cumsum as cumsum
from .api.arrays.specs import (
    IndexedSlicesSpec as IndexedSlicesSpec,
    TensorSpec as TensorSpec,
    TypeSpec as TypeSpec,
    type_spec_from_value as type_spec_from_value,
)
from .api.variables.creating import (
    is_tensor as is_tensor,
    register_tensor_conversion_function as register_tensor_conversion_function,
    variable_creator_scope as variable_creator_scope,
)
from .api.arrays.sorting import (
    argmax as argmax,
    argmin as argmin,
    argsort as argsort,
    searchsorted as searchsorted,
    sort as sort,
    unique as unique,
    unique_with_counts as unique_with_counts,
    unravel_index as unravel_index,
)
from .api.variables.initializers import (
    constant_initializer as constant_initializer,
    ones_initializer as ones_initializer,
    random_normal_initializer as random_normal_initializer,
    random_uniform_initializer as random_uniform_initializer,
    zeros_initializer as zeros_initializer,
)
from .api.arrays.composite_specs import RaggedTensorSpec as RaggedTensorSpec, SparseTensorSpec as SparseTensorSpec
from .api.control.branches_and_loops import (
    case as case,
    cond as cond,
    control_dependencies as control_dependencies,
    group as group,
    no_op as no_op,
    switch_case as switch_case,
    tuple_ as tuple,
    while_loop as while_loop,
)
from .api.assertions.values import (
    Assert as Assert,
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_less as assert_less,
)
from .api.assertions.shapes import assert_rank as assert_rank
from .api.control.function import function as function
from .api.control.graphs import Graph as Graph
from .api.control.functional import (
    foldl as foldl,
    foldr as foldr,
    map_fn as map_fn,
    scan as scan,
    vectorized_map as vectorized_map,
)
from .vectorize.vmap import vmap as vmap
from .api.autodiff.gradient_registry import RegisterGradient as RegisterGradient, no_gradient as no_gradient
from .api.variables.module import Module as Module
from .api.strings.printing import print_ as print
from .api.control.py_function import numpy_function as numpy_function, py_function as py_function
from .api.ragged.tensor import RaggedTensor as RaggedTensor
from .api.config.devices import device as device
from .api.runtime import (
    executing_eagerly as executing_eagerly,
    get_current_name_scope as get_current_name_scope,
    get_logger as get_logger,
    get_static_value as get_static_value,
    init_scope as init_scope,
    inside_function as inside_function,
    is_symbolic_tensor as is_symbolic_tensor,
    name_scope as name_scope,
    timestamp as timestamp,
)
from .api.sparse.tensor import SparseTensor as SparseTensor
from .api.strings import as_string as as_string
from .api.control.tensor_array import TensorArray as TensorArray
from .core.dtypes import (
    DType as DType,
    as_dtype as as_dtype,
    bfloat16 as bfloat16,
    bool_ as bool,
    complex64 as complex64,
    complex128 as complex128,
    float16 as float16,
    float16 as half,
    float32 as float32,
    float64 as float64,
    float64 as double,
    int8 as int8,
    int16 as int16,
    int32 as int32,
    int64 as int64,
    resource as resource,
    string as string,
    uint8 as uint8,
    uint16 as uint16,
    uint32 as uint32,
    uint64 as uint64,
    variant as variant,
)
from .core.variables.policies import (
    VariableAggregation as VariableAggregation,
    VariableSynchronization as VariableSynchronization,
)
from .core.shapes import TensorShape as TensorShape
from .core.slices import IndexedSlices as IndexedSlices
from .core.tensor import Tensor as Tensor
from .core.variables.variable import Variable as Variable
from .tape.gradient_tape import GradientTape as GradientTape, UnconnectedGradients as UnconnectedGradients

import sys as _sys
import typing as _typing

from keras_tapeflow import hook as _keras_hook

from .core.runtime.allocation import keep_freed_memory as _keep_freed_memory
from .core.runtime.processors import fit_blas as _fit_blas
from tapeflow.inspect import methods as _tape_methods
from tapeflow.names import missing as _missing, namespaces as _namespaces
from tapeflow.core.runtime import tracebacks as _tracebacks

_keep_freed_memory()
_fit_blas()
_keras_hook.choose()  # `import keras` after this is Keras on tapeflow, unless the environment says otherwise

newaxis = None
__version__ = "0.1.0"  # read from here when the package is built; `tf.version.VERSION` is TensorFlow's
__git_version__, __compiler_version__ = version.GIT_VERSION, version.COMPILER_VERSION

# Namespaces that many programs never touch, and where they are; imported on first use, which keeps `import tapeflow`
# quick.
_ON_FIRST_USE = {
    **{
        name: f"tapeflow.{name}"
        for name in """
            compat data debugging distribute experimental export feature_column io saved_model summary train types
        """.split()
    },
    **{
        name: f"tapeflow.api.{name}"
        for name in """
            audio derivatives image lite lookup profiler quantization queue sets signal sysconfig test xla
        """.split()
    },
    "graph_util": "tapeflow.compat.graph_util",
    "raw_ops": "tapeflow.compat.raw_ops",
    "tpu": "tapeflow.distribute.tpu",
}
# Names of `tf` itself that few programs use, and the modules that have them.
_ELSEWHERE = {
    "AggregationMethod": "api.control.graphs", "CriticalSection": "api.control.critical_section",
    "DeviceSpec": "api.config.device_spec", "Operation": "api.control.graphs",
    "TensorArraySpec": "api.control.tensor_array_spec", "edit_distance": "api.strings.edit_distance",
    "eig": "api.linalg", "eigvals": "api.linalg", "fftnd": "api.signal", "fingerprint": "api.strings.fingerprints",
    "ifftnd": "api.signal", "irfftnd": "api.signal", "load_library": "api.op_libraries",
    "load_op_library": "api.op_libraries", "make_ndarray": "summary.tensor_messages",
    "make_tensor_proto": "summary.tensor_messages", "matrix_square_root": "api.linalg.decompositions",
    "rfftnd": "api.signal",
}  # fmt: skip
# Keras, and TensorFlow's own names for its parts.
_KERAS = frozenset({"initializers", "keras", "losses", "metrics", "optimizers"})

if (
    _typing.TYPE_CHECKING
):  # what `__getattr__` below imports on first use, for those who read the code and do not run it
    from . import (
        compat as compat,
        data as data,
        debugging as debugging,
        distribute as distribute,
        experimental as experimental,
        export as export,
        feature_column as feature_column,
        io as io,
        keras as keras,
        saved_model as saved_model,
        summary as summary,
        train as train,
        types as types,
    )
    from tapeflow.api import (
        audio as audio,
        derivatives as derivatives,
        image as image,
        lite as lite,
        lookup as lookup,
        profiler as profiler,
        quantization as quantization,
        queue as queue,
        sets as sets,
        signal as signal,
        sysconfig as sysconfig,
        test as test,
        xla as xla,
    )
    from .api.config.device_spec import DeviceSpec as DeviceSpec
    from .api.control.critical_section import CriticalSection as CriticalSection
    from .api.control.graphs import AggregationMethod as AggregationMethod, Operation as Operation
    from .api.control.tensor_array_spec import TensorArraySpec as TensorArraySpec
    from .api.linalg import eig as eig, eigvals as eigvals
    from .api.linalg.decompositions import matrix_square_root as matrix_square_root
    from .api.op_libraries import load_library as load_library, load_op_library as load_op_library
    from .api.signal import fftnd as fftnd, ifftnd as ifftnd, irfftnd as irfftnd, rfftnd as rfftnd
    from .api.strings.edit_distance import edit_distance as edit_distance
    from .api.strings.fingerprints import fingerprint as fingerprint
    from tapeflow.compat import graph_util as graph_util, raw_ops as raw_ops
    from tapeflow.distribute import tpu as tpu
    from tapeflow.keras import (
        initializers as initializers,
        losses as losses,
        metrics as metrics,
        optimizers as optimizers,
    )
    from .summary.tensor_messages import make_ndarray as make_ndarray, make_tensor_proto as make_tensor_proto

__all__ = [
    "AggregationMethod", "Assert", "CriticalSection", "DType", "DeviceSpec", "GradientTape", "Graph", "IndexedSlices",
    "IndexedSlicesSpec", "Module", "Operation", "RaggedTensor", "RaggedTensorSpec", "RegisterGradient", "SparseTensor",
    "SparseTensorSpec", "Tensor", "TensorArray", "TensorArraySpec", "TensorShape", "TensorSpec", "TypeSpec",
    "UnconnectedGradients", "Variable", "VariableAggregation", "VariableSynchronization", "abs", "acos", "acosh",
    "add", "add_n", "argmax", "argmin", "argsort", "as_dtype", "as_string", "asin", "asinh", "assert_equal",
    "assert_greater", "assert_less", "assert_rank", "atan", "atan2", "atanh", "audio", "autodiff", "autograph",
    "batch_to_space", "bfloat16", "bitcast", "bitwise", "bool", "boolean_mask", "broadcast_dynamic_shape",
    "broadcast_static_shape", "broadcast_to", "case", "cast", "clip_by_global_norm", "clip_by_norm", "clip_by_value",
    "compat", "complex", "complex64", "complex128", "concat", "cond", "config", "constant", "constant_initializer",
    "control_dependencies", "convert_to_tensor", "cos", "cosh", "cumsum", "custom_gradient", "data", "debugging",
    "derivatives", "device", "distribute", "divide", "double", "dtypes", "dynamic_partition", "dynamic_stitch",
    "edit_distance", "eig", "eigvals", "einsum", "ensure_shape", "equal", "errors", "executing_eagerly", "exp",
    "expand_dims", "experimental", "export", "extract_volume_patches", "eye", "feature_column", "fftnd", "fill",
    "fingerprint", "float16", "float32", "float64", "floor", "foldl", "foldr", "function", "gather", "gather_nd",
    "get_current_name_scope", "get_logger", "get_static_value", "grad_pass_through", "gradients",
    "graph_util", "greater", "greater_equal", "group", "guarantee_const", "half", "hessians", "histogram_fixed_width",
    "histogram_fixed_width_bins", "identity", "identity_n", "ifftnd", "image", "init_scope", "initializers",
    "inside_function", "int8", "int16", "int32", "int64", "io", "irfftnd", "is_symbolic_tensor", "is_tensor", "keras",
    "less", "less_equal", "linalg", "linspace", "lite", "load_library", "load_op_library", "logical_and",
    "logical_not", "logical_or", "lookup", "losses", "make_ndarray", "make_tensor_proto", "map_fn", "math", "matmul",
    "matrix_square_root", "maximum", "meshgrid", "metrics", "minimum", "multiply", "name_scope", "negative", "nest",
    "newaxis", "nn", "no_gradient", "no_op", "norm", "not_equal", "numpy_function", "one_hot", "ones",
    "ones_initializer", "ones_like", "optimizers", "pad", "parallel_stack", "pow", "print", "profiler", "py_function",
    "quantization", "queue", "ragged", "random", "random_normal_initializer", "random_uniform_initializer", "range",
    "rank", "raw_ops", "realdiv", "recompute_grad", "reduce_all", "reduce_any", "reduce_logsumexp", "reduce_max",
    "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "register_tensor_conversion_function", "repeat",
    "required_space_to_batch_paddings", "reshape", "resource", "reverse", "reverse_sequence", "rfftnd", "roll",
    "round", "saturate_cast", "saved_model", "scalar_mul", "scan", "scatter_nd", "searchsorted", "sequence_mask",
    "sets", "shape", "shape_n", "sigmoid", "sign", "signal", "sin", "sinh", "size", "slice", "sort", "space_to_batch",
    "space_to_batch_nd", "sparse", "split", "sqrt", "square", "squeeze", "stack", "stop_gradient", "strided_slice",
    "string", "strings", "subtract", "summary", "switch_case", "sysconfig", "tan", "tanh", "tensor_scatter_nd_add",
    "tensor_scatter_nd_max", "tensor_scatter_nd_min", "tensor_scatter_nd_sub", "tensor_scatter_nd_update", "tensordot",
    "test", "tile", "timestamp", "tpu", "train", "transpose", "truediv", "truncatediv", "truncatemod", "tuple",
    "type_spec_from_value", "types", "uint8", "uint16", "uint32", "uint64", "unique", "unique_with_counts",
    "unravel_index", "unstack", "variable_creator_scope", "variant", "vectorized_map", "version", "vmap", "where",
    "while_loop", "xla", "zeros", "zeros_initializer", "zeros_like",
]  # fmt: skip

if not _typing.TYPE_CHECKING:  # to a checker, a module with `__getattr__` has every name

    def __getattr__(name):
        if name in _ON_FIRST_USE:
            from importlib import import_module

            return globals().setdefault(name, import_module(_ON_FIRST_USE[name]))
        if name in _ELSEWHERE:
            from importlib import import_module

            return globals().setdefault(name, getattr(import_module(f".{_ELSEWHERE[name]}", __name__), name))
        if name in _KERAS:
            from .api.keras_loading import load

            found = load()
            return globals().setdefault(name, found if name == "keras" else getattr(found, name))
        raise AttributeError(f"module 'tapeflow' has no attribute {name!r}")


def __dir__():
    return sorted(__all__)


# A name that is not there says so, and what is nearest, here and in every namespace.
_missing.watch_over(_sys.modules[__name__], "tf")

# `from tapeflow.math import sin`, where `math` is no folder.
_sys.meta_path.insert(0, _namespaces.Finder(_sys.modules[__name__]))

# Where its classes say they are: what is sent to another process is looked for there.
_sys.modules["tapeflow.errors"] = errors

_tracebacks.install()
