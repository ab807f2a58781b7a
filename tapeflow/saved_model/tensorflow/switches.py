"""Control flow of TensorFlow 1 as calls of functions. Its graphs have no branches and loops: a Switch sends a value
one of two ways, a Merge takes what arrives; Enter, NextIteration and Exit lead round a loop, whose nodes are a frame.
Here the nodes of a frame become the two functions of a While, and those between Switch and Merge the two of an If.

Switches that form neither a `tf.cond` nor a `tf.while_loop` stay; they are named as missing operations then."""

from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

from tapeflow.api.raw_ops.drawing import DRAWING
from tapeflow.core.errors import UnimplementedError
from tapeflow.io.model_messages import NodeDef

from .library import Body, Library, Reference, inputs_of

__all__ = ["Flow"]

_MOST_MERGES, _MOST_BITS = 3000, 1 << 31  # of a region; what is before each of its nodes, as bits
_DEEPEST = 200  # branches or loops within each other
_INPUTS = {"Switch": 2, "Enter": 1, "Exit": 1, "NextIteration": 1, "LoopCond": 1, "Identity": 1}

_Tags = frozenset[tuple[Reference, int]]  # the sides of conditions on which a node runs


class _Merge(NamedTuple):
    """Where two branches meet."""

    condition: Reference
    sides: tuple[Reference, Reference]  # what arrives if it is false, if it is true
    around: _Tags  # of the branches that it is in itself


class Flow:
    """A graph without switches: `nodes` has an If or a While in their place, whose functions are in the library, and
    `renamed` says where the results of nodes are that are gone."""

    def __init__(self, nodes: Mapping[str, Any], renamed: Mapping[Reference, Reference], library: Library) -> None:
        """`nodes`: those that run, by name. `renamed`: what is given instead of results of nodes."""
        self.nodes, self.library, self.renamed = dict(nodes), library, dict(renamed)
        self.inputs = {name: inputs_of(node) for name, node in nodes.items()}
        for name, node in nodes.items():
            wanted, given = _INPUTS.get(node.op), len(self.inputs[name][0])
            if wanted is not None and given != wanted:
                raise ValueError(f"{name!r} ({node.op}) has {given} inputs, not {wanted}")
        self.frames: dict[str, tuple[str, ...]] = {}  # of each node, from the outermost
        for name in self._sorted(nodes):
            self.frames[name] = self._frame(name)
        for frame in sorted(set(self.frames.values()), key=lambda f: (-len(f), f)):  # inner ones first
            members = {n for n, one in self.frames.items() if one == frame}
            if frame:
                self._loop(frame, members)
            else:
                _Region(self, frame, members, set()).branches()

    def op(self, name: str) -> str:
        return self.nodes[name].op if name in self.nodes else ""

    def reads(self, name: str) -> list[Reference]:
        return [self.renamed.get(ref, ref) for ref in self.inputs[name][0]]

    def before(self, name: str) -> set[str]:
        """What a node needs, without the way back of a loop."""
        found = {ref.node for ref in self.reads(name)} | set(self.inputs[name][1])
        if self.op(name) == "Merge":
            found = {n for n in found if self.op(n) != "NextIteration"}
        return {n for n in found if n in self.nodes}

    def _sorted(self, names: Iterable[str]) -> list[str]:
        """Each after what it needs."""
        inside = set(names)
        try:
            return list(TopologicalSorter({n: sorted(self.before(n) & inside) for n in sorted(inside)}).static_order())
        except CycleError as error:
            raise ValueError(f"the graph has a cycle of nodes: {', '.join(error.args[1][:4])}") from None

    def _frame(self, name: str) -> tuple[str, ...]:
        """The innermost frame of what it needs."""
        left = lambda n: self.frames[n][:-1] if self.op(n) == "Exit" else self.frames[n]
        found: tuple[str, ...] = max((left(n) for n in self.before(name)), key=len, default=())
        if len(found) > _DEEPEST:
            raise ValueError(f"the graph has more than {_DEEPEST} loops in each other, at {name!r}")
        if self.op(name) == "Enter":
            return *found, self.nodes[name].attr["frame_name"].s.decode(errors="replace")
        return found

    def add(self, op: str, name: str, inputs: list[Reference], waits: Iterable[str], functions: dict) -> str:
        """A node that calls functions."""
        while name in self.nodes:
            name += "_"
        node = NodeDef(name=name, op=op)
        node.input.extend([f"{ref.node}:{ref.number}" for ref in inputs] + [f"^{n}" for n in sorted(waits)])
        for attribute, function in functions.items():
            node.attr[attribute].func.name = function
        self.nodes[name] = node
        self.inputs[name] = inputs, sorted(waits)
        return name

    def body(self, name: str, arguments: list[str], outputs: list[Reference], given: dict, within: set[str]) -> str:
        """A function of some of the nodes; `given`: which results are arguments."""
        while name in self.library:
            name += "_"
        renamed = {ref: given.get(other, other) for ref, other in self.renamed.items()} | given
        self.library.add(Body(name, arguments, [given.get(ref, ref) for ref in outputs], self.nodes, renamed, within))
        return name

    def _loop(self, frame: tuple[str, ...], members: set[str]) -> None:
        """A While in the place of a frame. Where the frame is no loop of `tf.while_loop`, it stays."""
        of = lambda op: sorted(n for n in members if self.op(n) == op)
        merges = [m for m in of("Merge") if any(self.op(ref.node) == "NextIteration" for ref in self.reads(m))]
        starts, ends = [], []
        for merge in merges:
            sources = {self.op(ref.node): ref.node for ref in self.reads(merge)}
            if set(sources) != {"Enter", "NextIteration"}:
                return
            starts.append(sources["Enter"])
            ends.append(sources["NextIteration"])
        conditions = of("LoopCond")
        if len(conditions) != 1 or not merges:
            return
        switches = {n: self.reads(n)[0].node for n in of("Switch") if self.reads(n)[1].node == conditions[0]}
        exits = {n: switches.get(self.reads(n)[0].node) for n in of("Exit")}
        if not set(exits.values()) | set(switches.values()) <= set(merges):
            return
        kept = [n for n in of("Enter") if n not in starts]  # what the loop reads and does not change
        region = _Region(self, frame, members, {*merges, *switches, *of("Enter")})
        region.branches()
        condition, steps = self.reads(conditions[0])[0], [self.reads(n)[0] for n in ends]
        way = {Reference(switch, None, 1): Reference(merge, None, 0) for switch, merge in switches.items()}
        captured = region.captured([condition, *steps])
        given = captured | way
        handed_on = [*kept, *[ref.node for ref in captured.values()]]
        title, within = frame[-1].rstrip("/"), region.members - region.leaves
        holds = self.body(f"{title}/cond", [*merges, *handed_on], [condition], given, within)
        outputs = [*steps, *[Reference(n, None, 0) for n in handed_on]]
        step = self.body(f"{title}/body", [*merges, *handed_on], outputs, given, within)
        before = [self.reads(n)[0] for n in (*starts, *kept)] + list(captured)
        made = self.add("While", f"{title}/While", before, region.waits(members), {"cond": holds, "body": step})
        self.frames[made] = frame[:-1]
        for left, target in exits.items():
            self.renamed[Reference(left, None, 0)] = Reference(made, None, merges.index(str(target)))


class _Region:
    """The nodes outside of loops, or those of one: what is between its switches becomes branches."""

    def __init__(self, flow: Flow, frame: tuple[str, ...], members: set[str], leaves: set[str]) -> None:
        """`leaves`: nodes whose results are given."""
        self.flow, self.frame, self.members, self.leaves = flow, frame, members, leaves
        self.tags: dict[str, _Tags] = dict.fromkeys(leaves, frozenset())
        self.above: dict[str, int] = {}  # of each node: which Merges are before it, as bits
        self.merges: dict[str, _Merge] = {}
        self.conditions: dict[Reference, Reference] = {}  # past Identity
        self.placed: dict[str, str] = {}  # which nodes are in which branching
        order = flow._sorted(members)
        merges = sum(flow.op(n) == "Merge" for n in order)
        if merges > _MOST_MERGES or len(order) * merges > _MOST_BITS:
            raise ValueError(f"the graph has {merges} places where branches meet, more than can be told apart")
        for name in order:
            if name not in leaves:
                self._tag(name)

    def _tag(self, name: str) -> None:
        """On which sides of conditions it runs."""
        flow = self.flow
        reads = flow.reads(name)
        found = [self.of_result(ref) for ref in reads] + [self.tags.get(n, frozenset()) for n in flow.inputs[name][1]]
        self.tags[name] = frozenset().union(*found)
        if len(self.tags[name]) > _DEEPEST:
            raise ValueError(f"the graph has more than {_DEEPEST} branches in each other, at {name!r}")
        above = 0
        for other in flow.before(name):
            above |= self.above.get(other, 0)
        if flow.op(name) == "Merge" and len(reads) == 2:
            conditions = [c for c, side in found[0] if (c, 1 - side) in found[1]]
            if len(conditions) == 1:
                [condition] = conditions
                self.tags[name] -= {(condition, 0), (condition, 1)}
                sides = (reads[0], reads[1]) if (condition, 0) in found[0] else (reads[1], reads[0])
                above |= 1 << len(self.merges)
                self.merges[name] = _Merge(condition, sides, self.tags[name])
        self.above[name] = above

    def of_result(self, ref: Reference) -> _Tags:
        found = self.tags.get(ref.node, frozenset())
        condition = self.condition(ref.node)
        return found if condition is None else found | {(condition, ref.number)}

    def condition(self, name: str) -> Reference | None:
        """Of a Switch, past Identity; None of other nodes."""
        if name in self.leaves or name not in self.members or self.flow.op(name) != "Switch":
            return None
        start = self.flow.reads(name)[1]
        if start not in self.conditions:
            ref = start
            while self.flow.op(ref.node) == "Identity" and ref.node in self.members:
                ref = self.flow.reads(ref.node)[0]
            self.conditions[start] = ref
        return self.conditions[start]

    # ---- branches

    def branches(self) -> None:
        """An If for each `tf.cond`, inner ones first."""
        bits = {name: 1 << k for k, name in enumerate(self.merges)}
        left = dict(self.merges)
        while left:
            pending = sum(bits[n] for n in left)
            key = lambda n: (left[n].condition, left[n].around)
            ready = [n for n in left if not self.above[n] & ~bits[n] & pending]
            chosen = ready[0]
            for first in ready:  # the Merges of one condition at once, if they do not wait for each other
                mine = sum(bits[n] for n in ready if key(n) == key(first))
                if all(self.above[n] & mine for n in left if key(n) == key(first)):
                    chosen = first
                    break
            group = [n for n in ready if key(n) == key(chosen)]
            self._branch(group)
            for name in group:
                del left[name]

    def _branch(self, group: list[str]) -> None:
        flow, condition = self.flow, self.merges[group[0]].condition
        title = group[0].rpartition("/")[0] or group[0]
        arguments: dict[Reference, Reference] = {}
        found = []
        for side in (0, 1):
            outputs = [self.merges[n].sides[side] for n in group]
            inside, given = self._inside([flow.renamed.get(r, r) for r in outputs], condition, side, arguments)
            for name in inside:
                if self.placed.setdefault(name, group[0]) != group[0] and flow.op(name) in DRAWING:
                    raise UnimplementedError(
                        None, None, f"The node {name!r} draws random numbers for two branches, {self.placed[name]!r} "
                        f"and {group[0]!r}, which cannot be told apart in a graph of TensorFlow 1."
                    )  # fmt: skip
            found.append((outputs, inside, given))
        names = [ref.node for ref in arguments.values()]
        calls = [
            flow.body(f"{title}/{word}", names, [flow.renamed.get(r, r) for r in outputs], given, inside)
            for word, (outputs, inside, given) in zip(("false", "true"), found)
        ]
        waits = self.waits(found[0][1] | found[1][1] | set(group))
        functions = {"else_branch": calls[0], "then_branch": calls[1]}
        made = flow.add("If", f"{title}/If", [condition, *arguments], waits, functions)
        flow.frames[made] = self.frame
        self.members.add(made)
        self.tags[made], self.above[made] = self.merges[group[0]].around, 0
        for k, name in enumerate(group):
            flow.renamed[Reference(name, None, 0)] = Reference(made, None, k)

    def _inside(
        self, outputs: list[Reference], condition: Reference, side: int, arguments: dict[Reference, Reference]
    ) -> tuple[set[str], dict[Reference, Reference]]:
        """The nodes of one side, and which results they get from outside; these are added to the arguments."""
        inside: set[str] = set()
        given: dict[Reference, Reference] = {}
        stack = list(outputs)
        argument = lambda ref: arguments.setdefault(ref, Reference(f"argument {len(arguments)}", None, 0))
        while stack:
            ref = stack.pop()
            if self.condition(ref.node) == condition and ref.number == side:
                given[ref] = argument(self.flow.reads(ref.node)[0])
            elif (condition, side) not in self.tags.get(ref.node, ()):
                given[ref] = argument(ref)
            elif ref.node not in inside:
                inside.add(ref.node)
                stack += self.flow.reads(ref.node)
                for other in self.flow.inputs[ref.node][1]:
                    if (condition, side) in self.tags.get(other, ()):
                        stack.append(Reference(other, None, 0))
        return inside, given

    def captured(self, outputs: list[Reference]) -> dict[Reference, Reference]:
        """What the nodes of a loop read from outside of it, as arguments."""
        found: dict[Reference, Reference] = {}
        seen, stack = set(self.leaves), list(outputs)
        while stack:
            ref = stack.pop()
            if ref.node in seen:
                continue
            if ref.node not in self.members:
                found.setdefault(ref, Reference(f"captured {len(found)}", None, 0))
                continue
            seen.add(ref.node)
            stack += self.flow.reads(ref.node)
        return found

    def waits(self, names: set[str]) -> set[str]:
        """The nodes outside that some inside wait for."""
        flow = self.flow
        found = {n for name in names for n in flow.inputs[name][1]}
        found = {flow.renamed.get(Reference(n, None, 0), Reference(n, None, 0)).node for n in found} - names
        around = (
            {self.frame} if names <= self.members - self.leaves else {self.frame[:k] for k in range(len(self.frame))}
        )
        return {n for n in found if flow.frames.get(n) in around}
