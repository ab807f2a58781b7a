"""What TensorFlow's private modules say of AutoGraph."""

import pytest

import tapeflow as tf
from tapeflow.programs.inner.conversion import Status, control_status_ctx, tf_convert

pytest.importorskip("malt")


def halved(x):
    return x / 2.0 if x > 1.0 else x


def test_code_is_converted_where_its_caller_is():
    seen = []

    def caller(x):
        context = control_status_ctx()
        seen.append(context.status)
        return tf_convert(halved, context)(x) if context.status is Status.ENABLED else x

    run = tf.function(caller)
    assert [float(run(tf.constant(v))) for v in (4.0, 0.5)] == [2.0, 0.5]
    assert float(tf.function(caller, autograph=False)(tf.constant(4.0))) == 4.0
    caller(tf.constant(1.0))
    assert seen == [Status.ENABLED, Status.DISABLED, Status.UNSPECIFIED]
    assert tf_convert(halved, control_status_ctx(), convert_by_default=False) is halved
    assert tf_convert(halved, control_status_ctx()) is not halved
