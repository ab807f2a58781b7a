"""Several processes: what happens when they differ or one is lost."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="the extra `xla` is not installed")
from tapeflow.engines.xla import processes
from tapeflow.programs.launch import free_ports

from .test_jobs import tf_config

ROOT = Path(__file__).parents[3]


def test_a_process_alone():
    assert (processes.count(), processes.number(), processes.is_chief()) == (1, 0, True)
    processes.start()
    processes.barrier("nobody else")
    assert processes.job() is None


# ---- two of them, on this machine


def launched(source, *options, **more):
    """(Exit status, lines by worker, all that was said) of a program."""
    return launched_text(BEGINNING + source, *options, **more)


def launched_text(text, *options, workers=2, seconds=200):
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(
        [sys.executable, "-m", "tapeflow", "launch", "--workers", str(workers), *options, "-c", text],
        capture_output=True, text=True, timeout=seconds, env=environment, cwd=ROOT,
    )  # fmt: skip
    said = done.stdout + done.stderr
    lines = [re.findall(rf"(?m)^\[{k}\] (.*)$", done.stdout + done.stderr) for k in range(workers)]
    return done.returncode, lines, said


BEGINNING = """
import os, sys, time
os.environ["KERAS_BACKEND"] = "tapeflow"
import numpy as np
import tapeflow as tf
import keras
keras.distribution.initialize()
mesh = keras.distribution.DeviceMesh((2,), ["batch"])
number = keras.distribution.DataParallel().data_shard_id
spread = lambda x, *axes: keras.distribution.distribute_tensor(x, keras.distribution.TensorLayout(axes, mesh))
x = spread(np.arange(8.0, dtype="float32").reshape(4, 2), "batch", None)
"""


@pytest.mark.long
def test_two_processes_compute_together():
    status, lines, said = launched("""
step = tf.function(lambda x: tf.reduce_sum(x * x))
print(float(step(x)), x.addressable_shards[0].data.tolist(), keras.random.uniform((1,)).numpy())
try:
    x.numpy()
except tf.errors.FailedPreconditionError as error:
    print("spread over several processes" in str(error))
print(spread(x, None, None).numpy().tolist())
v = keras.Variable(np.ones((4, 2)), layout=keras.distribution.TensorLayout(("batch", None), mesh))
model = keras.Sequential()
""")
    assert status == 0, said
    (first, *rest), (other, *others) = ([line for line in each if "Gloo" not in line] for each in lines)
    assert first.startswith("140.0 [[0.0, 1.0], [2.0, 3.0]]") and other.startswith("140.0 [[4.0, 5.0], [6.0, 7.0]]")
    assert first.split()[-1] == other.split()[-1]  # they draw the same
    assert rest == others == ["True", "[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]"]


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="there is one address of this machine")
@pytest.mark.parametrize("by", ["TF_CONFIG", "slurm", "open mpi", "kubernetes"])
def test_other_launchers_and_another_address_than_the_usual_one(by):
    [port] = free_ports(1)
    program = """
import tapeflow as tf
s = tf.distribute.MultiWorkerMirroredStrategy()
one = s.run(lambda: tf.distribute.get_replica_context().replica_id_in_sync_group + 1)
print("found", s.num_replicas_in_sync, int(s.reduce("SUM", one, axis=None)))
"""
    address = f"127.0.0.2:{port}"  # treated as that of another machine

    def said(k):
        if by == "TF_CONFIG":
            return tf_config("worker", k, worker=[address, f"{address}0"])
        if by == "kubernetes":
            return {
                "JOB_COMPLETION_INDEX": str(k), "TAPEFLOW_WORKERS": "2", "JAX_COORDINATOR_ADDRESS": "127.0.0.2",
                "JAX_COORDINATOR_PORT": str(port),
            }  # fmt: skip
        if by == "slurm":
            return {
                "SLURM_JOB_ID": str(port - 61440 & 4095), "SLURM_STEP_NUM_TASKS": "2", "SLURM_NTASKS": "2",
                "SLURM_STEP_NODELIST": "127.0.0.2", "SLURM_PROCID": str(k), "SLURM_LOCALID": "0", "SLURM_NODEID": "0",
            }  # fmt: skip
        uri = f"{port}.0;tcp://127.0.0.2:{port};tcp6://[fd00::2]:47933"
        return {
            "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": str(k), "OMPI_COMM_WORLD_LOCAL_RANK": str(k),
            "OMPI_COMM_WORLD_LOCAL_SIZE": "2", "OMPI_MCA_orte_hnp_uri": uri,
        }  # fmt: skip

    started = [
        subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | said(k),
        )
        for k in range(2)
    ]  # fmt: skip
    for each in started:
        out = each.communicate(timeout=200)[0]
        assert each.returncode == 0 and "found 2 3" in out, out


@pytest.mark.long
@pytest.mark.parametrize("lost", [0, 1])
def test_who_loses_a_worker_says_which(lost):
    begun = time.monotonic()
    status, lines, said = launched(f"""
step = tf.function(lambda x: tf.reduce_sum(x * x))
step(x)
if number == {lost}:
    os._exit(3)
began = time.monotonic()
try:
    while True:
        step(x)
except tf.errors.UnavailableError as error:
    print("after", time.monotonic() - began)
    raise
""")
    other = lines[1 - lost]
    assert status == 3, said
    assert any(f"UnavailableError: Worker {lost}, 127.0.0.1:" in line or f"Worker {lost}" in line for line in other), (
        said
    )
    [after] = [float(line.split()[1]) for line in other if line.startswith("after")]
    assert after < 10 and time.monotonic() - begun < 120


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="the system cannot stop a process")
def test_who_is_stopped_is_lost(monkeypatch):
    monkeypatch.setenv("TAPEFLOW_HEARTBEAT_TIMEOUT", "6")
    status, lines, said = launched("""
import signal
step = tf.function(lambda x: tf.reduce_sum(x * x))
step(x)
if number == 1:
    os.kill(os.getpid(), signal.SIGSTOP)
while True:
    step(x)
""")
    assert status == processes.TRY_AGAIN, said
    assert any("UnavailableError: Worker 1" in line for line in lines[0]), said


@pytest.mark.long
def test_programs_that_differ_are_found_before_they_wait():
    status, _, said = launched("""
step = tf.function((lambda x: tf.reduce_sum(x)) if number == 0 else (lambda x: tf.reduce_max(x) + 1.0))
print(float(step(x)))
""")
    assert status != 0
    assert "FailedPreconditionError" in said and "All workers must run the same programs in the same order" in said


@pytest.mark.long
def test_an_error_of_one_ends_all():
    status, lines, said = launched("""
step = tf.function(lambda x: tf.reduce_sum(x * x))
step(x)
if number == 1:
    raise ValueError("mine alone")
while True:
    step(x)
""")
    assert status == 1 and any("mine alone" in line for line in lines[1]), said
    assert any("UnavailableError: Worker 1" in line for line in lines[0]), said


@pytest.mark.long
def test_others_who_do_not_come():
    # jax aborted the process, with its own stack in place of a reason.
    [port] = free_ports(1)
    starts = f"processes.start(processes.Job('127.0.0.1:{port}', 2, 0), timeout=6)"
    done = subprocess.run(
        [sys.executable, "-c", f"from tapeflow.engines.xla import processes; {starts}"], capture_output=True,
        text=True, cwd=ROOT, timeout=200,
    )  # fmt: skip
    assert done.returncode == processes.TRY_AGAIN, done.stderr
    assert f"UnavailableError: Worker 0 of 2 did not meet the others at 127.0.0.1:{port} in 6 s." in done.stderr


@pytest.mark.long
def test_it_is_too_late_when_xla_is_in_use():
    done = subprocess.run(
        [sys.executable, "-c", """
import tapeflow as tf
tf.function(lambda: tf.constant(1.0), jit_compile=True)()
from tapeflow.engines.xla import processes
processes.start(processes.Job("127.0.0.1:1", 2, 0))
"""], capture_output=True, text=True, cwd=ROOT,
    )  # fmt: skip
    assert "RuntimeError: jax.distributed.initialize() must be called before any JAX calls" in done.stderr
