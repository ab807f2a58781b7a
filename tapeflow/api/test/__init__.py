"""`tf.test`: a TestCase that compares tensors, numeric gradients, and questions about the build."""

import random
import tempfile
import unittest
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapeflow.api import nest
from tapeflow.api.ragged.tensor import RaggedTensor
from tapeflow.api.sparse import to_dense as _to_dense
from tapeflow.api.sparse.tensor import SparseTensor
from tapeflow.api.test.build_questions import (
    disable_with_predicate as disable_with_predicate,
    gpu_device_name as gpu_device_name,
    is_built_with_cuda as is_built_with_cuda,
    is_built_with_gpu_support as is_built_with_gpu_support,
    is_built_with_rocm as is_built_with_rocm,
    is_built_with_xla as is_built_with_xla,
    is_cpu_target_available as is_cpu_target_available,
    is_gpu_available as is_gpu_available,
    with_eager_op_as_function as with_eager_op_as_function,
)
from tapeflow.api.test.case_assertions import CaseAssertions as _CaseAssertions
from tapeflow.core.apply import as_tensor
from tapeflow.core.random.streams import DEFAULT_SEED, set_seed
from tapeflow.core.signatures import as_one as _as_one
from tapeflow.core.slices import IndexedSlices
from tapeflow.core.tensor import EagerTensor, Tensor
from tapeflow.core.variables.variable import Variable
from tapeflow.inspect.gradient_check import (
    check_gradients as check_gradients,
)
from tapeflow.tape.gradient_tape import GradientTape

from . import experimental as experimental

__all__ = [
    "Benchmark", "TestCase", "benchmark_config", "check_gradients", "compute_gradient", "disable_with_predicate",
    "experimental", "gpu_device_name", "is_built_with_cuda", "is_built_with_gpu_support", "is_built_with_rocm",
    "is_built_with_xla", "is_cpu_target_available", "is_gpu_available", "main", "with_eager_op_as_function",
]  # fmt: skip

_LOOSE = {"float16": (1e-3, 1e-3), "bfloat16": (1e-2, 1e-2)}


def _array(value: Any) -> Any:
    if isinstance(value, (Tensor, Variable, IndexedSlices)):
        return np.asarray(value)
    if isinstance(value, SparseTensor):
        return np.asarray(_to_dense(value))
    if isinstance(value, RaggedTensor):
        return value.to_list()
    return value


@_as_one(_CaseAssertions)
class TestCase(_CaseAssertions):
    """unittest's TestCase with assertions about tensors, arrays and structures of them.

    >>> case = tf.test.TestCase()
    >>> case.assertAllEqual(tf.constant([1, 2]), [1, 2])
    >>> case.assertAllClose({"loss": tf.constant(1.)}, {"loss": 1.0000001})
    """

    __test__ = False  # not to be collected where it is imported

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__test__ = True

    def setUp(self) -> None:
        """Starts Python's, NumPy's and tapeflow's random numbers again before each test, by the same seed."""
        super().setUp()
        if self._testMethodName == "test_session":  # which runners take for a test, by its name
            self.skipTest("Not a test.")
        random.seed(DEFAULT_SEED)
        np.random.seed(DEFAULT_SEED)
        set_seed(DEFAULT_SEED)

    def evaluate(self, tensors: Any) -> Any:
        """Tensors as NumPy arrays, in their structure.

        Returns:
            NumPy arrays in the structure of `tensors`.
        """
        return nest.map_structure(lambda leaf: leaf.numpy() if hasattr(leaf, "numpy") else leaf, tensors)

    def _GetNdArray(self, a: Any) -> Any:
        """What assertions of one's own compare."""
        return np.asarray(_array(a))

    def get_temp_dir(self) -> str:
        """A directory for this test, the same at every call."""
        if not hasattr(self, "_temporary"):
            self._temporary = tempfile.mkdtemp(prefix=f"{type(self).__name__}_")
        return self._temporary

    def _pairs(self, a: Any, b: Any, msg: str | None) -> list:
        if isinstance(a, RaggedTensor) or isinstance(b, RaggedTensor):
            a, b = (nest.flatten(_array(x)) for x in (a, b))
        if isinstance(a, dict) or isinstance(b, dict):
            self.assertTrue(
                isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys(),
                msg or f"{a!r} and {b!r} have different keys",
            )
            return [pair for key in a for pair in self._pairs(a[key], b[key], msg)]
        if (
            isinstance(a, (list, tuple))
            and any(isinstance(x, (Tensor, dict, tuple, list)) for x in a)
            and len(a) == len(b)
        ):
            try:
                np.asarray([_array(x) for x in a], dtype=float)
            except (TypeError, ValueError):
                return [pair for x, y in zip(a, b) for pair in self._pairs(x, y, msg)]
        return [(np.asarray(_array(a)), np.asarray(_array(b)))]

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Equal shapes and values; NaN equals NaN."""
        for x, y in self._pairs(a, b, msg):
            np.testing.assert_array_equal(_strings(x), _strings(y), err_msg=msg or "")

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Not `assertAllEqual`."""
        self._fails(self.assertAllEqual, a, b, msg or "The two values are equal at all elements.")

    def assertAllClose(self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None) -> None:
        """Equal shapes, and values that differ by at most `atol + rtol * |b|`; more for float16 and bfloat16."""
        for x, y in self._pairs(a, b, msg):
            least = max([_LOOSE.get(v.dtype.name, (0, 0)) for v in (x, y)])
            wide = lambda v: v.astype(np.complex128 if v.dtype.kind == "c" else np.float64)
            self.assertEqual(x.shape, y.shape, msg or f"Shape mismatch: {x.shape} and {y.shape}.")
            np.testing.assert_allclose(
                wide(x), wide(y), rtol=max(rtol, least[0]), atol=max(atol, least[1]), err_msg=msg or ""
            )

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Not `assertAllClose`."""
        self._fails(
            lambda x, y: self.assertAllClose(x, y, rtol, atol),
            a,
            b,
            msg or "The two values are close at all elements.",
        )

    def _fails(self, check: Callable, a: Any, b: Any, message: str) -> None:
        try:
            check(a, b)
        except AssertionError:
            return
        raise AssertionError(message)

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """`assertAllClose` with tolerances for the less exact of the two dtypes.

        Args:
            rtol: The same for other dtypes.
            atol: The same for other dtypes.
            float_rtol: `rtol` for float32.
            float_atol: `atol` for float32.
            half_rtol: `rtol` for float16.
            half_atol: `atol` for float16.
            bfloat16_rtol: `rtol` for bfloat16.
            bfloat16_atol: `atol` for bfloat16.
        """
        by_name = {
            "float32": (float_rtol, float_atol),
            "float16": (half_rtol, half_atol),
            "bfloat16": (bfloat16_rtol, bfloat16_atol),
        }
        found = [by_name.get(np.asarray(_array(x)).dtype.name, (rtol, atol)) for x in (a, b)]
        self.assertAllClose(a, b, max(rtol, *[f[0] for f in found]), max(atol, *[f[1] for f in found]), msg)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """All elements are less.

        Args:
            comparison_target: Than this number.
        """
        self.assertLess(np.max(_array(a)), comparison_target)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """All elements are less or equal.

        Args:
            comparison_target: The number.
        """
        self.assertLessEqual(np.max(_array(a)), comparison_target)

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """All elements are greater.

        Args:
            comparison_target: Than this number.
        """
        self.assertGreater(np.min(_array(a)), comparison_target)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """All elements are greater or equal.

        Args:
            comparison_target: The number.
        """
        self.assertGreaterEqual(np.min(_array(a)), comparison_target)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """All values between the bounds, which count unless they are open.

        Args:
            lower_bound: The smallest value that is allowed.
            upper_bound: The largest value that is allowed.
            open_lower_bound: True leaves out the lower bound itself.
            open_upper_bound: True leaves out the upper bound itself.
        """
        (self.assertAllGreater if open_lower_bound else self.assertAllGreaterEqual)(target, lower_bound)
        (self.assertAllLess if open_upper_bound else self.assertAllLessEqual)(target, upper_bound)

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Every value is one of the set.

        Args:
            expected_set: The values that are allowed.
        """
        extra = set(np.ravel(_array(target)).tolist()) - set(expected_set)
        self.assertFalse(extra, f"{extra} not in {expected_set}")

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Both have the same shape.

        Args:
            input_a: A tensor or an array.
            input_b: Another one.
        """
        self.assertEqual(tuple(np.shape(_array(input_a))), tuple(np.shape(_array(input_b))), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """The tensor is of this dtype.

        Args:
            target: A tensor.
            expected_dtype: The dtype.
        """
        self.assertEqual(as_tensor(target).dtype, expected_dtype)

    def assertNear(self, f1: Any, f2: Any, err: float, msg: str | None = None) -> None:
        """The numbers are equal up to an error.

        Args:
            f1: A number.
            f2: Another one.
            err: How far apart they may be.
        """
        self.assertTrue(f1 == f2 or abs(f1 - f2) <= err, msg or f"{f1} and {f2} differ by more than {err}.")


def _strings(array: np.ndarray) -> np.ndarray:
    """Text and bytes compare as bytes."""
    if array.dtype.kind not in "SUO":
        return array
    out = [v.encode() if isinstance(v, str) else v for v in array.ravel().tolist()]
    return np.array(out, object).reshape(array.shape)


def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> tuple[list[Any], list[Any]]:
    """The Jacobians of `f(*x)` with respect to each argument, by the tape and by differences of `delta`: two lists of
    matrices.

    They are real: a complex number counts as two, its real and its imaginary part.

    Args:
        f: The function, of floats or complex numbers, which gives one tensor.
        x: Its arguments, in a list.
        delta: How far arguments are moved; None: 1/1024.

    Returns:
        Two lists of matrices, (entries of the result, entries of the argument).

    Raises:
        ValueError: If `x` is no list.

    >>> by_tape, by_differences = tf.test.compute_gradient(lambda x: x ** 2, [tf.constant([1., 3.], tf.float64)])
    >>> np.allclose(by_tape[0], by_differences[0]), by_tape[0]
    (True, array([[2., 0.],
           [0., 6.]]))
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError("`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`).")
    xs = [as_tensor(v) for v in x]
    for k, v in enumerate(xs):
        if not v.dtype.is_inexact:
            raise AssertionError(f"Cannot compute gradient for unsupported type {v.dtype.name} of argument {k}")
    step = 1 / 1024 if delta is None else delta
    with GradientTape(persistent=True) as tape:
        tape.watch(xs)
        y = f(*xs)
    size = _reals(y).size
    by_tape = [np.zeros((size, _reals(v).size), v.dtype.real_dtype.np) for v in xs]
    by_differences = [np.zeros_like(jacobian) for jacobian in by_tape]
    for i in range(size):
        seed = np.zeros(size, y.dtype.real_dtype.np)
        seed[i] = 1
        g = EagerTensor(seed.view(y.dtype.np).reshape(tuple(y.sizes)))
        rows = tape.gradient(y, xs, output_gradients=g, unconnected_gradients="zero")
        for jacobian, row in zip(by_tape, rows):
            jacobian[i] = _reals(row)
    for k, v in enumerate(xs):
        for j in range(_reals(v).size):
            moved = []
            for sign in (1, -1):
                flat = np.array(_reals(v))
                flat[j] += sign * step
                argument = EagerTensor(flat.view(v.dtype.np).reshape(tuple(v.sizes)))
                moved.append(_reals(f(*xs[:k], argument, *xs[k + 1 :])))
            by_differences[k][:, j] = (moved[0] - moved[1]) / (2 * step)
    return by_tape, by_differences


def _reals(value: Any) -> np.ndarray:
    """The elements in a row; of a complex one, its two parts after each other."""
    flat = np.ascontiguousarray(value).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def main(argv: Any = None) -> None:
    """Runs the tests of the program.

    Args:
        argv: The arguments of the program; None: its own.

    >>> tf.test.main                                            # doctest: +ELLIPSIS
    <function main at ...>
    """
    unittest.main(argv=argv)


class Benchmark:
    """The base of benchmarks, which report what they measured.

    >>> tf.test.Benchmark().report_benchmark(iters=10, wall_time=0.5, name="step")
    step: 10 iterations, 0.5 s each
    """

    def report_benchmark(
        self, iters: int | None = None, cpu_time: float | None = None, wall_time: float | None = None,
        throughput: float | None = None, extras: dict[Any, Any] | None = None, name: str | None = None,
        metrics: list[Any] | None = None,
    ) -> None:  # fmt: skip
        """Prints what was measured.

        Args:
            iters: How many iterations were measured.
            cpu_time: Processor time of one, in seconds.
            wall_time: Time of one, in seconds.
            throughput: Megabytes per second.
            extras: More to print, by name.
            name: What was measured; None: the name of the class.
            metrics: Taken and not used.
        """
        parts = [f"{iters} iterations"] if iters is not None else []
        parts += [f"{wall_time:g} s each"] if wall_time is not None else []
        parts += [f"{cpu_time:g} s of CPU"] if cpu_time is not None else []
        parts += [f"{throughput:g} MB/s"] if throughput is not None else []
        parts += [f"{key}={value}" for key, value in (extras or {}).items()]
        print(f"{name or type(self).__name__}: {', '.join(parts)}")

    def evaluate(self, tensors: Any) -> Any:
        """Tensors as NumPy arrays, in their structure.

        Returns:
            NumPy arrays in the structure of `tensors`.
        """
        return nest.map_structure(lambda leaf: leaf.numpy() if hasattr(leaf, "numpy") else leaf, tensors)


def benchmark_config() -> None:
    """Options of sessions for benchmarks, of which there are none.

    >>> tf.test.benchmark_config()
    """
