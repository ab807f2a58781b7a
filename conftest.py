"""Names that every docstring example may use."""

import numpy as np
import pytest

import tapeflow as tf


@pytest.fixture(autouse=True)
def _doctest_names(doctest_namespace):
    doctest_namespace["np"] = np
    doctest_namespace["tf"] = tf
