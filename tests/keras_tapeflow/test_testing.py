"""Keras' tests run without the frameworks that they import: who touches one is skipped, and nobody else."""

import pytest

from keras_tapeflow.testing import Absent


def test_touching_a_stand_in_skips():
    for touch in (lambda x: x.anything, lambda x: x(1), lambda x: x[0], list):
        with pytest.raises(pytest.skip.Exception, match="needs grain"):
            touch(Absent("grain"))


def test_a_module_may_be_imported_with_stand_ins_as_base_classes_and_decorators(monkeypatch):
    monkeypatch.setattr(Absent, "importing", True)
    grain = Absent("grain")

    class Source(grain.sources.RandomAccessDataSource):
        pass

    assert Source.__mro__ == (Source, object)
    assert isinstance(grain.decorator(lambda: 0), Absent)
