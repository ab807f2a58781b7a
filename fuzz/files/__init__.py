"""Damaged files and strings: whatever reads one gives a result, or an error of a documented kind that says what is
wrong.

    python -m fuzz.files --seconds 60 --seed 7            # every format in turn, and a table of what was found
    python -m fuzz.files --only png --seed 7 --case 123   # one case again, with its traceback

`mutations` damages bytes, `formats` is the table of what reads them and of what it may answer, `search` runs both.
"""
