import numpy as np
import scipy.linalg

from tests.ops.samples.sample import complex_normal, normal, of

from .decompositions import positive_definite

_by_eigenvalues = lambda f: lambda x: _rebuilt(*np.linalg.eig(x), f)


def _rebuilt(w, v, f):
    return (v * f(w.astype(complex))[..., None, :]) @ np.linalg.inv(v)


SAMPLES = {
    "expm": [
        of(normal(3, 3), reference=_by_eigenvalues(np.exp)), of(normal(2, 2, 2), reference=_by_eigenvalues(np.exp)),
        of(complex_normal(3, 3), reference=_by_eigenvalues(np.exp)), of(np.zeros((2, 2)), reference=scipy.linalg.expm),
        of(np.array([[0.0, 1.0], [0.0, 0.0]])), of(20 * normal(3, 3), order=0, reference=scipy.linalg.expm),
        of(np.zeros((0, 0))),
    ],
    "sqrtm": [
        of(positive_definite(3, 3), reference=_by_eigenvalues(np.sqrt)),
        of(positive_definite(2, 2, 2), reference=_by_eigenvalues(np.sqrt)),
        of(positive_definite(3, 3, make=complex_normal), reference=_by_eigenvalues(np.sqrt)),
        of(np.array([[4.0, 1.0], [0.0, 4.0]])), of(np.zeros((0, 0))),
    ],
    "logm": [
        of(positive_definite(3, 3), reference=_by_eigenvalues(np.log)),
        of(positive_definite(2, 3, 3, make=complex_normal), reference=_by_eigenvalues(np.log)),
        of(np.array([[4.0, 1.0], [0.0, 4.0]])), of(np.zeros((0, 0))),
    ],
}  # fmt: skip
