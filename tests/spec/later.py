"""Rows of the specification that do not hold yet, and what they wait for. A row that starts to hold must be taken off
the list."""

# Described in words in the table: the result varies from run to run or cannot be written down.
IN_WORDS = {"7.247", "9.249", "10.3"}

# Sections that are not there yet; their rows marked WART are settled together with them.
SECTIONS: set[str] = set()

LATER: dict[str, str] = {}
