"""`tf.train.Checkpoint`: saves the values of a program's objects, and gives them back."""

import os
import threading
from contextlib import nullcontext
from typing import Any

from tapeflow.core.devices import Serving
from tapeflow.core.dtypes import int64
from tapeflow.core.errors import NotFoundError
from tapeflow.core.frames import Frame, entered, has_an_effect
from tapeflow.core.variables import arrivals
from tapeflow.core.variables.variable import Variable

from .graph import walk
from .options import CheckpointOptions
from .reader import open_checkpoint
from .restoring import Restore
from .state import CheckpointState, update_checkpoint_state
from .status import CheckpointLoadStatus, InitializationOnlyStatus
from .storage import SUFFIX, write_checkpoint
from .trackable import children, has_trackable_attributes, is_container, is_trackable, value_of, values

__all__ = ["Checkpoint"]


class Checkpoint:
    """A group of objects whose values are saved together: models, optimizers, variables, modules, lists and dicts of
    them.

    Values are stored by the names that lead to them (`model/layers/0/kernel`), so a program that gives its objects the
    same names restores them. What does not exist yet gets its value when it is made.

    Args:
        root: The object that is saved, with all in it; None: what is given by name alone.
        **kwargs: More objects, each under its name.

    Raises:
        ValueError: If something is given that has no variables, or a name that `root` has for another object.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> step, weights = tf.Variable(3), tf.Variable([1., 2.])
    >>> path = tf.train.Checkpoint(step=step, net={"w": weights}).save(folder + "/ckpt")
    >>> other = tf.Variable([0., 0.])
    >>> checkpoint = tf.train.Checkpoint(net={"w": other})
    >>> status = checkpoint.restore(path)
    >>> other.numpy()
    array([1., 2.], dtype=float32)
    >>> checkpoint.step = tf.Variable(0)         # attached later, and restored then
    >>> checkpoint.step.numpy()
    np.int32(3)
    >>> _ = status.assert_consumed()
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        self._root: Any = None
        self._save_counter: Any = None
        self._saving = threading.Lock()
        if root is not None:
            _assert_trackable(root, "root", is_container(root))
            self._root = root
        for name, value in sorted(kwargs.items()):
            _assert_trackable(value, name)
            if root is not None and children(root).get(name, value) is not value:
                raise ValueError(
                    f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already exists."
                )
            setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if arrivals.waiting:
            arrivals.attribute_set(self)

    def _trackable_children(self, save_type: str = "checkpoint", **_: Any) -> dict[str, Any]:
        """The root's own parts stand beside those that were given by name."""
        found = {} if self._root is None else children(self._root)
        if self._root is not None and values(self._root):  # a variable by itself
            found["root"] = self._root
        found |= {name: value for name, value in vars(self).items() if name not in _OWN and _may_be_given(value)}
        return found if self._save_counter is None else found | {"save_counter": self._save_counter}

    @property
    def save_counter(self) -> Variable:
        """How often `save` was called, also before a restart: it is part of the checkpoint."""
        if self._save_counter is None:
            with entered(Frame()):
                self._save_counter = Variable(0, dtype=int64, trainable=False, name="save_counter")
        return self._save_counter

    def save(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Writes a numbered checkpoint and makes it the folder's latest one; returns its path, for `restore`."""
        # A graph would write the values of the moment when it was traced, once.
        has_an_effect("writing a checkpoint", once=True)
        counter = self.save_counter
        with self._saving:  # two threads that save get two numbers, and the state file of the later
            with entered(Frame()):
                counter.assign_add(1)
                path = self.write(f"{os.fsdecode(file_prefix)}-{int(counter)}", options)
            update_checkpoint_state(os.path.dirname(path), CheckpointState(path, [path]))
        return path

    def write(self, file_prefix: Any, options: CheckpointOptions | None = None) -> str:
        """Writes a checkpoint under exactly this path, without a number and without telling the folder.

        Returns:
            The path.
        """
        has_an_effect("writing a checkpoint", once=True)
        path = os.fsdecode(file_prefix)
        arrivals.restore_waiting()  # values that wait for an object which is there by now belong into the file, too
        graph, sources = walk(self)
        tensors = {key: value_of(owner, attribute) for key, (owner, attribute) in sources.items()}
        if folder := os.path.dirname(path):
            os.makedirs(folder, exist_ok=True)
        with nullcontext() if Serving.engine is None else Serving.engine.meshes.collecting():
            write_checkpoint(path + SUFFIX, graph, tensors)
        for callback in (options and options.experimental_write_callbacks) or ():
            callback(path) if _takes_an_argument(callback) else callback()
        return path

    def restore(
        self, save_path: Any, options: CheckpointOptions | None = None
    ) -> CheckpointLoadStatus | InitializationOnlyStatus:
        """Gives the objects the values of a checkpoint that `save` wrote, ours or TensorFlow's. None restores nothing.

        The status that it returns says what was matched: `assert_consumed()`, `assert_existing_objects_matched()`,
        `assert_nontrivial_match()`, and `expect_partial()` where a part is all that is wanted.

        Args:
            options: Taken and not used.

        Raises:
            NotFoundError: If there is no checkpoint under that path.
        """
        if save_path is None:
            return InitializationOnlyStatus()
        try:
            status = self.read(save_path, options)
        except NotFoundError as error:
            raise NotFoundError(
                None,
                None,
                f"Error when restoring from checkpoint or SavedModel at {os.fsdecode(save_path)}: {error.message}\n"
                "Please double-check that the path is correct. You may be missing the checkpoint suffix (e.g. the "
                "'-1' in 'path/to/ckpt-1').",
            ) from None
        _ = self.save_counter  # a program that saves goes on counting where it was
        arrivals.restore_waiting()
        return status

    def read(self, save_path: Any, options: CheckpointOptions | None = None) -> CheckpointLoadStatus:
        """Gives the objects the values of a checkpoint that `write` wrote; `save_counter` is left alone.

        Args:
            save_path: The path of a checkpoint, as `write` gives it.
            options: Taken and not used.

        Raises:
            NotFoundError: If there is no checkpoint under that path.
        """
        has_an_effect("restoring a checkpoint")
        source = open_checkpoint(os.fsdecode(save_path))
        if source.graph is None:
            raise ValueError(
                f"{source.path} has tensors with names, but does not say which objects they belong to. "
                "Read them with tf.train.load_checkpoint(path).get_tensor(name), and assign them."
            )
        source.verify()  # before anything is changed
        restore = Restore(source, source.graph, [self] if self._root is None else [self, self._root])
        arrivals.restore_waiting(restore)
        return CheckpointLoadStatus(restore, self)

    def sync(self) -> None:
        """Nothing: a checkpoint is on the disk when `save` returns."""


_OWN = frozenset({"_root", "_save_counter", "_saving"})


def _may_be_given(value: Any) -> bool:
    return is_trackable(value) or has_trackable_attributes(value)


def _assert_trackable(value: Any, name: str, refused: bool = False) -> None:
    if refused or not _may_be_given(value):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from `Trackable`), got "
            f"{value!r}. Variables, tf.Module, Keras' objects, and lists and dicts of them can be given, and objects "
            "with such attributes."
        )


def _takes_an_argument(callback: Any) -> bool:
    import inspect

    return bool(inspect.signature(callback).parameters)
