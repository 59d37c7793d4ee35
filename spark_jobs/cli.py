"""Arguments, errors and exit codes, the same for every command here."""

from __future__ import annotations

import argparse
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, Protocol, TypeVar

from spark_jobs import json_file, one_run, private_file
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
    reports: Sequence[str] = one_run.REPORTS,
) -> int:
    """Load the configuration that ``--config`` names, make its ``output_dir``, and run ``action``, guarded.

    ``action`` takes the configuration and the arguments, and has the directory for itself. ``reports``: names of its
    files there. If this ends before ``action``, those of an older job are set aside.
    """

    def run() -> int:
        try:
            options = made.parse_args(arguments)
            settings = load(options.config)
        except Exception:
            directory = json_file.output_dir(config_path(arguments))
            for path in one_run.set_aside(directory, reports) if directory else ():
                sys.stderr.write(f"A report of an older job is now {path}.\n")
            raise
        with one_run.alone(settings.output_dir):
            return action(settings, options)

    return guarded(run)


def config_path(arguments: Sequence[str]) -> Path | None:
    """Return the path after ``--config``, whatever is wrong with the other arguments; null without one."""
    least = Parser(add_help=False, allow_abbrev=False)
    least.add_argument("--config", type=Path)
    with suppress(UsageError):
        found: Path | None = least.parse_known_args(arguments)[0].config
        return found
    return None
