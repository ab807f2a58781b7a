"""A client of basedpyright's language server, as an editor is one: what it completes, what it shows on hover."""

import itertools
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = shutil.which("basedpyright-langserver", path=os.path.dirname(sys.executable))


class Server:
    """Looks at one program. It has tapeflow as an installed package, by the search path of this Python."""

    def __init__(self, folder: Path, program: str) -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self._process = subprocess.Popen(
            [COMMAND, "--stdio"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment,
        )  # fmt: skip
        self._numbers = itertools.count(1)
        file = folder / "program.py"
        file.write_text(program, encoding="utf-8")
        self._document = {"uri": file.as_uri()}
        plain = {"hover": {"contentFormat": ["plaintext"]}}
        self._ask(
            "initialize",
            processId=os.getpid(),
            workspaceFolders=[{"uri": folder.as_uri(), "name": "program"}],
            capabilities={"workspace": {"configuration": True}, "textDocument": plain},
        )
        self._tell("initialized")
        text = {"languageId": "python", "version": 1, "text": program}
        self._tell("textDocument/didOpen", textDocument={**self._document, **text})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()

    def completions(self, line: int, character: int) -> list[str]:
        found = self._ask("textDocument/completion", **self._place(line, character))
        return [item["label"] for item in (found["items"] if isinstance(found, dict) else found)]

    def hover(self, line: int, character: int) -> str:
        found = self._ask("textDocument/hover", **self._place(line, character))
        return found["contents"]["value"] if found else ""

    def _place(self, line: int, character: int) -> dict:
        return {"textDocument": self._document, "position": {"line": line, "character": character}}

    # ---- JSON-RPC

    def _tell(self, method: str, **params):
        self._send({"method": method, "params": params})

    def _ask(self, method: str, **params):
        number = next(self._numbers)
        self._send({"id": number, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" not in message and message["id"] == number:
                assert "error" not in message, message
                return message["result"]
            if "method" in message and "id" in message:  # the server asks, too: for settings
                items = message["params"].get("items", []) if isinstance(message.get("params"), dict) else []
                self._send({"id": message["id"], "result": [_setting(item.get("section")) for item in items]})

    def _send(self, message: dict) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _receive(self) -> dict:
        length = 0
        while line := self._process.stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        assert length, "the language server has ended"
        return json.loads(self._process.stdout.read(length))


def _setting(section: str | None):
    return {"pythonPath": sys.executable} if section == "python" else None
