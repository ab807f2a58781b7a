from tests.ops.samples.sample import EMPTY, SCALAR, normal, of

SAMPLES = {"check_numerics": [of(normal(3, 2), message="m"), of(SCALAR, message="m"), of(EMPTY, message="m")]}
