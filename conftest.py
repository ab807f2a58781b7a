"""What every test and docstring example has: the names `tf` and `np`, and the same random numbers each time."""

import random

import numpy as np
import pytest
from hypothesis import settings

import tapeflow as tf

SEED = 2015
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace):
    doctest_namespace["np"] = np
    doctest_namespace["tf"] = tf


@pytest.fixture(autouse=True)
def _same_random_numbers():
    random.seed(SEED)
    np.random.seed(SEED)
    if hasattr(tf.random, "set_seed"):
        tf.random.set_seed(SEED)
