"""`tapeflow run`: a program that says `import tensorflow as tf`, run on tapeflow as `python` would run it."""

import builtins
import importlib.machinery
import importlib.util
import linecache
import os
import runpy
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, ModuleType, TracebackType
from typing import Any

from . import children, notebooks, stand_in

_HERE = tuple(str(Path(__file__).parents[1] / room) for room in ("programs", "names"))
UNREADABLE = 2  # the exit status for a program that cannot be opened, as python's
INTERRUPTED = 130


def run_file(path: str, arguments: Sequence[str] = ()) -> int:
    """Runs a script or a notebook; returns the exit status. `SystemExit` of the program goes through."""
    if Path(path).is_dir():
        main = Path(path) / "__main__.py"
        if not main.is_file():
            return _cannot(f"can't find '__main__' module in {path!r}")
        return _run(lambda: _script(str(main.absolute())), [path, *arguments], str(Path(path).resolve()))
    read = _notebook if Path(path).suffix == ".ipynb" else _script
    try:
        with open(path, "rb"):
            pass
    except OSError as error:
        return _cannot(f"can't open file {os.path.abspath(path)!r}: [Errno {error.errno}] {error.strerror}")
    return _run(lambda: read(os.path.abspath(path)), [path, *arguments], str(Path(path).resolve().parent))


def run_module(name: str, arguments: Sequence[str] = ()) -> int:
    """Runs a module as `python -m name` does; returns the exit status."""

    def program() -> None:
        if importlib.util.find_spec(name) is None:
            raise SystemExit(f"tapeflow: No module named {name}")
        runpy.run_module(name, run_name="__main__", alter_sys=True)

    return _run(program, [name, *arguments], os.getcwd())


def run_text(source: str, arguments: Sequence[str] = (), file: str = "<string>") -> int:
    """Runs a program given as text, as `python -c` does; returns the exit status."""
    return _run(
        lambda: _execute([compile(source, file, "exec")]), ["-c" if file == "<string>" else "-", *arguments], ""
    )


def _script(path: str) -> None:
    source = Path(path).read_bytes()
    _execute(
        [compile(source, path, "exec")],
        __file__=path,
        __loader__=importlib.machinery.SourceFileLoader("__main__", path),
    )


def _notebook(path: str) -> None:
    try:
        cells = notebooks.code_cells(Path(path).read_bytes())
    except notebooks.NotANotebook as error:
        raise SystemExit(_cannot(f"can't read {path!r}: {error}")) from None
    codes = []
    for number, text in cells:
        text, skipped = notebooks.plain_python(text)
        for line, what in skipped:
            print(f"tapeflow: {path}, cell {number}, line {line}: skipped {what}", file=sys.stderr)
        name = f"{path}[cell {number}]"
        # Tracebacks and AutoGraph look for the source here; without a time stamp it is kept though there is no such
        # file.
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        codes.append((text, name))
    _execute((compile(text, name, "exec") for text, name in codes), display=print)


def _execute(codes: Any, **names: Any) -> None:
    """Runs code in a new `__main__`."""
    main = ModuleType("__main__")
    vars(main).update(dict(__builtins__=builtins, __cached__=None, __package__=None, __spec__=None), **names)
    sys.modules["__main__"] = main
    code: CodeType
    for code in codes:
        exec(code, vars(main))


def _run(program: Callable[[], None], arguments: list[str], folder: str) -> int:
    """Runs with tapeflow in the place of TensorFlow. An error is shown as python shows it, from the program's first
    line on."""
    stand_in.install()
    children.prepare()
    sys.argv = arguments
    _look_first_in(folder)
    try:
        program()
    except SystemExit as error:
        raise error.with_traceback(None) from None
    except BaseException as error:
        hide_our_frames(error)
        _show(error)
        return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1
    return 0


def _show(error: BaseException) -> None:
    if getattr(sys.excepthook, "shows", sys.excepthook) is not sys.__excepthook__:
        sys.excepthook(type(error), error, error.__traceback__)
    else:
        sys.stdout.flush()
        traceback.print_exception(
            error
        )  # unlike the built-in hook of Python 3.11, it shows the lines of a notebook's cells


def _look_first_in(folder: str) -> None:
    """The program's folder takes the place of the command's in the search path; what is in tapeflow's own is still
    found, last."""
    import tapeflow

    if not sys.flags.safe_path:
        sys.path[0] = folder
    home = str(Path(tapeflow.__file__).parent.parent)
    if home not in sys.path:
        sys.path.append(home)


def hide_our_frames(error: BaseException) -> None:
    """Takes what is only about running a program out of the tracebacks of an error and of the errors behind it."""
    todo, seen = [error], set()
    while todo:
        one = todo.pop()
        if id(one) not in seen:
            seen.add(id(one))
            one.__traceback__ = _without_our_frames(one.__traceback__)
            todo += [other for other in (one.__cause__, one.__context__) if other is not None]
            todo += getattr(one, "exceptions", ())


def _without_our_frames(entry: TracebackType | None) -> TracebackType | None:
    frames = []
    while entry is not None:
        frames.append(entry)
        entry = entry.tb_next
    kept = [frame for frame in frames if not _is_ours(frame.tb_frame.f_code.co_filename)]
    for frame, following in zip(kept, [*kept[1:], None]):
        frame.tb_next = following
    return kept[0] if kept else None


def _is_ours(file: str) -> bool:
    return file.startswith((*_HERE, "<frozen runpy>", "<frozen importlib")) or file == runpy.__file__


def _cannot(message: str) -> int:
    print(f"tapeflow: {message}", file=sys.stderr)
    return UNREADABLE
