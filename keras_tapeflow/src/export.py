"""Exporting models for other frameworks, which needs these frameworks."""

from typing import Any


class SavedModelExportArchive:
    """Refuses."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError(
            "`export_saved_model` only currently supports the tensorflow, jax and torch backends. Save the model with "
            "model.save('model.keras'), and load it there."
        )
