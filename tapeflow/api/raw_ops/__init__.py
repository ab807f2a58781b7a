"""The operations of TensorFlow's C++ layer, by name, as functions: `tf.raw_ops` has them for programs, graphs that
TensorFlow wrote are made of them (`tapeflow.saved_model.tensorflow`)."""

from .arrays import ARRAYS
from .drawing import DRAWING
from .further import FURTHER
from .layers import LAYERS
from .resources import RESOURCES
from .sparse import SPARSE
from .table import OPS as _OPS
from .tensor_lists import TENSOR_LISTS
from .texts import TEXTS

__all__ = ["GRAPH_OPS", "OPS"]

OPS = _OPS | ARRAYS | LAYERS | DRAWING | TEXTS | SPARSE | FURTHER

# Those that only graphs can use: they take variables, tables and lists in the form that graphs hand on.
GRAPH_OPS = RESOURCES | TENSOR_LISTS
