"""The benchmark of training steps on a GPU, which also runs, very small, without one."""

import json

import pytest

from benchmarks import gpu, gpu_report

pytest.importorskip("jax")


@pytest.mark.long
def test_small_run(tmp_path, capsys):
    """tapeflow and `jax.jit` compute the same losses, and both are in the table."""
    assert (
        gpu.main(
            ["--small", "--frameworks", "tapeflow,jax", "--dtypes", "float32", "--out", str(tmp_path), "mlp", "lstm"]
        )
        == 0
    )
    results = json.loads((tmp_path / "gpu.json").read_text())
    for key, found in results["timings"].items():
        assert all(len(result["times"]) == 2 for result in found.values()), found
        assert gpu_report.disagreements(found, "tapeflow", "float32") == [], key
    report = (tmp_path / "GPU.md").read_text()
    assert report.strip() == capsys.readouterr().out.strip()
    assert (
        "LSTM, 5 steps" in report
        and "`jax.jit`, `lax.scan`" in report
        and "The losses of the first steps agree." in report
    )


def test_nothing_is_begun_after_the_time_is_over(capsys):
    assert gpu.main(["--small", "--frameworks", "tapeflow", "--minutes", "0", "mlp"]) == 0
    assert "No time was left for: mlp, float32; mlp, bfloat16." in capsys.readouterr().out


def test_a_compiler_that_takes_too_long_is_stopped():
    """The others go on, and so does a new process of the same peer, with another workload."""
    peers = gpu.Peers(gpu.settings(tf32=True))
    peers.start(gpu.SELF)
    try:
        what = {"workload": "transformer", "scale": "small", "dtype": "float32"}
        assert peers.build(gpu.SELF, 0.5, what) == {"error": "no time left"}
        answers = [peers.build(gpu.SELF, 1.0, what | {"scale": "gpu"}) for _ in range(2)]
        assert answers == [{"error": "not ready after 1 s"}, {"error": "not tried, float32 took too long"}]
        assert "losses" in peers.build(gpu.SELF, 600, {"workload": "mlp", "scale": "small", "dtype": "float32"})
    finally:
        peers.close()


def test_wrong_gradients_are_found():
    """A first loss that agrees is not enough: a step with another gradient falls otherwise."""
    ours, same, other = {"losses": [2.0, 1.9]}, {"losses": [2.001, 1.902]}, {"losses": [2.0, 1.95]}
    found = {"tapeflow": ours, "same": same, "other": other}
    assert gpu_report.disagreements(found, "tapeflow", "float32") == ["other"]
    found = {"tapeflow": {"losses": [2.0, 1.8]}, "same": {"losses": [2.0, 1.83]}, "other": {"losses": [2.0, 1.88]}}
    assert gpu_report.disagreements(found, "tapeflow", "bfloat16") == ["other"]


def test_targets_are_said_to_be_missed():
    """By the median of the ratios, round by round; a peer that was not timed is not compared with."""
    times = {"tapeflow": [2.0, 2.2, 9.0], "jax": [], "PyTorch eager": [1.0, 1.0, 3.0], "absent": []}
    slow = {name: {"times": seconds} for name, seconds in times.items()}
    timings = {
        "mlp float32": slow | {"jax": {"times": [1.0, 2.0, 8.0]}},
        "cnn float32": slow | {"jax": slow["tapeflow"]},
    }
    results = {"timings": timings, "peers": list(times)}
    assert gpu_report.targets(results, "tapeflow", "jax") == [
        "- within 1.05× of jax: 1 of 2, from 1.00× to 1.12×. Missed: mlp float32 (1.12×).",
        "- ahead of PyTorch eager: 0 of 2, from 2.20× to 2.20×. Missed: mlp float32 (2.20×), cnn float32 (2.20×).",
    ]
