"""How many CPUs there are is said before XLA begins; later, only fewer."""

import subprocess
import sys

import pytest

import tapeflow as tf
from tapeflow.core.devices import Processors

CPU = tf.config.list_physical_devices("CPU")[0]


def divided(count):
    return [tf.config.LogicalDeviceConfiguration()] * count


@pytest.mark.parametrize("first", ["", "import jax; "])
def test_before(first):
    program = (
        f"{first}import tapeflow as tf; cpu = tf.config.list_physical_devices('CPU')[0]; "
        "tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 3); "
        "f = tf.function(lambda x: x + 1, jit_compile=True); assert float(f(tf.constant(1.))) == 2; "
        "import jax; assert len(jax.devices()) == 3; "
        "names = [d.name for d in tf.config.list_logical_devices('CPU')]; "
        "assert names == [f'/device:CPU:{k}' for k in range(3)], names\n"
        "with tf.device('CPU:2'): assert tf.zeros([2]).device.endswith('CPU:2')"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_afterwards(monkeypatch):
    monkeypatch.setattr(Processors, "count", 1)
    tf.function(lambda x: x + 1, jit_compile=True)(tf.constant(1.0))
    with pytest.raises(RuntimeError, match="cannot be modified after being initialized"):
        tf.config.set_logical_device_configuration(CPU, divided(100))
    assert len(tf.config.list_logical_devices("CPU")) == 1
    tf.config.set_logical_device_configuration(CPU, divided(1))
    tf.config.set_logical_device_configuration(CPU, None)


def test_refusals():
    limited = [tf.config.LogicalDeviceConfiguration(memory_limit=10)]
    with pytest.raises(ValueError, match="memory limit"):
        tf.config.set_logical_device_configuration(CPU, limited)
    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.set_logical_device_configuration("CPU", divided(2))
