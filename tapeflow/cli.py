"""The `tapeflow` command."""

import argparse
from collections.abc import Sequence
from importlib import metadata


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command with `argv` (the process's own arguments when None); returns the exit status.

    >>> from tapeflow.cli import main
    >>> main(["demo", "--steps", "0"])
    Traceback (most recent call last):
    SystemExit: 2
    """
    parser = argparse.ArgumentParser(prog="tapeflow", description="TensorFlow's GradientTape without TensorFlow.")
    parser.add_argument("--version", action="version", version=f"tapeflow {_version()}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")

    demo = commands.add_parser(
        "demo",
        help="train a small classifier with a GradientTape loop and watch its loss and gradients",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    demo.add_argument("--steps", type=_at_least(1), default=3000, help="training steps")
    demo.add_argument("--hidden", type=_at_least(1), default=48, help="units in each of the two hidden layers")
    demo.add_argument("--activation", choices=["tanh", "relu", "sigmoid", "sin"], default="tanh")
    demo.add_argument("--learning-rate", type=float, default=0.1)
    demo.add_argument("--clip", type=float, default=1.0, help="largest global norm of the gradients in a step")
    demo.add_argument("--noise", type=float, default=0.4, help="how far points stray from their spiral")
    demo.add_argument("--seed", type=int, default=7)
    demo.add_argument("--out", default="tapeflow-demo.png", help="where the picture goes")

    options = vars(parser.parse_args(argv))
    del options["command"]
    from . import demo as program  # after parsing: `--help` need not import an array library

    return program.run(**options)


def _version() -> str:
    try:
        return metadata.version("tapeflow")
    except metadata.PackageNotFoundError:  # run from a checkout that is not installed
        return "(not installed)"


def _at_least(low: int):
    def whole_number(text: str) -> int:
        value = int(text)
        if value < low:
            raise argparse.ArgumentTypeError(f"{value} is less than {low}")
        return value

    return whole_number
