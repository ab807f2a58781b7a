"""Arrays that processes exchange outside of programs: here, of one process, which exchanges them with itself.
`tests/distribute/test_workers.py` has two."""

import ml_dtypes
import numpy as np
import pytest

pytest.importorskip("jax", reason="the extra `xla` is not installed")
from tapeflow.engines.xla import exchanges


@pytest.mark.parametrize(
    "array",
    [
        np.float32(2.5),
        np.arange(6, dtype="int64").reshape(2, 3).T,
        np.zeros((0, 3), "complex64"),
        np.array([True, False]),
        np.array([[1.5], [-2]], ml_dtypes.bfloat16),
        np.arange(5000.0),
        np.array([[b"one", b""], [b"\0two\0", "drei"]], object),
        np.array([b"x" * 5000, b""], object),
        np.array([], object),
    ],
    ids=lambda a: f"{np.asarray(a).dtype}{np.shape(a)}",
)
def test_arrays_come_as_they_were(array):
    wanted = np.asarray(array)
    for found in (*exchanges.of_each(wanted), *exchanges.of_one_kind(wanted), exchanges.of_first(wanted)):
        assert found.dtype == wanted.dtype and found.shape == wanted.shape
        texts = lambda x: [t if isinstance(t, bytes) else t.encode() for t in x.ravel()]
        assert texts(found) == texts(wanted) if wanted.dtype.kind == "O" else (found == wanted).all()


@pytest.mark.parametrize(("size", "count"), [(1, 1), (1000, 1), (2000, 2)])
def test_small_arrays_take_one_exchange(monkeypatch, size, count):
    seen, before = [], exchanges._exchanged
    monkeypatch.setattr(exchanges, "_exchanged", lambda own, run: [seen.append(len(own)), before(own, run)][1])
    exchanges.of_each(np.zeros(size, "float32"))
    assert len(seen) == count


def test_more_devices_than_there_are():
    with pytest.raises(ValueError, match="All workers must have the same number of devices"):
        exchanges.devices_of_each(1000)
