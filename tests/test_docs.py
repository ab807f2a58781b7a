"""Every code block of the documentation runs and prints what it says; and the check itself notices when one does
not."""

import importlib.util
import os
import re
import subprocess
import sys
import types
from functools import reduce
from pathlib import Path

import pytest

import tapeflow as tf

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"
SCRIPT = SCRIPTS / "docs_check.py"


def script(name: str) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sys.path.insert(0, str(SCRIPTS))  # they import each other
docs_check, reference = script("docs_check"), script("reference")
PAGES = sorted((docs_check.ROOT / "docs").glob("*.md"))


@pytest.mark.parametrize("path", docs_check.files(), ids=lambda p: p.name)
def test_blocks_run(path):
    done = subprocess.run(
        [sys.executable, "-W", "error", str(SCRIPT), str(path)], capture_output=True, text=True, cwd=docs_check.ROOT
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_readme_and_contributing_have_blocks():
    for name in ("README.md", "CONTRIBUTING.md"):
        assert docs_check.blocks((docs_check.ROOT / name).read_text(encoding="utf-8"))


GOOD = "```python\nx = 2\nprint(x + 1)  # -> 3\nx * 2  # -> 4\n'abcdef'  # -> 'a...f'\n```\n"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (GOOD, 0),
        (GOOD + "\n```python\nprint(x)  # -> 2\n```\n", 0),  # names are shared
        ("```python\n1 + 1  # -> 3\n```\n", 1),
        ("```python\nprint('a b', 'c')\n# -> a b\n#    c\n```\n", 0),  # below, where it is long
        ("```python\nprint('a b', 'c')\n# -> a b\n#    d\n```\n", 1),
        ("```python\nfor i in range(2):\n    print(i)\n# -> 0\n# -> 1\n```\n", 0),
        ("```python\nprint('a b', 'c')\n# -> a b\n\n#    c\n```\n", 1),  # an empty line ends it
        ("```python\nundefined\n```\n", 1),
        ("<!-- a program -->\n```python\nfor i in range(2):\n    print(i)\n    # -> 0\n    # -> 1\n```\n", 0),
        ("<!-- a program -->\n```python\nprint(1)  # -> 2\n```\n", 1),
        ("<!-- a program -->\n```python\nundefined\n```\n", 1),
        ("<!-- not run: needs a printer -->\n```python\nundefined\n```\n", 0),
        ("<!-- not run: -->\n```python\nundefined\n```\n", 1),  # a reason is needed
        # only the block right after it is left out; once it was everything up to the last such line of the page
        ("<!-- not run: a -->\n```python\nx\n```\n```python\nx\n```\n<!-- not run: b -->\n```python\nx\n```\n", 1),
    ],
)
def test_the_check_itself(tmp_path, text, count):
    page = tmp_path / "page.md"
    page.write_text(text)
    assert len(docs_check.problems(page)) == count


def test_the_command_says_what_the_page_says(tmp_path):
    """`$ tapeflow …` in from-tensorflow.md, with the program above it."""
    text = (docs_check.ROOT / "docs" / "from-tensorflow.md").read_text(encoding="utf-8")
    (program,) = [b.code for b in docs_check.blocks(text) if b.skipped]
    (tmp_path / "train.py").write_text(program)
    commands = re.findall(r"^\$ tapeflow (.*)\n((?:(?!\$|```).*\n)*)", text, re.M)
    assert [arguments for arguments, _ in commands] == ["check train.py", "run train.py"]
    for arguments, expected in commands:
        done = subprocess.run(
            [sys.executable, "-m", "tapeflow", *arguments.split()],
            capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(docs_check.ROOT)},
        )  # fmt: skip
        marks = re.compile(
            r"^[ ^~]*\n", re.M
        )  # under which part of the line: Python's, and not the same in every version
        said = (done.stdout + done.stderr).replace(f"{tmp_path}{os.sep}", "")  # tracebacks have the whole path
        assert marks.sub("", said).strip() == marks.sub("", expected).strip()
        assert done.returncode == 1


def test_mistakes_that_type_checkers_find():
    """Lines that docs/type-checking.md calls wrong are among those that `make lint` has type checkers find."""
    wrong = lambda path: set(re.findall(r"^ +(\S.*?)  # wrong$", path.read_text(encoding="utf-8"), re.M))
    page = wrong(docs_check.ROOT / "docs" / "type-checking.md")
    assert page and page <= wrong(docs_check.ROOT / "tests" / "typing" / "mistakes.py")


# ---- names and pictures


# Pages name these because they are not there.
ABSENT = {"tf.__internal__", "tf.estimator"}


def there(name: str) -> bool:
    try:
        reduce(getattr, name.split(".")[1:], tf)
    except AttributeError:
        return False
    return True


@pytest.mark.parametrize("path", [p for p in PAGES if p.name != "support.md"], ids=lambda p: p.name)
def test_names_in_the_text_exist(path):
    """`tf.something` in running text and tables is a name that there is (the support table also has those that there
    are not), in `import tapeflow as tf`: what is private to TensorFlow is there under the stand-in only."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.M | re.S)
    names = set(re.findall(r"`(tf(?:\.[A-Za-z_]\w*)+)", text))
    assert not sorted(name for name in names if there(name) == (name in ABSENT))


def test_every_picture_is_small_and_shown():
    pictures = {p.name: p.stat().st_size for p in (docs_check.ROOT / "docs" / "pictures").iterdir()}
    assert all(size < 100_000 for size in pictures.values()), pictures
    texts = [p.read_text(encoding="utf-8") for p in {*PAGES, docs_check.ROOT / "README.md"}]
    shown = {m for text in texts for m in re.findall(r"!\[[^\]]+\]\((?:docs/)?pictures/([\w.]+)\)", text)}
    assert shown == set(pictures)


# ---- the reference


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("tf.math.sin", "reference/math.md#tf.math.sin"),
        ("tf.sin", "reference/tf.md#tf.sin"),
        ("tf.GradientTape.gradient", "reference/tf.md#tf.GradientTape.gradient"),
        (
            "tf.config.experimental.set_memory_growth",
            "reference/config_experimental.md#tf.config.experimental.set_memory_growth",
        ),
        ("tf.float32", "reference/tf.md#tf.float32"),
        ("tf.newaxis", "reference/tf.md#tf.newaxis"),  # its value is None, and it is there
        ("tf.sine", None),
        ("tf.GradientTape.gradients", None),
    ],
)
def test_where_a_name_is_documented(name, place):
    assert reference.where(name) == place


def test_reference_has_every_name_once_and_is_the_same_every_time():
    pages = reference.pages()
    assert pages == reference.pages()
    for namespace in reference.namespaces():
        anchors = re.findall(r"^##+ \S+ \{ #(\S+)", pages[namespace.page], re.M)
        assert len(anchors) == len(set(anchors))
        assert set(namespace.names) <= set(anchors)
    assert not [page for page, text in pages.items() if re.search(r" at 0x[0-9a-f]{6,}", text)]


def test_reference_shows_calls_as_they_are_written():
    assert reference.signature("tf.sin", tf.sin) == "tf.sin(x, name=None)"
    assert reference.signature("tf.GradientTape", tf.GradientTape).endswith(
        "(persistent=False, watch_accessed_variables=True)"
    )
    both = lambda a, /, b=tf.float32, *, c=None, **more: None
    assert reference.signature("f", both) == "f(a, /, b=tf.float32, *, c=None, **more)"
    assert reference.signature("f" * 90, both).splitlines()[1:3] == ["    a,", "    /,"]


@pytest.mark.parametrize(
    ("doc", "first"),
    [
        ("The sum. All of it.", "The sum"),
        ("A lookup: two\nkinds.\n\nMore.", "A lookup"),
        ("See `f: x` of *this* | that.", "See `f: x` of \\*this\\* \\| that."),
        (None, ""),
    ],
)
def test_first_sentences(doc, first):
    assert reference.first_sentence(types.SimpleNamespace(__doc__=doc)) == first


def test_docstrings_become_markdown():
    assert reference.markdown("Sum of <a> and `<b>`.\n>>> 1 + 1\n2\n\nMore.") == (
        "Sum of &lt;a> and `<b>`.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore."
    )


# ---- the site


@pytest.mark.parametrize(
    ("origin", "page", "written", "shown"),
    [
        ("docs/guide.md", "guide.md", "[a](derivatives.md#maps)", "[a](derivatives.md#maps)"),
        ("docs/guide.md", "guide.md", "[a](../examples/README.md)", "[a](examples/index.md)"),
        ("docs/guide.md", "guide.md", "[a](../README.md#how-fast)", "[a](speed.md)"),
        ("examples/README.md", "examples/index.md", "[a](maml.py)", "[a](maml.md)"),
        ("CONTRIBUTING.md", "contributing.md", "[a `b`](tests/spec/gradient_tape.md)", "[a `b`](specification.md)"),
        ("README.md", "speed.md", "[a](docs/benchmarks.png)", "[a](benchmarks.png)"),
        ("docs/guide.md", "guide.md", "[`Makefile`](../Makefile)", "`Makefile`"),  # no page of its own
        ("docs/guide.md", "guide.md", "[a](nowhere.md)", "[a](nowhere.md)"),  # left for mkdocs to report
        ("docs/guide.md", "guide.md", "[a](https://example.org/x)", "[a](https://example.org/x)"),
        ("docs/guide.md", "guide.md", "[a](reference/math.md#tf.math.sin)", "[a](reference/math.md#tf.math.sin)"),
    ],
)
def test_links_lead_to_the_pages_made_of_files(origin, page, written, shown):
    pytest.importorskip("mkdocs")
    site = script("docs_site")
    assert site.LINK.sub(lambda m: site.link(m, origin, page), written) == shown


def test_every_page_is_in_the_navigation():
    """The strict build says so, too; this needs no mkdocs."""
    listed = re.findall(r"[ :]([\w-]+\.md)$", (docs_check.ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.M)
    made = {"speed", "gpu", "specification", "specification_of_replicas", "contributing", "changes"}  # files elsewhere
    assert sorted(listed) == sorted({p.name for p in PAGES} | {f"{name}.md" for name in made})
