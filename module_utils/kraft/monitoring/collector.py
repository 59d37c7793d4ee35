"""The collector: inspects its broker at intervals, and writes a file for the textfile collector of node_exporter.

``settings``: a file with ``client`` (as of the modules, the broker's own address first), ``directory`` of the text,
``interval`` in seconds, ``metrics`` (name -> type and help): others are not published, ``topics``: names of those with
separate figures, ``proxies``: other addresses that show a certificate, and ``copied``: the node's certificate is a
separate copy.
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
from ansible.module_utils.kraft.kafka_terms import SSL
from ansible.module_utils.kraft.monitoring.collected_samples import Collection
from ansible.module_utils.kraft.monitoring.exposition import Sample, text
from ansible.module_utils.kraft.node.served import served

NAME = "kafka.prom"
#: Begin and end of a certificate in its DER form: two moments in one sequence (RFC 5280, 4.1.2.5).
MOMENT = rb"(?:\x17\x0d(\d{12})|\x18\x0f(\d{14}))Z"
VALIDITY = re.compile(rb"\x30[\x1e\x20\x22]" + 2 * MOMENT)


class Collector:
    """Keeps its connections from one collection to the next; a failure ends them, so that a new certificate is read.

    ``lost``: no request was answered, and the certificate is a separate copy, which only systemd renews.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = settings
        self._collection = Collection(topics=settings.get("topics") or ["*"])
        self._client: Client | None = None
        self._said = ""
        self.lost = False

    def once(self) -> None:
        """Collect once and write the file. Without an answer it holds only the collector's own samples."""
        began = time.monotonic()
        try:
            self._client = self._client or Client(self._settings["client"])
            samples, failed = self._collection.collect(self._client, self._client.addresses[0])
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
        """Write the state when it changes: the journal is for people."""
        if state != self._said:
            sys.stderr.write(f"{state}\n")
            sys.stderr.flush()
        self._said = state


def of_certificate(client: Mapping[str, Any], proxies: Sequence[str] = ()) -> Iterator[Sample]:
    """Yield begin and end of the certificate of the broker or a proxy beside it; nothing if none is shown.

    If several differ, the one that ends first counts.
    """
    asked = client["bootstrap_servers"][:1] if client.get("security_protocol") == SSL else []
    shown = [one["certificate"] for one in served([*asked, *proxies]) if one["certificate"]]
    moments = [validity(ssl.PEM_cert_to_DER_cert(each)) for each in shown]
    if moments:
        begin, end = min(moments, key=lambda each: each[1])
        yield Sample("kafka_certificate_begin_seconds", begin)
        yield Sample("kafka_certificate_end_seconds", end)


def validity(certificate: bytes) -> tuple[int, int]:
    """Return begin and end of a certificate (DER), in seconds since 1970; zeros if they cannot be read.

    Python's own reader requires a trusted certificate.
    """
    found = VALIDITY.search(certificate)
    return (moment(found[1], found[2]), moment(found[3], found[4])) if found else (0, 0)


def moment(short: bytes | None, whole: bytes | None) -> int:
    """Return the seconds since 1970 of a UTCTime (two digits of the year, from 1950 to 2049) or a GeneralizedTime."""
    century = b"20" if short and short[:2] < b"50" else b"19"
    written = (whole or century + (short or b"")).decode()
    return calendar.timegm(time.strptime(written, "%Y%m%d%H%M%S"))


def write(path: str, content: str) -> None:
    """Write whole or not at all: a reader finds the old text or the new one."""
    partial = f"{path}.partial"
    with open(partial, "w", encoding="utf-8") as file:
        file.write(content)
    os.chmod(partial, 0o644)
    os.replace(partial, path)


def main(path: str) -> None:
    """Collect at fixed moments whatever a collection costs, until it is lost. Then systemd starts it again."""
    with open(path, encoding="utf-8") as file:
        settings = json.load(file)
    collector = Collector(settings)
    while not collector.lost:
        began = time.monotonic()
        collector.once()
        time.sleep(max(0.0, settings["interval"] - (time.monotonic() - began)))
