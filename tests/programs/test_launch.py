"""`tapeflow launch`: workers on this machine, what they print, how they end."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tapeflow.programs import launch

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "tapeflow", "launch"]


def started(*arguments, **options):
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    return subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, **options
    )


def launched(*arguments):
    process = started(*arguments)
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def test_each_finds_the_cluster():
    first, second = (launch.environment(k, ["h:1", "h:2"], None, 3) for k in range(2))
    assert json.loads(first["TF_CONFIG"]) == {
        "cluster": {"worker": ["h:1", "h:2"]}, "task": {"type": "worker", "index": 0}
    }  # fmt: skip
    assert json.loads(second["TF_CONFIG"])["task"]["index"] == 1
    assert second["KERAS_DISTRIBUTION_PROCESS_ID"] == "1" and second["KERAS_DISTRIBUTION_NUM_PROCESSES"] == "2"


def test_devices_are_shared_out(monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    found = launch.environment(1, ["h:1", "h:2"], 2, None)
    assert found["CUDA_VISIBLE_DEVICES"] == "2,3"
    assert found["XLA_FLAGS"].endswith("--xla_force_host_platform_device_count=2")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,5,6,7")
    assert launch.environment(1, ["h:1", "h:2"], 2, None)["CUDA_VISIBLE_DEVICES"] == "6,7"


def test_cores_are_shared_out(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 5, 7}, raising=False)
    assert launch.divided(2) == [[0, 1], [2, 5]]
    assert launch.divided(8) == [[]] * 8  # too few: all share


def test_ports_are_free():
    assert len(set(launch.free_ports(3))) == 3


def test_lines_have_numbers_and_the_first_failure_is_the_status(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import os, sys, json\n"
        "k = json.loads(os.environ['TF_CONFIG'])['task']['index']\n"
        "print('hello', k, sys.argv[1:])\n"
        "print('careful', file=sys.stderr)\n"
        "sys.exit(7 * k)\n",
        encoding="utf-8",
    )
    status, out, err = launched("--workers", "2", str(program), "--its", "own")
    assert status == 7
    assert sorted(out.splitlines()) == ["[0] hello 0 ['--its', 'own']", "[1] hello 1 ['--its', 'own']"]
    assert sorted(err.splitlines()) == ["[0] careful", "[1] careful"]


@pytest.mark.long
def test_restarts_start_all_again(tmp_path):
    mark = tmp_path / "mark"
    text = f"""
import json, os, pathlib, sys
k = json.loads(os.environ["TF_CONFIG"])["task"]["index"]
mark = pathlib.Path({str(mark)!r})
print("begins")
if k == 1 and not mark.exists():
    mark.touch()
    sys.exit(5)
"""
    status, out, err = launched("--workers", "2", "--restarts", "2", "-c", text)
    assert status == 0 and out.count("begins") == 4
    assert "a worker ended with status 5; all start again (1 of 2)" in err
    mark.unlink()
    assert launched("--workers", "2", "-c", text)[0] == 5


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


ENDLESS = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print(os.getpid(), child.pid, flush=True)
time.sleep(600)
"""


def pids(process):
    return [int(pid) for _ in range(2) for pid in process.stdout.readline().split()[1:]]


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="asks the system who is there")
def test_ctrl_c_goes_to_all_and_nobody_is_left():
    with started("--workers", "2", "-c", ENDLESS) as process:
        found = pids(process)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and "KeyboardInterrupt" in said
    assert len(found) == 4 and not any(map(alive, found))


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="asks the system who is there")
def test_who_does_not_come_to_an_end_is_ended():
    begun = time.monotonic()
    with started("--workers", "2", "--timeout", "8", "-c", ENDLESS) as process:
        found = pids(process)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 124 and "were ended after 8 s" in said
    assert len(found) == 4 and not any(map(alive, found)) and time.monotonic() - begun < 40


@pytest.mark.long
def test_others_are_ended_after_a_failure(monkeypatch):
    text = """
import json, os, sys, time
if json.loads(os.environ["TF_CONFIG"])["task"]["index"] == 0:
    sys.exit(4)
time.sleep(600)
"""
    begun = time.monotonic()
    assert launched("--workers", "2", "-c", text)[0] == 4
    assert time.monotonic() - begun < 60


def test_who_failed_by_itself_is_named_before_who_lost_it(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import json, os, sys, time\n"
        "k = json.loads(os.environ['TF_CONFIG'])['task']['index']\n"
        f"time.sleep(0.5 * k)\nsys.exit([{launch.TRY_AGAIN}, 3][k])\n",
        encoding="utf-8",
    )
    assert launch.launch([str(program)], 2) == 3
