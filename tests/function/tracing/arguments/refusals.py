"""What the tests of arguments share."""

import re

import pytest

import tapeflow as tf

c = tf.constant
SCALAR = tf.TensorSpec([], tf.float32)


def refusal(call):
    """The reason that is given."""
    with pytest.raises(TypeError, match=r"^Binding inputs to tf.function failed due to `") as info:
        call()
    return re.search("due to `(.*?)`. Received", str(info.value), re.DOTALL).group(1)
