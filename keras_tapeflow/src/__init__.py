"""What Keras asks of a backend. `ops` is the coming layout; the stock layout wants the modules and core functions
here, too."""

import sys

from keras.src.backend.common.name_scope import current_path as _current_layer
from keras.src.backend.common.name_scope import name_scope as name_scope

from tapeflow.inspect.witness import scopes as _scopes

from . import distribution_lib as distribution_lib
from . import ops as ops
from . import random as random
from . import tensorboard as tensorboard
from .ops import core as core
from .ops import image as image
from .ops import linalg as linalg
from .ops import math as math
from .ops import nn as nn
from .ops import numpy as numpy
from .ops.core import *  # noqa: F403
from .ops.core import Variable as Variable
from .rnn import bidirectional_gru as bidirectional_gru
from .rnn import bidirectional_lstm as bidirectional_lstm
from .rnn import cudnn_ok as cudnn_ok
from .rnn import gru as gru
from .rnn import lstm as lstm
from .rnn import rnn as rnn

tensorflow = sys.modules[
    __name__
]  # lookups and datasets from folders ask for TensorFlow's backend, whatever the backend is: we will do

_scopes.append(_current_layer)  # a tape's report shows layers
