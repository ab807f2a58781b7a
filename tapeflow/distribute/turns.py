"""Replicas by turns: how a function is run for each replica where no program of XLA does it for all.

Each replica has a thread, and exactly one of them runs. It hands over where it needs the others, at a collective, an
assignment to a mirrored variable or a `merge_call`; when all have arrived at this *meeting*, the last one computes
for all, and they go on, in the order of their numbers. So there are no races, `print` comes in order, and a meeting to
which not all come is noticed.

A replica's operations run in the frame of whoever called `strategy.run`, one below its own: a tape around the call
records those of all replicas, and what they compute together as one operation on the tensors of all.
"""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.core.contracts import BackwardRule, Executor, Operation
from tapeflow.core.devices import Device, placed, raw
from tapeflow.core.errors import user_place
from tapeflow.core.frames import Frame, below, current, entered, has_an_effect
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.random.streams import fresh_key, per_row
from tapeflow.core.runtime.contexts import continued
from tapeflow.core.runtime.replicas import carried
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.policies import VariableAggregation

from .combining import combined, combined_rows
from .contexts import Replica, entered_context
from .values import regrouped, selected
from .workers import everywhere_of


class Abandoned(BaseException):
    """Another replica has failed: this one ends where it waits."""


class Turns:
    """One run of a function by the replicas that compute at these places."""

    def __init__(self, places: Sequence[Device | None]) -> None:
        self.places, self.everywhere = places, everywhere_of(places)
        self.own = self.count = len(places)
        self.numbers = range(self.own)
        if self.everywhere is not None:
            self.count, self.numbers = self.everywhere.count, self.everywhere.numbers
        self.batons = [threading.Semaphore(0) for _ in places]
        self.arrived: list[Any] = [None] * self.own  # (what they came for, what they brought), by replica
        self.outcomes: list[Any] = [None] * self.own
        self.finished = [False] * self.own
        self.over = threading.Semaphore(0)  # the last one has finished, or one has failed
        self.error: BaseException | None = None
        self.keys: list[Sequence[Tensor]] = []  # of the draws of random numbers, in order, one for each replica
        self.made: dict[Any, Any] = {}  # variables, by the line that made them, and how many it has made before

    # ---- the whole

    def run(self, functions: Sequence[Callable[["ReplicaExecutor"], Any]]) -> list:
        """What the functions return, each in a frame of its own replica."""
        outside, settings = current(), [carry() for carry in carried]
        bodies = [
            continued(self._replica(k, function, outside.on(device) if device is not None else outside))
            for k, (function, device) in enumerate(zip(functions, self.places))
        ]

        def elsewhere(k: int) -> None:
            for set_up in settings:
                set_up()
            self.batons[k].acquire()
            bodies[k]()

        threads = [threading.Thread(target=elsewhere, args=(k,), daemon=True) for k in range(1, self.own)]
        for thread in threads:
            thread.start()
        try:
            bodies[0]()  # here, where Ctrl-C arrives
            if self.error is None:
                self.over.acquire()
        except BaseException as error:
            self.error = self.error or error
        for k, thread in enumerate(threads, 1):  # after an error they end one after the other, too
            if self.error is not None:
                self.batons[k].release()
            thread.join()
        if self.error is not None:
            raise self.error
        return self.outcomes

    def _replica(self, k: int, function: Callable, frame: Frame) -> Callable[[], None]:
        def run() -> None:
            try:
                if self.error is not None:
                    return
                executor = ReplicaExecutor(self, k)
                with entered(Frame(executor, (), frame, frame.device)):
                    self.outcomes[k] = function(executor)
                self.finished[k] = True
                if k + 1 < self.own:
                    self.batons[k + 1].release()
                elif all(self.finished):
                    self.over.release()
                else:
                    self._mismatch()
            except Abandoned:
                pass
            except BaseException as error:
                if self.error is None:
                    self.error = error
            finally:
                if self.error is not None and k:  # who waits in the caller's thread ends first
                    self.batons[0].release()
                    self.over.release()

        return run

    def _mismatch(self) -> None:
        raise RuntimeError(
            "Some replicas made a different number of replica_context().merge_call() calls, collectives or "
            "assignments to mirrored variables: "
            + ", ".join(
                f"replica {self.numbers[k]} {'has finished' if done else f'waits at {self.arrived[k][0]}'}"
                for k, done in enumerate(self.finished)
            )
            + ". All replicas must make the same ones, in the same order."
        )

    # ---- meetings

    def meet(
        self, k: int, what: str, brought: Any, settle: Callable[[list], Sequence], of_all: Callable[[list], list]
    ) -> Any:
        """The `k`-th replica has come to a meeting. What `settle` of the things that all have brought, which the last
        one calls, gives for it; `of_all` makes a list of them, of what the replicas here have brought."""
        self.arrived[k] = what, brought
        if k + 1 == self.own:
            if any(self.finished) or len({name for name, _ in self.arrived}) > 1:
                self._mismatch()
            with below():
                settled = settle(of_all([thing for _, thing in self.arrived]))
                self.settled = [settled[n] for n in self.numbers]
            self.arrived = [None] * self.own
            self.batons[0].release()
        else:
            self.batons[k + 1].release()
        self.batons[k].acquire()
        if self.error is not None:
            raise Abandoned
        return self.settled[k]


class ReplicaExecutor(Executor):
    """Runs one replica's operations in the frame below, and takes collectives to a meeting."""

    __slots__ = ("turns", "place", "number", "draws", "creations")

    def __init__(self, turns: Turns, place: int) -> None:
        self.turns, self.place, self.number, self.draws = turns, place, turns.numbers[place], 0
        self.creations: Counter[Any] = Counter()

    def meet(
        self, what: str, brought: Any, settle: Callable[[list], Sequence], of_all: Callable[[list], list] | None = None
    ) -> Any:
        if of_all is None:
            of_all = list if self.turns.everywhere is None else self.turns.everywhere.of_all
        return self.turns.meet(self.place, what, brought, settle, of_all)

    def execute(self, prim: Operation, args: tuple[Any, ...], params: dict[Any, Any]) -> Any:
        if prim.across is None or params["count"] == 1:
            with below():
                return prim.entry(*args, **params)
        across = prim.across
        [x] = args
        return self.meet(
            prim.name,
            (x, params),
            lambda all_: across.rule(ops, [x for x, _ in all_], [params for _, params in all_]),
        )

    def read(self, variable: Any) -> Tensor:
        with below():
            return variable.peek()

    def assign(self, variable: Any, value: Tensor) -> None:
        with below():
            variable.put_value(value, read_value=False)

    def initial(self, value: Tensor) -> Any:
        with below() as frame:
            return raw(placed(value)) if frame.executor is None else frame.executor.initial(value)

    def constant(self, tensor: Tensor) -> Tensor:
        with below():
            return placed(tensor)

    def fresh_key(self, source: Any) -> Tensor:
        """A key of this replica's own, from one draw for all."""
        turns = self.turns
        if self.draws == len(turns.keys):
            with below():
                turns.keys.append(self._of_each(fresh_key(source)))
        self.draws += 1
        return turns.keys[self.draws - 1][self.number]

    def keys(self, key: Tensor) -> Tensor:
        with below():
            return self._of_each(per_row(key))[self.number]

    def _of_each(self, key: Tensor) -> Sequence[Tensor]:
        return ops.unstack(ops.split_key(key, count=self.turns.count), axis=0)

    def announce(self, rule: BackwardRule, inputs: tuple[Any, ...], outs: tuple[Any, ...], body: Any) -> None:
        with below():
            rule.announce(inputs, outs, body)

    def effect(self, what: str) -> None:
        with below():
            has_an_effect(what)

    def happens_once(self, what: str) -> None:
        raise RuntimeError(
            f"In strategy.run, {what} would happen once for each of {self.turns.count} replicas. Do it outside, or "
            "once for all by tf.distribute.get_replica_context().merge_call(...)."
        )


class TurnReplica(Replica):
    """One of the replicas that take turns."""

    def __init__(self, strategy: Any, executor: ReplicaExecutor) -> None:
        self.strategy, self.executor = strategy, executor
        self.number, self.count = executor.number, executor.turns.count
        self.id = EagerTensor(np.int32(self.number))

    def merge(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[Any, Any]) -> Any:
        def settle(all_: list) -> list:
            with entered_context(self.strategy, across=True):
                out = function(self.strategy, *regrouped([a for a, _ in all_]), **regrouped([k for _, k in all_]))
            return [selected(k, self.count, out) for k in range(self.count)]

        return self.executor.meet("merge_call", (args, kwargs), settle)

    def update(self, variable: Any, given: Any, aggregation: Any, apply: Callable[[Any], Any]) -> None:
        combine = combined_rows if isinstance(given, tuple) else combined

        def settle(all_: list) -> list:
            with entered_context(self.strategy, across=True):
                apply(combine(all_, aggregation, variable.name))
            return [None] * self.count

        everywhere, of_all = self.executor.turns.everywhere, None
        if everywhere is not None and aggregation is VariableAggregation.NONE:  # they need not be exchanged
            of_all = lambda own: (
                [everywhere.agreed(combine(own, aggregation, variable.name), variable.name)] * self.count
            )
        self.executor.meet(f"an assignment to variable '{variable.name}'", given, settle, of_all)

    def created(self, make: Callable[[], Any]) -> Any:
        """The first replica makes them; the others get the same ones, line by line. (Not simply in the same order: one
        that is kept somewhere is there already when the next replica looks.)"""
        made, before, place = self.executor.turns.made, self.executor.creations, user_place()
        before[place] += 1
        key = place, before[place]
        if key not in made:
            made[key] = make()
        return made[key]


def run_by_turns(strategy: Any, function: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """`function` for each replica; what all of them give."""
    turns = Turns(strategy.places)
    inputs = [selected(k, turns.own, (args, kwargs)) for k in range(turns.own)]

    def of(k: int) -> Callable[[ReplicaExecutor], Any]:
        def run(executor: ReplicaExecutor) -> Any:
            with entered_context(strategy, replica=TurnReplica(strategy, executor)):
                return function(*inputs[k][0], **inputs[k][1])

        return run

    return regrouped(turns.run([of(k) for k in range(turns.own)]))
