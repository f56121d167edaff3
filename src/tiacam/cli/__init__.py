"""The command line: `tiacam COMMAND`. A command parses, calls one function and prints."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from types import ModuleType

from tiacam import __version__
from tiacam.errors import TiacamError
from tiacam.workers import interrupts_remembered, keep_freed_memory

# command → module; the modules are light, whatever is heavy they import when they run
COMMANDS = {
    "register": "register",
    "read": "read",
    "verify": "verify",
    "list": "listing",
    "show": "show",
    "export": "exporting",
    "import": "importing",
    "audit": "audit",
    "prove": "prove",
    "backup": "backup",
    "restore": "restore",
    "migrate": "migrate",
    "keygen": "keygen",
    "keys": "keys",
    "models": "models",
    "selftest": "selftest",
    "demo": "demo",
    "simulate": "simulate",
    "augment": "augment",
    "train": "train",
    "evaluate": "evaluate",
    "serve": "serve",
    "c2pa": "c2pa",
}
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 accepted, 1 our error, 2 usage, 3 not found or rejected."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a file's name may hold what the terminal cannot show
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        with interrupts_remembered():
            code = run(arguments)
        sys.stdout.flush()
        return code
    except TiacamError as error:
        print(f"tiacam: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("tiacam: interrupted", file=sys.stderr)
        return INTERRUPTED
    except OSError as error:
        drop_output()
        if not isinstance(error, BrokenPipeError):  # the reader of our output may go away when he likes
            print(f"tiacam: {error}", file=sys.stderr)
        return 1


def run(arguments: Sequence[str] | None) -> int:
    options = build_parser().parse_args(arguments)
    keep_freed_memory()
    with warnings.catch_warnings():
        warnings.showwarning = show_warning
        return run_quietly(options) if options.quiet else int(options.run(options))


def run_quietly(options: argparse.Namespace) -> int:
    from tiacam.progress import silence

    with silence():
        return int(options.run(options))


def show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """One line of talk: what a user can do nothing with, the place in our source, stays out."""
    print(f"tiacam: warning: {message}", file=sys.stderr)


def drop_output() -> None:
    """Send what is still buffered to nowhere, so that the interpreter's last flush does not fail again."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tiacam",
        description="Bind a message to a picture without touching it, and read it back from a photo of the picture.",
        epilog="Exit codes: 0 accepted, 1 error, 2 usage, 3 not found or not registered.",
    )
    parser.add_argument("--version", action="version", version=f"tiacam {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for name, module in COMMANDS.items():
        _add_command(commands, name, import_module(f"tiacam.cli.{module}"))
    return parser


def _add_command(
    commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, module: ModuleType
) -> None:
    command = commands.add_parser(name, help=module.HELP, description=module.HELP)
    module.configure(command)
    command.add_argument("--quiet", action="store_true", help="show no progress on stderr")
    command.set_defaults(run=module.run)
