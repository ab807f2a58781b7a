"""The support table: as committed it is what the package says now, and what it calls supported is there."""

import importlib.util
import json
from pathlib import Path

import pytest

from tapeflow.programs import support

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "support_table.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("support_table", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def survey(script):
    return json.loads((SCRIPT.parent / "survey.json").read_text(encoding="utf-8"))


def test_what_is_committed_is_up_to_date(script, survey):
    stale = "run python scripts/support_table.py"
    assert script.DATA.read_text(encoding="utf-8") == script.data(survey), stale
    assert script.PAGE.read_text(encoding="utf-8") == script.page(survey), stale


def test_every_name_of_the_survey_is_in_the_table(survey):
    """The sizes are those of the survey: four groups, what comes after, whole programs, Keras, tf.data, members,
    features."""
    sizes = [len(section["names"]) for section in survey]
    assert sizes == [71, 66, 81, 45, 25, 125, 39, 46, 55, 25, 19, 32, 12, 21, 15, 51]
    names = {entry["name"] for section in survey for entry in section["names"] if "feature" not in entry}
    assert names == set(support.table())


def test_supported_names_resolve():
    supported = [name for name, entry in support.table().items() if entry["status"] != support.MISSING]
    instances = {"tf.keras.optimizers.Optimizer.learning_rate", "tf.keras.optimizers.Optimizer.iterations"}
    for name in set(supported) - instances:
        support.find(name)
    assert len(supported) > 500


def test_every_other_name_has_a_reason():
    without = [
        name
        for name, entry in support.table().items()
        if entry["status"] != support.SUPPORTED and not entry.get("note")
    ]
    assert not without


def test_notes_are_about_names_that_are_there(script):
    """A note in the hand-kept tables that nothing needs any more is to go."""
    assert not [name for name in script.PARTLY if script._status(name)[0] != support.PARTLY]
    assert not [name for name in script.REASONS if script._status(name)[0] != support.MISSING]


def test_the_page_links_to_the_documentation(script):
    page = script.PAGE.read_text(encoding="utf-8")
    assert "[`tf.GradientTape`](reference/tf.md#tf.GradientTape) | 497 | supported |" in page
    assert (
        "[`tf.keras.layers.Dense`](https://www.tensorflow.org/api_docs/python/tf/keras/layers/Dense) | 196 | "
        "supported |" in page
    )
    assert "| **not** |" in page


def test_every_primitive_is_in_the_table_of_exports(script):
    """As the tables of rules have it; a page that is not up to date fails above."""
    from tapeflow.core.primitive import REGISTRY

    rows = [line for line in script.PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    shown = {line.split("`")[1]: line for line in rows if line.count("|") == 5}
    assert REGISTRY.keys() <= shown.keys()
    assert shown["matmul"] == "| `matmul` | yes | yes | yes |"
    for name in ("lgamma", "string_strip", "nonzero"):
        found = script.exports.formats(name)
        assert "no" in {word for word, _ in found.values()}
        assert all(bool(why) == (word == "no") for word, why in found.values())
