"""``python -m spark_jobs.page report.json page.html``: exit code 0, or 3 when the report cannot be read as JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from spark_jobs import private_file
from spark_jobs.page.smoke import render

PATHS = 2
BAD_USAGE = 3


def main(arguments: list[str]) -> int:
    """Read the report, write the page."""
    if len(arguments) != PATHS:
        sys.stderr.write("usage: python -m spark_jobs.page REPORT.json PAGE.html\n")
        return BAD_USAGE
    try:
        report = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{arguments[0]} cannot be read as a report: {error}\n")
        return BAD_USAGE
    private_file.write(Path(arguments[1]), render(report))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
