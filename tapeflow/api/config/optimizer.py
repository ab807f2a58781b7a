"""`tf.config.optimizer`: TensorFlow's options for its graphs, which are kept."""

from tapeflow.api.config.kept import state

__all__ = [
    "get_experimental_options", "get_jit", "set_experimental_options", "set_jit",
]  # fmt: skip


def get_jit() -> str:
    """`"autoclustering"` where `set_jit` asked for it, else an empty string.

    >>> tf.config.optimizer.get_jit()
    ''
    """
    return state["jit"]


def set_jit(enabled: bool | str) -> None:
    """Whether graphs are compiled by themselves: kept, and given back. `tf.function(jit_compile=True)` compiles.

    Args:
        enabled: A bool, or `"autoclustering"`.

    >>> tf.config.optimizer.set_jit(True)
    >>> tf.config.optimizer.get_jit()
    'autoclustering'
    >>> tf.config.optimizer.set_jit(False)
    """
    state["jit"] = "autoclustering" if enabled is True else enabled or ""


def get_experimental_options() -> dict[str, bool]:
    """The options of the graph optimiser, as they were set.

    >>> tf.config.optimizer.get_experimental_options()["disable_meta_optimizer"]
    False
    """
    return dict(state["options"])


def set_experimental_options(options: dict[str, bool]) -> None:
    """Options of the graph optimiser, kept and given back.

    Args:
        options: By name; others stay as they are.

    >>> tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": False})
    """
    state["options"].update(options)
