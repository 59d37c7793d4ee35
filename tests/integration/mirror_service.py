"""The service of role kafka_mirror without systemd: its own command, with the files that it is given."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ansible.module_utils.kraft.node.other_services import mirror_service, mirror_workers
from ansible.module_utils.kraft.operations.mirror import definitions
from ansible.module_utils.kraft.spec.inventory.definitions import load, of_mirror

from tests.integration.kafka_home import MIRROR_VERSION, kafka_home
from tests.integration.kafka_node import LEASH


def settings_of(directory: Path, target: str, service: Mapping[str, Any], **more: Any) -> mirror_service.Settings:
    """Return settings of a lone host, changed by `more`; `service`: the result of ``kafka_mirror_info``."""
    usual: dict[str, Any] = {"listener": "", "protocol": "PLAINTEXT", "port": 8083, "hosts": 1}
    usual["copies"] = f"{directory}/mirror"  # of systemd
    return mirror_service.Settings(
        install_dir=str(directory),
        release=MIRROR_VERSION,
        java="java",
        properties=service["properties"],
        heap_mb=service["heap_mb"],
        into=service["into"],
        servers=tuple(target.split(",")),
        address="127.0.0.1",
        **{**usual, **more},
    )


DEFINITIONS = {"mirror": of_mirror(MIRROR_VERSION), "topic": load(MIRROR_VERSION).topic}


@contextmanager
def mirroring(
    settings: mirror_service.Settings, server: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """It runs while the block does; killed at the end, as a power cut does. `server`: the node's own settings."""
    home = Path(settings.home)
    home.mkdir(exist_ok=True)
    given, secrets = mirror_service.properties(settings, server or {})
    definitions.refuse(given, DEFINITIONS)
    (home / "log4j2.yaml").write_text(mirror_service.LOG4J)
    for name, content in (("mirror.properties", given), (mirror_service.SECRETS, secrets)):
        (home / name).write_text(mirror_service.lines(content), encoding="utf-8")
    loads = mirror_service.loads(settings, server or {})
    mirror_workers.write(loads)
    for name, path in loads.items():
        if home / name != Path(path):
            shutil.copy(path, home / name)
    line = [*LEASH, str(kafka_home(MIRROR_VERSION) / "bin/connect-mirror-maker.sh"), str(home / "mirror.properties")]
    with (home / "mirror.log").open("ab") as log:
        environment = {
            **os.environ,
            "LOG_DIR": str(home),
            "KAFKA_HEAP_OPTS": f"-Xmx{settings.heap_mb}m",
            "KAFKA_LOG4J_OPTS": f"-Dlog4j2.configurationFile={home}/log4j2.yaml",
        }
        process = subprocess.Popen([*line, "--clusters", settings.into], env=environment, stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait(10)
