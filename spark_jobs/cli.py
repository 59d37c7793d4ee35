"""Arguments, errors and exit codes, the same for every command here."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn, Protocol, TypeVar

from spark_jobs import private_file
from spark_jobs.errors import EXIT_DEFECT, SmokeError, UsageError


class Parser(argparse.ArgumentParser):
    """Bad arguments raise ``UsageError``: argparse's own exit code, 2, would mean that the cluster is unreachable."""

    def error(self, message: str) -> NoReturn:
        raise UsageError([message, self.format_usage().strip()])


def parser(prog: str, description: str, names: str = "spark_jobs/config.py") -> Parser:
    """Return a parser with ``--config``; ``names``: the module that lists the names in the file."""
    made = Parser(prog=prog, description=description)
    made.add_argument("--config", type=Path, required=True, help=f"JSON file; its names are listed in {names}")
    return made


def guarded(action: Callable[[], int]) -> int:
    """Return the action's exit code, or that of its error, whose message goes to standard error."""
    try:
        with private_file.closed_to_others():
            return action()
    except SmokeError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    except Exception:  # a code of 1 would look like a verdict
        traceback.print_exc()
        return EXIT_DEFECT


class Configured(Protocol):
    @property
    def output_dir(self) -> Path: ...


Config = TypeVar("Config", bound=Configured)


def with_config(
    arguments: Sequence[str],
    made: Parser,
    load: Callable[[Path], Config],
    action: Callable[[Config, argparse.Namespace], int],
) -> int:
    """Load the configuration that ``--config`` names, make its ``output_dir``, and run ``action``, guarded.

    ``action`` takes the configuration and the arguments.
    """

    def run() -> int:
        options = made.parse_args(arguments)
        settings = load(options.config)
        private_file.directory(settings.output_dir)
        return action(settings, options)

    return guarded(run)
