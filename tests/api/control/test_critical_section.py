"""`tf.CriticalSection`."""

import threading

import pytest

import tapeflow as tf


def test_critical_sections():
    section, total = tf.CriticalSection(), tf.Variable(0)

    def work():
        for _ in range(200):
            section.execute(lambda: total.assign(total.value() + 1))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total.numpy() == 800
    assert isinstance(section.execute(lambda: 3), tf.Tensor)
    with pytest.raises(ValueError, match="already running"):
        section.execute(lambda: section.execute(lambda: 1))
    assert section.execute(lambda: 4).numpy() == 4
