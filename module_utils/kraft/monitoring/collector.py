"""The collector: looks at its broker at intervals, and leaves a file for the textfile collector of node_exporter.

``settings``: a file with ``client`` (as of the modules, the broker's own address first), ``directory`` of the text,
``interval`` in seconds, ``metrics`` (name -> type and help): what is not named there is not published, ``topics``:
names of those with figures of their own, ``proxies``: other addresses that show a certificate, and ``copied``: whether
the node's certificate is a copy of its own.
"""

from __future__ import annotations

import calendar
import contextlib
import json
import os
import re
import ssl
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.errors import KraftError
from ansible.module_utils.kraft.monitoring.collection import Collection
from ansible.module_utils.kraft.monitoring.exposition import Sample, text
from ansible.module_utils.kraft.node.served import served
from ansible.module_utils.kraft.terms import SSL

NAME = "kafka.prom"
#: Begin and end of a certificate in its DER form: two moments in one sequence (RFC 5280, 4.1.2.5).
MOMENT = rb"(?:\x17\x0d(\d{12})|\x18\x0f(\d{14}))Z"
VALIDITY = re.compile(rb"\x30[\x1e\x20\x22]" + 2 * MOMENT)


class Collector:
    """Keeps its connections from one look to the next; a failure ends them, so that a new certificate is read.

    ``lost``: no question was answered, and the certificate is a copy of its own, which only systemd makes again.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings
        self._collection = Collection(topics=settings.get("topics") or ["*"])
        self._client: Client | None = None
        self._said = ""
        self.lost = False

    def once(self) -> None:
        """One look, and its file. Without an answer the file says only that somebody looked."""
        began = time.monotonic()
        try:
            self._client = self._client or Client(self._settings["client"])
            samples, failed = self._collection.look(self._client, self._client.addresses[0])
        except (KraftError, OSError) as error:
            samples, failed = [], [str(error)]
        if failed:
            self._forget()
            self.lost = not samples and bool(self._settings.get("copied"))
        self._say("; ".join(failed[:3]) or "every question is answered")
        samples += of_certificate(self._settings["client"], self._settings.get("proxies", ()))
        own = {"unanswered": len(failed), "duration_seconds": round(time.monotonic() - began, 4)}
        own["timestamp_seconds"] = round(time.time(), 3)
        samples += [Sample(f"kafka_collector_{name}", value) for name, value in own.items()]
        write(os.path.join(self._settings["directory"], NAME), text(samples, self._settings["metrics"]))

    def _forget(self) -> None:
        if self._client:
            with contextlib.suppress(OSError):
                self._client.close()
        self._client = None

    def _say(self, state: str) -> None:
        """Once, until it changes: the journal is for people."""
        if state != self._said:
            sys.stderr.write(f"{state}\n")
            sys.stderr.flush()
        self._said = state


def of_certificate(client: Mapping[str, Any], proxies: Sequence[str] = ()) -> Iterator[Sample]:
    """When the certificate begins and ends that the broker or a proxy beside it shows; nothing where none is shown.

    Of several that differ it is the one that ends first.
    """
    asked = client["bootstrap_servers"][:1] if client.get("security_protocol") == SSL else []
    shown = [one["certificate"] for one in served([*asked, *proxies]) if one["certificate"]]
    moments = [validity(ssl.PEM_cert_to_DER_cert(each)) for each in shown]
    if moments:
        begin, end = min(moments, key=lambda each: each[1])
        yield Sample("kafka_certificate_begin_seconds", begin)
        yield Sample("kafka_certificate_end_seconds", end)


def validity(certificate: bytes) -> tuple[int, int]:
    """Begin and end of a certificate (DER), in seconds since 1970; zeros where they cannot be read.

    Python's own reader wants a certificate that is trusted.
    """
    found = VALIDITY.search(certificate)
    return (moment(found[1], found[2]), moment(found[3], found[4])) if found else (0, 0)


def moment(short: bytes | None, whole: bytes | None) -> int:
    """Seconds since 1970 of a UTCTime (two digits of the year, from 1950 to 2049) or a GeneralizedTime."""
    century = b"20" if short and short[:2] < b"50" else b"19"
    written = (whole or century + (short or b"")).decode()
    return calendar.timegm(time.strptime(written, "%Y%m%d%H%M%S"))


def write(path: str, content: str) -> None:
    """Whole or not at all: a reader finds the old text or the new one."""
    partial = f"{path}.partial"
    with open(partial, "w", encoding="utf-8") as file:
        file.write(content)
    os.chmod(partial, 0o644)
    os.replace(partial, path)


def main(path: str) -> None:
    """Looks at the same moments whatever a look costs, until it is lost. Then systemd starts it again."""
    with open(path, encoding="utf-8") as file:
        settings = json.load(file)
    collector = Collector(settings)
    while not collector.lost:
        began = time.monotonic()
        collector.once()
        time.sleep(max(0.0, settings["interval"] - (time.monotonic() - began)))
