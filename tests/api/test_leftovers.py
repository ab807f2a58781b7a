"""Names that few programs use: sound, sets, devices' names, edit distance, messages, the profiler, TestCase's other assertions."""

import gzip
import json
import threading

import numpy as np
import pytest

import tapeflow as tf

# ---- tf.audio


def test_wav_files():
    encoded = tf.audio.encode_wav([[0.5], [-0.25], [2.0]], 8000)
    assert encoded.numpy() == (
        b"RIFF*\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00@\x1f\x00\x00\x80>\x00\x00\x02\x00\x10\x00data\x06\x00\x00\x00"
        b"\x00@\x00\xe0\xff\x7f"
    )
    audio, rate = tf.audio.decode_wav(encoded)
    np.testing.assert_allclose(audio, [[0.5], [-0.25], [0.9999695]])
    assert rate.numpy() == 8000 and audio.dtype is tf.float32
    assert tf.audio.decode_wav(encoded, desired_channels=2).audio.numpy()[0].tolist() == [0.5, 0.5]
    assert tf.audio.decode_wav(encoded, desired_samples=5).audio.numpy()[3:].tolist() == [[0], [0]]
    assert tf.audio.decode_wav(encoded, desired_samples=2).audio.shape == [2, 1]
    for broken, text in ((b"junk", "Expected RIFF but found junk"), (b"RIFF1234WAVE", "not a WAV file")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            tf.audio.decode_wav(broken)
    with pytest.raises(tf.errors.InvalidArgumentError, match="2-dimensional"):
        tf.audio.encode_wav([0.5], 8000)


# ---- tf.sets


def test_sets():
    a, b = [[1, 2], [3, 3]], [[2, 5], [1, 3]]
    dense = lambda sparse: tf.sparse.to_dense(sparse).numpy().tolist()
    assert dense(tf.sets.union(a, b)) == [[1, 2, 5], [1, 3, 0]]
    assert dense(tf.sets.intersection(a, b)) == [[2], [3]]
    assert dense(tf.sets.difference(a, b, aminusb=False)) == [[5], [1]]
    assert tf.sets.difference(a, b).indices.numpy().tolist() == [[0, 0]]
    sparse = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 1, 2], [3, 2])
    assert tf.sets.size(sparse).numpy().tolist() == [1, 1, 0]
    assert dense(tf.sets.union(tf.constant([["b"]]), tf.constant([["a"]]))) == [[b"a", b"b"]]
    with pytest.raises(ValueError, match="different shapes"):
        tf.sets.union([[1]], [[1], [2]])


# ---- names of tf itself


def test_device_specs():
    spec = tf.DeviceSpec.from_string
    for given, name in [
        ("/job:w/replica:0/task:1/device:GPU:2", "/job:w/replica:0/task:1/device:GPU:2"),
        ("/gpu:2", "/device:GPU:2"),
        ("/cpu:*", "/device:CPU:*"),
    ]:
        assert spec(given).to_string() == name
    assert spec("/job:a").make_merged_spec(spec("/job:b/gpu:1")).to_string() == "/job:b/device:GPU:1"
    assert tf.DeviceSpec(job="a").replace(task=3).to_string() == "/job:a/task:3"
    assert tf.DeviceSpec(job="a") == tf.DeviceSpec(job="a") != tf.DeviceSpec(job="b")
    assert repr(tf.DeviceSpec()) == "<DeviceSpec(job=None, replica=None, task=None, device_type=None, device_index=None)>"
    with pytest.raises(ValueError, match="Unknown attribute 'bogus'"):
        spec("bogus")


def test_edit_distance():
    hypothesis = tf.SparseTensor([[0, 0, 0], [1, 0, 0]], ["a", "b"], (2, 1, 1))
    truth = tf.SparseTensor([[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "a"], (2, 2, 2))
    assert tf.edit_distance(hypothesis, truth).numpy().tolist() == [[np.inf, 1], [0.5, 1]]
    assert tf.edit_distance(hypothesis, truth, normalize=False).numpy().tolist() == [[1, 1], [1, 1]]
    with pytest.raises(TypeError, match="SparseTensor"):
        tf.edit_distance([1], truth)


def test_fingerprints():
    assert tf.fingerprint(["abc", "x"]).numpy().tolist()[1] == [2, 104, 255, 236, 186, 253, 126, 193]
    assert tf.fingerprint([[1, 2], [3, 4]]).numpy().tolist()[0] == [76, 18, 253, 133, 168, 204, 240, 10]
    with pytest.raises(tf.errors.InvalidArgumentError, match="md5"):
        tf.fingerprint(["a"], method="md5")


def test_critical_sections():
    section, total = tf.CriticalSection(), tf.Variable(0)

    def work():
        for _ in range(200):
            section.execute(lambda: total.assign(total.value() + 1))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert total.numpy() == 800
    assert isinstance(section.execute(lambda: 3), tf.Tensor)
    with pytest.raises(ValueError, match="already running"):
        section.execute(lambda: section.execute(lambda: 1))
    assert section.execute(lambda: 4).numpy() == 4


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "complex64", "float16", "uint8"])
def test_tensors_as_messages(dtype):
    pytest.importorskip("tensorboardX")
    array = np.array([[1, 0], [0, 1]], dtype)
    message = tf.make_tensor_proto(array)
    found = tf.make_ndarray(message)
    np.testing.assert_array_equal(found, array)
    assert found.dtype == array.dtype


def test_other_forms_of_messages():
    messages = pytest.importorskip("tensorboardX.proto.tensor_pb2")
    assert tf.make_ndarray(tf.make_tensor_proto(["a", "b"])).tolist() == [b"a", b"b"]
    assert tf.make_ndarray(tf.make_tensor_proto(1, shape=[2, 2])).tolist() == [[1, 1], [1, 1]]
    with pytest.raises(TypeError, match="shape"):
        tf.make_tensor_proto([1, 2], shape=[3], verify_shape=True)
    repeated = messages.TensorProto(dtype=3, int_val=[1, 2])  # as TensorFlow writes it: the last value goes on
    repeated.tensor_shape.dim.add(size=4)
    assert tf.make_ndarray(repeated).tolist() == [1, 2, 2, 2]


def test_sobol_points():
    assert tf.math.sobol_sample(3, 5).numpy()[-1].tolist() == [0.875, 0.875, 0.125]
    found = tf.math.sobol_sample(2, 3, skip=2, dtype=tf.float64)
    assert found.dtype is tf.float64 and found.numpy().tolist() == [[0.25, 0.75], [0.375, 0.375], [0.875, 0.875]]


def test_what_programs_ask_about_the_build():
    assert tf.__git_version__ == tf.version.GIT_VERSION and tf.__compiler_version__ == tf.version.COMPILER_VERSION
    assert not tf.sysconfig.get_build_info()["is_cuda_build"] and tf.sysconfig.get_link_flags() == []
    assert isinstance(tf.function(lambda x: x), tf.types.experimental.GenericFunction)
    assert tf.errors.NotFoundError(None, None, "m").experimental_payloads == {}
    with pytest.raises(AssertionError, match="Unknown CPU target"):
        tf.test.is_cpu_target_available("abacus")
    with pytest.raises(tf.errors.UnimplementedError, match="compiled for TensorFlow"):
        tf.load_op_library("ops.so")
    assert tf.matrix_square_root([[4.0]]).numpy().tolist() == [[2.0]]


# ---- tf.profiler


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


# ---- tf.test


def test_other_assertions():
    case = tf.test.TestCase()
    case.assertLen([1, 2], 2)
    case.assertEmpty([])
    case.assertNotEmpty([1])
    case.assertBetween(2, 1, 3)
    case.assertStartsWith("abc", "ab")
    case.assertSameElements([1, 1, 2], [2, 1])
    case.assertItemsEqual([1, 2], [2, 1])
    case.assertContainsSubset([1], [1, 2])
    case.assertSameStructure({"a": 1}, {"a": 2})
    case.assertArrayNear([1.0], [1.01], 0.1)
    case.assertNDArrayNear(np.ones(2), np.ones(2), 1e-6)
    case.assertDictAlmostEqual({"a": 1.0}, {"a": 1.0 + 1e-9})
    with case.assertRaisesOpError("broke"):
        raise tf.errors.InternalError(None, None, "it broke")
    with case.session():
        pass
    for failing in (
        lambda: case.assertLen([1], 2),
        lambda: case.assertEmpty([1]),
        lambda: case.assertBetween(4, 1, 3),
        lambda: case.assertSameStructure([1], {"a": 2}),
        lambda: case.assertArrayNear([1.0], [2.0], 0.1),
        lambda: case.assertSequenceAlmostEqual([1.0], [2.0]),
    ):
        with pytest.raises(AssertionError):
            failing()
    with pytest.raises(AssertionError, match="not raised"), case.assertRaisesWithPredicateMatch(ValueError, "x"):
        pass
    with pytest.raises(AssertionError, match="another text"), case.assertRaisesWithPredicateMatch(ValueError, "x"):
        raise ValueError("y")
