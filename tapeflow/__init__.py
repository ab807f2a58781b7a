"""TensorFlow's GradientTape, the whole system, without TensorFlow: `import tapeflow as tf`."""

from . import ops
from .api.arrays import (
    properties as _properties,
    clipping as _clipping,
    constants as _constants,
    getitem as _getitem,
    operators as _operators,
    tensor_methods as _tensor_methods,
)
from .api.interop import array_protocol as _array_protocol, dlpack as _dlpack
from .api import (
    autodiff,
    autograph,
    bitwise,
    errors,
    dtypes,
    linalg,
    math,
    nest,
    nn,
    ragged,
    random,
    runtime as _runtime,
    sparse,
    strings,
    config,
    version,
)
from .api.control import branches_and_loops as _control
from .api.autodiff import custom_gradient, grad_pass_through, gradients, hessians, recompute_grad
from .api.math.arithmetic import add, add_n, atan2, maximum, minimum, multiply, negative, scalar_mul, subtract
from .api.math.division import divide, realdiv, truediv, truncatediv, truncatemod
from .api.math.powers import pow, sqrt, square
from .api.arrays.properties import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    ensure_shape,
    guarantee_const,
    identity,
    identity_n,
    rank,
    shape,
    shape_n,
    size,
    stop_gradient,
)
from .api.arrays.blocks import (
    batch_to_space,
    extract_volume_patches,
    required_space_to_batch_paddings,
    space_to_batch,
    space_to_batch_nd,
)
from .api.arrays.building import (
    eye,
    fill,
    linspace,
    meshgrid,
    one_hot,
    ones,
    ones_like,
    range,
    sequence_mask,
    zeros,
    zeros_like,
)
from .api.arrays.clipping import clip_by_global_norm, clip_by_norm, clip_by_value
from .api.math.comparison import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    not_equal,
)
from .api.math.complex_numbers import complex
from .api.arrays.constants import constant, convert_to_tensor
from .api.math.elementwise import (
    abs,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    exp,
    floor,
    round,
    sigmoid,
    sign,
    sin,
    sinh,
    tan,
    tanh,
)
from .api.linalg.einsum import einsum
from .api.arrays.casting import bitcast, cast, saturate_cast
from .api.math.counting import histogram_fixed_width, histogram_fixed_width_bins
from .api.arrays.indexing import boolean_mask, gather, gather_nd, slice, strided_slice, where
from .api.arrays.joining import concat, dynamic_partition, dynamic_stitch, parallel_stack, split, stack, unstack
from .api.linalg.norms import norm
from .api.linalg.products import matmul, tensordot
from .api.arrays.scatter import (
    scatter_nd,
    tensor_scatter_nd_add,
    tensor_scatter_nd_max,
    tensor_scatter_nd_min,
    tensor_scatter_nd_sub,
    tensor_scatter_nd_update,
)
from .api.arrays.shaping import (
    broadcast_to,
    expand_dims,
    pad,
    repeat,
    reshape,
    reverse,
    reverse_sequence,
    roll,
    squeeze,
    tile,
    transpose,
)
from .api.math.reductions import (
    reduce_all,
    reduce_any,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from .api.math.scans import cumsum
from .api.arrays.specs import IndexedSlicesSpec, TensorSpec, TypeSpec, type_spec_from_value
from .api.variables.creating import is_tensor, register_tensor_conversion_function, variable_creator_scope
from .api.arrays.sorting import argmax, argmin, argsort, searchsorted, sort, unique, unique_with_counts, unravel_index
from .api.variables.initializers import (
    constant_initializer,
    ones_initializer,
    random_normal_initializer,
    random_uniform_initializer,
    zeros_initializer,
)
from .api.arrays.composite_specs import RaggedTensorSpec, SparseTensorSpec
from .api.control.branches_and_loops import (
    case,
    cond,
    control_dependencies,
    group,
    no_op,
    switch_case,
    tuple_ as tuple,
    while_loop,
)
from .api.assertions.values import Assert, assert_equal, assert_greater, assert_less
from .api.assertions.shapes import assert_rank
from .api.control.function import function
from .api.control.graphs import Graph
from .api.control.functional import foldl, foldr, map_fn, scan, vectorized_map
from .vectorize.vmap import vmap
from .api.autodiff.gradient_registry import RegisterGradient, no_gradient
from .api.variables.module import Module
from .api.strings.printing import print_ as print
from .api.control.py_function import numpy_function, py_function
from .api.ragged.tensor import RaggedTensor
from .api.config.devices import device
from .api.runtime import (
    executing_eagerly,
    get_current_name_scope,
    get_logger,
    get_static_value,
    init_scope,
    inside_function,
    is_symbolic_tensor,
    name_scope,
    timestamp,
)
from .api.sparse.tensor import SparseTensor
from .api.strings import as_string
from .api.control.tensor_array import TensorArray
from .core.dtypes import (
    DType,
    as_dtype,
    bfloat16,
    bool_ as bool,
    complex64,
    complex128,
    float16,
    float16 as half,
    float32,
    float64,
    float64 as double,
    int8,
    int16,
    int32,
    int64,
    resource,
    string,
    uint8,
    uint16,
    uint32,
    uint64,
    variant,
)
from .core.variables.policies import VariableAggregation, VariableSynchronization
from .core.shapes import TensorShape
from .core.slices import IndexedSlices
from .core.tensor import Tensor
from .core.variables.variable import Variable
from .tape.gradient_tape import GradientTape, UnconnectedGradients

import sys as _sys

import tapeflow_keras_hook as _keras_hook

from .core.runtime.allocation import keep_freed_memory as _keep_freed_memory
from .inspect import methods as _tape_methods
from .names import missing as _missing

_keep_freed_memory()
_keras_hook.choose()  # `import keras` after this is Keras on tapeflow, unless the environment says otherwise

newaxis = None
__version__ = version.VERSION
__git_version__, __compiler_version__ = version.GIT_VERSION, version.COMPILER_VERSION

# Namespaces that many programs never touch, and where they are; imported on first use, which keeps `import tapeflow`
# quick.
_ON_FIRST_USE = {
    **{
        name: f"tapeflow.{name}"
        for name in """compat data debugging distribute experimental feature_column io saved_model summary train types""".split()
    },
    **{
        name: f"tapeflow.api.{name}"
        for name in """audio derivatives image lite lookup profiler quantization queue sets signal sysconfig test xla""".split()
    },
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
    "make_tensor_proto": "summary.tensor_messages", "matrix_square_root": "api.linalg", "rfftnd": "api.signal",
}  # fmt: skip
# Keras, and TensorFlow's own names for its parts.
_KERAS = frozenset({"initializers", "keras", "losses", "metrics", "optimizers"})


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
    return sorted({*globals(), *_ON_FIRST_USE, *_ELSEWHERE, *_KERAS})


# A name that is not there says so, and what is nearest, here and in every namespace.
_missing.watch_over(_sys.modules[__name__], "tf")
