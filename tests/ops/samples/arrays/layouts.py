"""Samples for `tapeflow/ops/arrays/layouts.py`: without a mesh. With one: `tests/engines/xla/test_meshes.py`."""

from ..sample import EMPTY, SCALAR, normal, of, referred

SAMPLES = {
    "laid_out": [
        of(normal(3, 4), mesh=None, axes=("batch", None)),
        of(SCALAR, mesh=None, axes=()),
        of(EMPTY, mesh=None, axes=(None,)),
    ]
}
SAMPLES = referred(SAMPLES, laid_out=lambda x, **_: x)
