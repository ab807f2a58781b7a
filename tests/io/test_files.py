"""Files and folders: what TensorFlow's functions of these names do."""

import os

import pytest

import tapeflow as tf

gfile = tf.io.gfile


@pytest.fixture
def folder(tmp_path):
    for name in ("b.txt", "a.txt", "c.csv", ".hidden.txt"):
        (tmp_path / name).write_bytes(b"abc")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "deep.txt").write_bytes(b"")
    return str(tmp_path)


def names(paths, folder):
    return [os.path.relpath(os.fsdecode(path), folder) for path in paths]


# ---- strings


def test_write_and_read(tmp_path):
    path = str(tmp_path / "new" / "deep.txt")
    assert tf.io.write_file(path, "hey") is None
    assert tf.io.read_file(tf.constant(path)).numpy() == b"hey"
    assert tf.io.read_file("file://" + path).numpy() == b"hey"


def test_what_cannot_be_read(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="nope; No such file or directory"):
        tf.io.read_file(str(tmp_path / "nope"))
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        tf.io.read_file(str(tmp_path))
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be scalar"):
        tf.io.read_file(["a", "b"])
    with pytest.raises(TypeError, match="A path is"):
        gfile.exists(3)


def test_reading_in_a_function_happens_at_every_call(tmp_path):
    path = str(tmp_path / "f")
    read = tf.function(lambda: tf.io.read_file(path))
    for text in (b"one", b"two"):
        tf.io.write_file(path, text)
        assert read().numpy() == text


def test_patterns(folder):
    assert names(tf.io.matching_files(folder + "/*.txt").numpy(), folder) == [".hidden.txt", "a.txt", "b.txt"]
    assert names(tf.io.matching_files([folder + "/*.csv", folder + "/[ab].txt"]).numpy(), folder) == [
        "a.txt",
        "b.txt",
        "c.csv",
    ]
    assert names(tf.io.matching_files(folder + "/*/*.txt").numpy(), folder) == ["sub/deep.txt"]
    assert tf.io.matching_files(folder + "/none/*").numpy().tolist() == []
    assert names(tf.io.match_filenames_once(folder + "/c.*").numpy(), folder) == ["c.csv"]


# ---- folders


def test_looking(folder):
    assert (
        gfile.exists(folder)
        and not gfile.exists(folder + "/x")
        and gfile.isdir(folder)
        and not gfile.isdir(folder + "/a.txt")
    )
    assert sorted(gfile.listdir(folder)) == [".hidden.txt", "a.txt", "b.txt", "c.csv", "sub"]
    assert sorted(names(gfile.glob([folder + "/*.csv", folder + "/b*"]), folder)) == ["b.txt", "c.csv"]
    for missing in ("/x", "/a.txt"):
        with pytest.raises(tf.errors.NotFoundError, match="Could not find directory"):
            gfile.listdir(folder + missing)
    found = gfile.stat(folder + "/a.txt")
    assert found.length == 3 and not found.is_directory and found.mtime_nsec > 0
    assert [(names([d], folder), sorted(sub)) for d, sub, _ in gfile.walk(folder)] == [(["."], ["sub"]), (["sub"], [])]


def test_making(folder):
    gfile.mkdir(folder + "/m")
    gfile.mkdir(folder + "/m")
    gfile.makedirs(folder + "/q/r")
    gfile.makedirs(folder + "/q/r")
    with pytest.raises(tf.errors.NotFoundError):
        gfile.mkdir(folder + "/s/t")
    with pytest.raises(tf.errors.FailedPreconditionError, match="not a directory"):
        gfile.makedirs(folder + "/a.txt")


@pytest.mark.parametrize("move", [gfile.copy, gfile.rename])
def test_nothing_is_overwritten_unless_asked(folder, move):
    tf.io.write_file(folder + "/a.txt", "new")
    with pytest.raises(tf.errors.AlreadyExistsError, match="file already exists"):
        move(folder + "/a.txt", folder + "/b.txt")
    assert tf.io.read_file(folder + "/b.txt").numpy() == b"abc"
    move(folder + "/a.txt", folder + "/b.txt", overwrite=True)
    assert tf.io.read_file(folder + "/b.txt").numpy() == b"new"
    assert gfile.exists(folder + "/a.txt") == (move is gfile.copy)
    with pytest.raises(tf.errors.NotFoundError):
        move(folder + "/none", folder + "/other")


def test_deleting(folder):
    gfile.remove(folder + "/a.txt")
    with pytest.raises(tf.errors.NotFoundError):
        gfile.remove(folder + "/a.txt")
    with pytest.raises(tf.errors.FailedPreconditionError, match="Is a directory"):
        gfile.remove(folder + "/sub")
    gfile.rmtree(folder + "/sub")
    with pytest.raises(tf.errors.NotFoundError, match="not found"):
        gfile.rmtree(folder + "/sub")


# ---- GFile


def test_a_file_of_text(tmp_path):
    path = str(tmp_path / "f")
    with gfile.GFile(path, "w") as file:
        file.write("line1\nline2\nüñ")
    with gfile.GFile(path) as file:
        assert (file.read(5), file.readline(), file.tell(), file.readlines(), file.size()) == (
            "line1",
            "\n",
            6,
            ["line2\n", "üñ"],
            16,
        )
        file.seek(2)
        assert file.read(3) == "ne1"
    with gfile.GFile(path, "a") as file:
        file.write("more")
    assert list(gfile.GFile(path)) == ["line1\n", "line2\n", "üñmore"]
    assert gfile.GFile(path, "rb").read().endswith(b"more")


def test_a_file_that_is_written_with_nothing_exists(tmp_path):
    with gfile.GFile(str(tmp_path / "f"), "w"):
        pass
    assert gfile.exists(str(tmp_path / "f"))


def test_wrong_modes(tmp_path):
    path = str(tmp_path / "f")
    tf.io.write_file(path, "x")
    with pytest.raises(tf.errors.PermissionDeniedError, match="isn't open for writing"):
        gfile.GFile(path).write("x")
    with pytest.raises(tf.errors.PermissionDeniedError, match="isn't open for reading"):
        gfile.GFile(path, "w").read()
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode is not"):
        gfile.GFile(path, "x")
    with pytest.raises(tf.errors.NotFoundError):
        gfile.GFile(str(tmp_path / "none")).read()


def test_names_of_version_1(tmp_path):
    old = tf.compat.v1.gfile
    old.MakeDirs(str(tmp_path / "a" / "b"))
    with old.Open(str(tmp_path / "a" / "f"), "w") as file:
        file.write("x")
    assert old.Exists(str(tmp_path / "a" / "f")) and sorted(old.ListDirectory(str(tmp_path / "a"))) == ["b", "f"]
    old.DeleteRecursively(str(tmp_path / "a"))
    assert not old.IsDirectory(str(tmp_path / "a"))


def test_only_text_and_bytes_are_written(tmp_path):
    with tf.io.gfile.GFile(str(tmp_path / "a"), "wb") as file:
        with pytest.raises(TypeError, match="text or bytes; got 3"):
            file.write(3)
        file.write(bytearray(b"a\r\nb"))
    with tf.io.gfile.GFile(str(tmp_path / "a")) as file:
        assert file.readlines() == ["a\n", "b"]  # as TensorFlow reads lines; `read` leaves them as they are
    with tf.io.gfile.GFile(str(tmp_path / "a"), "rb") as file:
        assert file.read() == b"a\r\nb"


@pytest.mark.skipif(os.name == "nt", reason="who makes links needs a privilege")
def test_what_a_link_to_nowhere_is(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    assert not tf.io.gfile.exists(tmp_path / "link")
    assert tf.io.gfile.glob(str(tmp_path / "[^a]*")) == [str(tmp_path / "link")]
    assert tf.io.gfile.glob(str(tmp_path / "[^l]*")) == []
