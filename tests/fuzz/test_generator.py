"""The generator of calls: every public function, the same calls from the same seed, calls as text and back."""

import pytest

import tapeflow as tf
from fuzz import generate, tables
from fuzz.calls import parse

NAMES = generate.names(tf)


@pytest.mark.parametrize("name", NAMES)
def test_every_public_function_can_be_called(name):
    """A public function whose arguments nothing describes fails here: add it to fuzz/tables, or to what is out of
    scope there."""
    for seed in range(3):
        call = generate.call(tf, name, seed)
        assert str(parse(str(call))) == str(call)
        assert str(generate.call(tf, name, seed)) == str(call)
        assert [len(t.shape) for t in call.tensors(tf)] == [len(leaf.shape) for leaf in call.leaves]


def test_tables_describe_what_there_is():
    assert not set(tables.described()) - set(generate.public(tf))
    assert not set(tables.OUT_OF_SCOPE) - set(generate.public(tf))


def test_most_calls_are_of_use():
    """Errors are compared, too, but a table that only makes errors is wrong."""
    failed = [name for name in NAMES if not any(_works(generate.call(tf, name, seed)) for seed in range(12))]
    assert not failed


def _works(call):
    try:
        call.run(tf, call.tensors(tf))
    except Exception:
        return False
    return True
