"""Makes the pictures of README.md and docs/inspection.md: `python scripts/inspection_pictures.py [--out FOLDER]
[--small] [NAME ...]`.

What they show is what the chapters of `tapeflow demo` print, and the page that a browser draws of a report: nothing is
drawn by hand. `--small` is for tests. Needs the extra `viz` and Pillow; the picture of the report also playwright and
a Chromium, and is left out without them.
"""

import argparse
import contextlib
import io
import re
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Callable
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from tapeflow.demo import picture, quiet_log, spirals, tour  # noqa: E402  (this checkout's)

FOLDER = ROOT / "docs" / "pictures"
LARGEST = 100_000  # bytes
COLUMNS = 104
ADVANCE, LEADING, MARGIN = 7.8, 18, 16  # of a character, of a line, around all of it
BACK, TEXT, DIM, CODE, MARK, BAND = "#0f172a", "#e2e8f0", "#64748b", "#93c5fd", "#fbbf24", "#3b2f12"
WRONG = re.compile(r"  (dead|vanishing)$")
PICTURES: dict[str, Callable[[Path, bool], None]] = {}


def made(name: str) -> Callable:
    """Registers a function that writes the picture `name`."""
    return lambda make: PICTURES.setdefault(name, make)


# ---- a program and what it prints


def chapter(file: str) -> tuple[tour.Chapter, str]:
    [found] = [c for c in tour.CHAPTERS if c.file == file]
    with contextlib.redirect_stdout(io.StringIO()) as printed, quiet_log():
        found.run()
    return found, printed.getvalue().rstrip()


def wrapped(text: str) -> list[str]:
    lines = []
    for line in text.splitlines():
        indent = " " * (len(line) - len(line.lstrip()) + 2)
        lines += textwrap.wrap(line, COLUMNS, subsequent_indent=indent, break_on_hyphens=False) or [""]
    return lines


def terminal(rows: list[tuple[str, str, bool]]) -> str:
    """An SVG of text: (what, colour, on a band?) for each line. Places in programs stand out."""
    width, height = round(COLUMNS * ADVANCE + 2 * MARGIN), len(rows) * LEADING + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f'<rect width="{width}" height="{height}" rx="8" fill="{BACK}"/>',
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="13">',
    ]
    for k, (text, colour, band) in enumerate(rows):
        top = MARGIN + k * LEADING
        if band:
            parts.append(f'<rect x="6" y="{top}" width="{width - 12}" height="{LEADING}" rx="3" fill="{BAND}"/>')
        if text.strip():  # textLength: the columns of a table stay columns in every font
            marked = re.sub(r"(\w+\.py:\d+)", rf'<tspan fill="{MARK}">\1</tspan>', escape(text).replace(" ", "\xa0"))
            length = f'textLength="{len(text) * ADVANCE:.1f}"'
            parts.append(f'<text x="{MARGIN}" y="{top + 13}" fill="{colour}" {length}>{marked}</text>')
    return "\n".join([*parts, "</g>", "</svg>", ""])


def program_and_output(path: Path, file: str) -> None:
    """The program, with a band on each line that its output names; in the output, variables that something is wrong
    with stand out."""
    shown, printed = chapter(file)
    named = {int(number) for number in re.findall(rf"{re.escape(file)}:(\d+)", printed)}
    rows = [(line, CODE, number in named) for number, line in enumerate(shown.listing().splitlines(), 1)]
    rows += [
        ("", TEXT, False),
        (f"$ python {file}", DIM, False),
        *[(line, MARK if WRONG.search(line) else TEXT, False) for line in wrapped(printed)],
    ]
    path.write_text(terminal(rows), encoding="utf-8")


@made("why_none.svg")
def why_none(path: Path, small: bool) -> None:
    program_and_output(path, "why_none.py")


@made("where_nan.svg")
def where_nan(path: Path, small: bool) -> None:
    program_and_output(path, "where_nan.py")


@made("monitor.svg")
def monitor(path: Path, small: bool) -> None:
    program_and_output(path, "while_it_trains.py")


# ---- the demo's own picture, and the report in a browser


@made("demo.png")
def demo(path: Path, small: bool) -> None:
    from PIL import Image

    model = spirals.Spirals(hidden=48, activation="tanh", learning_rate=0.1, clip=1.0, noise=0.4, seed=7)
    for _ in range(20 if small else 1500):
        model.step()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        large = Path(folder) / "demo.png"
        picture.draw(str(large), model)
        with Image.open(large) as image:
            smaller(image).save(path, optimize=True)


def browser() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@made("tape_report.png")
def report(path: Path, small: bool) -> None:
    if browser() is None:
        raise ImportError("there is no Chromium")
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as browsers:
        page, shot = Path(folder) / "tape.html", Path(folder) / "shot.png"
        [last] = [c for c in tour.chapters(str(page), keras=False) if c.file == "a_page.py"]
        with contextlib.redirect_stdout(io.StringIO()):
            last.run()
        window = browsers.chromium.launch(executable_path=browser(), args=["--no-sandbox"])
        view = window.new_page(viewport={"width": 1180, "height": 1060}, color_scheme="light")
        view.goto(page.as_uri())
        view.wait_for_selector("html[data-ready]")
        view.locator(".box", has_text="add").first.click()
        view.screenshot(path=shot)
        window.close()
        with Image.open(shot) as image:
            smaller(image).save(path, optimize=True)


def smaller(image):
    """At most 1180 wide, in 256 colours."""
    from PIL import Image

    image = image.convert("RGB")
    width = min(image.width, 1180)
    image = image.resize((width, round(image.height * width / image.width)), Image.Resampling.LANCZOS)
    return image.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which: {', '.join(PICTURES)}")
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--small", action="store_true")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.names or PICTURES:
        path = options.out / name
        try:
            PICTURES[name](path, options.small)
        except ImportError as error:
            print(f"{name}: left out, {error}")
            continue
        size = path.stat().st_size
        print(f"{name}: {size / 1000:.0f} kB")
        if size > LARGEST:
            print(f"  larger than {LARGEST // 1000} kB", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
