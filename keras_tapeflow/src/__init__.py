"""What Keras asks of a backend. `ops` is the coming layout; the stock layout wants the modules and core functions
here, too."""

import sys

from keras.src.backend.common.name_scope import current_path as _current_layer, name_scope as name_scope

from tapeflow.core.runtime.scopes import add_scope as _add_scope

from . import distribution_lib as distribution_lib, ops as ops, random as random, tensorboard as tensorboard
from .ops import core as core, image as image, linalg as linalg, math as math, nn as nn, numpy as numpy
from .ops.core import *  # noqa: F403
from .ops.core import Variable as Variable
from .rnn import (
    bidirectional_gru as bidirectional_gru,
    bidirectional_lstm as bidirectional_lstm,
    cudnn_ok as cudnn_ok,
    gru as gru,
    lstm as lstm,
    rnn as rnn,
)

tensorflow = sys.modules[
    __name__
]  # lookups and datasets from folders ask for TensorFlow's backend, whatever the backend is: we will do

_add_scope(_current_layer)  # a tape's report shows layers
