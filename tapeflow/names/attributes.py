"""Attributes that PyTorch, JAX and NumPy have and tensors, variables and modules here have not: what to use instead.

Each is a descriptor on the class. A `__getattr__` would slow down every other attribute, 2x in all.
"""

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
}

_TENSORS = {
    **dict.fromkeys(("add_", "clamp_", "copy_", "div_", "fill_", "mul_", "normal_", "sub_", "uniform_", "zero_"), ""),
    "at": "tf.tensor_scatter_nd_update(x, indices, updates) or tf.tensor_scatter_nd_add",
    "data": "x itself, or x.numpy() for its array",
    "eval": "x.numpy()",
    "fill": "",
    "is_leaf": "tape.explain(target, sources), which says what a gradient comes from",
    "grad_fn": "tape.explain(target, sources), which says what a gradient comes from",
    "scatter_": "tf.tensor_scatter_nd_update(x, indices, updates)",
    "scatter_add_": "tf.tensor_scatter_nd_add(x, indices, updates)",
}

_VARIABLES = {
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
