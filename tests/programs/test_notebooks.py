"""Notebooks as programs: which cells run, what of IPython is left out, where errors are."""

import json

import pytest

from tapeflow.cli import main
from tapeflow.programs.notebooks import NotANotebook, code_cells, plain_python


def notebook(folder, *cells):
    """A file with code cells; a cell that begins with '# ' and a blank is text."""
    kind = lambda text: "markdown" if text.startswith("# ") else "code"
    entries = [{"cell_type": kind(text), "source": text.splitlines(keepends=True), "metadata": {}} for text in cells]
    path = folder / "book.ipynb"
    path.write_text(
        json.dumps({"cells": entries, "nbformat": 4, "nbformat_minor": 5, "metadata": {}}), encoding="utf-8"
    )
    return path


def test_cells_run_in_order(tmp_path, interpreter, capsys):
    path = notebook(
        tmp_path,
        "# A title",
        "!pip install tensorflow\n%matplotlib inline\nimport tensorflow as tf\nx = tf.Variable(2.)",
        "%%time\n@tf.function\ndef f(v):\n    if v > 0.:\n        return v ** 3\n    return v",
        "%%bash\nrm -rf nothing",
        "with tf.GradientTape() as tape:\n    y = f(x)\nprint(tape.gradient(y, x).numpy(), "
        "__name__)\ndisplay('shown')",
    )
    assert main(["run", str(path)]) == 0
    shown = capsys.readouterr()
    assert shown.out == "12.0 __main__\nshown\n"
    assert shown.err.splitlines() == [
        f"tapeflow: {path}, cell 2, line 1: skipped !pip install tensorflow",
        f"tapeflow: {path}, cell 2, line 2: skipped %matplotlib inline",
        f"tapeflow: {path}, cell 3, line 1: skipped %%time",
        f"tapeflow: {path}, cell 4, line 1: skipped the cell %%bash",
    ]


def test_an_error_names_its_cell(tmp_path, interpreter, capsys):
    path = notebook(tmp_path, "x = 0", "# text", "y = 1\n1 / x")
    assert main(["run", str(path)]) == 1
    shown = capsys.readouterr().err
    assert f'File "{path}[cell 3]", line 2, in <module>\n    1 / x\n' in shown
    assert shown.count("File ") == 1


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("x = 1", "x = 1"),
        ("", ""),
        ("if x:\n    !ls\n    y = 2", "if x:\n    pass\n    y = 2"),
        ("%time f(\n  3)", "f(\n  3)"),
        ("%timeit f(3)", "pass"),
        ("f?", "pass"),
        ("?f", "pass"),
        ('text = """\n!not a command\n"""', 'text = """\n!not a command\n"""'),
        ("x = (7\n% 4)", "x = (7\n% 4)"),
        ("%%html\n<b>", ""),
        ("x = = 1", "x = = 1"),  # an error of the program's own stays
    ],
)
def test_plain_python(text, plain):
    assert plain_python(text)[0] == plain


def test_a_value_from_the_shell_fails_at_its_line(tmp_path, interpreter, capsys):
    assert main(["run", str(notebook(tmp_path, "print('before')\nfiles = !ls"))]) == 1
    shown = capsys.readouterr()
    assert shown.out == "before\n"
    assert shown.err.splitlines()[-1].startswith("RuntimeError: This line asks IPython or a shell for a value")


def test_old_notebooks():
    old = {
        "worksheets": [
            {"cells": [{"cell_type": "code", "input": ["x = 1\n", "y = 2"]}, {"cell_type": "markdown", "source": "t"}]}
        ]
    }
    assert code_cells(json.dumps(old).encode()) == [(1, "x = 1\ny = 2")]


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"cells": [1]}', b"\xff\xfe", b'{"cells": null}'])
def test_not_a_notebook(content):
    with pytest.raises(NotANotebook, match="it is not a notebook"):
        code_cells(content)
