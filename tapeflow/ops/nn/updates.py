"""What optimizers make of a gradient: the new values of a variable and of what they remember of it, in one pass over
memory instead of one for each term. The values before stay as they are.
"""

from tapeflow.core.dtypes import FLOATING
from tapeflow.core.errors import invalid
from tapeflow.core.fitting import check_same, spreads
from tapeflow.core.primitive import CUT, primitive, recorded
from tapeflow.core.tensor import sizes_of
from tapeflow.engines.numpy.nn import updates as kernels
from tapeflow.ops.batching import all_batched, rows_of, spread
from tapeflow.ops.broadcasting import sum_to

# ---- shapes and maps: all arrays have one shape, numbers spread over it


def _check(arrays, numbers):
    check_same("a variable, its gradient and what is remembered of it", *[tuple(a.shape) for a in arrays])
    for number in numbers:
        if not spreads(tuple(number.shape), tuple(arrays[0].shape)):
            raise invalid(
                f"a rate of shape {tuple(number.shape)} does not belong to a variable of shape "
                f"{tuple(arrays[0].shape)}: it is one number, or one for each part."
            )


def _rows(count):
    """The batching rule where the first `count` inputs are arrays."""

    def rule(op, args, batched, params):
        arrays = all_batched(args[:count], batched[:count]) if any(batched[:count]) else list(args[:count])
        if not any(batched[:count]):
            arrays = [spread(a, rows_of(args, batched)) for a in arrays]
        rank = len(sizes_of(arrays[0]))
        numbers = []
        for x, b in zip(args[count:], batched[count:]):
            shape = tuple(sizes_of(x))
            numbers.append(recorded.reshape(x, shape=(shape[0], *(1,) * (rank - len(shape)), *shape[1:])) if b else x)
        return op(*arrays, *numbers, **params)

    return rule


# ---- gradient descent


# variable - gradient * rate
descend = primitive(
    "descend(gradient, variable, rate)",
    kernel={"numpy": kernels.descend, "jax": "nn.updates.descend", "native": "nn.updates.descend"},
    shape=lambda gradient, variable, rate: (_check((gradient, variable), (rate,)), variable)[1],
    vjp={
        "gradient": lambda ops, g, rate: -(g * rate),
        "variable": lambda ops, g: g,
        "rate": lambda ops, g, gradient, rate_shape: sum_to(ops, -(g * gradient), rate_shape),
    },
    batch=_rows(2),
    dtypes=FLOATING,
    makes_new=True,
)


def _momentum_shape(gradient, velocity, variable, rate, momentum, nesterov):
    _check((gradient, velocity, variable), (rate,))
    return velocity, variable


def _momentum_vjp(ops, g, gradient, rate, rate_shape, momentum, nesterov):
    of_velocity, of_variable = g
    of_velocity = of_velocity + (of_variable * momentum if nesterov else of_variable)
    of_step = -(of_velocity + of_variable if nesterov else of_velocity)
    return of_step * rate, of_velocity * momentum, of_variable, sum_to(ops, of_step * gradient, rate_shape)


# velocity * momentum - gradient * rate is the new velocity, which is added to the variable; Nesterov's adds the one
# that would come next.
descend_with_momentum = primitive(
    "descend_with_momentum(gradient, velocity, variable, rate, *, momentum, nesterov)",
    kernel={
        "numpy": kernels.descend_with_momentum,
        "jax": "nn.updates.descend_with_momentum",
        "native": "nn.updates.descend_with_momentum",
    },
    shape=_momentum_shape,
    vjp={("gradient", "velocity", "variable", "rate"): _momentum_vjp},
    batch=_rows(3),
    dtypes=FLOATING,
    outputs=("new_velocity", "new_variable"),
    makes_new=True,
)

# ---- Adam (Kingma and Ba, 2014)


def _adam_shape(gradient, mean, square, variable, rate, step, beta_1, beta_2, epsilon):
    _check((gradient, mean, square, variable), (rate, step))
    return mean, square, variable


def _adam_vjp(ops, g, new_mean, new_square, gradient, rate, step, rate_shape, beta_1, beta_2, epsilon):
    of_mean, of_square, of_variable = g
    share = ops.sqrt(1 - ops.pow(ops.zeros_like(step) + beta_2, step)) / (
        1 - ops.pow(ops.zeros_like(step) + beta_1, step)
    )
    root = ops.sqrt(new_square)
    slope = of_variable / (root + epsilon)
    of_mean = of_mean - slope * (rate * share)
    of_square = of_square + slope * new_mean * (rate * share) / ((root + epsilon) * root) * 0.5
    return (
        of_mean * (1 - beta_1) + of_square * gradient * (2 * (1 - beta_2)),
        of_mean * beta_1,
        of_square * beta_2,
        of_variable,
        sum_to(ops, -(slope * new_mean) * share, rate_shape),
    )


# The new averages of the gradient and of its square, and the new variable. `step` counts from 1.
adam = primitive(
    "adam(gradient, mean, square, variable, rate, step, *, beta_1, beta_2, epsilon)",
    kernel={"numpy": kernels.adam, "jax": "nn.updates.adam", "native": "nn.updates.adam"},
    shape=_adam_shape,
    vjp={("gradient", "mean", "square", "variable", "rate"): _adam_vjp, "step": CUT},
    batch=_rows(4),
    dtypes=FLOATING,
    outputs=("new_mean", "new_square", "new_variable"),
    makes_new=True,
)
