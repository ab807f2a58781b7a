"""What an explanation says."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """Holds for the functions that match `names`, the `kinds` of comparison, `how` it differs, and what the outcomes'
    text contains."""

    reason: str
    names: str = ".*"
    kinds: str = ".*"
    how: str = ".*"
    outcome: str = ""

    def holds(self, d):
        return bool(
            re.fullmatch(self.names, d.call.name)
            and re.fullmatch(self.kinds, d.kind)
            and re.fullmatch(self.how, d.how)
            and re.search(self.outcome, f"{d.call}\nexpected {d.expected}\ngot {d.got}")
        )
