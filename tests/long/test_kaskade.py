"""kaskade in a terminal, with the file of a user who logs in with SCRAM over TLS: its screen lists the topic."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.operations.resources.user_admin import Credential, UserAdmin

from tests.integration import test_spark_client_files as files
from tests.integration.secured_cluster import AWKWARD, start_secured
from tests.long.environments import installed
from tests.long.lab_hosts import ROOT

SECONDS = 120
ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[()][A-Z0-9]|\][^\x07]*\x07|[=>])")


def screen(line: list[str], directory: Path, wanted: str) -> str:
    """Return the text that a program writes to a terminal of 160 x 40. The program is ended once `wanted` is in it."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "HOME": str(directory)}
    started = subprocess.Popen(
        line, cwd=directory, env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    os.close(theirs)
    seen, deadline = b"", time.monotonic() + SECONDS
    try:
        while wanted not in ESCAPES.sub("", seen.decode(errors="replace")) and time.monotonic() < deadline:
            if select.select([ours], [], [], 1)[0]:
                seen += os.read(ours, 65536)
    except OSError:  # the program has ended
        pass
    finally:
        started.kill()
        started.wait(30)
        os.close(ours)
    return ESCAPES.sub("", seen.decode(errors="replace"))


def test_kaskade_lists_the_topics_of_a_user(tmp_path: Path) -> None:
    program = str(installed(ROOT / "requirements/samples/kaskade.lock", tmp_path) / "kaskade")
    (tmp_path / "secured").mkdir()
    cluster = start_secured(tmp_path / "secured")
    try:
        user = files.write_files(cluster, "LOGIN", {"name": "u.1", "password": AWKWARD})
        with Client({"bootstrap_servers": [cluster.bootstrap_servers]}) as client:
            credential = Credential("u.1", "SCRAM-SHA-512")
            UserAdmin(client, {credential: AWKWARD}, {}, awaited=False).put({credential: True})
        shown = screen([program, "admin", "--config-file", "CLIENT.kaskade.ini"], user.files, user.topic)
    finally:
        cluster.stop()
    assert user.topic in shown
