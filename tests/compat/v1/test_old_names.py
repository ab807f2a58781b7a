"""What has moved is there under both names, and no name is said to be moved and to be gone."""

import pytest

import tapeflow as tf
from tapeflow.compat.v1.old_names import GRAPHS, NAMESPACES, OLD_NAMES


def reached(path):
    value = tf
    for part in path.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize("old", sorted(OLD_NAMES))
def test_a_moved_name(old):
    assert reached(f"compat.v1.{old}") is reached(OLD_NAMES[old])


def test_the_tables_do_not_contradict_each_other():
    assert not OLD_NAMES.keys() & GRAPHS.keys() and not OLD_NAMES.keys() & NAMESPACES.keys()
    assert all(reason.endswith(".") for reason in [*GRAPHS.values(), *NAMESPACES.values()])
