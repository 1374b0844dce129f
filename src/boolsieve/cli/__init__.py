"""The command line: `boolsieve` and `python -m boolsieve`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from boolsieve.cli import bench


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0, 1 if its work failed, 2 if it was asked for something impossible."""
    parser = argparse.ArgumentParser(
        prog="boolsieve", description="Index Boolean expressions, find all that an event satisfies."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    demo = commands.add_parser("demo", help="a first look: a few saved searches, then 100,000 generated ones")
    demo.set_defaults(run=_demo)
    bench.add_parser(commands)
    options = parser.parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # as in `bench list | head`; the interpreter would complain again when it flushes
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def _demo(_: argparse.Namespace) -> int:
    from boolsieve import demo

    demo.main()
    return 0


__all__ = ["main"]
