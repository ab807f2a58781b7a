"""The `tapeflow` command."""

import argparse
import sys
from collections.abc import Sequence

from . import __version__

_RUN_FORMS = "tapeflow run [-h] (script.py | notebook.ipynb | folder | -m module | -c text | -) [arguments …]"
_RUN_HELP = """\
Run a program that says `import tensorflow as tf` on tapeflow, as `python` would run it. The program is not changed,
and TensorFlow need not be installed; if it is, it is not used. All that follows the program is the program's own:
sys.argv.

  script.py        a script, or a folder with a __main__.py
  notebook.ipynb   its code cells in order; shell lines and IPython's magics are reported and skipped
  -m module        a module, as with `python -m`: `tapeflow run -m pytest tests`
  -c text          a program given as text
  -                a program from the standard input

The exit status is the program's: 1 after an error, 130 when interrupted, 2 when the program cannot be opened.
"""

_LAUNCH_FORMS = """\
tapeflow launch [-h] --workers N [--devices-per-worker D] [--restarts R] [--timeout S]
                       (script.py | notebook.ipynb | folder | -m module | -c text) [arguments …]"""
_LAUNCH_HELP = """\
Run a program as several workers on this machine, as `tapeflow run` runs it: each finds the others by TF_CONFIG, so
tf.distribute.MultiWorkerMirroredStrategy() or keras.distribution.initialize() is all that the program needs. Lines
that workers print begin with their number, cores are divided among them, and Ctrl-C goes to all.

The exit status is that of the first worker that failed, 124 after --timeout, 130 when interrupted.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command with `argv` (the process's own arguments when None); returns the exit status.

    >>> from tapeflow.cli import main
    >>> main(["demo", "--steps", "0"])
    Traceback (most recent call last):
    SystemExit: 2
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser, run = _parsers()
    if arguments[:1] == ["run"] and arguments[1:2] not in (["-h"], ["--help"]):
        return _run(arguments[1:], run)  # by hand: what follows the program is not ours to parse
    launched = _program_of_launch(arguments)
    options = vars(parser.parse_args(arguments[: len(arguments) - len(launched)]))
    command = options.pop("command")
    if command == "launch":
        from .programs.launch import launch

        return launch(launched, **options) if launched else parser.error("which program?")
    if command == "check":
        from .programs.checking import check

        return check(**options)
    if command == "inspect":
        from .saved_model.inspecting import inspect

        return inspect(**options)
    if command == "convert":
        from keras_tapeflow import hook

        hook.choose()
        from keras_tapeflow.converting import convert

        return convert(**options)
    if command == "info":
        from .programs.info import info

        return info(__version__)
    from . import demo as program  # after parsing: `--help` need not import an array library

    return program.run(**options)


def _program_of_launch(arguments: list[str]) -> list[str]:
    """The program to launch, and its own options: what follows those of the launcher, each of which has a value."""
    if arguments[:1] != ["launch"]:
        return []
    rest = arguments[1:]
    while rest and rest[0].startswith("--"):
        rest = rest[1 if "=" in rest[0] or rest[0] == "--help" else 2 :]
    return [] if rest[:1] == ["-h"] else rest


def _run(arguments: list[str], parser: argparse.ArgumentParser) -> int:
    from .programs import running

    match arguments:
        case ["-m", name, *rest]:
            return running.run_module(name, rest)
        case ["-c", text, *rest]:
            return running.run_text(text, rest)
        case ["-", *rest]:
            return running.run_text(sys.stdin.read(), rest, file="<stdin>")
        case [("-m" | "-c") as option]:
            parser.error(f"argument expected for {option}")
        case [path, *rest] if not path.startswith("-"):
            return running.run_file(path, rest)
        case [option, *_]:
            parser.error(f"unknown option {option}; options of the program follow its name")
    parser.error("which program?")


def _parsers() -> tuple[argparse.ArgumentParser, argparse.ArgumentParser]:
    parser = argparse.ArgumentParser(prog="tapeflow", description="TensorFlow's GradientTape without TensorFlow.")
    parser.add_argument("--version", action="version", version=f"tapeflow {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    run = commands.add_parser(
        "run",
        help="run a program that was written for TensorFlow, unchanged",
        usage=_RUN_FORMS,
        description=_RUN_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )

    check = commands.add_parser(
        "check",
        help="list which names of TensorFlow a program uses and whether tapeflow has them, without running it",
        description="Read programs, without running them, and list the names of TensorFlow that tapeflow has not, or "
        "has in part. "
        "The exit status is 0 when all are there, 1 when some are missing, 2 when a file cannot be read.",
    )
    check.add_argument("paths", nargs="+", metavar="path", help="a script, a notebook, or a folder of them")
    check.add_argument("--json", action="store_true", dest="as_json", help="print all names with their lines as JSON")
    check.add_argument("--all", action="store_true", dest="everything", help="list the names that are there, too")

    inspect = commands.add_parser(
        "inspect",
        help="list the signatures, variables and functions of a saved model, and the operations that it lacks here",
        description="List what is in the folder of a saved model, one of TensorFlow or of tapeflow, without calling "
        "any of it: signatures, variables, functions, and operations of TensorFlow that cannot run here. "
        "The exit status is 0 when all can, 1 when some cannot, 2 when the folder cannot be read.",
    )
    inspect.add_argument("path", help="the folder of a saved model")

    convert = commands.add_parser(
        "convert",
        help="make a .keras file of a model of Keras 2",
        description="Write a model of Keras 2 as a .keras file of Keras 3: of a .h5 file, with the state of its "
        "optimizer; of the folder of a saved model, whose graph must compute the same. Of a folder that does not say "
        "its layers, the file has a layer that calls the graph. The exit status is 0, or 2 when it cannot be done.",
    )
    convert.add_argument("old", help="a .h5 file, or the folder of a saved model")
    convert.add_argument("new", help="the file to write, *.keras")

    launch = commands.add_parser(
        "launch",
        help="run a program as several workers on this machine",
        usage=_LAUNCH_FORMS,
        description=_LAUNCH_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    launch.add_argument("--workers", type=_at_least(1), required=True, help="how many")
    launch.add_argument(
        "--devices-per-worker", type=_at_least(1), dest="devices", help="devices of each: GPUs, or parts of the CPU"
    )
    launch.add_argument("--restarts", type=_at_least(0), default=0, help="how often all start again if one fails")
    launch.add_argument("--timeout", type=float, help="seconds after which all are ended")

    commands.add_parser(
        "info",
        help="say what computes here: versions, the C library, XLA",
        description="Say what computes here: versions, whether the C library is used and for which processors, XLA.",
    )

    demo = commands.add_parser(
        "demo",
        help="train a small classifier, then see why a gradient is None, where NaN came from, what a tape keeps",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    demo.add_argument("--steps", type=_at_least(1), default=1500, help="training steps")
    demo.add_argument("--hidden", type=_at_least(1), default=48, help="units in each of the two hidden layers")
    demo.add_argument("--activation", choices=["tanh", "relu", "sigmoid", "sin"], default="tanh")
    demo.add_argument("--learning-rate", type=float, default=0.1)
    demo.add_argument("--clip", type=float, default=1.0, help="largest global norm of the gradients in a step")
    demo.add_argument("--noise", type=float, default=0.4, help="how far points stray from their spiral")
    demo.add_argument("--seed", type=int, default=7)
    demo.add_argument(
        "--out", default="tapeflow-demo.png", help="where the picture goes; the page about a tape goes next to it"
    )
    demo.add_argument("--quick", action="store_true", help="fewer steps, and nothing that needs Keras: a few seconds")
    return parser, run


def _at_least(low: int):
    def whole_number(text: str) -> int:
        value = int(text)
        if value < low:
            raise argparse.ArgumentTypeError(f"{value} is less than {low}")
        return value

    return whole_number
