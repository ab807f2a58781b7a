"""What mkdocs cannot know about this repository (a hook of mkdocs.yml): pages that are made while the site is built.

- the reference, from the docstrings (scripts/reference.py);
- files that live elsewhere in the repository: the examples, the specification, the guide for contributors, the list of
  changes.

Pages link to each other by the places of their files, so that the links also work where the repository is read as
files. On the site the same links lead to the pages that were made of those files; where there is no page, the link's
text remains.
"""

import posixpath
import re
import sys
from pathlib import Path
from typing import Any

import notebooks
import reference
from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
PAGES = {  # files of the repository, by their pages on the site
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "benchmarks/GPU.md": "gpu.md",
    "tests/spec/gradient_tape.md": "specification.md",
    "tests/spec/distribute.md": "specification_of_replicas.md",
    "examples/README.md": "examples/index.md",
}
SAME = {  # what a link may also call them
    "README.md": "index.md",
    "README.md#how-fast": "speed.md",
    "examples": "examples/index.md",
}
LINK = re.compile(r"(?<!\!)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>[^()\s]+)\)")
CELL, LONG_CODE = re.compile(r"<td.*?</td>", re.S), re.compile(r"(?<=<code>)[^<]{9,}(?=</code>)")
HIDDEN = "---\nsearch:\n  exclude: true\n---\n\n"  # found through its guide, not among the answers of a search


def on_config(config: Any) -> Any:
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))  # the reference is that of this checkout
    config.nav = [*config.nav, {"Reference": ["reference/index.md", *reference_entries()]}]
    config.markdown_extensions.append(Tables())
    return config


def reference_entries() -> list[dict]:
    """The namespaces: those that programs use first, then what TensorFlow calls experimental, and its version 1."""
    groups: dict[str, list[dict]] = {"": [], "Experimental": [], "Compatibility": []}
    for n in reference.namespaces():
        old = n.name.startswith(("tf.compat", "tf.raw_ops"))
        group = "Compatibility" if old else "Experimental" if "experimental" in n.name.split(".") else ""
        groups[group].append({n.name: n.page})
    return [*groups.pop(""), *({title: entries} for title, entries in groups.items())]


def on_files(files: Files, config: Any) -> Files:
    for name, text in reference.pages().items():
        files.append(File.generated(config, name, content=text))
    for source, page in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=HIDDEN + text if "spec" in page else text))
    files.append(File.generated(config, "speed.md", content=speed()))
    for path in notebooks.files():
        files.append(File.generated(config, f"tutorials/{path.stem}.md", content=notebooks.page(path)))
    for path in sorted((ROOT / "examples").glob("*.py")):
        files.append(File.generated(config, example_page(path.name), content=example(path)))
    for path in sorted((ROOT / "examples" / "pictures").glob("*.png")):
        files.append(File.generated(config, f"examples/pictures/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    if page.file.src_uri.startswith("reference/"):
        return markdown
    if '<div class="pair"' in markdown:
        page.meta["hide"] = ["toc"]  # two columns of code need the room
    name = page.file.src_uri
    if name == "speed.md" or name.startswith(("examples/", "tutorials/")) and page.file.name != "index":
        page.meta["hide"] = ["toc"]  # a wide table; programs, with longer lines than those of guides
    if '<div class="home"' in markdown:
        page.meta["hide"] = ["toc", "navigation"]
    origin = {v: k for k, v in [*PAGES.items(), ("README.md", "speed.md")]}.get(
        page.file.src_uri, f"docs/{page.file.src_uri}"
    )
    return LINK.sub(lambda m: link(m, origin, page.file.src_uri), markdown)


class Tables(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.treeprocessors.register(_Tables(md), "tables", 5)  # after the texts in the cells


class _Tables(Treeprocessor):
    """Marks tables with more than two columns, and each of their cells with the head of its column: on a phone their
    rows are cards (theme.css)."""

    def run(self, root: Any) -> None:
        for table in root.iter("table"):
            heads = ["".join(cell.itertext()).strip() for cell in table.iter("th")]
            if len(heads) > 2:
                table.set("data-columns", "many" if len(heads) < 7 else "wide")
                for row in table.iter("tr"):
                    for head, cell in zip(heads, row.findall("td")):
                        if head:
                            cell.set("data-label", head)


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Long names in tables may be broken after dots and underscores, and between words."""
    breakable = lambda code: re.sub(r"(?<=[._/(,])(?=[^\s<>])|(?<=[a-z])(?=[A-Z])", "<wbr>", code[0])
    return CELL.sub(lambda cell: LONG_CODE.sub(breakable, cell[0]), html)


def link(match: re.Match, origin: str, page: str) -> str:
    """The link as it has to be on `page`, which is made of the file `origin`."""
    target, _, anchor = match["target"].partition("#")
    if not target or ":" in target:
        return match[0]
    file = posixpath.normpath(posixpath.join(posixpath.dirname(origin), target))
    if file.startswith("docs/reference/"):
        return match[0]  # made while the site is built
    if not (ROOT / file).exists():
        return match[0]  # mkdocs reports it
    goal = SAME.get(f"{file}#{anchor}") or SAME.get(file) or PAGES.get(file)
    anchor = "" if goal == "speed.md" else anchor
    if file.startswith("docs/"):
        goal = file.removeprefix("docs/")
    elif re.fullmatch(r"examples/\w+\.py", file):
        goal = example_page(posixpath.basename(file))
    if goal is None:
        return match["text"]
    return (
        f"[{match['text']}]({posixpath.relpath(goal, posixpath.dirname(page) or '.')}{'#' + anchor if anchor else ''})"
    )


def speed() -> str:
    """The measurements, which are a section of the README."""
    section = re.search(r"^## How fast\n(.*?)(?=^## )", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    assert section, "README.md has no section `How fast`"
    return f"# How fast\n{section[1]}\n![Each measurement with its spread](benchmarks.png)\n"


def example_page(name: str) -> str:
    return f"examples/{name.removesuffix('.py')}.md"


def example(path: Path) -> str:
    return f'# {path.name}\n\n```python title="{path.name}"\n{path.read_text(encoding="utf-8")}```\n'
