"""TensorFlow's GradientTape, the whole system, without TensorFlow: `import tapeflow as tf`."""

from . import ops
from .api import (
    array,
    array_protocol,
    bitwise,
    clipping,
    constants,
    control,
    debugging,
    initializers,
    image,
    linalg,
    math,
    nest,
    nn,
    operators,
    quantization,
    ragged,
    random,
    raw_ops,
    runtime,
    signal,
    sparse,
    strings,
)
from .api.constants import constant, convert_to_tensor
from .core import errors
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
from .core.shapes import TensorShape
from .core.slices import IndexedSlices
from .core.tensor import Tensor
from .core.variable import Variable
from .tape.gradient_tape import GradientTape, UnconnectedGradients

newaxis = None
__version__ = "2.21.0"
