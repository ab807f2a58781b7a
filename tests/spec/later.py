"""Rows of the specification that do not hold yet, and what they wait for. A row that starts to hold must be taken off the list."""

# Described in words in the table: the result varies from run to run or cannot be written down.
IN_WORDS = {"7.247", "9.249", "10.3"}

# What these sections describe is not there yet, or not all of it; their rows marked WART are settled together with it.
SECTIONS = {"11"}

LATER = {
    "Keras on top of tapeflow": """
        6.153 7.292-7.297 11.1-11.36
    """,
}
