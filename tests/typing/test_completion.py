"""What an editor shows of tapeflow: by jedi (IPython, Jupyter, many editors), and by a language server."""

import inspect

import pytest

import tapeflow as tf
from tapeflow.names.public import namespaces, public_names, value_of

from .language_server import COMMAND, Server

START = "import tapeflow as tf\ntape = tf.GradientTape()\n"
NAMESPACES = ["tf", "tf.math", "tf.data", "tf.keras.layers", "tf.derivatives", "tape"]
# The language server hides the files of a namespace, so that all the others are exact as well, but for these: parts
# that a namespace shares, and the types of its results. (`tf.raw_ops` is made of a table when it is asked.)
BESIDES = {
    "tf.audio": {"DecodeWav", "wav_file"},
    "tf.compat.v1": {"Any"},
    "tf.distribute.cluster_resolver": {"ClusterSpec", "others_in"},
    "tf.io.gfile": {"FileStatistics"},
}
MORE = [
    name
    for name, module in namespaces(tf, "tf")
    if inspect.ismodule(module) and name not in NAMESPACES and name != "tf.raw_ops"
]

server = pytest.mark.skipif(COMMAND is None, reason="the language server is in the extra `lint`")


def public(namespace):
    value = tf.GradientTape() if namespace == "tape" else value_of(namespace)
    names = dir(value) if "__dir__" in vars(value) else getattr(value, "__all__", None) or dir(value)
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
    assert {name for name in editor(namespace) if not name.startswith("_")} == {
        *public(namespace),
        *BESIDES.get(namespace, ()),
    }


OBJECTS = {
    "tf.constant([1.0])": tf.constant([1.0]),
    "tf.Variable([1.0])": tf.Variable([1.0]),
    "tf.data.Dataset.range(3)": tf.data.Dataset.range(3),
    "tf.ragged.constant([[1], [2, 3]])": tf.ragged.constant([[1], [2, 3]]),
    "tf.sparse.from_dense([[1.0]])": tf.sparse.from_dense([[1.0]]),
    "tf.TensorArray(tf.float32, 1)": tf.TensorArray(tf.float32, 1),
    "tf.Module()": tf.Module(),
}


@server
def test_the_language_server_completes_what_objects_have(tmp_path):
    lines = [f"{made}." for made in OBJECTS]
    with Server(tmp_path, START + "\n".join(lines) + "\n") as server:
        shown = [set(server.completions(2 + i, len(line))) for i, line in enumerate(lines)]
    lacking = {
        made: missing
        for (made, value), found in zip(OBJECTS.items(), shown, strict=True)
        if (missing := {name for name in dir(value) if not name.startswith("_")} - found)
    }
    # NumPy's and Keras' names, which tensors have only sometimes.
    assert {name for missing in lacking.values() for name in missing} <= {"to_device", "trainable"}


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
