"""What `Checkpoint.restore` returns: `assert_consumed`, `expect_partial` and other checks of what was matched."""

from typing import Any

from tapeflow.core.variables import arrivals

from .restoring import Restore

__all__ = ["CheckpointLoadStatus", "InitializationOnlyStatus"]

_SHOWN = 10  # so many unmatched things are named


class CheckpointLoadStatus:
    """The outcome of a restore, which may go on: objects made later get their values when they are made."""

    def __init__(self, restore: Restore, root: Any) -> None:
        self._restore, self._root = restore, root

    def assert_consumed(self) -> "CheckpointLoadStatus":
        """AssertionError unless every value of the checkpoint was used and every object of the program got one."""
        self.assert_existing_objects_matched()
        left = sorted(self._restore.ledger.unused.values())
        if left:
            more = f" and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
            raise AssertionError(
                f"Unresolved object in checkpoint {left[0]}: {len(left)} of the values in {self._restore} have no "
                f"counterpart in the program: {', '.join(left[:_SHOWN])}{more}. They are given when such objects are "
                "made; status.assert_existing_objects_matched() does not ask for them."
            )
        return self

    def assert_existing_objects_matched(self) -> "CheckpointLoadStatus":
        """AssertionError if an object of the program has values and the checkpoint has none for it."""
        arrivals.restore_waiting(self._restore)
        left = self._restore.unmatched_objects(self._root)
        if left:
            shown = left[:_SHOWN]
            unused = sorted(self._restore.ledger.unused.values())
            hint = (
                f" Values of the checkpoint that nothing was found for: {', '.join(unused[:_SHOWN])}."
                if unused
                else ""
            )
            raise AssertionError(
                f"Found {len(left)} Python objects that were not bound to checkpointed values, likely due to changes "
                f"in the Python program. Showing {len(shown)} of {len(left)} unmatched objects: {shown}.{hint}"
            )
        return self

    def assert_nontrivial_match(self) -> "CheckpointLoadStatus":
        """AssertionError if nothing but the root was matched."""
        arrivals.restore_waiting(self._restore)
        if self._restore.matched_nothing():
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means that the "
                f"checkpoint does not match the Python program. {self._restore} has "
                f"{', '.join(sorted(self._restore.ledger.unused.values())[:_SHOWN])}."
            )
        return self

    def expect_partial(self) -> "CheckpointLoadStatus":
        """Says that it is no mistake if some values of the checkpoint are never used: no warning when this object
        goes."""
        self._restore.ledger.expects_partial = True
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing: values are given at once."""

    run_restore_ops = initialize_or_restore


class InitializationOnlyStatus:
    """What restoring `None` gives: nothing was restored."""

    def assert_consumed(self) -> Any:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_existing_objects_matched = assert_nontrivial_match = run_restore_ops = assert_consumed

    def expect_partial(self) -> "InitializationOnlyStatus":
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing: variables have their first values from the moment they are made."""
