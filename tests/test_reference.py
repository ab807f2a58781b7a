"""The reference says of every public function what it takes and what it returns."""

import inspect
import sys
from pathlib import Path

import pytest

import tapeflow as tf

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
import reference
import reference_arguments


def test_every_parameter_and_result_is_explained():
    """By the docstring's sections, or by the tables of scripts/reference_parameters.py (CONTRIBUTING.md has the
    form)."""
    assert not reference.missing()


def test_no_constructor_of_the_library_s_own_is_shown():
    pages = reference.pages()
    assert "```python\nclass tf.data.Dataset\n```" in pages["reference/data.md"]
    assert set(reference.NOT_CALLED) <= {name for n in reference.namespaces() for name in n.names}
    for text in pages.values():
        assert "qualname=None" not in text, "the constructor of an enumeration"


def explained(x: tf.Tensor, axis: int = 0, *, much: float = 1.0) -> dict:
    """Something.

    Args:
        much: How much,
            in lines.

    Returns:
        A dict
        of it.

    Raises:
        ValueError: If it is
            too much.
        KeyError: If not.

    >>> 1
    1
    """


def test_sections_are_read_and_shown():
    doc = reference_arguments.read(inspect.getdoc(explained))
    assert doc.text == "Something.\n\n>>> 1\n1"
    assert doc.parameters == {"much": "How much, in lines."}
    assert doc.result == "A dict of it."
    assert doc.errors == {"ValueError": "If it is too much.", "KeyError": "If not."}
    shown = "\n".join(reference_arguments.section(explained, ["tf.explained"]))
    assert "- `x` (`Tensor`)\n- `axis` (`int`, default `0`): The axis" in shown
    assert "- `much` (`float`, default `1.0`): How much, in lines." in shown
    assert "**Returns** `dict`: A dict of it." in shown
    assert "- `ValueError`: If it is too much." in shown


def test_a_function_without_explanations_is_found():
    def new(x, strange, name=None):
        """Something.

        Args:
            wrong: It takes no such thing.
        """

    gaps = reference_arguments.gaps("tf.new", new, ["tf.new"])
    assert gaps == ["tf.new(strange)", "tf.new: its Args have wrong", "tf.new -> ?"]
    assert reference_arguments.gaps("tf.n", lambda x: x, ["tf.n"]) == ["tf.n has no docstring", "tf.n -> ?"]
    assert not reference_arguments.gaps("tf.explained", explained, ["tf.explained"])


@pytest.mark.parametrize(
    ("annotation", "written"),
    [
        (int | None, "int | None"),
        (tf.Tensor, "Tensor"),
        (list[tf.Tensor], "list[Tensor]"),
        (inspect.signature(tf.sin).parameters["x"].annotation, "TensorLike"),
        (inspect.signature(tf.reduce_sum).parameters["axis"].annotation, "AxisLike | None"),
        ("tf.Tensor | None", "Tensor | None"),
        (None, "None"),
    ],
)
def test_types_are_written_as_one_would_write_them(annotation, written):
    assert reference_arguments.type_name(annotation) == written
