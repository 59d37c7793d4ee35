"""Compare two timelines, task by task and host by host: a run must change exactly what --check has predicted.

``python compare_timelines.py PREDICTED HAPPENED``; exit code 0 if they agree, 1 with each difference if not.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def changes(path: Path) -> set[tuple[str, str]]:
    """Return (host, task) of everything that changed, or would have."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return {(line["host"], line["task"]) for line in lines if line["changed"]}


def main(prediction: Path, happened: Path) -> int:
    """Print the differences between the two."""
    predicted, real = changes(prediction), changes(happened)
    for host, task in sorted(predicted - real):
        sys.stdout.write(f"predicted, but did not happen: {host}: {task}\n")
    for host, task in sorted(real - predicted):
        sys.stdout.write(f"happened, but was not predicted: {host}: {task}\n")
    sys.stdout.write(f"{len(predicted)} changes predicted, {len(real)} happened\n")
    return 0 if predicted == real and real else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
