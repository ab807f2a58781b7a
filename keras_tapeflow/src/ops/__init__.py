"""Keras' operations on tapeflow's tensors, by Keras' names and signatures."""

from . import core as core
from . import image as image
from . import linalg as linalg
from . import math as math
from . import nn as nn
from . import numpy as numpy
from .core import *  # noqa: F403
