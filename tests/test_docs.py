"""Every code block of the documentation runs and prints what it says; and the check itself notices when one does not."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "docs_check.py"
spec = importlib.util.spec_from_file_location("docs_check", SCRIPT)
docs_check = importlib.util.module_from_spec(spec)
spec.loader.exec_module(docs_check)


@pytest.mark.parametrize("path", docs_check.files(), ids=lambda p: p.name)
def test_blocks_run(path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(SCRIPT), str(path)], capture_output=True, text=True, cwd=docs_check.ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_readme_and_contributing_have_blocks():
    for name in ("README.md", "CONTRIBUTING.md"):
        assert docs_check.blocks((docs_check.ROOT / name).read_text(encoding="utf-8"))


GOOD = "```python\nx = 2\nprint(x + 1)  # -> 3\nx * 2  # -> 4\n'abcdef'  # -> 'a...f'\n```\n"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (GOOD, 0),
        (GOOD + "\n```python\nprint(x)  # -> 2\n```\n", 0),  # names are shared
        ("```python\n1 + 1  # -> 3\n```\n", 1),
        ("```python\nundefined\n```\n", 1),
        ("<!-- not run: needs a printer -->\n```python\nundefined\n```\n", 0),
        ("<!-- not run: -->\n```python\nundefined\n```\n", 1),  # a reason is needed
    ],
)
def test_the_check_itself(tmp_path, text, count):
    page = tmp_path / "page.md"
    page.write_text(text)
    assert len(docs_check.problems(page)) == count
