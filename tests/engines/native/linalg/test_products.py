"""Large products on our threads: NumPy's numbers, and a BLAS that is left as it was."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tapeflow.engines.native.library import library
from tapeflow.engines.native.linalg.products import matmul

pytestmark = pytest.mark.skipif(not library.multiplies, reason="the C library has no BLAS to use")


def drawn(*shape, dtype="float32"):
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(dtype)


def turned(*shape, dtype="float32"):
    """The same shape, with columns that lie one element after the other."""
    return np.swapaxes(drawn(*shape[:-2], shape[-1], shape[-2], dtype=dtype), -1, -2)


def heads(*shape, dtype="float32"):
    """(batch, heads, length, width) as attention has it: a view of (batch, length, heads, width)."""
    batch, count, length, width = shape
    return drawn(batch, length, count, width, dtype=dtype).transpose(0, 2, 1, 3)


PAIRS = {
    "one block": (drawn(32, 784), drawn(784, 64)),
    "turned": (turned(784, 32), turned(32, 64)),
    "blocks with edges": (drawn(513, 385), turned(385, 611)),
    "few and long": (drawn(27, 40000), drawn(40000, 64)),
    "doubles": (drawn(300, 200, dtype="float64"), turned(200, 301, dtype="float64")),
    "one on the right": (drawn(8, 64, 128), drawn(128, 96)),
    "one on the left": (drawn(64, 70), drawn(30, 70, 40)),
    "a batch": (drawn(30, 64, 40), turned(30, 40, 64)),
    "heads": (heads(3, 4, 64, 32), np.swapaxes(heads(3, 4, 64, 32), -1, -2)),
    "some of a batch": (drawn(2, 30, 64, 40)[:, ::2], drawn(2, 15, 40, 64)),
    "a column": (drawn(300, 200), drawn(200)[:, None]),
    "columns turned": (turned(300, 200), drawn(200, 7)[:, 2:3]),
    "a row": (drawn(300)[None], drawn(300, 200)),
    "a row by columns": (drawn(300, 7).T[1:2], turned(300, 200)),
    "doubles and a column": (drawn(150, 200, dtype="float64"), drawn(200, 1, dtype="float64")),
    "part of a matrix": (drawn(300, 400)[10:150, 20:250], drawn(400, 300)[100:330, 7:200]),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_numbers(kind):
    a, b = PAIRS[kind]
    got = matmul(a, b)
    want = np.matmul(a.astype(np.float64), b.astype(np.float64))
    size = np.matmul(np.abs(a.astype(np.float64)), np.abs(b.astype(np.float64)))
    assert (got.shape, got.dtype, got.flags.c_contiguous) == (want.shape, a.dtype, True)
    assert (np.abs(got - want) <= 4 * np.finfo(a.dtype).eps * np.sqrt(a.shape[-1]) * size).all()


@pytest.mark.parametrize("kind", PAIRS)
def test_the_number_of_threads_changes_nothing(kind):
    a, b = PAIRS[kind]
    found = []
    try:
        for threads in (1, 2, 5):
            library.functions.tapeflow_threads(threads)
            found.append(matmul(a, b))
    finally:
        library.functions.tapeflow_threads(library.threads)
    for other in found[1:]:
        np.testing.assert_array_equal(found[0], other)


def test_what_is_left_to_numpy():
    x = drawn(200, 200)
    for a, b in [
        (x, x.T),  # symmetric to the last bit
        (x[:3, :3], x[:3, :3]),  # small
        (x[:90], x[:, :1]),  # few numbers
        (x, x[::-1, :1]),  # backwards
        (np.broadcast_to(x[:1], x.shape), x),  # one row for all
        (x[::, ::2], drawn(100, 200)),  # neither rows nor columns lie one element after the other
        (x, x.astype(np.float64)),
        (x.astype(">f4"), x.astype(">f4")),
        (x.astype(np.complex64), x.astype(np.complex64)),
        (drawn(2, 1, 60, 80), drawn(3, 80, 60)),  # leading axes that are repeated
        (x, drawn(100, 200)),  # an error, which NumPy words
        (drawn(0, 200), x),
    ]:
        assert matmul(a, b) is None


def test_nan_and_infinities_stay():
    a, b = drawn(300, 300), drawn(300, 300)
    a[5, 7], b[9, 11] = np.nan, np.inf
    got = matmul(a, b)
    assert np.isnan(got[5]).all() and not np.isfinite(got[:, 11]).any()
    assert np.isfinite(np.delete(np.delete(got, 5, 0), 11, 1)).all()


SETTING = """
import ctypes, sys
import numpy as np
from concurrent.futures import ThreadPoolExecutor
from tapeflow.engines.native.linalg.products import matmul
blas = ctypes.CDLL(np._core._multiarray_umath.__file__)
get, set_ = blas.scipy_openblas_get_num_threads64_, blas.scipy_openblas_set_num_threads64_
x = np.ones((400, 400), np.float32)
y = np.ones((400, 400), np.float32)
for count in (3, 1):
    set_(count)
    with ThreadPoolExecutor(4) as pool:
        assert all((out == 400).all() for out in pool.map(lambda _: matmul(x, y), range(50)))
    print(get())
"""


def test_blas_has_the_threads_it_had():
    """Several threads of Python multiply at once, and each sets the number of BLAS' threads and sets it back."""
    done = subprocess.run([sys.executable, "-c", SETTING], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["3", "1"]


FORK = """
import ctypes, os, threading
import numpy as np
from tapeflow.engines.native.linalg.products import matmul
blas = ctypes.CDLL(np._core._multiarray_umath.__file__)
get, set_ = blas.scipy_openblas_get_num_threads64_, blas.scipy_openblas_set_num_threads64_
set_(2)
x, y = np.ones((500, 500), np.float32), np.ones((500, 500), np.float32)
busy = True
def multiply():
    while busy:
        matmul(x, y)
worker = threading.Thread(target=multiply)
worker.start()
for _ in range(20):
    child = os.fork()
    if not child:
        right = get() == 2 and (matmul(x, y) == 500).all() and get() == 2
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0
busy = False
worker.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_of_fork_multiplies():
    """Also one that is made while another thread multiplies, when BLAS has one thread."""
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], check=True, timeout=60)


def test_from_several_threads_of_python():
    a, b = PAIRS["blocks with edges"]
    want = matmul(a, b)
    with ThreadPoolExecutor(4) as pool:
        for got in pool.map(lambda _: matmul(a, b), range(20)):
            np.testing.assert_array_equal(got, want)
