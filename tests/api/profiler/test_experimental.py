"""`tf.profiler`."""

import gzip
import json

import pytest

import tapeflow as tf


def test_a_profile_has_the_spans_that_were_marked(tmp_path):
    experimental = tf.profiler.experimental
    with experimental.Trace("before"):
        pass
    with experimental.Profile(str(tmp_path)):
        for step in range(2):
            with experimental.Trace("train", step_num=step) as span:
                span.set_metadata(loss=tf.constant(1.0))
        with pytest.raises(tf.errors.AlreadyExistsError, match="Another profiler is running"):
            experimental.start(str(tmp_path))
    [path] = tmp_path.rglob("*.trace.json.gz")
    spans = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    assert [(s["name"], s["ph"], s["args"]["step_num"]) for s in spans] == [("train", "X", 0), ("train", "X", 1)]
    with pytest.raises(tf.errors.UnavailableError, match="No profiler is running"):
        experimental.stop()
    experimental.start(str(tmp_path / "unsaved"))
    experimental.stop(save=False)
    assert not (tmp_path / "unsaved").exists()
