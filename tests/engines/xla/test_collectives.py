"""Collectives between the devices of a mesh: what XLA computes is what replicas by turns compute."""

import json
import subprocess
import sys

PROGRAM = """
import json
import numpy as np
from tapeflow.core.devices import Processors
Processors.count = 4
import tapeflow.engines.xla.devices
import jax
from jax.sharding import Mesh, PartitionSpec as P
from tapeflow.engines.xla import collectives
mesh = Mesh(np.array(jax.devices()[:4]), ("replica",))
x = np.arange(16.0, dtype="f").reshape(4, 4)
found = {}
for name, f in {
    "sum": lambda x: collectives.all_reduce(x, 4, False),
    "mean": lambda x: collectives.all_reduce(x, 4, True),
    "gather": lambda x: collectives.all_gather(x, 1, 4),
    "scatter": lambda x: collectives.reduce_scatter(x, 1, 1, 4),
    "alone": lambda x: collectives.all_gather(collectives.all_reduce(x, 1, True), 0, 1),
}.items():
    mapped = jax.jit(jax.shard_map(f, mesh=mesh, in_specs=P("replica"), out_specs=P("replica"), check_vma=False))
    found[name] = np.asarray(mapped(x)).tolist()
print(json.dumps([len(jax.devices()), found]))
"""


def test_on_four_devices():
    """In a process of its own: devices are counted once."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True)
    count, found = json.loads(done.stdout)
    rows = [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0], [12.0, 13.0, 14.0, 15.0]]
    total = [24.0, 28.0, 32.0, 36.0]
    assert count == 4 and found["alone"] == rows
    assert found["sum"] == [total] * 4 and found["mean"] == [[v / 4 for v in total]] * 4
    assert found["gather"] == [[float(v) for v in range(16)]] * 4
    assert found["scatter"] == [[v] for v in total]
