"""Sample points for every primitive, one file per file of `tapeflow/ops`; a primitive without a sample fails the check."""

import importlib
import pkgutil


def all_samples():
    table = {}
    for module in pkgutil.iter_modules(__path__):
        found = getattr(importlib.import_module(f"{__name__}.{module.name}"), "SAMPLES", {})
        clash = table.keys() & found.keys()
        assert not clash, f"samples given twice: {clash}"
        table |= found
    return table
