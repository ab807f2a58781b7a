"""A plugin of pytest: writes the outcome of each test, as soon as it is known, into the file that TESTS_RECORD
names."""

import os
from typing import Any


def pytest_runtest_logreport(report: Any) -> None:
    """A line for each part of a test that says something: its outcome, a space, its name within the file."""
    if report.when == "call" or report.outcome != "passed":
        with open(os.environ["TESTS_RECORD"], "a", encoding="utf-8") as record:
            record.write(f"{report.outcome} {report.nodeid.partition('::')[2]}\n")
