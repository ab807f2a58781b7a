"""The tutorials: notebooks that run, whose stored outputs are those of a run, and which are pages of the site."""

import copy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import notebooks  # noqa: E402

sys.path.remove(str(ROOT / "scripts"))
FILES = notebooks.files()


def outputs(notebook):
    return [o for cell in notebook["cells"] if cell["cell_type"] == "code" for o in cell["outputs"]]


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_what_is_stored_is_complete(path):
    stored = notebooks.read(path)
    assert not notebooks.problems(path, stored)
    numbers = [cell["execution_count"] for cell in stored["cells"] if cell["cell_type"] == "code"]
    assert numbers == list(range(1, len(numbers) + 1)), "run from top to bottom"
    assert notebooks.cleaned(copy.deepcopy(stored)) == stored
    for cell in stored["cells"]:
        raises = "raises-exception" in cell["metadata"].get("tags", [])
        assert raises == any(o["output_type"] == "error" for o in cell.get("outputs", []))


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_tracebacks_end_at_the_line_of_the_user(path):
    for output in outputs(notebooks.read(path)):
        if output["output_type"] == "error":
            assert "tapeflow/" not in "".join(output["traceback"])


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_it_is_a_page(path):
    page = notebooks.page(path)
    assert page.startswith("# ") and f"]({path.name})" in page
    assert page.count("```python\n") == sum(c["cell_type"] == "code" for c in notebooks.read(path)["cells"])
    assert "\x1b" not in page and "Next:" in page


def test_what_differs_is_found():
    path = FILES[0]
    new = notebooks.read(path)
    assert not notebooks.problems(path, new)
    stream = next(o for o in outputs(new) if o["output_type"] == "stream")
    stream["text"] = "loss: 12.5 at first, 1e-3 at last\n"
    assert not notebooks.problems(path, new), "numbers may differ"
    stream["text"] = "lost: 12.5 at first, 1e-3 at last\n"
    assert len(notebooks.problems(path, new)) == 1
    stream["output_type"] = "error"
    stream.update(ename="ValueError", evalue="")
    assert len(notebooks.problems(path, new)) == 1


def test_pieces_of_what_is_printed_are_joined():
    piece = lambda text: {"output_type": "stream", "name": "stdout", "text": text}
    picture = {"output_type": "display_data", "data": {}}
    assert notebooks.joined([piece("a"), piece(["b\n"]), picture, piece("c")]) == [piece("ab\n"), picture, piece("c")]
