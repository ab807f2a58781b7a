"""Every primitive on a device, eagerly: values and gradients are those of NumPy, and nothing is fetched to the host on
the way."""

import numpy as np
import pytest

from tapeflow.core.devices import Device, DeviceTensor, moved
from tapeflow.core.primitive import REGISTRY
from tests.ops.samples import one_of_each_kind
from tests.ops.test_interpretations import CASES as DIFFERENTIABLE, arrays, direction, function, pulled, tensors
from tests.ops.test_registry import parts, tf_tensor

from .test_kernels import CASES, NOT_ON_XLA, RANDOM, SAMPLES

pytest.importorskip("jax", reason="the extra `xla` is not installed")
from tapeflow.engines.xla import devices

GPU = Device("GPU", 0)
WHERE = [d for d in (Device("XLA_CPU", 0), GPU) if d in devices.logical()]
# Each sample is a compilation for every operation, so one for each primitive. All of them are compared in
# test_xla_kernels.
BY_VALUES = {"uncompress"}  # gradients whose size depends on values are computed on the host
FIRST = [name for name, k in DIFFERENTIABLE if k == 0 and name not in {*NOT_ON_XLA, *RANDOM, *BY_VALUES}]
SIGNS = {"eigh", "svd"}
OTHERS = [name for name, k in CASES if k == 0 and SAMPLES[name][k].args and name not in FIRST]


def same(got, want, name, device):
    rough = 20.0 if device == GPU else 1.0
    for a, b in zip(got, want, strict=True):
        assert type(a) is DeviceTensor, name
        a, b = np.asarray(a.array), np.asarray(b.array)
        assert (a.shape, a.dtype) == (b.shape, b.dtype), name
        if name not in RANDOM:
            precise = b.dtype in (np.float64, np.complex128, np.int64)
            rtol, atol = (1e-6, 1e-9) if precise else (1e-4, 1e-5)
            np.testing.assert_allclose(a, b, rtol=rough * rtol, atol=rough * atol, err_msg=name)


def test_there_is_a_gpu():
    if GPU not in WHERE:
        pytest.skip("no GPU here: what follows runs on the CPU as XLA has it")


@pytest.mark.parametrize("device", WHERE, ids=lambda d: d.kind)
@pytest.mark.parametrize("name", OTHERS)
def test_values(name, device):
    prim, sample = REGISTRY[name], SAMPLES[name][0]
    args = [tf_tensor(a) for a in sample.args]
    there = [moved(a, device) for a in args]
    same(
        parts(prim, prim.entry(*there, **sample.params)), parts(prim, prim.entry(*args, **sample.params)), name, device
    )


@pytest.mark.parametrize("device", WHERE, ids=lambda d: d.kind)
@pytest.mark.parametrize("name", one_of_each_kind(FIRST))
def test_gradients(name, device, monkeypatch):
    if device == GPU and name in SIGNS:
        pytest.skip("a GPU's solver gives the vectors another sign")
    f, xs = function(name, 0)
    xs = tensors(xs)
    outs = f(*xs)
    us = tensors(direction(arrays(outs), 1))
    want = pulled(f, xs, us)
    there, us_there = ([moved(t, device) for t in ts] for ts in (xs, us))
    with monkeypatch.context() as patch:
        patch.setattr(devices, "fetch", _refused)
        outs_there, got = f(*there), pulled(f, there, us_there)
    same(outs_there, outs, name, device)
    same(got, want, name, device)


def _refused(held):
    raise AssertionError("a value was fetched to the host")
