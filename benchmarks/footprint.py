"""Prints the size on disk of an installed distribution and of everything it requires, as JSON: {name: bytes}.

python footprint.py tapeflow
"""

import json
import re
import sys
from importlib import metadata
from pathlib import Path

from pip._vendor.packaging.requirements import Requirement


def size(distribution):
    """The files of the distribution (of the source tree, when it is installed editable), without compiled bytecode."""
    link = distribution.read_text("direct_url.json")
    if link and json.loads(link).get("dir_info", {}).get("editable"):
        files = (Path(json.loads(link)["url"].removeprefix("file://")) / distribution.name).rglob("*")
    else:
        files = (distribution.locate_file(f) for f in distribution.files or [])
    files = [Path(f) for f in files]
    return sum(f.stat().st_size for f in files if f.suffix != ".pyc" and f.is_file())


def closure(name):
    sizes, todo = {}, [name]
    while todo:
        key = re.sub(r"[-_.]+", "-", todo.pop()).lower()
        if key in sizes:
            continue
        try:
            distribution = metadata.distribution(key)
        except metadata.PackageNotFoundError:
            continue
        sizes[key] = size(distribution)
        for text in distribution.requires or []:
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                todo.append(requirement.name)
    return sizes


if __name__ == "__main__":
    print(json.dumps(closure(sys.argv[1])))
