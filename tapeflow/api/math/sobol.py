"""`tf.math.sobol_sample`."""

from tapeflow.core.dtypes import as_dtype, float32
from tapeflow.core.errors import invalid
from tapeflow.core.primitive import recorded as ops
from tapeflow.core.tensor import Tensor
from tapeflow.core.tensor_like import DTypeLike, TensorLike

__all__ = ["sobol_sample"]


def sobol_sample(
    dim: int, num_results: TensorLike, skip: TensorLike = 0, dtype: DTypeLike = float32, name: str | None = None
) -> Tensor:
    """Points of the Sobol sequence, `[num_results, dim]`, which fill the unit cube more evenly than random ones.

    Args:
        dim: How many numbers a point has.
        num_results: How many points are wanted.
        skip: How many points of the sequence are left out at its beginning.

    Returns:
        Points of the unit cube, one to a row.

    >>> tf.math.sobol_sample(2, 3).numpy()
    array([[0.5 , 0.5 ],
           [0.75, 0.25],
           [0.25, 0.75]], dtype=float32)
    """
    if not 1 <= int(dim) <= 2000:
        raise invalid(f"The Sobol sequence has 1 to 2000 dimensions here, got dim={dim}.")
    if int(num_results) < 1 or int(skip) < 0:
        raise invalid(
            f"num_results must be positive and skip must not be negative, got {int(num_results)} and {int(skip)}."
        )
    if as_dtype(dtype).name not in ("float32", "float64"):
        raise invalid(f"The points are float32 or float64, got dtype={as_dtype(dtype).name}.")
    return ops.sobol_points(dim=int(dim), count=int(num_results), first=1 + int(skip), dtype=as_dtype(dtype).np)
