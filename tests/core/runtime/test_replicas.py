"""Whoever asks where code runs hears of one replica, unless a strategy says otherwise."""

import subprocess
import sys

from tapeflow.core.runtime.replicas import Here, Replica, count, here, where


def test_there_is_one_replica():
    assert here() == Here(None) and count() == 1


def test_one_of_several():
    replica = Replica()
    replica.count = 3
    token = where.set(Here(None, replica=replica))
    assert count() == 3
    where.reset(token)
    assert count() == 1


def test_one_replica_needs_no_jax():
    program = (
        "import sys, tapeflow as tf; s = tf.distribute.get_strategy(); s.run(lambda: tf.Variable(1.) * 2); "
        "m = tf.distribute.OneDeviceStrategy('CPU:0'); exec('with m.scope(): v = tf.Variable(1.)'); "
        "m.run(lambda: v.assign_add(1.)); assert 'jax' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
