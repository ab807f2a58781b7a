"""What Keras asks of a backend. `ops` is the coming layout; the stock layout wants the modules and core functions here, too."""

from keras.src.backend.common.name_scope import name_scope as name_scope

from . import ops as ops
from . import random as random
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

distribution_lib = None
