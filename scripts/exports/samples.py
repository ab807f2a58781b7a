"""Every primitive's samples in TensorFlow's format, computed by TensorFlow and compared with what they give here:

    python scripts/exports/samples.py write FOLDER [NAME ...]     # here: one SavedModel for each primitive
    python scripts/exports/samples.py read FOLDER                 # where TensorFlow is installed

`write` says which samples the format refuses, `read` which TensorFlow computes otherwise.
"""

import json
import os
import pickle
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np


def write(folder, names):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    import tapeflow as tf
    from tapeflow.core.primitive import REGISTRY
    from tapeflow.core.tensor import EagerTensor
    from tapeflow.export import CannotBeExported
    from tapeflow.export.compositions import COMPOSITIONS
    from tapeflow.export.to_tensorflow import RULES
    from tests.ops.samples import all_samples

    refused = {}
    samples = all_samples()
    for name in names or sorted(n for n in REGISTRY if n in RULES or n in COMPOSITIONS):
        answers = {}
        for k, sample in enumerate(samples[name]):
            args = [np.asarray(a) for a in sample.args]
            entry = lambda *xs, sample=sample, name=name: REGISTRY[name].entry(*xs, **sample.params)
            alone = lambda *xs, entry=entry: entry(*xs)[0]
            specs = [tf.TensorSpec(a.shape, tf.as_dtype(a.dtype), name=f"a{i}") for i, a in enumerate(args)]
            module = tf.Module()
            module.f = tf.function(
                alone if name == "max_pool" else entry, input_signature=specs, autograph=False, reduce_retracing=True
            )
            try:
                tf.saved_model.save(module, str(folder / f"{name}-{k}"), format="tensorflow")
            except CannotBeExported as error:
                refused[f"{name}-{k}"] = str(error)
                continue
            found = tf.nest.flatten(module.f.get_concrete_function()(*map(EagerTensor, args)))
            answers[k] = args, [np.asarray(y.numpy()) for y in found]
        (folder / f"{name}.pickle").write_bytes(pickle.dumps(answers))
    for name, why in refused.items():
        print(name, "|", why)
    print(len(refused), "samples are refused")


def read(folder, names):
    import ml_dtypes  # noqa: F401  (its dtypes are in the answers)
    import tensorflow as tf

    agreed, differ = 0, {}
    for file in sorted(folder.glob("*.pickle")):
        for k, (args, want) in pickle.loads(file.read_bytes()).items():
            name = f"{file.stem}-{k}"
            try:
                found = tf.nest.flatten(tf.saved_model.load(str(folder / name)).f(*map(tf.constant, args)))
                compare([y.numpy() for y in found], want)
                agreed += 1
            except Exception as error:
                differ[name] = f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"
    print(json.dumps(differ, indent=1))
    print(agreed, "samples agree,", len(differ), "do not")


def compare(found, wanted):
    for got, want in zip(found, wanted, strict=True):
        got = np.asarray(got)
        assert (got.shape, got.dtype) == (want.shape, want.dtype), (got.shape, got.dtype, want.shape, want.dtype)
        if want.dtype.kind in "fcV" and want.size:
            eps = {2: 1e-2, 1: 0.2}.get(want.dtype.itemsize, 1e-5)
            wide = complex if want.dtype.kind == "c" else float
            size = np.max(np.abs(want.astype(wide)), initial=1, where=np.isfinite(want.astype(wide)))
            np.testing.assert_allclose(got.astype(wide), want.astype(wide), eps, eps / 5 * size)
        else:
            np.testing.assert_array_equal(got, want)


if __name__ == "__main__":
    place = Path(sys.argv[2])
    place.mkdir(parents=True, exist_ok=True)
    {"write": write, "read": read}[sys.argv[1]](place, sys.argv[3:])
