"""The page of `tape.report` in a real browser: Chromium as it is installed, driven by playwright. In CI a missing one
is a failure."""

import os
import shutil

import numpy as np
import pytest

import tapeflow as tf

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
HOSTILE = "</script><img src=x onerror=document.title='taken'>"


@pytest.fixture(scope="module")
def browser():
    if BROWSER is None and "CI" not in os.environ:
        pytest.skip("no Chromium is installed")
    assert BROWSER is not None, "CI needs Chromium: apt-get install chromium"
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield program
        program.close()


@pytest.fixture
def show(browser, tmp_path):
    """Opens a tape's report; at the end of the test, nothing may have been said in the console and nothing asked of
    the network."""
    said, asked, contexts = [], [], []

    def opened(tape, dark=False):
        path = tmp_path / "tape.html"
        tape.report(path)
        contexts.append(
            browser.new_context(viewport={"width": 1366, "height": 800}, color_scheme="dark" if dark else "light")
        )
        page = contexts[-1].new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == [] and {url.partition(":")[0] for url in asked} == {"file"}


def small_tape(name="weights"):
    w, b = tf.Variable(np.eye(4, dtype=np.float32), name=name), tf.Variable(np.zeros(4, np.float32), name="bias")
    with tf.debugging.explain_gradients():
        with tf.GradientTape() as tape:
            h = tf.tanh(tf.ones([8, 4]) @ w + b)
            p = tf.nn.softmax(h)
            y = tf.reduce_mean(tf.square(h - p)) + tf.reduce_sum(tf.stop_gradient(p) * w[0])
        tape.gradient(y, [w, b])
    return tape


@pytest.fixture(scope="module")
def model_tape():
    layers = tf.keras.layers
    with tf.debugging.explain_gradients():
        model = tf.keras.Sequential(
            [
                layers.Conv2D(4, 3, activation="relu", name="look"),
                layers.Flatten(name="flat"),
                layers.Dense(3, name="decide"),
            ]
        )
        images = tf.random.normal([2, 8, 8, 1])
        with tf.GradientTape() as tape:
            logits = model(images)
            loss = tf.reduce_mean(tf.square(logits))
        tape.gradient(loss, model.trainable_variables)
    return tape


@pytest.fixture(scope="module")
def long_tape():
    v = tf.Variable(np.eye(4, dtype=np.float32) * 0.9, name="v")
    with tf.debugging.explain_gradients():
        with tf.GradientTape() as tape:
            h = tf.ones([2, 4])
            for _ in range(3334):
                h = h @ v
                h = tf.tanh(h)
                h = h * 0.999
            y = tf.reduce_sum(tf.exp(h))
        tape.gradient(y, v)
    return tape


def boxes(page):
    return page.locator(".box:not(.outside)")


def names(page):
    return boxes(page).locator("text:first-of-type").all_text_contents()


def box(page, name):
    return boxes(page).filter(has=page.locator(f"text >> text='{name}'")).first


def details(page):
    return page.locator("#details").inner_text()


def scale(page):
    return page.evaluate("document.querySelector('#graph > g').getCTM().a")


def test_boxes_and_arrows_are_drawn(show):
    page = show(small_tape())
    assert {"weights", "bias", "matmul", "tanh", "softmax", "reduce_mean"} <= set(names(page))
    assert page.locator(".arrow").count() >= len(names(page)) - 1
    assert "Gradients end at 1 place" in page.locator("#ends summary").inner_text()
    assert "operations" in page.locator("#totals").inner_text()
    apart = page.evaluate(
        """() => {
            const all = [...document.querySelectorAll(".box .face")].map((face) => face.getBoundingClientRect());
            const beside = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
            return all.every((a, i) => all.every((b, j) => i >= j || beside(a, b)));
        }"""
    )
    assert apart, "boxes overlap"
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".box")].flatMap((box) => [...box.querySelectorAll("text")].filter(
            (text) => text.getComputedTextLength() > box.querySelector(".face").getBBox().width
                || text.textContent.includes("…")
        ).map((text) => text.textContent))"""
    )
    assert cut == []


def test_click_shows_what_is_known(show):
    page = show(small_tape())
    box(page, "matmul").click()
    shown = details(page)
    for part in (
        "float32 (8, 4)",
        "memory kept",
        "forward",
        "backward",
        "gradient norm",
        "test_report_in_a_browser.py",
        "tf.tanh(tf.ones",
    ):
        assert part in shown, part
    assert page.locator("#details .histogram rect").count() == 24 and "Gradient that arrived here" in shown
    page.locator("#details .link", has_text="weights").click()
    assert details(page).startswith("weights")
    box(page, "weights").focus()
    page.keyboard.press("Escape")
    box(page, "tanh").focus()
    page.keyboard.press("Enter")
    assert details(page).startswith("tanh")


def test_layers_open_and_close(show, model_tape):
    page = show(model_tape)
    assert {"look", "flat", "decide"} <= set(names(page))
    assert "ops ·" in box(page, "look").text_content()
    box(page, "look").click()
    assert {"conv", "relu", "kernel"} <= {name.rpartition("/")[2] for name in names(page)}
    assert page.locator("#crumbs").inner_text().split() == ["tape", "›", "look"] and details(page).startswith("look")
    page.locator(".box.outside", has_text="flat").click()  # a neighbour leads to where it is
    assert page.locator("#crumbs").inner_text() == "tape" and page.locator(".box.chosen").get_attribute("data-box")
    page.locator("#trees button", has_text="By line").click()
    assert boxes(page).count() == 2 and "2 " not in page.locator("#crumbs").inner_text()


def test_search_marks_and_jumps(show, model_tape):
    page = show(model_tape)
    page.keyboard.press("/")
    page.keyboard.type("relu")
    assert page.locator("#hits li").count() == 1 and "look" in page.locator("#hits").inner_text()
    assert page.locator(".box.hit").all_text_contents()[0].startswith("look")  # the layer that it is in
    page.keyboard.press("Enter")
    assert (
        page.locator(".box.chosen").text_content().startswith("relu")
        and "1 of 1" in page.locator("#found").inner_text()
    )
    page.fill("#query", "reduce_mean(tf.square")  # of the text of a line
    assert page.locator("#hits li").count() >= 2
    page.fill("#query", "sequential decide")  # of a layer: all words
    page.locator("#hits li").first.click()
    assert (
        details(page).splitlines()[0].rpartition("/")[2] in ("kernel", "matmul", "bias", "add")
        and "decide" in page.locator("#crumbs").inner_text()
    )
    page.fill("#query", "nothing like it")
    assert "Nothing found" in page.locator("#hits").inner_text() and page.locator(".box.hit").count() == 0


def test_zoom_and_pan(show):
    page = show(small_tape())
    before = scale(page)
    page.locator("#graph").hover()
    page.mouse.wheel(0, -300)
    page.wait_for_function(f"document.querySelector('#graph > g').getCTM().a > {before * 1.2}")
    page.locator("[data-zoom=out]").click()
    nearer = scale(page)
    page.locator("[data-zoom=in]").click()
    assert scale(page) == pytest.approx(nearer * 1.3, rel=1e-3)
    page.locator("[data-zoom=fit]").click()
    area, drawn = page.locator("#graph").bounding_box(), page.locator("#graph > g").bounding_box()
    assert (
        drawn["x"] >= area["x"]
        and drawn["y"] >= area["y"]
        and drawn["x"] + drawn["width"] <= area["x"] + area["width"]
    )
    page.mouse.move(area["x"] + 20, area["y"] + 20)
    page.mouse.down()
    page.mouse.move(area["x"] + 80, area["y"] + 50, steps=4)
    page.mouse.up()
    moved = page.locator("#graph > g").bounding_box()
    assert moved["x"] - drawn["x"] == pytest.approx(60, abs=1) and moved["y"] - drawn["y"] == pytest.approx(30, abs=1)


def test_memory_and_tables(show):
    page = show(small_tape())
    assert (
        page.locator("#memory path.line").count() == 2
        and "released step by step" in page.locator("#memory").inner_text()
    )
    page.locator("#memory svg").hover()
    assert "kept" in page.locator("#memory p").inner_text()
    assert "h = tf.tanh" in page.locator("#by-line").inner_text()
    rows = page.locator("#by-operation tbody tr")
    page.locator("#by-operation th", has_text="operation").click()
    assert rows.first.inner_text().startswith("add")
    page.locator("#by-operation th", has_text="operation").click()
    assert rows.first.inner_text().startswith("tanh")
    page.locator("#by-operation th", has_text="kept").click()
    assert page.locator("#by-operation th[aria-sort]").inner_text() == "kept ↓"
    rows.filter(has_text="softmax").click()
    assert details(page).startswith("softmax")


def test_colours_by_memory_and_gradient(show):
    page = show(small_tape())
    fill = lambda: box(page, "matmul").locator(".face").evaluate("face => getComputedStyle(face).fill")
    kind = fill()
    for choice in ("memory kept", "forward time", "backward time", "gradient norm"):
        page.select_option("#colour", choice)
        assert fill() != kind and page.locator(".box").count() > 5


def test_dark(show):
    back = "getComputedStyle(document.body).backgroundColor"
    light, dark = show(small_tape()), show(small_tape(), dark=True)
    brightness = lambda page: sum(int(n) for n in page.evaluate(back)[4:-1].split(","))
    assert brightness(light) > 600 and brightness(dark) < 120


def test_ten_thousand_operations(show, long_tape):
    page = show(long_tape)
    assert 5 < boxes(page).count() < 80
    page.fill("#query", "exp")
    assert page.locator("#found").text_content() == "2"  # also the sum, whose line says it
    page.keyboard.press("Enter")
    assert page.locator(".box.chosen").text_content().startswith("exp") and "10,003" in details(page)
    assert page.locator("#crumbs button").count() >= 2
    page.locator("#crumbs button").first.click()
    page.locator("#trees button", has_text="By line").click()
    assert boxes(page).count() == 4
    page.fill("#query", "tanh")
    assert "and 3,284 more" in page.locator("#hits").inner_text()


def test_without_detail_and_without_anything(show):
    v = tf.Variable([1.0, 2.0], name="v")
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.exp(v))
    page = show(tape)
    assert boxes(page).count() == 3 and "explain_gradients()" in page.locator("#message").inner_text()
    assert "forward" not in page.locator("#by-operation").inner_text()
    tape.gradient(y, v)
    page = show(tape)
    assert "spent" in page.locator("#message").inner_text() and not page.locator("#graph-section").is_visible()


def test_hostile_names_are_text(show):
    page = show(small_tape(name=HOSTILE))
    box(page, "matmul").click()
    page.fill("#query", "onerror")
    page.keyboard.press("Enter")
    assert details(page).startswith(HOSTILE) and page.title() == "Tape report" and page.locator("img").count() == 0


def test_in_a_notebook_it_is_shown_in_a_frame(browser):
    said = []
    page = browser.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.set_content(small_tape(name=HOSTILE).report()._repr_html_())
    frame = page.frame_locator("iframe")
    frame.locator(".box", has_text="matmul").click()
    assert "float32 (8, 4)" in frame.locator("#details").inner_text() and said == []
    page.close()
