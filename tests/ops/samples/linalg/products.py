import numpy as np

from tests.ops.samples.sample import EMPTY, completed, complex_normal, normal, of, referred

_two = lambda a, b, equation: of(a, b, equation=equation, reference=lambda a, b, equation: np.einsum(equation, a, b))
_wide = normal(2, 3, 4)

SAMPLES = {
    "matrix_transpose": [of(normal(2, 3)), of(normal(2, 3, 4)), of(EMPTY), of(complex_normal(2, 3))],
    "matmul": [
        of(normal(2, 3), normal(3, 4)),
        of(normal(5, 2, 3), normal(3, 4), reference=np.matmul),  # one matrix on the right for the whole batch
        of(np.zeros((2, 3, 0)), np.zeros((0, 4)), reference=np.matmul),  # nothing to sum over
        of(normal(2, 3), normal(5, 3, 4), reference=np.matmul),  # one on the left
        of(normal(5, 2, 3), normal(1, 3, 4)),
        of(normal(1, 2, 3), normal(5, 3, 4)),
        of(normal(6, 1, 2, 3), normal(5, 3, 4), reference=np.matmul),
        of(normal(3, 2, 3), normal(2, 1, 3, 4)),
        of(np.swapaxes(normal(5, 3, 2), -1, -2), normal(3, 4), reference=np.matmul),
        of(normal(70, 68), np.swapaxes(normal(66, 68), -1, -2), order=0, reference=np.matmul),  # large
        of(complex_normal(2, 3), complex_normal(3, 2)),
        of(complex_normal(4, 2, 3), complex_normal(3, 2)),
        of(np.zeros((2, 0)), np.zeros((0, 3))),
        of(np.zeros((0, 2, 3)), normal(3, 4)),
        of(np.arange(6).reshape(2, 3), np.arange(6).reshape(3, 2)),
        of(normal(2, 3).astype(np.float16), normal(3, 2).astype(np.float16), order=0),
    ],
    "contract": [
        _two(normal(2, 3), normal(3, 4), "ab,bc->ac"),
        _two(normal(2, 3), normal(3, 4), "ab,bc->ca"),
        _two(normal(2, 3, 4, 5), normal(2, 6, 4, 5), "bqhd,bkhd->bhqk"),
        _two(normal(2, 3, 4), normal(4, 3, 5), "abc,cbd->ad"),
        _two(normal(3), normal(4), "a,b->ba"),
        _two(normal(3, 4), normal(4, 3), "ab,ba->ab"),
        _two(normal(3), normal(3), "a,a->"),
        _two(np.float64(2.0), normal(3), ",a->a"),
        _two(np.float64(2.0), np.float64(3.0), ",->"),
        _two(complex_normal(2, 3), complex_normal(3, 2), "ab,bc->ac"),
        _two(np.zeros((2, 0)), np.zeros((0, 3)), "ab,bc->ac"),
        _two(np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3), "ab,ab->a"),
    ],
    "band_part": [
        of(normal(3, 4), lower=0, upper=-1, reference=lambda x, **_: np.triu(x)),
        of(normal(2, 4, 3), lower=-1, upper=0, reference=lambda x, **_: np.tril(x)),
        of(normal(4, 4), lower=1, upper=2, reference=lambda x, **_: np.tril(np.triu(x, -1), 2)),
        of(normal(2, 2), lower=-1, upper=-1, reference=lambda x, **_: x),
        of(complex_normal(3, 3), lower=0, upper=0),
        of(EMPTY, lower=0, upper=0),
        of(np.ones((2, 2), bool), lower=0, upper=0),
    ],
    "diag_part": [
        of(normal(3, 3), k=(0, 0), align="RIGHT_LEFT", reference=lambda x, **_: np.diagonal(x)),
        of(_wide, k=(1, 1), align="RIGHT_LEFT", reference=lambda x, **_: np.diagonal(x, 1, -2, -1)),
        of(_wide, k=(-1, 2), align="RIGHT_LEFT"),
        of(_wide, k=(-2, 1), align="LEFT_RIGHT"),
        of(normal(4, 2), k=(-3, 0), align="LEFT_LEFT"),
        of(normal(4, 2), k=(-3, 1), align="RIGHT_RIGHT"),
        of(complex_normal(2, 2), k=(0, 0), align="RIGHT_LEFT"),
        of(EMPTY, k=(0, 0), align="RIGHT_LEFT"),
    ],
    "diag_matrix": [
        of(normal(3), k=(0, 0), rows=3, cols=3, align="RIGHT_LEFT", reference=lambda x, **_: np.diag(x)),
        of(normal(3), k=(1, 1), rows=4, cols=4, align="RIGHT_LEFT", reference=lambda x, **_: np.diag(x, 1)),
        of(normal(2, 3, 3), k=(-1, 1), rows=3, cols=4, align="RIGHT_LEFT"),
        of(normal(4, 2), k=(-3, 0), rows=4, cols=2, align="LEFT_RIGHT"),
        of(complex_normal(2, 3), k=(0, 0), rows=3, cols=3, align="RIGHT_LEFT"),
    ],
}  # fmt: skip

SAMPLES = referred(SAMPLES, matrix_transpose=lambda x: np.einsum("...ij->...ji", x))

SAMPLES = completed(SAMPLES, "matmul")
