"""What to type to install what is missing: a command that works for the way in which tapeflow was installed."""

import os
from pathlib import Path

__all__ = ["install"]


def install(extra: str) -> str:
    """The command that adds an extra.

    A clone is installed again with the extra, where it lies. Anything else is there already: for `tapeflow[xla]`, pip
    only looks for what is missing, whether tapeflow came from an index, a wheel, a repository or a folder.

    >>> from tapeflow.names.extras import install
    >>> install("xla").startswith("pip install"), install("xla").endswith('[xla]"')
    (True, True)
    """
    clone = _clone()
    if clone is None:
        return f'pip install "tapeflow[{extra}]"'
    folder = "." if clone == Path.cwd() else str(clone)
    return f'pip install -e "{folder}[{extra}]"'


def _clone() -> Path | None:
    """The folder of the source that runs, when it is not a copy among the installed packages."""
    beside = Path(__file__).resolve().parents[2]
    if (beside / "pyproject.toml").is_file():
        return beside
    import json  # here: together these are a seventh of `import tapeflow`, and only who lacks something needs them
    from importlib import metadata
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    try:  # an editable install whose package is found by other means than a path
        origin = json.loads(metadata.distribution("tapeflow").read_text("direct_url.json") or "{}")
    except (metadata.PackageNotFoundError, OSError, ValueError):
        return None
    if not origin.get("dir_info", {}).get("editable"):
        return None
    place = urlsplit(origin["url"])
    folder = Path(url2pathname(f"//{place.netloc}{place.path}" if place.netloc else place.path))
    return folder if os.path.isdir(folder) else None
