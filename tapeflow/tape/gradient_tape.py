"""`tf.GradientTape`: the public class of the tape."""

import logging
from typing import Any, NoReturn, Self, TypeVar, overload

from tapeflow.core.frames import current
from tapeflow.core.runtime.floating import quiet
from tapeflow.core.signatures import as_one, unannotated
from tapeflow.core.tensor import Tensor, identify
from tapeflow.core.variables.variable import Variable
from tapeflow.vectorize.mapped import MappedTensor

from . import jacobians, memory, seeds, unconnected
from .context import TapeContext, opened_outside
from .questions import Questions
from .recording import Recording, Refused, remains
from .results import Gradient, packed, paths_to, result, zeros_of
from .unconnected import Unconnected, UnconnectedGradients as UnconnectedGradients, gradient_mode
from .walk import walk

_NONE = UnconnectedGradients.NONE

K = TypeVar("K")
V = TypeVar("V")


@as_one(TapeContext, Questions)
class GradientTape(TapeContext, Questions):
    """Records operations, to compute gradients of their results.

    Args:
        persistent: Keep the records, so that gradients can be computed more than once.
        watch_accessed_variables: Watch trainable variables automatically when they are read; if False, only what is
            passed to `watch`.

    >>> x = tf.constant(3.)
    >>> with tf.GradientTape() as tape:
    ...     tape.watch(x)
    ...     y = x * x
    >>> tape.gradient(y, x).numpy()
    np.float32(6.0)

    Trainable variables are watched automatically when they are read, tensors after `watch`. A tape can be asked for
    one gradient (or Jacobian) only, unless it is `persistent`.
    """

    # ---- gradients

    @overload
    def gradient(
        self,
        target: Any,
        sources: Tensor | Variable,
        output_gradients: Any = None,
        unconnected_gradients: Unconnected = ...,
    ) -> Gradient: ...
    @overload
    def gradient(
        self, target: Any, sources: list[V], output_gradients: Any = None, unconnected_gradients: Unconnected = ...
    ) -> list[Gradient]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: tuple[Any, ...],
        output_gradients: Any = None,
        unconnected_gradients: Unconnected = ...,
    ) -> tuple[Gradient, ...]: ...
    @overload
    def gradient(
        self,
        target: Any,
        sources: dict[K, V],
        output_gradients: Any = None,
        unconnected_gradients: Unconnected = ...,
    ) -> dict[K, Gradient]: ...
    @overload
    def gradient(
        self, target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: Unconnected = ...
    ) -> Any: ...
    @unannotated
    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Unconnected = UnconnectedGradients.NONE,
    ) -> Any:
        """The gradient of the sum of all elements of `target` with respect to `sources`, in the structure of
        `sources`.

        `output_gradients`, one for each target and of its shape, are the weights of the sum. If the target does not
        depend on a source, its gradient is None, or zeros with `unconnected_gradients="zero"`; `"error"` raises and
        says why.

        Args:
            target: A tensor, or a structure of them, whose sum is differentiated.
            sources: Tensors or variables, alone or in a structure.
            output_gradients: The weights of the elements of `target`, in its structure; None: ones.
            unconnected_gradients: For sources that the target does not depend on: `none`, `zero`, or `error`.

        Returns:
            Gradients in the structure of `sources`: tensors, `tf.IndexedSlices`, or None.

        Raises:
            RuntimeError: If a tape that is not persistent is used a second time.
            TypeError: If `target` or `sources` are not tensors or variables.
            ValueError: With `unconnected_gradients="error"`, if the target does not depend on a source.

        >>> w = tf.Variable([1., 2.])
        >>> with tf.GradientTape(persistent=True) as tape:
        ...     y = tf.reduce_sum(w ** 3)
        >>> tape.gradient(y, {"w": w})["w"].numpy()
        array([ 3., 12.], dtype=float32)
        """
        mode = "none" if unconnected_gradients is _NONE else gradient_mode(unconnected_gradients)
        recording = self._usable()
        targets = seeds.checked_targets(target)
        leaves = seeds.checked_sources(sources)
        start = seeds.seeds(target, targets, output_gradients)
        if self._active:
            self._step_aside("gradient")
        graph = (
            unconnected.edges(recording) if mode == "error" else []
        )  # before the walk, which lets go of the records
        found, refused = self._walk(
            recording, paths_to(leaves, recording), targets, start, leaves, consume=not self._persistent
        )
        if mode == "error" and any(g is None for g in found):
            raise ValueError(unconnected.error_text(recording, graph, targets, sources, leaves, found, refused))
        if mode == "zero":
            found = [zeros_of(s) if g is None else g for s, g in zip(leaves, found)]
        return packed(sources, found)

    def _usable(self) -> Recording:
        recording = self._recording
        if recording is None:
            raise RuntimeError(
                "The tape recorded nothing: it was never entered. Compute the target inside `with tape:`."
            )
        if recording.spent:
            raise RuntimeError(
                "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians), and "
                "this one was. Ask for all sources in one call, or make the tape with persistent=True."
            )
        return recording

    @overload
    def jacobian(
        self,
        target: Any,
        sources: Tensor | Variable,
        unconnected_gradients: Unconnected = ...,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Gradient: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: list[V],
        unconnected_gradients: Unconnected = ...,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> list[Gradient]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: tuple[Any, ...],
        unconnected_gradients: Unconnected = ...,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> tuple[Gradient, ...]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: dict[K, V],
        unconnected_gradients: Unconnected = ...,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> dict[K, Gradient]: ...
    @overload
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Unconnected = ...,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any: ...
    @unannotated
    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Unconnected = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """The derivative of every element of `target` with respect to `sources`: shape target.shape + source.shape.

        Each backward walk computes many rows at once, as many as fit into some hundred megabytes.
        `parallel_iterations` sets their number; `experimental_use_pfor=False` (on a persistent tape) computes them one
        by one.

        Args:
            target: A tensor.
            sources: Tensors or variables, alone or in a structure.
            unconnected_gradients: For sources that the target does not depend on: `none` or `zero`.
            parallel_iterations: How many rows are computed at once; None: as many as fit.
            experimental_use_pfor: Compute many rows in one walk; otherwise each on its own.

        Returns:
            Jacobians in the structure of `sources`.

        Raises:
            RuntimeError: If a tape that is not persistent is used a second time, or with
                `experimental_use_pfor=False`.

        >>> x = tf.constant([1., 2.])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.jacobian(y, x).numpy().tolist()
        [[2.0, 0.0], [0.0, 4.0]]
        """
        leaves = seeds.checked_sources(sources)
        target = jacobians.checked_one(target, "target", "jacobian")
        pfor = experimental_use_pfor
        found = self._jacobian(
            target, sources, leaves, unconnected_gradients, parallel_iterations, pfor, batched=False
        )
        return packed(sources, found)

    @unannotated
    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Unconnected = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Gradient:
        """The Jacobian of each example of a batch: [batch, *target.shape[1:], *source.shape[1:]].

        Each row of the target must depend only on its own row of the source; otherwise derivatives are added up.
        The options are those of `jacobian`.

        Args:
            target: A tensor whose first axis is the batch.
            source: A tensor whose first axis is the batch.
            unconnected_gradients: What comes back if the target does not depend on the source: `none` or `zero`.
            parallel_iterations: How many rows are computed at once; None: as many as fit.
            experimental_use_pfor: Compute many rows in one walk; otherwise each on its own.

        Returns:
            A tensor, or None.

        Raises:
            ValueError: If the batches have different sizes.

        >>> x = tf.constant([[1., 2.], [3., 4.]])
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * x
        >>> tape.batch_jacobian(y, x).numpy().tolist()
        [[[2.0, 0.0], [0.0, 4.0]], [[6.0, 0.0], [0.0, 8.0]]]
        """
        target = jacobians.checked_one(target, "target", "batch_jacobian")
        source = jacobians.checked_one(source, "source", "batch_jacobian")
        jacobians.check_batches(target, source)
        pfor = experimental_use_pfor and (parallel_iterations is None or self._persistent)
        return self._jacobian(
            target, source, [source], unconnected_gradients, parallel_iterations, pfor, batched=True
        )[0]

    def _jacobian(
        self,
        target: Any,
        sources: Any,
        leaves: list,
        unconnected_gradients: Any,
        at_once: int | None,
        pfor: bool,
        batched: bool,
    ) -> list:
        """`at_once`: how many rows go together; None for as many as fit into memory. `pfor`: may they at all?"""
        mode = gradient_mode(unconnected_gradients)
        recording = self._usable()
        if not pfor and not self._persistent and current().executor is None:  # a graph keeps everything anyway
            raise RuntimeError(
                "experimental_use_pfor=False (or parallel_iterations) needs a tape made with persistent=True."
            )
        if self._active:
            self._step_aside("jacobian")
        [one] = seeds.checked_targets(target)
        paths = paths_to(leaves, recording)
        walk_from = lambda seed: self._walk(recording, paths, [one], [seed], leaves, consume=False)[0]
        rows = jacobians.Rows(one, leaves, batched, walk_from)
        guess = memory.guess(paths[2], [one, *leaves], one.dtype.size)
        found = rows.jacobians(at_once if pfor else 1, guess, mode == "zero")
        graph: Any = unconnected.edges(recording) if mode == "error" or recording.notes else None
        if mode == "error" and any(j is None for j in found):
            raise ValueError(unconnected.error_text(recording, graph, [one], sources, leaves, found))
        if not self._persistent:
            recording.spend()
            reached = {i for group, j in zip(paths[0], found) if j is not None for i in group}
            recording.end = (one.serial,), paths[1], tuple(reached), (), graph
        return [jacobians.of_dense(j, target) for j in found]

    def _step_aside(self, what: str) -> None:
        """Inside the tape's own context: a persistent tape goes on recording, another one stops for good."""
        if not self._persistent:
            self._leave()
        elif self._pause is None:
            logging.getLogger("tapeflow").warning(
                "Calling GradientTape.%s on a persistent tape inside its context is significantly less efficient "
                "than calling it outside the context: the gradient's own operations are recorded too. Do so only to "
                "differentiate them.",
                what,
            )

    def _walk(
        self, recording: Recording, paths: tuple, targets: list, start: list, leaves: list, consume: bool
    ) -> tuple[list, list[Refused]]:
        """The gradient of each source, along the `paths` to them: a tensor, IndexedSlices, or None. And what rules
        gave None for."""
        frame = current()
        plain = frame.eager and not frame.observers and not recording.on_tensors
        grads: dict[int, Any] = {}
        integers = None
        for target, seed in zip(targets, start):
            if type(target) is MappedTensor and _seen_below(recording, target):
                raise opened_outside("differentiate")
            if seed is None:
                if target.serial in recording.watched:  # integers of a primitive without a rule: the walk says so
                    seed = target
                else:
                    integers = target
            if seed is not None:
                i = target.serial or identify(target)
                seed = seed.array if plain else seeds.own(seed)
                grads[i] = grads[i] + seed if i in grads else seed
        ids, keep, records = paths
        listeners = recording.listeners
        if consume:
            recording.spent = True
            asked, graph = tuple(grads), unconnected.edges(recording) if recording.notes else None
            if remains.of is not None:
                recording.remains = remains.of(recording.records)
        if listeners:
            for listener in listeners:
                records = listener.before_walk(recording, records)
        if consume and records is not recording.records:
            recording.records.clear()
        with quiet():
            refused = walk(records, grads, keep, plain, recording.complex, consume)
            found = [result(grads, group, leaf, plain) for leaf, group in zip(leaves, ids)]
        if integers is not None and not grads:
            seeds.say_integer("target", integers)
        if consume:
            recording.end = asked, keep, tuple(grads), refused, graph
        if listeners:
            for listener in listeners:
                listener.after_walk(recording, leaves, found)
        return found, refused

    # ---- as a Python object

    def __copy__(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        return twin

    def __reduce__(self) -> NoReturn:
        raise TypeError("A GradientTape cannot be pickled or deep-copied: it holds what this process computed.")

    def __deepcopy__(self, memo: Any) -> NoReturn:
        self.__reduce__()


def _seen_below(recording: Recording, target: MappedTensor) -> bool:
    """Did the tape record all rows of the target as one tensor, and not the target itself?"""
    value: Tensor = target
    while type(value) is MappedTensor and value.serial not in recording.watched:
        value = value.held
    return value is not target and value.serial in recording.watched
