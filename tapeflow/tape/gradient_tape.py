"""GradientTape: what a program sees of the tape."""

import contextlib
import enum
import logging
import threading
from typing import Any

import numpy as np

from tapeflow.core import nest
from tapeflow.core.frames import current, enter
from tapeflow.core.primitive import bare, recorded
from tapeflow.core.slices import SparseGradient, finished
from tapeflow.core.tensor import EagerTensor, Tensor, next_id
from tapeflow.core.variable import Variable

from . import seeds, unconnected
from .recording import Pause, Recording
from .walk import accumulate, walk

_enter_lock = threading.Lock()


class UnconnectedGradients(enum.Enum):
    """What `tape.gradient` gives for a source that the target does not depend on.

    >>> import tapeflow as tf
    >>> [u.value for u in tf.UnconnectedGradients]
    ['none', 'zero']
    """

    NONE = "none"
    ZERO = "zero"


class GradientTape:
    """Records operations so that their gradients can be asked for.

    >>> import tapeflow as tf
    >>> x = tf.constant(3.)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x).numpy()
    np.float32(6.0)

    Trainable variables are watched by themselves when they are read; tensors are watched with `watch`. A tape gives one gradient
    (or Jacobian) and is then spent, unless it is `persistent`.
    """

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent = bool(persistent)
        self._watch_accessed_variables = watch_accessed_variables
        self._recording: Recording | None = None
        self._active = False
        self._pause: Pause | None = None

    # ---- the context

    def __enter__(self):
        with _enter_lock:
            if self._active:
                raise ValueError("Tape is already recording. A tape can be entered again only after it was left; make a second tape to nest.")
            self._active = True
        if self._recording is None or self._recording.spent:
            self._recording = Recording(self._watch_accessed_variables)
        enter(current().watched_by(self._recording))
        return self

    def __exit__(self, *_):
        if self._active:
            self._leave()
            self._active = False

    def _leave(self) -> None:
        frame = current()
        if self._recording in frame.observers:
            enter(frame.without(self._recording))

    def _renew(self) -> None:
        """An empty record in the place of the old one, without leaving the context."""
        self._leave()
        self._recording = Recording(self._watch_accessed_variables)
        enter(current().watched_by(self._recording))

    # ---- what is recorded

    def watch(self, tensor):
        """Record what is computed from `tensor` from now on: a tensor, a variable, or any nest of them."""
        if not self._active:
            raise RuntimeError("Cannot watch: the tape is not recording. Call tape.watch(x) inside the tape's `with` block.")
        for leaf in nest.flatten(tensor):
            self._watch_one(leaf)

    def _watch_one(self, value: Any) -> None:
        given = value
        value = getattr(value, "_differentiable", value)
        if not isinstance(value, (Tensor, Variable)):
            raise ValueError(
                f"Passed in object {given!r} of type {type(given).__name__!r}, not tf.Tensor or tf.Variable or ExtensionType. "
                "Make a tensor of it first: x = tf.constant(value); tape.watch(x)."
            )
        if value.dtype.kind == "s":
            raise TypeError("Cannot watch a string tensor: only floating and complex tensors have gradients.")
        if not value.dtype.is_inexact:
            logging.getLogger("tapeflow").warning(
                "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r; its gradient will be None.", value.dtype
            )
        if isinstance(value, Variable):
            self._recording.watch_variable(value)
        elif value.dtype.is_inexact:
            self._recording.watch(value)

    @contextlib.contextmanager
    def stop_recording(self):
        """Inside this context the tape records nothing: what is computed there is a constant to it."""
        if self._recording is None or self._recording.spent and not self._active:
            raise RuntimeError("Trying to exit or pause a tape that is not recording: stop_recording() belongs inside the tape's `with` block.")
        if not self._active or self._pause is not None:
            raise ValueError("Tape is not recording: stop_recording() was called outside the tape's `with` block or inside another stop_recording().")
        recording = self._recording
        self._pause = pause = Pause(recording)
        enter(current().without(recording).watched_by(pause))
        try:
            yield
        finally:
            self._pause = None
            enter(current().without(pause))
            if not recording.spent:
                enter(current().watched_by(recording))

    def reset(self):
        """Forgets everything recorded and watched. Only inside the tape's `with` block."""
        if not self._active:
            raise ValueError("Tape is not recording: reset() belongs inside the tape's `with` block.")
        self._renew()

    def watched_variables(self):
        """The variables watched so far, in the order they were created."""
        if self._recording is None:
            return ()
        return tuple(v for _, v in sorted(self._recording.variables.items()))

    # ---- gradients

    def gradient(self, target, sources, output_gradients=None, unconnected_gradients=UnconnectedGradients.NONE):
        """The gradient of the sum of all elements of `target` with respect to `sources`, in the structure of `sources`.

        `output_gradients`, one for each target and of its shape, weigh the elements of the sum. A source that the target does
        not depend on gives None, or zeros with `unconnected_gradients="zero"`, or an error that says why with `"error"`.

        >>> import tapeflow as tf
        >>> w = tf.Variable([1., 2.])
        >>> with tf.GradientTape(persistent=True) as tape:
        ...     y = tf.reduce_sum(w ** 3)
        >>> tape.gradient(y, {"w": w})["w"].numpy()
        array([ 3., 12.], dtype=float32)
        """
        mode = _mode(unconnected_gradients)
        recording = self._usable()
        targets = seeds.checked_targets(target)
        leaves = seeds.checked_sources(sources)
        start = seeds.seeds(target, targets, output_gradients)
        if self._active:
            if self._persistent:
                if self._pause is None:
                    logging.getLogger("tapeflow").warning(
                        "Calling GradientTape.gradient on a persistent tape inside its context is significantly less efficient "
                        "than calling it outside the context (it causes the gradient ops to be recorded on the tape). Only do so "
                        "if you want derivatives of the gradient; otherwise call it after the `with` block."
                    )
            else:
                self._leave()
        graph = unconnected.edges(recording) if mode == "error" else []
        found = self._walk(recording, targets, start, leaves)
        if mode == "error" and any(g is None for g in found):
            raise ValueError(unconnected.explain(recording, graph, targets, sources, leaves, found))
        if mode == "zero":
            found = [_zeros(s) if g is None else g for s, g in zip(leaves, found)]
        return _packed(sources, leaves, found)

    def _usable(self) -> Recording:
        recording = self._recording
        if recording is None:
            raise RuntimeError("The tape recorded nothing: it was never entered. Compute the target inside `with tape:`.")
        if recording.spent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians), and this one was. "
                "Ask for all sources in one call, or make the tape with persistent=True."
            )
        return recording

    def _walk(self, recording: Recording, targets: list, start: list, leaves: list) -> list:
        """The gradient of each source: a tensor, IndexedSlices, or None."""
        frame = current()
        plain = frame.eager and not frame.observers and all(type(t) is EagerTensor for t in [*targets, *start] if isinstance(t, Tensor))
        ids = [_source_ids(recording, s) for s in leaves]
        grads: dict[int, Any] = {}
        for target, seed in zip(targets, start):
            if seed is not None:
                i = _id_of(target)
                grads[i] = grads[i] + seed if i in grads else seed
        if plain:
            grads = {i: g._array for i, g in grads.items()}
        else:
            for observer in frame.observers:
                _retell_reads(recording, observer)
        if not self._persistent:
            recording.spent = True
        keep = {i for group in ids for i in group}
        with np.errstate(all="ignore"):
            walk(
                recording.records, grads, keep, plain=plain, conjugate=recording.complex, consume=not self._persistent
            )
        results = []
        for leaf, group in zip(leaves, ids):
            total = None
            for i in group:
                total = accumulate(bare if plain else recorded, total, grads.get(i))
            results.append(_result(total, leaf, plain))
        return results

    # ---- as a Python object

    def __copy__(self):
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def __reduce__(self):
        raise TypeError("A GradientTape cannot be pickled or deep-copied: it holds what this process computed.")

    def __deepcopy__(self, memo):
        return self.__reduce__()


def _mode(value: Any) -> str:
    if isinstance(value, UnconnectedGradients):
        return value.value
    if value in ("none", "zero", "error"):
        return value
    raise ValueError(f"Unknown value for unconnected_gradients: {value!r}. It is 'none', 'zero', 'error' or a tf.UnconnectedGradients.")


def _source_ids(recording: Recording, source: Any) -> list[int]:
    """Every id under which the source's gradient arrives: a variable has one for each of its reads."""
    source = getattr(source, "_differentiable", source)
    if isinstance(source, Variable):
        return [source._id, *recording.reads.get(source._id, ())]
    return [_id_of(source)]


def _id_of(value: Any) -> int:
    if not value._id:
        value._id = next_id()
    return value._id


def _retell_reads(recording: Recording, observer: Any) -> None:
    """The recorded walk uses values that were read from variables earlier; whoever records it should know them as such."""
    if isinstance(observer, Recording) and observer is not recording:
        for variable_id, ids in recording.reads.items():
            variable = recording.variables[variable_id]
            known = observer.reads.get(variable_id)
            if known is None and observer.watch_accessed and variable.trainable:
                observer.watch_variable(variable)
                known = observer.reads[variable_id]
                known.extend(ids)
                observer.watched.update(ids)


def _result(g: Any, source: Any, plain: bool) -> Any:
    if g is None:
        return None
    if type(g) is SparseGradient:
        return finished(g)
    if plain:
        wanted = source.dtype.np
        g = EagerTensor(g if g.dtype == wanted else g.astype(wanted))
    return g


def _packed(sources: Any, leaves: list, found: list) -> Any:
    """The gradients in the structure of `sources`, composites as composites."""
    if isinstance(sources, (Tensor, Variable)):
        return found[0]
    found = [
        s._with_differentiable(g) if g is not None and hasattr(s, "_with_differentiable") else g for s, g in zip(leaves, found)
    ]
    return nest.pack_as(sources, found)


def _zeros(source: Any) -> Tensor:
    source = getattr(source, "_differentiable", source)
    return EagerTensor(np.zeros(tuple(source.shape), source.dtype.np))
