"""Whole graphs on a device: compiled once, values stay there, and what a variable held gives its memory to what it holds next."""

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from tapeflow.core.devices import HOST, Device, DeviceTensor, LateTensor, Rounding
from tapeflow.core.errors import InternalError, ResourceExhaustedError
from tapeflow.core.frames import current
from tapeflow.core.refcounts import held_elsewhere
from tapeflow.core.tensor import EagerTensor, Tensor

from . import devices


class Program:
    """`run`, a function of JAX arrays, compiled for each device and each kind of arrays it is called with; from tensors to tensors.

    64 bits are on while it runs, whatever the program has set for its own use of jax. (That costs 1 µs of 6; a function compiled ahead of
    time would ask for it, too, and costs 2 more to call.) On the host, results are NumPy arrays: jax shares its memory with them, both ways.
    """

    def __init__(self, run: Callable, name: str, donated: Sequence[int] = ()) -> None:
        """`donated`: the inputs that are a variable's value, which is replaced afterwards."""
        run.__name__ = run.__qualname__ = "".join(c if c.isalnum() else "_" for c in name)
        self.function, self.name, self.donated = run, name, frozenset(donated)
        self.seen: dict[int, tuple] = {}  # by input: the last array of the host, where it was sent
        self.kept: dict[int, tuple] = {}  # by input: an array of the host that came again, where it was sent, as what
        self.compiled: dict[tuple[Device, bool], Callable] = {}
        self.latest: tuple = _NOTHING  # of these, with what it is for

    def __call__(self, *arrays: Any) -> tuple:
        """From NumPy's arrays to NumPy's arrays."""
        return tuple([t._array for t in self.on_tensors([EagerTensor(a) for a in arrays])])

    def on_tensors(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """The results, where they were computed. (On 4 floats this adds 1 µs to jax's 8.)"""
        device = current().device or self._device(tensors)
        latest, rounding, compiled = self.latest
        if device is not latest or rounding is not Rounding.allowed:
            compiled = self._compiled(device)
        try:
            if device is HOST or device.is_host:
                arrays, kept = [], self.kept
                for k, t in enumerate(tensors):
                    if type(t) is LateTensor:
                        arrays.append(devices.given(t._held, device) if k in self.donated and _others_hold(t) else t._held)
                        continue
                    before, there, sent = kept.get(k, _NOTHING)
                    again = before is t._array and there is device
                    arrays.append(sent if again else self._on_its_way(k, t._array, device))
                with jax.enable_x64(True):
                    out = compiled(*arrays)
                if self.donated:  # a step of many: nobody waits for it
                    return [LateTensor(a) for a in out]
                return [EagerTensor(a) for a in map(np.asarray, out)]
            arrays = self._sent(tensors, device)
            with jax.enable_x64(True):
                out = compiled(*arrays)
            return [DeviceTensor(a) for a in out]
        except jax.errors.JaxRuntimeError as error:
            kind = ResourceExhaustedError if "RESOURCE_EXHAUSTED" in str(error) else InternalError
            raise kind(None, None, f"{self.name} on {device.short}: {error}") from error
        except Exception as error:
            raise devices.without_notes(error) from error.__cause__

    def text(self, tensors: Sequence[Tensor], stage: str) -> str:
        """The program as XLA gets it ("hlo"), or as it compiled it ("optimized_hlo"), for tensors like these."""
        stages = ("hlo", "optimized_hlo")
        if stage not in stages:
            raise ValueError(f"stage must be one of {', '.join(stages)}, got {stage!r}.")
        with jax.enable_x64(True):
            lowered = jax.jit(self.function).lower(*[t._array for t in tensors])
            return lowered.as_text("hlo") if stage == "hlo" else lowered.compile().as_text()

    def _device(self, tensors: Sequence[Tensor]) -> Device:
        """That a value is on, or the first accelerator: where none is named."""
        for t in tensors:
            if type(t) is DeviceTensor:
                return devices.where(t._held)
        return devices.default()

    def _compiled(self, device: Device) -> Callable:
        key = device, Rounding.allowed
        if key not in self.compiled:  # (on the host, jax copies what NumPy has views of)
            self.compiled[key] = devices.compiled(self.function, device, tuple(self.donated))
        self.latest = *key, self.compiled[key]
        return self.compiled[key]

    def _sent(self, tensors: Sequence[Tensor], device: Device) -> list:
        """The arrays on a device, or on their way to it."""
        here, arrays = devices.sharding(device), []
        for k, t in enumerate(tensors):
            if type(t) is not DeviceTensor:
                arrays.append(self._on_its_way(k, t._array, device))
            elif t._held.sharding is not here and devices.where(t._held) != device:
                arrays.append(devices.brought(t._held, device))
            else:
                arrays.append(devices.given(t._held, device) if k in self.donated and _others_hold(t) else t._held)
        return arrays

    def _on_its_way(self, k: int, array: Any, device: Device) -> Any:
        """What comes again, a captured tensor or a variable that is not assigned, is sent once; the rest jax sends as it is called."""
        if k in self.donated:  # like what comes back, or jax would compile again
            return devices.given(array, device)
        if not array.ndim:
            return devices.put(array, device)
        before, there, sent = self.kept.get(k, _NOTHING)
        if before is array and there == device:
            return sent
        last, there = self.seen.get(k, _NEVER)
        if last() is not array or there != device:
            self.seen[k] = weakref.ref(array), device
            self.kept.pop(k, None)
            return array
        sent = devices.put(array, device)
        self.kept[k] = array, device, sent  # held, so that its variable does not change it in place
        return sent


_NOTHING: tuple = None, None, None
_NEVER: tuple = (lambda: None), None


def _others_hold(tensor: DeviceTensor) -> bool:
    """Does anybody but a variable and this tensor, which was read from it for this call, hold the array?"""
    return held_elsewhere(tensor, "_held", known=2)
