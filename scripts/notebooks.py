"""Runs the tutorials, which are notebooks: `python scripts/notebooks.py [--write] [FILE ...]` (all without a file).

Every cell is executed, in a kernel of its own for each notebook, and what comes out is compared with what is stored:
the same kinds of outputs, the same words; numbers and pictures may differ from machine to machine. `--write` stores
what came out. A cell that is meant to raise is tagged `raises-exception`. Needs the extra `test`.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "tutorials"
LARGEST = 200_000  # bytes of a notebook
KEPT = {"display_name": "Python 3", "language": "python", "name": "python3"}
BARS = re.compile("[▁▂▃▄▅▆▇█]+")  # of small histories
ANSI = re.compile(r"\x1b\[[0-9;]*m")
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?( *(µs|ms|s|B|kB|MB)\b)?")


def files() -> list[Path]:
    return sorted(FOLDER.glob("*.ipynb"))


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def write(path: Path, notebook: dict[str, Any]) -> None:
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")


def text_of(value: str | list[str]) -> str:
    """A text of a notebook, which may be a list of lines."""
    return value if isinstance(value, str) else "".join(value)


# ---- running


def executed(path: Path) -> dict[str, Any]:
    """The notebook with the outputs of this run."""
    import nbformat
    from nbclient import NotebookClient

    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    return cleaned(json.loads(nbformat.writes(notebook)))


def cleaned(notebook: dict[str, Any]) -> dict[str, Any]:
    """Without what differs from run to run and says nothing: times, versions, what libraries say to stderr."""
    notebook["metadata"] = {"kernelspec": KEPT, "language_info": {"name": "python"}}
    for cell in notebook["cells"]:
        cell["metadata"] = {"tags": tags} if (tags := cell["metadata"].get("tags")) else {}
        if cell["cell_type"] == "code":
            cell["outputs"] = joined([o for o in cell["outputs"] if o.get("name") != "stderr"])
            for output in cell["outputs"]:
                if "metadata" in output:
                    output["metadata"] = {}
    return notebook


def joined(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is printed comes in pieces, sometimes more and sometimes fewer."""
    found: list[dict[str, Any]] = []
    for output in outputs:
        if found and output["output_type"] == "stream" == found[-1]["output_type"]:
            found[-1]["text"] = text_of(found[-1]["text"]) + text_of(output["text"])
        else:
            found.append(output)
    return found


# ---- on the site


def page(path: Path) -> str:
    """The notebook as Markdown: texts as they are, code, and below it what came out."""
    parts = [f"[Download this notebook]({path.name}){{ .notebook }}\n"]
    for cell in read(path)["cells"]:
        source = text_of(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source.replace(".ipynb)", ".md)"))
        else:
            parts.append(f"```python\n{source}\n```")
            parts += map(shown, cell["outputs"])
    # The title stays on top.
    return "\n\n".join([parts[1].split("\n", 1)[0], parts[0], parts[1].split("\n", 1)[1], *parts[2:]]) + "\n"


def shown(output: dict[str, Any]) -> str:
    if output["output_type"] == "stream":
        return f"```{{ .text .output }}\n{text_of(output['text']).rstrip()}\n```"
    if output["output_type"] == "error":
        return f"```{{ .text .output }}\n{ANSI.sub('', chr(10).join(output['traceback'])).rstrip()}\n```"
    data = output["data"]
    if "image/png" in data:
        code = text_of(data["image/png"]).replace("\n", "")
        return f'<img alt="What the cell draws" src="data:image/png;base64,{code}">'
    if "text/html" in data:
        html = re.sub(r"<pre>.*?</pre>", _lines_kept, text_of(data["text/html"]), flags=re.S)
        return f'<div class="output">{html}</div>'
    return f"```{{ .text .output }}\n{text_of(data['text/plain'])}\n```"


def _lines_kept(match: re.Match[str]) -> str:
    """In Markdown an empty line would end the HTML around it."""
    return match[0].replace("\n", "&#10;")


# ---- comparing


def form(output: dict[str, Any]) -> Any:
    """What has to be the same on all machines."""
    if output["output_type"] == "stream":
        return "stream", words(output["text"])
    if output["output_type"] == "error":
        return "error", output["ename"], words(output["evalue"])
    pictures = {kind: "" for kind in output["data"] if kind.startswith("image/")}
    plain = "" if pictures or "text/html" in output["data"] else words(output["data"].get("text/plain", ""))
    return output["output_type"], sorted(output["data"]), plain


def words(text: str | list[str]) -> str:
    """Without numbers, and without spaces: those depend on signs."""
    return "".join(BARS.sub("#", NUMBER.sub("#", ANSI.sub("", text_of(text)))).split())


def problems(path: Path, new: dict[str, Any]) -> list[str]:
    """One text for each thing that is wrong with the stored notebook; `new` has the outputs of a run."""
    found = [f"{path.name}: more than {LARGEST:,} bytes"] if path.stat().st_size > LARGEST else []
    stored = path.read_text(encoding="utf-8")
    for place in (str(ROOT), str(Path.home()), sys.prefix, "/tmp/"):
        if place in stored:
            found.append(f"{path.name}: says {place}, a place of one machine")
    for k, (old, cell) in enumerate(zip(read(path)["cells"], new["cells"]), 1):
        if cell["cell_type"] == "code":
            before, now = [form(o) for o in old["outputs"]], [form(o) for o in cell["outputs"]]
            if before != now:
                found.append(f"{path.name}, cell {k}: stored is {before}, but now it is {now}")
    return found


def main(arguments: list[str]) -> int:
    writing = "--write" in arguments
    failed = False
    for path in [Path(a) for a in arguments if a != "--write"] or files():
        new = executed(path)
        if writing:
            write(path, new)
        found = problems(path, new)
        print(f"{path.name}: {'; '.join(found) or 'runs, and what is stored is what comes out'}")
        failed |= bool(found)
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
