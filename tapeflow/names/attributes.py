"""Attributes that PyTorch, JAX and NumPy have and tensors, variables and modules here have not: what to use instead.

Each is a descriptor on the class. A `__getattr__` would slow down every other attribute, 2x in all.
"""

import contextlib
import sys
from typing import Any

_ARRAYS = {  # tensors and variables
    "abs": "tf.abs(x)",
    "add": "x + y",
    "all": "tf.reduce_all(x)",
    "amax": "tf.reduce_max(x, axis)",
    "amin": "tf.reduce_min(x, axis)",
    "any": "tf.reduce_any(x)",
    "argmax": "tf.argmax(x, axis)",
    "argmin": "tf.argmin(x, axis)",
    "argsort": "tf.argsort(x, axis)",
    "astype": "tf.cast(x, dtype)",
    "backward": "tf.GradientTape: with tf.GradientTape() as tape: ...; tape.gradient(loss, sources)",
    "bmm": "tf.matmul(x, y)",
    "bool": "tf.cast(x, tf.bool)",
    "block_until_ready": "x.numpy(), which waits for the value",
    "ceil": "tf.math.ceil(x)",
    "chunk": "tf.split(x, number, axis)",
    "clamp": "tf.clip_by_value(x, low, high)",
    "clip": "tf.clip_by_value(x, low, high)",
    "clone": "tf.identity(x)",
    "contiguous": "x itself: where it is in memory makes no difference",
    "copy": "tf.identity(x)",
    "cos": "tf.cos(x)",
    "cuda": "tf.identity(x) inside `with tf.device('/GPU:0'):`",
    "cumprod": "tf.math.cumprod(x, axis)",
    "cumsum": "tf.cumsum(x, axis)",
    "detach": "tf.stop_gradient(x)",
    "diagonal": "tf.linalg.diag_part(x)",
    "dim": "x.ndim",
    "div": "x / y",
    "dot": "tf.tensordot(x, y, axes=1), or x @ y for matrices",
    "double": "tf.cast(x, tf.float64)",
    "eq": "x == y",
    "exp": "tf.exp(x)",
    "expand": "tf.broadcast_to(x, shape)",
    "flatten": "tf.reshape(x, [-1])",
    "flip": "tf.reverse(x, axis=[…])",
    "float": "tf.cast(x, tf.float32)",
    "floor": "tf.floor(x)",
    "gather": "tf.gather(x, indices, axis, batch_dims)",
    "ge": "x >= y",
    "grad": "tape.gradient(loss, sources): it returns the gradients",
    "gt": "x > y",
    "half": "tf.cast(x, tf.float16)",
    "imag": "tf.math.imag(x)",
    "index_select": "tf.gather(x, index, axis)",
    "int": "tf.cast(x, tf.int32)",
    "is_cuda": "x.device",
    "isnan": "tf.math.is_nan(x)",
    "item": "x.numpy().item() or float(x)",
    "itemsize": "x.dtype.size",
    "le": "x <= y",
    "log": "tf.math.log(x)",
    "logsumexp": "tf.reduce_logsumexp(x, axis)",
    "long": "tf.cast(x, tf.int64)",
    "lt": "x < y",
    "masked_fill": "tf.where(mask, value, x)",
    "masked_select": "tf.boolean_mask(x, mask)",
    "matmul": "x @ y or tf.matmul(x, y)",
    "max": "tf.reduce_max(x)",
    "mean": "tf.reduce_mean(x)",
    "min": "tf.reduce_min(x)",
    "mm": "x @ y",
    "mul": "x * y",
    "mv": "tf.linalg.matvec(x, y)",
    "narrow": "x[start : start + length]",
    "nbytes": "x.numpy().nbytes",
    "ne": "x != y",
    "neg": "-x",
    "new_zeros": "tf.zeros(shape, x.dtype)",
    "new_ones": "tf.ones(shape, x.dtype)",
    "nonzero": "tf.where(x)",
    "norm": "tf.norm(x)",
    "numel": "tf.size(x)",
    "nelement": "tf.size(x)",
    "permute": "tf.transpose(x, perm)",
    "pow": "x ** y",
    "prod": "tf.reduce_prod(x)",
    "ravel": "tf.reshape(x, [-1])",
    "real": "tf.math.real(x)",
    "relu": "tf.nn.relu(x)",
    "repeat": "tf.tile(x, multiples), or tf.repeat(x, repeats, axis) for single elements",
    "requires_grad": "tf.Variable(value) for what is trained, or tape.watch(x)",
    "requires_grad_": "tf.Variable(value) for what is trained, or tape.watch(x)",
    "reshape": "tf.reshape(x, shape)",
    "retain_grad": "tape.gradient(loss, [x, …]), which takes intermediate values, too",
    "roll": "tf.roll(x, shift, axis)",
    "round": "tf.round(x)",
    "rsqrt": "tf.math.rsqrt(x)",
    "sigmoid": "tf.sigmoid(x)",
    "sign": "tf.sign(x)",
    "sin": "tf.sin(x)",
    "softmax": "tf.nn.softmax(x, axis)",
    "sort": "tf.sort(x, axis)",
    "split": "tf.split(x, sizes, axis)",
    "sqrt": "tf.sqrt(x)",
    "square": "tf.square(x)",
    "squeeze": "tf.squeeze(x, axis)",
    "std": "tf.math.reduce_std(x)",
    "sub": "x - y",
    "sum": "tf.reduce_sum(x)",
    "swapaxes": "tf.transpose(x, perm)",
    "t": "tf.transpose(x)",
    "take": "tf.gather(x, indices, axis)",
    "tanh": "tf.tanh(x)",
    "tile": "tf.tile(x, multiples)",
    "to": "tf.cast(x, dtype) for another dtype, and "
    "tf.identity(x) inside `with tf.device('/GPU:0'):` for another device",
    "tolist": "x.numpy().tolist()",
    "topk": "tf.math.top_k(x, k)",
    "transpose": "tf.transpose(x)",
    "type": "tf.cast(x, dtype)",
    "type_as": "tf.cast(x, y.dtype)",
    "unbind": "tf.unstack(x, axis=axis)",
    "unique": "tf.unique(x)",
    "unsqueeze": "tf.expand_dims(x, axis)",
    "var": "tf.math.reduce_variance(x)",
    "view": "tf.reshape(x, shape)",
    "view_as": "tf.reshape(x, tf.shape(y))",
    "absolute": "tf.abs(x)",
    "acos": "tf.acos(x)",
    "addmm": "c + x @ y",
    "allclose": "tf.reduce_all(tf.abs(x - y) < tolerance)",
    "argwhere": "tf.where(x)",
    "asin": "tf.asin(x)",
    "atan": "tf.atan(x)",
    "baddbmm": "c + tf.matmul(x, y)",
    "bfloat16": "tf.cast(x, tf.bfloat16)",
    "bincount": "tf.math.bincount(x)",
    "byte": "tf.cast(x, tf.uint8)",
    "char": "tf.cast(x, tf.int8)",
    "cholesky": "tf.linalg.cholesky(x)",
    "clamp_max": "tf.minimum(x, high)",
    "clamp_min": "tf.maximum(x, low)",
    "conj": "tf.math.conj(x)",
    "conjugate": "tf.math.conj(x)",
    "cosh": "tf.cosh(x)",
    "count_nonzero": "tf.math.count_nonzero(x)",
    "cross": "tf.linalg.cross(x, y)",
    "det": "tf.linalg.det(x)",
    "diag": "tf.linalg.diag(x), or tf.linalg.diag_part(x) to take one",
    "dist": "tf.norm(x - y)",
    "element_size": "x.dtype.size",
    "equal": "tf.reduce_all(x == y)",
    "erf": "tf.math.erf(x)",
    "expand_as": "tf.broadcast_to(x, tf.shape(y))",
    "expm1": "tf.math.expm1(x)",
    "floor_divide": "x // y",
    "frac": "x - tf.floor(x)",
    "histc": "tf.histogram_fixed_width(x, range, nbins)",
    "index_add": "tf.tensor_scatter_nd_add(x, indices, updates)",
    "index_put": "tf.tensor_scatter_nd_update(x, indices, updates)",
    "inner": "tf.tensordot(x, y, axes=1)",
    "inverse": "tf.linalg.inv(x)",
    "is_complex": "x.dtype.is_complex",
    "is_contiguous": "x itself: where it is in memory makes no difference",
    "is_floating_point": "x.dtype.is_floating",
    "isclose": "tf.abs(x - y) < tolerance",
    "isfinite": "tf.math.is_finite(x)",
    "isinf": "tf.math.is_inf(x)",
    "kthvalue": "tf.sort(x)[k - 1]",
    "lerp": "x + weight * (y - x)",
    "lgamma": "tf.math.lgamma(x)",
    "log10": "tf.math.log(x) / tf.math.log(10.0)",
    "log1p": "tf.math.log1p(x)",
    "log2": "tf.math.log(x) / tf.math.log(2.0)",
    "log_softmax": "tf.nn.log_softmax(x, axis)",
    "logdet": "tf.linalg.logdet(x)",
    "logical_and": "x & y",
    "logical_not": "~x",
    "logical_or": "x | y",
    "maximum": "tf.maximum(x, y)",
    "median": "tf.sort(x) and the middle of it",
    "minimum": "tf.minimum(x, y)",
    "moveaxis": "tf.transpose(x, perm)",
    "movedim": "tf.transpose(x, perm)",
    "multinomial": "tf.random.categorical(logits, number)",
    "multiply": "x * y",
    "nan_to_num": "tf.where(tf.math.is_finite(x), x, 0.0)",
    "ndimension": "x.ndim",
    "negative": "-x",
    "outer": "tf.tensordot(x, y, axes=0)",
    "pin_memory": "x itself: there is no memory to pin",
    "pinverse": "tf.linalg.pinv(x)",
    "ptp": "tf.reduce_max(x) - tf.reduce_min(x)",
    "quantile": "tf.experimental.numpy.quantile(x, q)",
    "reciprocal": "1.0 / x",
    "register_hook": "tf.grad_pass_through or tf.custom_gradient around what is computed from it",
    "remainder": "x % y",
    "repeat_interleave": "tf.repeat(x, repeats, axis)",
    "scatter": "tf.tensor_scatter_nd_update(x, indices, updates)",
    "scatter_add": "tf.tensor_scatter_nd_add(x, indices, updates)",
    "searchsorted": "tf.searchsorted(x, values)",
    "select": "x[index], or tf.gather(x, index, axis)",
    "sharding": "x.device",
    "short": "tf.cast(x, tf.int16)",
    "sinh": "tf.sinh(x)",
    "storage": "x.numpy().data",
    "stride": "x.numpy().strides",
    "strides": "x.numpy().strides",
    "svd": "tf.linalg.svd(x)",
    "swapdims": "tf.transpose(x, perm)",
    "tan": "tf.tan(x)",
    "tobytes": "x.numpy().tobytes()",
    "trace": "tf.linalg.trace(x)",
    "tril": "tf.linalg.band_part(x, -1, 0)",
    "triu": "tf.linalg.band_part(x, 0, -1)",
    "true_divide": "x / y",
    "unflatten": "tf.reshape(x, shape)",
    "unfold": "tf.signal.frame(x, length, step)",
    "where": "tf.where(condition, x, y)",
}

# PyTorch's methods that change a tensor, besides those below.
_IN_PLACE = (
    "abs_ apply_ bernoulli_ ceil_ clip_ cos_ detach_ exp_ exponential_ floor_ index_add_ index_copy_ "
    "index_fill_ log_ map_ masked_fill_ masked_scatter_ neg_ pow_ put_ random_ relu_ resize_ round_ rsub_ "
    "sigmoid_ sin_ sqrt_ square_ squeeze_ t_ tanh_ transpose_ tril_ triu_ trunc_ unsqueeze_ "
).split()

_TENSORS = {
    **dict.fromkeys(
        [*_IN_PLACE, "add_", "clamp_", "copy_", "div_", "fill_", "mul_", "normal_", "sub_", "uniform_", "zero_"], ""
    ),
    "at": "tf.tensor_scatter_nd_update(x, indices, updates) or tf.tensor_scatter_nd_add",
    "data": "x itself, or x.numpy() for its array",
    "eval": "x.numpy()",
    "fill": "",
    "is_leaf": "tape.explain(target, sources), which says what a gradient comes from",
    "grad_fn": "tape.explain(target, sources), which says what a gradient comes from",
    "scatter_": "tf.tensor_scatter_nd_update(x, indices, updates)",
    "scatter_add_": "tf.tensor_scatter_nd_add(x, indices, updates)",
    "value": "x itself, or x.numpy(); only variables have a value",
    "put": "",
}

_VARIABLES = {
    **dict.fromkeys(_IN_PLACE, "v.assign(…) with the new value"),
    "add_": "v.assign_add(y)",
    "clamp_": "v.assign(tf.clip_by_value(v, low, high))",
    "copy_": "v.assign(value)",
    "data": "v.value() to read it and v.assign(value) to change it",
    "div_": "v.assign(v / y)",
    "fill_": "v.assign(tf.fill(v.shape, value))",
    "grad": "tape.gradient(loss, variables): it returns the gradients, and nothing is stored in variables",
    "mul_": "v.assign(v * y)",
    "normal_": "v.assign(tf.random.normal(v.shape))",
    "requires_grad": "v.trainable, which is given when it is made: tf.Variable(value, trainable=False)",
    "requires_grad_": "trainable=… when it is made: tf.Variable(value, trainable=False)",
    "size": "tf.size(v)",
    "sub_": "v.assign_sub(y)",
    "T": "tf.transpose(v)",
    "mT": "tf.linalg.matrix_transpose(v)",
    "uniform_": "v.assign(tf.random.uniform(v.shape))",
    "zero_": "v.assign(tf.zeros_like(v))",
    "at": "v.assign(tf.tensor_scatter_nd_update(v, indices, updates)), or v[i].assign(value)",
    "cpu": "v.value(), with tf.identity(x) inside `with tf.device('/CPU:0'):`",
    "is_leaf": "v itself: every variable is one",
    "scatter_": "v.assign(tf.tensor_scatter_nd_update(v, indices, updates))",
    "scatter_add_": "v.assign(tf.tensor_scatter_nd_add(v, indices, updates))",
    "sub": "v - y, or v.assign_sub(y)",
    "add": "v + y, or v.assign_add(y)",
}

_MODULES = {
    "cuda": "tf.device('/GPU:0') around where it is made and called",
    "eval": "an argument of your own, such as training=False",
    "load_state_dict": "tf.train.Checkpoint(module).restore(path)",
    "parameters": "module.trainable_variables",
    "state_dict": "tf.train.Checkpoint(module).save(path)",
    "to": "tf.device('/GPU:0') around where it is made and called",
    "zero_grad": "tape.gradient(loss, variables): it returns new gradients each time, so that nothing is to be set to "
    "zero",
}

_NEVER_CHANGES = " Tensors never change: compute a new one, or keep the value in a tf.Variable."
_NO_NAMES = {
    "name": " Eager tensors have no names; variables have.",
    "op": " Eager tensors have no graph.",
    "graph": " Eager tensors have no graph.",
}


class Absent:
    """An attribute that is not there and says what to use. An instance or a subclass may have one by that name."""

    __slots__ = ("name", "hint")

    def __init__(self, name: str, hint: str) -> None:
        self.name, self.hint = name, hint

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        who = (
            f"type object {owner.__name__!r}" if instance is None and owner else f"{type(instance).__name__!r} object"
        )
        message = f"{who} has no attribute {self.name!r}.{self.hint}"
        raise AttributeError(message, name=self.name)  # with `obj=` Python would add its own guess at what was meant


def _hints(table: dict[str, str]) -> dict[str, str]:
    return {name: f" Use {use}." if use else _NEVER_CHANGES for name, use in table.items()}


FOR_TENSORS = _hints(_ARRAYS | _TENSORS) | _NO_NAMES
FOR_VARIABLES = _hints(_ARRAYS | _VARIABLES)
FOR_MODULES = _hints(_MODULES)
_ALL = FOR_TENSORS.keys() | FOR_VARIABLES.keys() | FOR_MODULES.keys()


def say_instead(kind: type, hints: dict[str, str]) -> None:
    """Puts hints on a class, for names that it does not have."""
    if sys.version_info >= (3, 14):  # annotations are evaluated when asked for: `bool` would be the hint by then
        for member in list(vars(kind).values()):
            with contextlib.suppress(NameError):  # of what only type checkers import
                getattr(getattr(member, "fget", member), "__annotations__", None)
    for name, hint in hints.items():
        if not hasattr(kind, name):
            setattr(kind, name, Absent(name, hint))


def present(value: Any) -> list[str]:
    """What `dir` gives, without what is absent."""
    return [name for name in object.__dir__(value) if name not in _ALL or _has(value, name)]


def _has(value: Any, name: str) -> bool:
    try:
        return hasattr(value, name)
    except Exception:  # it is there, and does not work for this value: mT of a vector
        return True
