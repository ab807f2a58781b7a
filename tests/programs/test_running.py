"""`tapeflow run` behaves as `python` does: what a program sees, how it fails, how it ends."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import tapeflow
from tapeflow.cli import main

ROOT = Path(tapeflow.__file__).parent.parent


def command(*arguments, **options):
    """Runs the command in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    whole = [sys.executable, "-m", "tapeflow", *map(str, arguments)]
    return subprocess.run(whole, capture_output=True, text=True, env=environment, timeout=600, **options)


def written(folder, text, name="program.py"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


SEEN = """
import json, sys
import helper
own = sys.modules["__main__"].__dict__ is globals()
print(json.dumps([sys.argv, __name__, __file__, sys.path[0], helper.where, own]))
print([__package__, __spec__, __doc__])
"""


def test_a_program_sees_what_python_shows_it(tmp_path):
    written(tmp_path, "where = 'beside the program'", "work/helper.py")
    path = written(tmp_path, SEEN, "work/program.py")
    arguments = ["work/program.py", "--help", "-m", "x y"]
    ours = command("run", *arguments, cwd=tmp_path)
    pythons = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=tmp_path)
    assert (ours.returncode, ours.stdout) == (0, pythons.stdout), ours.stderr
    assert json.loads(ours.stdout.splitlines()[0])[3] == str(path.parent)


FAILING = """
import tensorflow as tf

def inner(x):
    raise ValueError(f"no {x}")

def outer():
    try:
        inner(1)
    except ValueError as error:
        raise KeyError("second") from error

outer()
"""


def test_an_error_is_shown_as_python_shows_it(tmp_path):
    path = written(tmp_path, FAILING)
    ours = command("run", path)
    pythons = subprocess.run(
        [sys.executable, path],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(_fake_tensorflow(tmp_path))},
    )
    assert ours.returncode == pythons.returncode == 1
    assert ours.stderr == pythons.stderr
    assert "second" in ours.stderr


def _fake_tensorflow(folder):
    written(folder, "", "fake/tensorflow.py")
    return folder / "fake"


def test_a_syntax_error_is_shown_as_python_shows_it(tmp_path):
    path = written(tmp_path, "x = (1,\n")
    ours = command("run", path)
    pythons = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert (ours.returncode, ours.stderr) == (1, pythons.stderr)


def test_a_missing_name_ends_at_the_programs_line(tmp_path, interpreter, capsys):
    path = written(tmp_path, "import tensorflow as tf\ntf.math.sine(1.)\n")
    assert main(["run", str(path)]) == 1
    shown = capsys.readouterr().err
    assert shown.splitlines()[-1].startswith(
        "AttributeError: tapeflow has no tf.math.sine. The nearest it has: tf.math.sin"
    )
    assert shown.count("File ") == 1 and f'File "{path}", line 2' in shown


def test_a_missing_module_ends_at_the_programs_line(tmp_path, interpreter, capsys):
    path = written(tmp_path, "import tensorflow_datasets as tfds\n")
    assert main(["run", str(path)]) == 1
    shown = capsys.readouterr().err
    assert shown.count("File ") == 1
    assert shown.splitlines()[-1].startswith("ModuleNotFoundError: No module named 'tensorflow_datasets': tapeflow")


@pytest.mark.parametrize(
    ("text", "status", "message"),
    [
        ("import sys; sys.exit(7)", 7, ""),
        ("raise SystemExit", 0, ""),
        ("raise SystemExit('bye')", 1, "bye\n"),
        ("pass", 0, ""),
    ],
)
def test_exit_status(text, status, message):
    done = command("run", "-c", text)
    assert (done.returncode, done.stderr) == (status, message)


def test_the_programs_own_hook_gets_its_error(tmp_path, interpreter, capsys):
    text = (
        "import sys\nsys.excepthook = lambda kind, error, frames: print('mine', kind.__name__, "
        "frames.tb_lineno)\n1 / 0\n"
    )
    assert main(["run", str(written(tmp_path, text))]) == 1
    assert capsys.readouterr().out == "mine ZeroDivisionError 3\n"


@pytest.mark.parametrize("method", sorted({"spawn", "forkserver"} & set(multiprocessing.get_all_start_methods())))
def test_processes_that_a_program_starts(tmp_path, method):
    path = written(
        tmp_path,
        f"""
        import multiprocessing
        import tensorflow as tf

        def work(x):
            return float(tf.square(x)), tf.square.__module__.split('.')[0]

        if __name__ == "__main__":
            with multiprocessing.get_context({method!r}).Pool(1) as pool:
                print(pool.apply(work, (3.0,)))
        """,
    )
    found = command("run", path)
    assert (found.stdout, found.returncode) == ("(9.0, 'tapeflow')\n", 0), found.stderr


# A parent may have Ctrl-C ignored (nohup, `&` in a script), and its children begin so.
_WITH_INTERRUPTS = (
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from tapeflow.cli "
    "import main; raise SystemExit(main())"
)


@pytest.mark.skipif(os.name == "nt", reason="there Ctrl-C goes to all processes of a console, this one among them")
def test_interrupted(tmp_path):
    path = written(tmp_path, "import time\nprint('started', flush=True)\ntime.sleep(60)\n")
    running = subprocess.Popen(
        [sys.executable, "-c", _WITH_INTERRUPTS, "run", path],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert running.stdout.readline() == "started\n"
    running.send_signal(signal.SIGINT)
    _, shown = running.communicate(timeout=30)
    assert running.returncode == 130
    assert shown.splitlines()[-1] == "KeyboardInterrupt" and "tapeflow" not in shown


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nothing.py", "can't open file '{folder}/nothing.py': [Errno 2] No such file or directory"),
        ("nothing.ipynb", "can't open file '{folder}/nothing.ipynb': [Errno 2] No such file or directory"),
        ("empty", "can't find '__main__' module in '{folder}/empty'"),
        ("broken.ipynb", "can't read '{folder}/broken.ipynb': it is not a notebook"),
    ],
)
def test_programs_that_cannot_be_read(tmp_path, interpreter, capsys, name, message):
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.ipynb").write_text('{"cells": 3}')
    try:
        status = main(["run", str(tmp_path / name)])
    except SystemExit as end:
        status = end.code
    assert status == 2
    assert capsys.readouterr().err.startswith("tapeflow: " + message.format(folder=tmp_path))


def test_a_folder_with_a_main(tmp_path, interpreter, capsys):
    written(tmp_path, "import sys, tensorflow; print(sys.argv[1:], sys.path[0])", "app/__main__.py")
    assert main(["run", str(tmp_path / "app"), "a"]) == 0
    assert capsys.readouterr().out == f"['a'] {tmp_path / 'app'}\n"


def test_a_module(tmp_path):
    written(tmp_path, "", "package/__init__.py")
    written(
        tmp_path,
        "import sys, tensorflow\nfrom . import __name__ as p\n"
        "print(__name__, p, sys.argv[1:])\nif 'x' in sys.argv: 1 / 0\n",
        "package/tool.py",
    )
    done = command("run", "-m", "package.tool", "--flag", cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "__main__ package ['--flag']\n", "")
    done = command("run", "-m", "package.tool", "x", cwd=tmp_path)
    assert done.returncode == 1 and done.stderr.count("File ") == 1 and "ZeroDivisionError" in done.stderr
    done = command("run", "-m", "no_such_module_at_all", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "tapeflow: No module named no_such_module_at_all\n")


def test_keras_on_tensorflow_is_keras_on_what_stands_in_for_it():
    text = (
        "import os; os.environ['KERAS_BACKEND'] = 'tensorflow'; import keras, tensorflow as tf; "
        "print(type(keras.ops.ones(2)) is type(tf.ones(2)))"
    )
    done = command("run", "-c", text)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_from_the_standard_input():
    done = command("run", "-", "a", input="import sys, tensorflow as tf\nprint(sys.argv, tf.constant(1.).numpy())\n")
    assert (done.returncode, done.stdout) == (0, "['-', 'a'] 1.0\n"), done.stderr


@pytest.mark.parametrize("arguments", [["run"], ["run", "-m"], ["run", "-c"], ["run", "--fast", "x.py"]])
def test_wrong_usage(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "usage: tapeflow run" in capsys.readouterr().err


def test_answers_as_a_tensorflow_for_cpus(installed):
    import tensorflow as tf

    assert tf.__version__ == tf.version.VERSION == "2.21.0"
    assert tf.version.GRAPH_DEF_VERSION == 2474
    assert not (tf.test.is_built_with_cuda() or tf.test.is_built_with_gpu_support() or tf.test.is_built_with_rocm())
    assert tf.test.is_built_with_xla() and tf.test.gpu_device_name() == ""
    assert tf.config.list_physical_devices("GPU") == [] and tf.config.list_logical_devices("TPU") == []
    assert [device.name for device in tf.config.list_physical_devices()] == ["/physical_device:CPU:0"]
    assert tf.config.get_soft_device_placement() is True
    assert tf.config.threading.get_inter_op_parallelism_threads() == 0
    assert dict(tf.sysconfig.get_build_info()) == {
        "is_cuda_build": False,
        "is_rocm_build": False,
        "is_tensorrt_build": False,
    }
