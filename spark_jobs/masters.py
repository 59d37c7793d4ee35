"""The Spark master of a job, and its settings: the same two arguments for every job."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from spark_jobs.cli import Parser

LOCAL_CORES = "local[*]"
#: Names of settings that Spark hides in its logs (spark.redaction.regex); the path of a file is no secret.
SECRET = re.compile(r"(?!.*file$).*(secret|password|token|access[.]?key)", re.IGNORECASE)
PLACE_FOR_SECRETS = "write it into the file spark-defaults.conf of the folder that SPARK_CONF_DIR names"


def add_arguments(made: Parser) -> Parser:
    """Add ``--master`` and ``--conf`` to a job's parser, and return it."""
    named = "Spark master: local[*], spark://host:port, yarn, k8s://…"
    made.add_argument("--master", default=LOCAL_CORES, help=named)
    made.add_argument("--conf", action="append", default=[], type=setting, metavar="K=V", help="repeatable")
    return made


def setting(text: str) -> str:
    """Parse ``name=value`` for spark-submit's ``--conf``."""
    name, equals, _ = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"{name!r} is not a setting and its value: spark.executor.memory=2g is")
    if SECRET.match(name):
        raise argparse.ArgumentTypeError(f"{name} is a secret, and everybody sees command lines; {PLACE_FOR_SECRETS}")
    return text


def named(settings: Sequence[str]) -> dict[str, str]:
    """Return the settings of ``--conf`` by name; the last one of a name counts."""
    return {name: value for name, _, value in (text.partition("=") for text in settings)}


def is_local(master: str) -> bool:
    """Check whether the driver also does the work: no executor is on another machine."""
    return master.startswith("local") and not master.startswith("local-cluster")
