"""What an editor shows of tapeflow: by jedi (IPython, Jupyter, many editors), and by a language server."""

import inspect

import pytest

import tapeflow as tf
from tapeflow.names.public import public_names, value_of

from .language_server import COMMAND, Server

START = "import tapeflow as tf\ntape = tf.GradientTape()\n"
NAMESPACES = ["tf", "tf.math", "tf.data", "tf.keras.layers", "tf.derivatives", "tape"]
# The language server hides the files of a namespace, so that these are exact as well.
MORE = """tf.compat tf.debugging tf.distribute tf.errors tf.image tf.nn tf.ragged tf.random tf.saved_model tf.signal
    tf.sparse tf.strings tf.summary tf.test tf.lookup""".split()

server = pytest.mark.skipif(COMMAND is None, reason="the language server is in the extra `lint`")


def public(namespace):
    value = tf.GradientTape() if namespace == "tape" else value_of(namespace)
    names = getattr(value, "__all__", None) or dir(value)
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("namespace", NAMESPACES)
def test_jedi_completes_the_public_names(namespace):
    jedi = pytest.importorskip("jedi")
    found = jedi.Script(f"{START}{namespace}.").complete()
    shown = {c.name: c for c in found if not c.name.startswith("_")}
    assert public(namespace) <= set(shown)
    # It shows every file of a package, too, which cannot be switched off.
    assert {shown[name].type for name in set(shown) - public(namespace)} <= {"module"}


@pytest.fixture(scope="module")
def editor(tmp_path_factory):
    lines = [f"{namespace}." for namespace in NAMESPACES + MORE]
    with Server(tmp_path_factory.mktemp("program"), START + "\n".join(lines) + "\n") as server:
        yield lambda namespace: server.completions(2 + lines.index(f"{namespace}."), len(namespace) + 1)


@server
@pytest.mark.parametrize("namespace", NAMESPACES + MORE)
def test_the_language_server_completes_the_public_names_and_no_others(editor, namespace):
    assert {name for name in editor(namespace) if not name.startswith("_")} == public(namespace)


# ---- on hover

FUNCTIONS = [name for name in public_names() if inspect.isroutine(value_of(name)) or inspect.isclass(value_of(name))]


def shown_on_hover(names, folder):
    """The names whose hover lacks the signature or the first words of the docstring."""
    lacking = {}
    program = START + "\n".join(names) + "\n"
    with Server(folder, program) as server:
        for line, name in enumerate(names, 2):
            text = server.hover(line, len(name) - 1)
            doc = (inspect.getdoc(value_of(name)) or "").partition("\n")[0]
            missing = [what for what, part in (("signature", "("), ("docstring", doc[:25])) if part not in text]
            if missing:
                lacking[name] = missing
    return lacking


@server
def test_hover_shows_signature_and_docstring(tmp_path):
    assert not shown_on_hover(FUNCTIONS[::20], tmp_path)


@server
@pytest.mark.long
def test_hover_shows_signature_and_docstring_of_every_name(tmp_path):
    assert not shown_on_hover(FUNCTIONS, tmp_path)
