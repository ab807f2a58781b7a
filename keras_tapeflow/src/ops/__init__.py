"""Keras' operations on tapeflow's tensors, by Keras' names and signatures."""

from . import core as core, image as image, linalg as linalg, math as math, nn as nn, numpy as numpy
from .core import *  # noqa: F403
