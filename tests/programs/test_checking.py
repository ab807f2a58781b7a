"""`tapeflow check`: names are followed as Python would, answers are exact, the exit status is for a build server."""

import ast
import json
import textwrap

import pytest

import tapeflow as tf
from tapeflow.cli import main
from tapeflow.programs import support, symbols


def names(text):
    tree = ast.parse(textwrap.dedent(text))
    return [use.name for use in symbols.uses(tree, support.is_namespace, support.members)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import tensorflow as tf\ntf.sin(1.)", ["tf.sin"]),
        ("import tensorflow\ntensorflow.math.sin(1.)", ["tf.math.sin"]),
        ("import tensorflow.keras.backend as K\nK.mean(1)", ["tf.keras.backend.mean"]),
        ("import tensorflow.math\ntensorflow.nn.relu", ["tf.nn.relu"]),
        ("from tensorflow import keras\nkeras.layers.Dense(1)", ["tf.keras.layers.Dense"]),
        ("from tensorflow.keras import layers as L\nL.Dense(1)", ["tf.keras.layers.Dense"]),
        ("from tensorflow.keras.layers import Dense as D\nD(1)", ["tf.keras.layers.Dense"] * 2),
        ("import tensorflow.compat.v1 as tf1\ntf1.assign", ["tf.compat.v1.assign"]),
        ("import tensorflow.compat.v2 as tf\ntf.sin", ["tf.sin"]),
        ("import tensorflow as tf\ntf.compat.v2.Variable(1)", ["tf.Variable"]),
        ("import tapeflow as tf\ntf.sin", ["tf.sin"]),
        ("import tensorflow as tf\nK = tf.keras.backend\nm = K\nm.sum", ["tf.keras.backend.sum"]),
        ("import tensorflow as tf\ndef f(x):\n    return K.sum(x)\nK = tf.keras.backend", ["tf.keras.backend.sum"]),
        ("def f():\n    import tensorflow as tf\n    return tf.sin\ntf.cos", ["tf.sin"]),
        ("import tensorflow as tf\ndef f(tf):\n    return tf.nothing", []),
        ("import tensorflow as tf\nfor tf in range(3): tf.nothing", []),
        ("import tensorflow as tf\n[tf.nothing for tf in range(3)]", []),
        ("import tensorflow as tf\ntf = 3\ntf.real", []),
        ("import numpy as tf\ntf.sin", []),
        ("import tensorflow as tf\nimport other as tf\ntf.sin", []),
        ("from . import tensorflow as tf\ntf.sin", []),
        (
            "import tensorflow as tf\ndef f(x: tf.Tensor = tf.zeros([1])) -> tf.Variable: pass",
            ["tf.Tensor", "tf.Variable", "tf.zeros"],
        ),
        (
            "import tensorflow as tf\n@tf.function\ndef f(): pass\nclass A(tf.Module): pass",
            ["tf.function", "tf.Module"],
        ),
        (
            "import tensorflow as tf\nclass A(tf.keras.Model):\n    def call(self, x): return tf.sin(x)",
            ["tf.keras.Model", "tf.sin"],
        ),
        ("import tensorflow as tf\nf = lambda x: tf.sin(x)", ["tf.sin"]),
        ("import tensorflow as tf\ntf.constant(1.).nothing.numpy()", ["tf.constant"]),
        ("import tensorflow as tf\nx = tf.zeros([1])\nx.shape", ["tf.zeros"]),
        ("import tensorflow as tf\ngetattr(tf, 'sin')\ngetattr(tf, name)", ["tf.sin"]),
        ("from tensorflow.math import *\nlog1p(x)\nprint(x)", ["tf.math.log1p"]),
        ("from tensorflow.python.framework import ops\nops.Tensor", ["tensorflow.python.framework.ops.Tensor"]),
        ("import tensorflow_probability as tfp\ntfp.distributions.Normal", ["tensorflow_probability"]),
        ("from tensorflow_addons.optimizers import AdamW", ["tensorflow_addons"]),
        ("print('tf.sin')  # tf.cos", []),
        (
            "import tensorflow as tf\nwith tf.GradientTape() as tape, tf.device('/cpu:0'): tape.watch(1)",
            ["tf.GradientTape", "tf.device"],
        ),
        ("import tensorflow as tf\nif (tf := 3): tf.nothing", []),
    ],
)
def test_names_are_followed(text, expected):
    assert names(text) == expected


def test_guarded_uses():
    tree = ast.parse(
        "import tensorflow as tf\ntry:\n    tf.sin\nexcept AttributeError:\n    tf.cos\ntry:\n    tf.tan\nexcept "
        "KeyError: pass\n"
    )
    found = symbols.uses(tree, support.is_namespace, support.members)
    assert [(use.name, use.guarded) for use in found] == [("tf.sin", True), ("tf.cos", False), ("tf.tan", False)]


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("tf.math.sin", "supported"),
        ("tf.UnconnectedGradients.ZERO", "supported"),
        ("tf.UnconnectedGradients.ONE", "missing"),
        ("tf.Variable.assign_sub", "supported"),
        ("tf.Variable.no_such_method", "missing"),
        ("tf.keras.layers.Dense", "supported"),
        ("tf.keras.layers.Densely", "missing"),
        ("tf.keras.optimizers.schedules.ExponentialDecay", "supported"),
        ("tf.keras.Model.fit", "supported"),
        ("tf.__version__.split", "supported"),
        ("tf.Session", "missing"),
        ("tensorflow.python.framework.ops.convert_to_tensor", "supported"),
        ("tensorflow.python.framework.ops.no_such_thing", "missing"),
        ("tensorflow.python.no_such_package.thing", "missing"),
        ("tensorflow_datasets", "missing"),
        ("tf.compat.v1.Session", "partly"),
        ("tf.compat.v1.placeholder", "missing"),  # it is there to say what to do instead
        ("tf.compat.v1.disable_v2_behavior", "missing"),
        ("tf.lite.TFLiteConverter.from_keras_model", "missing"),
        ("tf.debugging.assert_equal", "supported"),
    ],
)
def test_answers(name, status):
    assert support.answer(name).status == status


PROGRAM = """\
import tensorflow as tf
from tensorflow.keras import layers as L
import tensorflow_probability as tfp

def f(x):
    return tf.estimator.LinearClassifier(x), L.experimental.preprocessing.RandomRotation(0.1)

print(tf.__version__.split("."), tf.math.sin(tf.log(1.)))
tf.log
tf.compat.v1.Session()
try:
    from tensorflow.python.keras import something_old
except ImportError:
    something_old = None
"""


def test_report(tmp_path, capsys):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    assert main(["check", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{path}: 3 of 7 names are there, 4 missing, 1 partly there"
    assert "  missing   tf.estimator.LinearClassifier  (line 6)" in lines
    assert "            Estimators left TensorFlow, too: use tf.keras models." in lines
    assert "  missing   tf.log  (line 8, 9)" in lines
    assert "  missing   tf.keras.layers.experimental.preprocessing.RandomRotation  (line 6)" in lines
    assert "  missing   tensorflow_probability  (line 3)" in lines
    assert "  partly    tf.compat.v1.Session  (line 10)" in lines
    assert not [line for line in lines if "something_old" in line or "tf.math.sin" in line]
    assert main(["check", "--all", str(path)]) == 1
    assert "  supported tf.math.sin  (line 8)" in capsys.readouterr().out.splitlines()


def test_json(tmp_path, capsys):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    assert main(["check", "--json", str(path)]) == 1
    [report] = json.loads(capsys.readouterr().out)["files"]
    found = {one["name"]: one for one in report["symbols"]}
    assert (report["path"], report["error"]) == (str(path), None)
    assert found["tf.log"] == {
        "name": "tf.log",
        "status": "missing",
        "lines": ["8", "9"],
        "note": "It is TensorFlow 1: use tf.math.log.",
        "files": 0,
    }
    assert found["tf.__version__"]["status"] == "supported" and found["tf.__version__"]["files"] == 32


def test_folders_and_notebooks(tmp_path, capsys):
    (tmp_path / "sub" / ".hidden").mkdir(parents=True)
    (tmp_path / "sub" / ".hidden" / "no.py").write_text("import tensorflow as tf\ntf.nothing_at_all")
    (tmp_path / "sub" / "a.py").write_text("import tensorflow as tf\ntf.sin(1.)")
    (tmp_path / "sub" / "plain.py").write_text("print(1)")
    cells = [
        {"cell_type": "code", "source": source}
        for source in ("!ls\nimport tensorflow as tf", "x = 1\ntf.sin(x)\ntf.log(x)")
    ]
    (tmp_path / "b.ipynb").write_text(json.dumps({"cells": cells}))
    assert main(["check", str(tmp_path / "sub")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path / 'sub' / 'a.py'}: 1 of 1 names are there",
        f"{tmp_path / 'sub' / 'plain.py'}: does not use TensorFlow",
    ]
    assert main(["check", str(tmp_path)]) == 1
    assert "  missing   tf.log  (cell 2, line 3)" in capsys.readouterr().out.splitlines()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("old.py", b"print 1\n", "line 1: Missing parentheses"),
        ("bytes.py", b"x = '\xff'\n", "line 1: "),
        ("zero.py", b"x = 1\x00", "null bytes"),
        ("broken.ipynb", b"{", "it is not a notebook"),
        ("nothing.py", None, "No such file or directory"),
    ],
)
def test_unreadable(tmp_path, capsys, name, content, message):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    (tmp_path / "good.py").write_text("import tensorflow as tf\ntf.sin(1.)")
    assert main(["check", str(tmp_path / "good.py"), str(tmp_path / name)]) == 2
    shown = capsys.readouterr()
    assert shown.out.startswith(f"{tmp_path / 'good.py'}: 1 of 1")
    assert shown.err.startswith(f"tapeflow: {tmp_path / name}: ") and message in shown.err


def test_nothing_is_run(tmp_path):
    (tmp_path / "a.py").write_text("import tensorflow as tf\nraise SystemExit(5)")
    assert main(["check", str(tmp_path / "a.py")]) == 0
    assert tf.constant(1) is not None
