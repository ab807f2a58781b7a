"""The pictures of README.md and docs/inspection.md: the script that makes them runs, they are small, and pages that
show them find them."""

import re
import xml.etree.ElementTree as ET

import pytest

from tests.test_docs import docs_check, script

ROOT = docs_check.ROOT
pictures = script("inspection_pictures")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    pytest.importorskip("matplotlib")
    pytest.importorskip("PIL")
    folder = tmp_path_factory.mktemp("pictures")
    assert (
        pictures.main(["--small", "--out", str(folder), *[n for n in pictures.PICTURES if n != "tape_report.png"]])
        == 0
    )
    return folder


def test_texts_are_what_the_programs_print(folder):
    for file, words in [("why_none.svg", "float()"), ("where_nan.svg", "it came from"), ("monitor.svg", "vanishing")]:
        text = "\n".join(
            "".join(t.itertext()) for t in ET.parse(folder / file).iter("{http://www.w3.org/2000/svg}text")
        )
        assert words in text.replace("\xa0", " "), file


def test_the_picture_of_the_demo(folder):
    assert (folder / "demo.png").read_bytes().startswith(b"\x89PNG")


def test_the_report_in_a_browser(tmp_path):
    pytest.importorskip("playwright")
    pytest.importorskip("fast_sugiyama")
    if not pictures.browser():
        pytest.skip("no Chromium")
    assert pictures.main(["--small", "--out", str(tmp_path), "tape_report.png"]) == 0
    assert (tmp_path / "tape_report.png").read_bytes().startswith(b"\x89PNG")


def test_without_a_browser_the_picture_is_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(pictures, "browser", lambda: None)
    assert pictures.main(["--out", str(tmp_path), "tape_report.png"]) == 0
    assert "tape_report.png: left out" in capsys.readouterr().out and not list(tmp_path.iterdir())


@pytest.mark.parametrize("page", ["README.md", "docs/inspection.md"])
def test_pictures_of_a_page_are_there_and_small(page):
    path = ROOT / page
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", path.read_text(encoding="utf-8"))
    assert shown
    for name in shown:
        assert (path.parent / name).stat().st_size < pictures.LARGEST, name


def test_every_picture_is_made_and_shown():
    kept = {p.name for p in pictures.FOLDER.iterdir()} & set(pictures.PICTURES)
    assert kept == set(pictures.PICTURES), "python scripts/inspection_pictures.py"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert all(f"docs/pictures/{name}" in readme for name in kept)
