"""Compiled programs on a device: values stay there, and a variable's old buffer is donated to its new value."""

import sys
import weakref
from collections.abc import Callable, Iterable, Sequence
from itertools import chain, starmap
from typing import Any

import jax
import numpy as np

from tapeflow.core.devices import HOST, DeviceTensor, LateTensor, Mesh, Place, Serving
from tapeflow.core.errors import InternalError, ResourceExhaustedError
from tapeflow.core.frames import current
from tapeflow.core.runtime import settings
from tapeflow.core.runtime.refcounts import held_elsewhere
from tapeflow.core.runtime.undisturbed import undisturbed
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.commits import announce, at_once, replacing, stored
from tapeflow.core.variables.variable import Variable

from . import devices, meshes, processes


class Program:
    """`run`, a function of JAX arrays, compiled for each device and each kind of arrays it is called with; from
    tensors to tensors.

    64 bits are on while it runs, whatever the program has set for its own use of jax. (That costs 1 µs of 6; a
    function compiled ahead of time would ask for it, too, and costs 2 more to call.) On the host, results are NumPy
    arrays: jax shares its memory with them, both ways.
    """

    def __init__(self, run: Callable, name: str, donated: Sequence[int] = ()) -> None:
        """`donated`: the inputs that are a variable's value, which is replaced afterwards."""
        run.__name__ = run.__qualname__ = "".join(c if c.isalnum() else "_" for c in name)
        self.function, self.name, self.donated = run, name, frozenset(donated)
        self.seen: dict[int, tuple] = {}  # by input: the last array of the host, where it was sent
        self.kept: dict[int, tuple] = {}  # by input: an array of the host that came again, where it was sent, as what
        self.compiled: dict[tuple, Callable] = {}  # by the device and the rounding; on a mesh, by layouts, too
        self.compared: set[tuple] = set()  # of these, on meshes of several processes, with kinds of arrays
        self.latest: tuple = _NOTHING  # of these, with what it is for
        self.direct: set[tuple] = set()  # of these, with kinds of arrays: jax calls them without Python

    def __call__(self, *arrays: Any) -> tuple:
        """From NumPy's arrays to NumPy's arrays."""
        return tuple([t.array for t in self.on_tensors([EagerTensor(a) for a in arrays])])

    def on_tensors(self, tensors: Sequence[Tensor], assigned: Sequence[Variable] = ()) -> list[Tensor]:
        """The results, where they were computed. (On 4 floats this adds 1 µs to jax's 8.) The last ones become the
        values of `assigned` instead (see `replacing`); only then are these variables' own arrays given away."""
        if Serving.lost:
            devices.lost()
        device = current().device or self._device(tensors, assigned)
        latest, rounding, compiled = self.latest
        if device is not latest or rounding is not settings.tensor_float_32:
            compiled = self._compiled(device)
        try:
            if isinstance(device, Mesh):
                return self._on_mesh(device, tensors, assigned)
            if device is HOST or device.is_host:
                arrays, kept = [], self.kept
                for k, t in enumerate(tensors):
                    if type(t) is LateTensor:
                        lent = k in self.donated and (not assigned or _others_hold(t))
                        arrays.append(devices.given(t.held, device) if lent else t.held)
                        continue
                    before, there, sent = kept.get(k, _NOTHING)
                    again = before is t.array and there is device
                    arrays.append(sent if again else self._on_its_way(k, t.array, device))
                if self.donated:  # a step of many: nobody waits for it
                    return self._step(compiled, arrays, tuple(map(type, arrays)), assigned, LateTensor)
                with jax.enable_x64(True):
                    return stored([EagerTensor(a) for a in map(np.asarray, compiled(*arrays))], assigned)
            arrays = self._sent(tensors, device, bool(assigned))
            return self._step(
                compiled, arrays, tuple([getattr(a, "sharding", None) for a in arrays]), assigned, DeviceTensor
            )
        except jax.errors.JaxRuntimeError as error:
            kind = ResourceExhaustedError if "RESOURCE_EXHAUSTED" in str(error) else InternalError
            raise kind(None, None, f"{self.name} on {device.short}: {error}") from error
        except Exception as error:
            raise devices.without_notes(error) from error.__cause__

    def _on_mesh(self, mesh: Mesh, tensors: Sequence[Tensor], assigned: Sequence[Variable]) -> list[Tensor]:
        """Variables stay spread as they are, whatever XLA would find better."""
        layouts = tuple([meshes.layout(v.held, mesh) for v in assigned])
        key = mesh, settings.tensor_float_32, layouts
        if key not in self.compiled:
            run = meshes.giving(self.function, layouts) if layouts else self.function
            self.compiled[key] = devices.compiled(run, mesh, tuple(self.donated))
        arrays = self._sent(tensors, mesh, bool(assigned))
        kinds = tuple([getattr(a, "sharding", None) for a in arrays])
        if mesh.grid.is_multi_process:
            self._compare(self.compiled[key], arrays, (key, kinds, tuple([(a.shape, a.dtype) for a in arrays])))
        with meshes.turn(mesh) as finish:
            found = self._step(self.compiled[key], arrays, kinds, assigned, DeviceTensor)
            finish([t.held for t in found] + [v.held for v in assigned])
        return found

    def _compare(self, compiled: Any, arrays: list, kinds: tuple) -> None:
        """Is the program that of the other processes, too? Asked once for each kind of arrays."""
        if kinds not in self.compared:
            with jax.enable_x64(True):
                processes.compare(self.name, lambda: compiled.lower(*arrays).as_text())
            self.compared.add(kinds)

    def _step(
        self, compiled: Callable, arrays: list, kinds: tuple, assigned: Sequence[Variable], kind: type[DeviceTensor]
    ) -> list:
        """The results, as tensors of a `kind`, but the last, which are assigned. The memory of the values before may
        be gone as soon as the program runs: the call and what follows are one instruction of Python, which no Ctrl-C
        can cut. That holds where jax's call is a function of C, which it is when it has met arrays of these `kinds`
        before; until then it runs where no signal is delivered."""
        if not assigned:
            with jax.enable_x64(True):
                return [kind(a) for a in compiled(*arrays)]
        found: list = [()]
        call = map(found.__setitem__, (0,), starmap(compiled, (arrays,)))
        last = chain.from_iterable(
            map(reversed, found)
        )  # from the end: how many results are in front, only the call will say
        whole = chain(call, replacing(assigned[::-1], last, kind))
        if (compiled, kinds) in self.direct:
            with jax.enable_x64(True):
                at_once(whole)
        elif _ran_in_c(whole):
            self.direct.add((compiled, kinds))
        [out], count = found, len(assigned)
        if current().audience:
            announce(assigned, [kind(a) for a in out[-count:]])
        return [kind(a) for a in out[:-count]]

    def text(self, tensors: Sequence[Tensor], stage: str) -> str:
        """The program as XLA gets it ("hlo"), or as it compiled it ("optimized_hlo"), for tensors like these."""
        stages = ("hlo", "optimized_hlo")
        if stage not in stages:
            raise ValueError(f"stage must be one of {', '.join(stages)}, got {stage!r}.")
        with jax.enable_x64(True):
            lowered = jax.jit(self.function).lower(*[t.array for t in tensors])
            return lowered.as_text("hlo") if stage == "hlo" else lowered.compile().as_text() or ""

    def _device(self, tensors: Sequence[Tensor], assigned: Sequence[Variable]) -> Place:
        """That a value is on, or the first accelerator: where none is named."""
        for t in tensors:
            if type(t) is DeviceTensor:
                return devices.where(t.held)
        for v in assigned:
            if v.is_on_device:
                return devices.where(v.held)
        return devices.default()

    def _compiled(self, device: Place) -> Callable:
        key = device, settings.tensor_float_32
        if key not in self.compiled:  # (on the host, jax copies what NumPy has views of)
            self.compiled[key] = devices.compiled(self.function, device, tuple(self.donated))
        self.latest = *key, self.compiled[key]
        return self.compiled[key]

    def _sent(self, tensors: Sequence[Tensor], device: Place, giving: bool) -> list:
        """The arrays on a device, or on their way to it. `giving`: what is given away may be the variables' own."""
        here, arrays = devices.sharding(device), []
        for k, t in enumerate(tensors):
            if type(t) is not DeviceTensor:
                arrays.append(self._on_its_way(k, t.array, device))
            elif t.held.sharding is not here and devices.where(t.held) != device:
                arrays.append(devices.brought(t.held, device))
            else:
                lent = k in self.donated and (not giving or _others_hold(t))
                arrays.append(devices.given(t.held, device) if lent else t.held)
        return arrays

    def _on_its_way(self, k: int, array: Any, device: Place) -> Any:
        """What comes again, a captured tensor or a variable that is not assigned, is sent once; the rest jax sends as
        it is called."""
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


def _ran_in_c(calls: Iterable) -> bool:
    """Run through the calls to the end, where Ctrl-C cannot cut them. Were they all functions of C, which called no
    Python?"""
    heard: list[str] = []

    def run() -> None:
        with jax.enable_x64(True):  # holds for one thread
            sys.setprofile(lambda frame, event, _: heard.append(event))
            try:
                at_once(calls)
            finally:
                sys.setprofile(None)

    undisturbed(run)
    return "call" not in heard


def _others_hold(tensor: DeviceTensor) -> bool:
    """Does anybody but a variable and this tensor, which was read from it for this call, hold the array?"""
    return held_elsewhere(tensor, "held", known=2)
