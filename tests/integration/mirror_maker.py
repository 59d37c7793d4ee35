"""MirrorMaker of the assembled archive, run as people run it, from one alias of a test cluster to another."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.integration.kafka_home import MIRROR_VERSION, kafka_home
from tests.integration.kafka_node import LEASH

#: Source and target are the same cluster, so a copy is called ``old.<topic>``.
SETTINGS = {
    "clusters": "old, new",
    "old->new.enabled": "true",
    "new->old.enabled": "false",
    "emit.heartbeats.enabled": "false",
    "groups": "",
    # By default it copies records of aborted transactions, too.
    "old.consumer.isolation.level": "read_committed",
    "replication.factor": "1",
    "offset-syncs.topic.replication.factor": "1",
    "offset.storage.replication.factor": "1",
    "status.storage.replication.factor": "1",
    "config.storage.replication.factor": "1",
    "offset.storage.partitions": "1",
    "status.storage.partitions": "1",
    "sync.topic.acls.enabled": "false",
    "dedicated.mode.enable.internal.rest": "false",
}


@contextmanager
def mirroring(bootstrap: str, directory: Path, settings: Mapping[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    """``connect-mirror-maker.sh`` while the block runs; what it says is in ``mirror.log``."""
    servers = {"old.bootstrap.servers": bootstrap, "new.bootstrap.servers": bootstrap}
    path = directory / "mirror.properties"
    path.write_text("".join(f"{name} = {value}\n" for name, value in {**SETTINGS, **servers, **settings}.items()))
    line = [*LEASH, str(kafka_home(MIRROR_VERSION) / "bin/connect-mirror-maker.sh"), str(path), "--clusters", "new"]
    with (directory / "mirror.log").open("wb") as log:
        process = subprocess.Popen(line, env={**os.environ, "LOG_DIR": str(directory)}, stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)
