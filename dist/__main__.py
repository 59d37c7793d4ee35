"""Build the files that are installed on hosts, and print their paths.

``python -m dist kafka [VERSION] | jars VERSION | spark | metrics | client | collection | bundle [VERSION]
[--also VERSION] | all | lock VERSION | checksum ARCHIVE``
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable
from pathlib import Path

from dist import bundle, client, given, kafka, locks, maven
from dist.collection import build
from dist.whole import alone

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache"
VERSION = "4.4.0"
SPARK_LOCK = "spark-4.2.0"
METRICS_LOCK = "metrics-1.0.1"


def spark(cache: Path) -> Path:
    """Fetch exactly the locked jars of the connector."""
    jars = cache / "spark" / "jars"
    maven.fetch(locks.read(SPARK_LOCK), jars)
    return jars


def metrics(cache: Path) -> Path:
    """Fetch exactly the locked agent, which publishes Kafka's metrics for Prometheus."""
    jars = cache / "metrics"
    (agent,) = locks.read(METRICS_LOCK)
    maven.fetch((agent,), jars)
    return jars / agent.jar


def parser() -> argparse.ArgumentParser:
    """Return the parser of the verbs."""
    verbs = argparse.ArgumentParser(prog="python -m dist", description=__doc__)
    known = ["kafka", "jars", "spark", "metrics", "client", "collection", "bundle", "all", "lock", "checksum"]
    verbs.add_argument("verb", choices=known)
    verbs.add_argument("what", nargs="?", default=VERSION, help="version of Kafka, or path of an archive")
    verbs.add_argument("--also", action="append", default=[], help="another version of Kafka for the bundle")
    verbs.add_argument("--java", type=Path, help="an archive of Java that goes into the bundle")
    return verbs


def main(arguments: list[str]) -> int:
    """Return exit code 0, or 1 with the reason on stderr."""
    asked = parser().parse_args(arguments)
    made: dict[str, Callable[[], list[object]]] = {
        "kafka": lambda: [kafka.assemble(asked.what, CACHE)],
        "jars": lambda: [kafka.jars(asked.what, CACHE)],
        "spark": lambda: [spark(CACHE)],
        "metrics": lambda: [metrics(CACHE)],
        "client": lambda: [client.build(CACHE)],
        "collection": lambda: [build.build(ROOT, CACHE)],
        "bundle": lambda: [bundle.build(ROOT, CACHE, [asked.what, *asked.also], asked.java)],
        "all": lambda: [kafka.assemble(asked.what, CACHE), spark(CACHE), metrics(CACHE), client.build(CACHE)],
        "lock": lambda: [kafka.lock(asked.what, CACHE)],
        "checksum": lambda: [given.checksum(Path(asked.what))],
    }
    try:
        with contextlib.nullcontext() if asked.verb == "checksum" else alone(CACHE):
            for result in made[asked.verb]():
                sys.stdout.write(f"{result}\n")
    except locks.LockError as error:
        sys.stderr.write(f"dist: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
