"""Sample points for every primitive, one file per file of `tapeflow/ops`; a primitive without a sample fails the
check."""

import importlib
import pkgutil

import pytest


def modules():
    for module in pkgutil.walk_packages(__path__, f"{__name__}."):
        yield getattr(importlib.import_module(module.name), "SAMPLES", {})


def all_samples():
    table = {}
    for found in modules():
        clash = table.keys() & found.keys()
        assert not clash, f"samples given twice: {clash}"
        table |= found
    return table


def one_of_each_kind(names):
    """The names, as arguments of tests: those take long that are not the first of their kind of mathematics, which is
    a file each."""
    first = {next((name for name in names if name in found), None) for found in modules()}
    return [name if name in first else pytest.param(name, marks=pytest.mark.long) for name in names]
