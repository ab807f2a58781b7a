"""`tapeflow info` says what computes."""

import tapeflow as tf
from tapeflow.cli import main
from tapeflow.engines.native.library import library


def test_it_says_whether_the_library_is_used(capsys):
    assert main(["info"]) == 0
    said = capsys.readouterr().out
    assert f"C library  {library.state}\n" in said
    assert said.startswith(f"tapeflow   {tf.__version__}\n")
