from tests.ops.samples.sample import EMPTY, SCALAR, each, normal, of, referred

SAMPLES = {"check_numerics": [of(normal(3, 2), message="m"), of(SCALAR, message="m"), of(EMPTY, message="m")]}

SAMPLES = referred(SAMPLES, check_numerics=each(lambda x: x))
