"""What only POSIX has is used behind a guard: found in the text, and tried with all of it hidden."""

import ast
import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import posix_names

ROOT = Path(__file__).resolve().parent.parent
TOPS = ("tapeflow", "keras_tapeflow", "tests", "scripts", "examples", "fuzz", "benchmarks")
FILES = sorted([*(f for top in TOPS for f in (ROOT / top).rglob("*.py")), ROOT / "conftest.py", ROOT / "setup.py"])

# Programs for POSIX as a whole, and who keeps them from Windows.
POSIX_PROGRAMS = {
    "tests/core/runtime/test_allocation.py": "a setting of one C library; skipped elsewhere",
    "tests/engines/xla/test_forking.py": "forks; skipped where there is no fork",
    "tests/faults.py": "kills forked processes: tests/storage/test_whole_files.py starts it where there are some",
    "tests/keras_tapeflow/models/interrupted_steps.py": "interrupts by timers: its tests are skipped without them",
    "tests/posix_names.py": "the names themselves",
    "fuzz/files/search.py": "reads damaged files in processes that it forks: its tests are skipped without them",
    "benchmarks/worker.py": "measures memory as Linux tells it: docs/platforms.md says where benchmarks run",
    "benchmarks/gpu.py": "the same",
    "benchmarks/scale_out.py": "gives workers their cores as Linux does",
}


# ---- in the text

GUARDS = ("hasattr", "os.name", "sys.platform", "WINDOWS", "platform.system", "get_all_start_methods", "getattr(os")
SKIPS = ("skipif", "importorskip", "unix", "posix")
CAUGHT = {"ImportError", "ModuleNotFoundError", "AttributeError", "OSError", "Exception", "NotImplementedError"}


def parents(tree):
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def names(tree):
    """(node, name) of everything that only POSIX has, or that goes wrong elsewhere; in programs that are written as
    text, too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "import " in node.value:
            with contextlib.suppress(SyntaxError):
                yield from ((node, line) for line in unguarded(node.value))
        if isinstance(node, ast.Import):
            yield from ((node, a.name) for a in node.names if a.name.split(".")[0] in posix_names.MODULES)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if node.module in posix_names.MODULES:
                yield node, node.module
            known = posix_names.NAMES.get(node.module, ())
            yield from ((node, f"{node.module}.{a.name}") for a in node.names if a.name in known)
        elif isinstance(node, ast.Attribute):
            of = node.value.id if isinstance(node.value, ast.Name) else None
            if node.attr in posix_names.NAMES.get(of, ()) or node.attr in posix_names.METHODS:
                yield node, f"{of}.{node.attr}"
        elif isinstance(node, ast.Call):
            if ast.unparse(node.func) == "str" and node.args and ".relative_to(" in ast.unparse(node.args[0]):
                yield node, "str(path.relative_to(…)) has backslashes: .as_posix()"
            envs = [k.value for k in node.keywords if k.arg == "env" and isinstance(k.value, ast.Dict)]
            if any(None not in env.keys for env in envs):
                yield node, "a process without SYSTEMROOT does not start: {**os.environ, …}"
            given = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
            places = (*posix_names.PLACES, *posix_names.LIBRARIES)
            yield from ((node, text) for text in given if text.startswith(places))


def is_guarded(node, above):
    """Inside of an `if` that asks for the system or for the name, of a `try` that catches what is missing, or of a
    test that is skipped."""
    while node in above:
        before, node = node, above[node]
        if isinstance(node, ast.If | ast.IfExp | ast.BoolOp | ast.While):
            test = ast.unparse(node if isinstance(node, ast.BoolOp) else node.test)
            if any(word in test for word in GUARDS):
                return True
        elif isinstance(node, ast.Try) and before in node.body:
            caught = {n.id for h in node.handlers if h.type for n in ast.walk(h.type) if isinstance(n, ast.Name)}
            if caught & CAUGHT:
                return True
        elif isinstance(node, ast.With):
            entered = " ".join(ast.unparse(item) for item in node.items)
            if "suppress(" in entered and any(name in entered for name in CAUGHT):
                return True
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            said = " ".join(map(ast.unparse, node.decorator_list))
            early = [ast.unparse(s) for s in node.body[:3]]  # pytest.skip, importorskip, or `if …: return`
            if any(word in said for word in SKIPS) or any(
                "importorskip(" in line or line.startswith("if ") and any(g in line for g in GUARDS) for line in early
            ):
                return True
    return False


def unguarded(source):
    tree = ast.parse(source)
    above = parents(tree)
    marks = [ast.unparse(n) for n in tree.body if isinstance(n, ast.Assign | ast.Expr)]
    whole = any(("pytestmark" in m and "skipif" in m) or m.startswith("pytest.importorskip") for m in marks)
    docs = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)}
    found = [(n, name) for n, name in names(tree) if id(n) not in docs]
    return [] if whole else [f"line {n.lineno}: {name}" for n, name in found if not is_guarded(n, above)]


@pytest.mark.parametrize("top", [*TOPS, "."])
def test_what_only_posix_has_is_guarded(top):
    for file in FILES:
        name = file.relative_to(ROOT).as_posix()
        if name.startswith(f"{top}/" if top != "." else ("conftest", "setup")) and name not in POSIX_PROGRAMS:
            assert not unguarded(file.read_text(encoding="utf-8")), name


@pytest.mark.parametrize("name", POSIX_PROGRAMS)
def test_the_table_names_what_needs_it(name):
    assert name == "tests/posix_names.py" or unguarded((ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("import os\nos.fork()", 1),
        ("import os\nif hasattr(os, 'fork'):\n    os.fork()", 0),
        ("import resource", 1),
        ("try:\n    import resource\nexcept ImportError:\n    resource = None", 0),
        ("try:\n    x = 1\nexcept ImportError:\n    import resource", 1),
        ("from signal import SIGKILL", 1),
        ("import contextlib\nwith contextlib.suppress(ImportError):\n    import fcntl", 0),
        ("open('/proc/self/stat')", 1),
        ("@unix\ndef test():\n    os.kill(1, 9)", 0),
        ("def test():\n    os.kill(1, 9)", 1),
        ("pytestmark = pytest.mark.skipif(not hasattr(os, 'fork'))\nos.fork()", 0),
        ("path.symlink_to(other)", 1),
        ("'/tmp/ is a folder'", 0),
        ("x = str(file.relative_to(root))", 1),
        ("x = file.relative_to(root).as_posix()", 0),
        ("run(c, env={'A': 'b'})", 1),
        ("run(c, env={**os.environ, 'A': 'b'})", 0),
        ("run('import os; os.fork()')", 1),
    ],
)
def test_the_search_itself(source, count):
    assert len(unguarded(source)) == count


# ---- hidden

HIDDEN = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
# What belongs to others has found what it needs.
import concurrent.futures, ctypes, importlib.metadata, logging, multiprocessing, platform, random, shutil, socket
import subprocess, sysconfig, tempfile, threading, webbrowser, zipfile
import numpy, ml_dtypes, optree
from tests import posix_names
for name in posix_names.MODULES:
    if name not in ("posix", "_posixsubprocess"):  # which `os` and `subprocess` themselves are made of
        sys.modules[name] = None
for module, names in posix_names.NAMES.items():
    there = sys.modules.get(module) or __import__(module)
    for name in names - {{"symlink", "readlink", "select", "kill", "socketpair"}}:  # which are there, at least
        if not name.startswith("O_"):  # `tempfile` has seen that there is one
            vars(there).pop(name, None)
import builtins
builtin_open = builtins.open
def open(file, *arguments, **options):
    if str(file).startswith(("/proc/", "/sys/")):
        raise FileNotFoundError(2, "No such file or directory", file)
    return builtin_open(file, *arguments, **options)
builtins.open = __import__("io").open = open
import tapeflow as tf
"""

PROGRAMS = {
    "tape": """
x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as tape:
    y = tf.reduce_sum(tf.exp(x) * tf.random.uniform([2]))
assert tape.gradient(y, x).shape == (2,)
print(tf.ones([100]).shape, tf.config.list_physical_devices("CPU"))
""",
    "function": """
@tf.function
def f(x):
    while tf.reduce_sum(x) < 10.0:
        x = x * 2.0
    return x
assert float(f(tf.constant(1.0))) == 16.0
""",
    "memory": """
try:
    tf.ones([10**6, 10**6, 10**3])
except tf.errors.ResourceExhaustedError as error:
    print("refused")
""",
    "files": """
import os, tempfile
folder = tempfile.mkdtemp()
v = tf.Variable(2.0)
manager = tf.train.CheckpointManager(tf.train.Checkpoint(v=v), folder, max_to_keep=1)
for _ in range(3):
    manager.save()
tf.train.Checkpoint(v=v).restore(manager.latest_checkpoint).assert_consumed()
with tf.summary.create_file_writer(folder + "/logs").as_default():
    tf.summary.scalar("loss", 1.0, step=1)
with tf.io.TFRecordWriter(folder + "/records") as writer:
    writer.write(b"one")
assert len(list(tf.data.TFRecordDataset(folder + "/records"))) == 1
with tf.GradientTape() as tape:
    y = v * v
tape.report(folder + "/tape.html")
assert os.path.exists(folder + "/tape.html")
""",
    "data": """
rows = tf.data.Dataset.range(8).map(lambda x: x + 1, num_parallel_calls=2).batch(4).prefetch(1)
assert [int(tf.reduce_sum(batch)) for batch in rows] == [10, 26]
""",
    "command": """
from tapeflow.cli import main
main(["run", "-c", "import tensorflow as tf; print(tf.constant(1.0) + 1.0)"])
""",
}


def run_without(program, folder):
    (folder / "program.py").write_text(HIDDEN + program, encoding="utf-8")  # AutoGraph reads it
    done = subprocess.run([sys.executable, "-W", "ignore", "program.py"], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr


def test_programs_run_where_it_is_hidden(tmp_path):
    run_without("\n".join(PROGRAMS.values()), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("first", ["", "tf.function(lambda x: x + 1.0, jit_compile=True)(tf.constant(1.0))"])
def test_keras_and_xla_run_where_it_is_hidden(first, tmp_path):
    program = """
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(tf.ones([8, 2]), tf.ones([8, 1]), verbose=0)
model.save("model.keras")
"""
    run_without(f"{first}\n{program}", tmp_path)


@pytest.mark.skipif(not hasattr(signal, "SIGINT") or os.name == "nt", reason="signals that programs inherit")
def test_ctrl_c_reaches_programs_of_tests_whatever_started_them():
    """The background of a shell ignores SIGINT, and programs inherit that."""
    asks = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    program = (
        "import signal, subprocess, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); import conftest; "
        f"print(subprocess.run([sys.executable, '-c', {asks!r}], capture_output=True, text=True).stdout)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.split() == ["True"]
