"""The documentation site in a browser, as it is read from disk: nothing is wider than the page, on a desk and on a
phone, and the search finds."""

import os
import subprocess
import sys

import pytest

from tests.inspect.test_report_in_a_browser import browser
from tests.test_docs import docs_check

__all__ = ["browser"]  # a fixture
pytestmark = pytest.mark.long
DESK, PHONE = 1280, 400

# What reaches over the right edge of the column of text: tables, outputs, pictures, words; and code that would have to
# be scrolled; outputs of notebooks may be. (96 letters of it fit on a desk: docs/ruff.toml. On a phone it wraps.)
WIDER = """(desk) => {
    const column = document.querySelector(".md-content__inner");
    // On a phone blocks of code reach from edge to edge of the screen.
    const edge = (desk ? column.getBoundingClientRect().right : window.innerWidth) + 1, found = [];
    const say = (e, what) => found.push(what + ": " + e.textContent.trim().slice(0, 60));
    if (document.documentElement.scrollWidth > window.innerWidth) say(column, "page");
    for (const e of column.querySelectorAll("*")) {
        const box = e.getBoundingClientRect();
        if (!box.width || !box.height || e.closest("svg, .md-clipboard, code *, .output *")) continue;
        // The space at which words wrap hangs over the edge, with the padding of code.
        const hanging = getComputedStyle(e).display == "inline" ? 8 : 0;
        if (box.right > edge + hanging || e.matches("code") && e.scrollWidth > e.clientWidth + 1) say(e, e.tagName);
    }
    for (const e of column.querySelectorAll("img")) if (!e.naturalWidth) say(e, "no picture " + e.src);
    return found;
}"""


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)],
        check=True, cwd=docs_check.ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "PYTHONPATH": str(docs_check.ROOT)},
    )  # fmt: skip
    return folder


@pytest.mark.parametrize("width", [DESK, PHONE])
def test_nothing_is_wider_than_the_page(browser, site, width):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 100
    found = {}
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.set_default_timeout(300_000)
    page.route("**/search_index.js", lambda route: route.abort())  # megabytes that each page would read
    for path in pages:
        if path.name != "404.html":  # for a server, whose root it names
            page.goto(path.as_uri())
            if wide := page.evaluate(WIDER, width == DESK):
                found[path.relative_to(site).as_posix()] = wide[:5]
    page.close()
    assert not found


def test_the_measure_itself(browser, tmp_path):
    """It finds what is too wide, and nothing else."""
    long = "a_long_name" * 40
    path = tmp_path / "page.html"
    path.write_text(
        f'<div class="md-content__inner" style="width: 300px"><table><tr><td>{long}</td></tr></table><p>fits</p>'
        f'<pre style="overflow: auto"><code style="display: block; overflow: auto">{long}</code></pre></div>'
    )
    page = browser.new_page(viewport={"width": 800, "height": 900})
    page.goto(path.as_uri())
    found = {text.partition(":")[0] for text in page.evaluate(WIDER, True)}
    assert found == {"page", "TABLE", "TBODY", "TR", "TD", "CODE"}
    page.close()


def test_search_works_from_disk(browser, site):
    asked = []
    page = browser.new_page(viewport={"width": DESK, "height": 900})
    page.set_default_timeout(20_000)
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "guide.html").as_uri())
    page.click(".md-search__input")
    page.keyboard.type("batch_jacobian")
    page.wait_for_selector(".md-search-result__item a")
    links = page.eval_on_selector_all(".md-search-result__item a", "links => links.map(a => a.href)")
    page.close()
    assert {"derivatives.html", "tf.html"} <= {link.partition("?")[0].rpartition("/")[2] for link in links}
    assert {url.partition(":")[0] for url in asked} <= {"file", "data", "about"}
