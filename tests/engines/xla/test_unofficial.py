"""What is used of jax without a public name."""

import re
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="the extra `xla` is not installed")
import jax

from tapeflow.engines.xla import unofficial

PACKAGE = Path(unofficial.__file__).parents[2]


def test_this_version_of_jax_has_all_of_it():
    assert not unofficial.missing(), (
        f"jax {jax.__version__} lacks these. Several processes do not work with it: find what has taken their place, "
        "change tapeflow/engines/xla/unofficial.py, and run the long tests of tests/distribute and tests/engines/xla."
    )
    unofficial.check()


def test_what_is_missing_is_said_plainly(monkeypatch):
    monkeypatch.setitem(unofficial._NEEDED, "jax._src.distributed", ("global_state.telegraph",))
    monkeypatch.setitem(unofficial._NEEDED, "jax._src.nothing_of_this_name", ("f",))
    assert unofficial.missing() == ["jax._src.distributed.global_state.telegraph", "jax._src.nothing_of_this_name"]
    with pytest.raises(
        ImportError, match=r"jax \S+ has no jax\._src\.distributed\.global_state\.telegraph, .*pip install"
    ):
        unofficial.check()


def test_it_is_used_nowhere_else():
    found = {
        path.name: re.findall(r"(?:import|from)[^\n]*(?:jax\._src|jaxlib\._)", path.read_text(encoding="utf-8"))
        for folder in (PACKAGE, PACKAGE.parent / "keras_tapeflow")
        for path in folder.rglob("*.py")
        if path.name != "unofficial.py"
    }
    assert not {name: uses for name, uses in found.items() if uses}
