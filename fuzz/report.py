"""What a search found, as text."""

from collections import defaultdict

from . import derivatives, explained, interpretations, oracle


def table(result, show_explained=False, examples=1):
    """Disagreements by function and kind, the most frequent first, each with an example to replay."""
    open_, understood = defaultdict(list), defaultdict(list)
    for d in result.disagreements:
        why = explained.reason(d)
        (understood[why.reason] if why else open_[d.call.name, d.kind, d.how]).append(d)
    lines = [f"seed {result.seed}: {result.calls} calls, {sum(result.comparisons.values())} comparisons ("
             + ", ".join(f"{kind} {n}" for kind, n in sorted(result.comparisons.items())) + ")"]  # fmt: skip
    for (name, kind, how), found in sorted(open_.items(), key=lambda item: -len(item[1])):
        lines.append(f"{len(found):5} {name} · {kind} · {how}")
        lines += [
            f"        {d.call}\n            expected {d.expected}\n            got      {d.got}"
            for d in found[:examples]
        ]
    lines.append(f"{sum(map(len, open_.values()))} unexplained, {sum(map(len, understood.values()))} explained")
    if show_explained:
        lines += [f"{len(found):5} {why}: {found[0].call}" for why, found in understood.items()]
    return "\n".join(lines)


def replay(tf, call):
    """The outcome of a call in every interpretation."""
    lines = [str(call)]
    lines.append(f"{'eager':24}{interpretations.eager(tf, call)}")
    for d in oracle.check(tf, call):
        lines.append(f"{d.kind:24}{d.how}: expected {d.expected}\n{'':24}got {d.got}\n{'':24}of {d.call}")
    lines.append(f"compared: {', '.join(oracle.SHARES)}")
    return "\n".join(lines)


__all__ = ["derivatives", "replay", "table"]
