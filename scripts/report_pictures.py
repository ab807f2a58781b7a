"""Draws docs/pictures/report.png and report_memory.png: `tape.report` of a small Keras network, as a browser shows it.

`python scripts/report_pictures.py`; it needs Chromium (`apt-get install chromium`), `playwright` from PyPI and the
extra `viz`.
"""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
import numpy as np  # noqa: E402

import tapeflow as tf  # noqa: E402  (this checkout's)

FOLDER = ROOT / "docs" / "pictures"
LARGEST = 150_000  # bytes of a picture


def recorded() -> tf.GradientTape:
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Conv2D(16, 3, activation="relu", name="edges"),
            layers.MaxPooling2D(name="smaller"),
            layers.Conv2D(32, 3, activation="relu", name="shapes"),
            layers.Flatten(name="flat"),
            layers.Dense(10, name="digits"),
        ]
    )
    images, labels = tf.random.normal([32, 28, 28, 1]), tf.constant(np.arange(32) % 10)
    model(images)
    with tf.debugging.explain_gradients():
        with tf.GradientTape() as tape:
            logits = model(images)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            penalty = 1e-3 * tf.reduce_sum(tf.square(model.layers[-1].kernel))
            loss = tf.reduce_mean(losses) + penalty
        tape.gradient(loss, model.trainable_variables)
    return tape


def draw(page: Any) -> None:
    box = lambda name: page.locator(".box:not(.outside)").filter(has=page.locator(f"text >> text='{name}'")).first
    box("shapes").click()
    box("relu").click()
    page.mouse.move(0, 0)
    page.locator("#graph-section").screenshot(path=FOLDER / "report.png")
    page.locator("#memory-section").screenshot(path=FOLDER / "report_memory.png")


def main() -> None:
    from playwright.sync_api import sync_playwright

    tf.random.set_seed(1)
    browser_path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_path = Path(folder, "tape.html")
        recorded().report(page_path)
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 760})
        page.goto(page_path.as_uri())
        page.wait_for_selector("html[data-ready]")
        draw(page)
        browser.close()
    for name in ("report.png", "report_memory.png"):
        size = (FOLDER / name).stat().st_size
        assert size < LARGEST, f"{name} has {size:,} bytes"
        print(f"docs/pictures/{name}: {size:,} bytes")


if __name__ == "__main__":
    main()
