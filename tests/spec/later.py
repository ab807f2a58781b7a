"""Rows of the specification that do not hold yet, and what they wait for."""

# Described in words in the table: the result varies from run to run or cannot be written down.
IN_WORDS = {"6.63", "6.134", "7.229", "7.230", "9.249", "10.3"}

LATER = {}
