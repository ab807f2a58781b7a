"""`tape.report`: what is on the page, how operations are folded, where boxes go. How it looks:
test_report_in_a_browser.py."""

import itertools
import json
import re
import sys
import time

import numpy as np
import pytest

import tapeflow as tf
from tapeflow.inspect import folding, layout, report, views
from tapeflow.inspect.profile import Entry, statistics


def data_in(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page.html, re.DOTALL)[1])


def column(data, name):
    return [data["texts"][k] for k in data["entries"][name]]


def chain(n, line=lambda k: "a.py:1", scope=lambda k: ""):
    """A source and n operations, one after the other."""
    entries = [Entry(0, 1, "source", (), "", 0, "a.py:1", "", "", 0.0, "v")]
    return entries + [Entry(k, k + 1, "exp", (k - 1,), "", 4, line(k), "", scope(k), 1e-6) for k in range(1, n + 1)]


def all_boxes(box):
    return [box, *[inner for child in box.children for inner in all_boxes(child)]]


# ---- the page


def test_page_has_everything_that_is_known(tmp_path):
    v = tf.Variable(np.ones((3, 4), np.float32), name="v")
    with tf.debugging.explain_gradients():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.exp(v) @ tf.ones([4, 2]))
        tape.gradient(y, v)
    page = tape.report(tmp_path / "tape.html")
    data = data_in(page)
    assert (
        str(page) == str(tmp_path / "tape.html") and (tmp_path / "tape.html").read_text(encoding="utf-8") == page.html
    )
    assert column(data, "name") == ["v", "exp", "matmul", "reduce_sum"]
    assert column(data, "result") == ["float32 (3, 4)", "float32 (3, 4)", "float32 (3, 2)", "float32 ()"]
    assert [data["kinds"][k] for k in data["entries"]["kind"]] == ["source", "elementwise", "product", "reduction"]
    assert data["entries"]["kept"][1] == 48 and data["entries"]["norm"][3] == 1.0
    assert data["entries"]["norm"][2] == pytest.approx(6**0.5, rel=1e-3) and data["entries"]["backward"][1] > 0
    assert "tf.reduce_sum(tf.exp(v)" in column(data, "source")[1] and "test_report.py" in column(data, "line")[1]
    assert len(column(data, "bars")[2]) == 24 and "z" in column(data, "bars")[2]


def test_without_a_path_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with tf.GradientTape() as tape:
        tf.exp(tf.Variable(1.0))
    page = tape.report()
    assert list(tmp_path.iterdir()) == [] and page.path is None and "not written" in str(page)
    tape.report("tape.html")
    assert [f.name for f in tmp_path.iterdir()] == ["tape.html"]


def test_failing_write_leaves_the_old_file(tmp_path, monkeypatch):
    with tf.GradientTape() as tape:
        tf.exp(tf.Variable(1.0))
    (tmp_path / "tape.html").write_text("old")
    monkeypatch.setattr(report, "page", lambda data: "\ud800")  # cannot be encoded
    with pytest.raises(UnicodeEncodeError):
        tape.report(tmp_path / "tape.html")
    assert [f.name for f in tmp_path.iterdir()] == ["tape.html"] and (tmp_path / "tape.html").read_text() == "old"
    with pytest.raises(FileNotFoundError):
        tape.report(tmp_path / "no" / "tape.html")


def test_page_asks_for_nothing_else():
    with tf.GradientTape() as tape:
        tf.exp(tf.Variable(1.0))
    page = re.sub(r"http://www\.w3\.org/2000/svg", "", tape.report().html)
    assert not re.search(r"https?://|@import|url\((?!#)|\bsrc=|\bhref=|fetch\(|XMLHttpRequest|innerHTML", page)
    assert "default-src 'none'" in page


HOSTILE = "</script><img src=x onerror=alert(1)>"


def test_hostile_names_stay_text():
    v = tf.Variable([1.0], name=HOSTILE)
    with tf.debugging.explain_gradients(), tf.GradientTape() as tape:
        y = tf.exp(v)
    page = tape.report()
    assert (
        "<img" not in page.html and page.html.count("</script>") == 2 and column(data_in(page), "name")[0] == HOSTILE
    )
    shown = page._repr_html_()
    assert shown.count("<") == 2 and 'sandbox="allow-scripts"' in shown
    w = tf.Variable([1.0], name=HOSTILE)
    for html in (tape._repr_html_(), tape.explain(y, [v, w])._repr_html_()):
        assert "<img" not in html and "<table>" in html
    assert "&lt;/script&gt;&lt;img" in tape.explain(y, [v, w])._repr_html_()


def test_gradients_that_are_not_finite_are_in_the_page():
    v = tf.Variable([0.0, 4.0])
    with tf.debugging.explain_gradients():
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.square(tf.sqrt(v) * 1e30)) * 1e30
        tape.gradient(y, v)
    norms = data_in(tape.report())["entries"]["norm"]
    assert "inf" in norms and any(isinstance(n, float) for n in norms)


def test_without_provenance():
    v = tf.Variable([1.0, 2.0], name="v")
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.exp(v) * v)
    data = data_in(tape.report())
    assert (
        not data["seen"]
        and column(data, "name") == ["v", "exp", "mul", "reduce_sum"]
        and data["entries"]["kept"][1] == 8
    )
    tape.gradient(y, v)
    assert "spent" in data_in(tape.report())["message"]
    assert "never entered" in data_in(tf.GradientTape().report())["message"]


def test_ends_of_paths_are_told():
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        for _ in range(3):
            tf.stop_gradient(v) * v
    (end,) = data_in(tape.report())["ends"]
    assert end["kind"] == "stop_gradient" and end["count"] == 3 and "test_report.py" in end["where"] and end["repair"]


def test_reads_of_a_variable_are_one_source():
    v = tf.Variable(1.0, name="v")
    with tf.GradientTape() as tape:
        y = v * v
        v.assign(2.0)
        y * v
    assert column(data_in(tape.report()), "name").count("v") == 1


def test_missing_library_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "fast_sugiyama", None)
    with pytest.raises(ImportError, match="pip install fast-sugiyama"):
        tf.GradientTape().report()


def test_ten_thousand_operations():
    v = tf.Variable(np.eye(4, dtype=np.float32), name="v")
    with tf.debugging.explain_gradients():
        with tf.GradientTape() as tape:
            h = tf.ones([2, 4])
            for _ in range(3334):
                h = h @ v
                h = tf.tanh(h)
                h = h * 0.999
            y = tf.reduce_sum(h)
        tape.gradient(y, v)
    start = time.process_time()
    page = tape.report()
    assert time.process_time() - start < 20 and len(page.html.encode()) < 5e6
    data = data_in(page)
    assert len(data["entries"]["name"]) > 10_000
    for tree in data["trees"]:
        assert max(len(box["boxes"]) for box in tree["boxes"]) <= folding.MOST + 12
        drawn = [child for box in tree["boxes"] for child in box["children"] if child >= 0]
        assert sorted(drawn) == list(range(len(data["entries"]["name"])))


# ---- in Jupyter


def test_tape_and_explanation_show_themselves():
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable(1.0, name="w")
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.exp(v))
    html = tape._repr_html_()
    assert "2 operations recorded" in html and "<td" in html and "explain_gradients" in html and ">exp</td>" in html
    html = tape.explain(y, [v, w])._repr_html_()
    assert html.count("<tr>") == 3 and ">connected</td>" in html and ">None</td>" in html and "was not read" in html
    assert "never entered" in tf.GradientTape()._repr_html_()
    with tf.debugging.explain_gradients(), tf.GradientTape() as tape:
        tf.exp(v)
    assert "forward</th>" in tape._repr_html_() and "tf.exp(v)" in tape._repr_html_()


# ---- folding


def test_few_operations_are_not_folded():
    assert [box.name for box in folding.by_layer(chain(10)).children] == ["v", *["exp"] * 10]


def test_layers_are_folded_as_they_are_nested():
    root = folding.by_layer(chain(8, scope=lambda k: "" if k > 6 else ["net/a", "net/b/c"][k > 3]))
    assert [box.name for box in root.children] == ["v", "a", "b", "exp", "exp"]  # the lone model is opened
    assert [box.name for box in root.children[2].children] == ["c"]
    root = folding.by_layer(chain(8, scope=lambda k: ["one/a", "two/b"][k > 3]))
    assert [(box.name, box.kind) for box in root.children] == [("v", "source"), ("one", "layer"), ("two", "layer")]


def test_a_layer_that_is_called_twice_is_two_boxes():
    entries = chain(8, scope=lambda k: ["twin", "other", "twin", "loss"][(k - 1) // 2])
    entries[5] = entries[5]._replace(inputs=(4, 0))  # the weight of both calls
    entries[0] = entries[0]._replace(scope="twin")
    assert [box.name for box in folding.by_layer(entries).children] == ["v", "twin", "other", "twin (2)", "loss"]
    often = folding.by_layer(chain(600, scope=lambda k: ["one", "two"][k // 2 % 2]))
    assert [(box.name, len(list(box.leaves()))) for box in often.children] == [("v", 1), ("one", 300), ("two", 300)]


def test_many_operations_are_folded_by_line():
    root = folding.by_layer(chain(100, line=lambda k: f"a.py:{(k - 1) // 25}"))
    assert [box.name for box in root.children] == ["a.py:0", "a.py:1", "a.py:2", "a.py:3"]
    assert root.children[0].children[0].name == "v"  # only that line uses it


def test_a_loop_is_folded_by_runs_and_by_line():
    entries = chain(10_000, line=lambda k: f"a.py:{k % 3}")
    root = folding.by_layer(entries)
    assert {box.kind for box in root.children} == {"run"} and root.children[0].name == "operations 1 – 455"
    assert max(len(box.children) for box in all_boxes(root)) <= folding.MOST
    lines = folding.by_line(entries)
    assert [(box.name, len(list(box.leaves()))) for box in lines.children] == [
        ("a.py:1", 3335),
        ("a.py:2", 3333),
        ("a.py:0", 3333),
    ]


def test_many_layers_are_folded_by_runs():
    root = folding.by_layer(chain(1000, scope=lambda k: f"step_{k // 2}"))
    assert len(root.children) <= folding.MOST and root.children[0].name.startswith("step_0 … step_")


def test_many_sources_are_folded():
    sources = [Entry(k, k + 1, "source", (), "", 0, "", "", "", 0.0, f"v{k}") for k in range(500)]
    root = folding.by_layer([*sources, Entry(500, 501, "add_n", tuple(range(500)), "", 0, "", "", "", 0.0)])
    assert [box.name for box in root.children] == ["500 sources", "add_n"]
    assert max(len(box.children) for box in all_boxes(root)) <= folding.MOST


# ---- pictures


def overlaps(picture):
    places = sorted(picture.places, key=lambda p: (p[1], p[0]))
    return [(p, q) for p, q in itertools.pairwise(places) if p[1] == q[1] and q[0] - p[0] < 0.999]


@pytest.mark.parametrize("n", [1, 2, 10, 60])
def test_boxes_do_not_overlap_and_arrows_go_down(n):
    random = np.random.default_rng(n)
    edges = [(int(random.integers(max(0, k - 5), k)), k) for k in range(1, n)]
    edges += [(int(random.integers(0, k)), k) for k in range(1, n, 3)]
    picture = layout.place(n, edges, [])
    assert len(picture.places) == n and not overlaps(picture)
    assert all(picture.places[a][1] < picture.places[b][1] for a, b in edges)
    for (a, b), way in picture.ways.items():
        rows = [picture.places[a][1], *[y for _, y in way], picture.places[b][1]]
        assert rows == sorted(rows)


def test_single_boxes_are_in_rows():
    picture = layout.place(23, [], list(range(23)))
    assert max(x for x, _ in picture.places) <= 5 and not overlaps(picture)


def test_arrows_between_folded_boxes():
    entries = chain(6, line=lambda k: ["a.py:1", "a.py:2", "a.py:1"][(k - 1) // 2])
    root, one, two = views.tree(folding.by_line(entries), entries)
    assert root["boxes"] == [-2, -3]
    assert sorted(arrow[:3] for arrow in root["arrows"]) == [[0, 1, 1], [1, 0, 1]]  # there and back
    assert (one["name"], one["boxes"], one["outside"]) == ("a.py:1", [-3, 0, 1, 2, 5, 6, -3], [1, 1])
    assert (two["name"], two["boxes"], two["outside"]) == ("a.py:2", [-2, 3, 4, -2], [1, 1])
    assert two["parent"] == -1 and root["parent"] == 0


def test_arrows_of_a_shared_weight_are_quiet():
    entries = chain(20)
    entries = [e._replace(inputs=tuple({*e.inputs, 0})) if e.number else e for e in entries]
    (root,) = views.tree(folding.by_layer(entries), entries)
    of_weight = [arrow for arrow in root["arrows"] if arrow[0] == 0]
    assert len(of_weight) == 20 and [arrow[1] for arrow in of_weight if not arrow[3]] == [1]
    assert not any(arrow[3] for arrow in root["arrows"] if arrow[0])


# ---- gradients


@pytest.mark.parametrize("values", [[1e30, 1e30], [1.0, np.nextafter(1.0, 2.0)], [0.0, 5e-324], [-1.7e308, 1.7e308]])
def test_histograms_of_extreme_ranges(values):
    norm, (counts, low, high) = statistics(np.array(values))
    assert sum(counts) == 2 and (low, high) == (values[0], values[1]) and norm >= 0
