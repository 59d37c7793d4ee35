"""Prometheus' data about a cluster: alerts in their order, the last hour, and no answer at all."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from ansible.module_utils.kraft.control import prometheus
from ansible.module_utils.kraft.control.prometheus import SilentError, asking
from ansible.module_utils.kraft.status.json_report import report
from ansible.module_utils.kraft.status.screen import lines, sections
from ansible.module_utils.kraft.status.watched import Filling, Watched, query_prometheus

from spark_jobs.page.status import render
from tests.unit.status.test_status_page import GOOD

NOW = 1_790_000_000.0
URL = "http://127.0.0.1:9090"


def alert(name: str, severity: str, state: str = "firing", cluster: str = "demo", summary: str = "") -> dict[str, Any]:
    labels = {"alertname": name, "severity": severity, "cluster": cluster, "host": "kafka1"}
    shown = {"summary": summary} if summary else {}
    return {"labels": labels, "annotations": shown, "state": state, "activeAt": "2026-11-24T20:08:14.545123456Z"}


WATCHDOG = alert("KafkaWatchdog", "none")


def rate(hours: str, node_id: str = "1", path: str = "/data") -> dict[str, Any]:
    return {"metric": {"node_id": node_id, "log_dir": path}, "value": [NOW, hours]}


def seen(*alerts: Mapping[str, Any], rates: Sequence[Mapping[str, Any]] = ()) -> Watched:
    def query(path: str, parameters: Mapping[str, str]) -> Any:
        if path == "alerts":
            return {"alerts": list(alerts)}
        assert (path, parameters["query"]) == ("query", 'kafka:log_dir_full:hours6h{cluster="demo"}')
        return {"result": list(rates)}

    return query_prometheus(URL, "demo", query)


def test_firing_alerts_of_the_cluster_are_shown_pages_first() -> None:
    found = seen(
        alert("KafkaHeapFull", "ticket", summary="Heap"),
        WATCHDOG,
        alert("KafkaNodeDown", "page", summary="Node \x1b[2Jkafka1"),
        alert("KafkaQuorumAtRisk", "page", state="pending"),
        alert("KafkaNodeDown", "page", cluster="other"),
    )
    assert [one.name for one in found.alerts] == ["KafkaNodeDown", "KafkaHeapFull"]
    assert found.sentences() == [
        "page KafkaNodeDown: Node ?[2Jkafka1 (since 2026-11-24 20:08:14 UTC)",
        "ticket KafkaHeapFull: Heap (since 2026-11-24 20:08:14 UTC)",
    ]


def test_that_nothing_fires_is_believed_only_of_one_whose_watchdog_fires() -> None:
    assert seen(WATCHDOG).sentences() == ["none fires"]
    (said,) = seen().sentences()
    assert "the watchdog does not fire" in said


def test_alerts_make_no_status_worse_and_are_on_screen_page_and_in_the_report() -> None:
    page = alert("KafkaNodeDown", "page", summary="Node <b>kafka1</b>")
    found = dataclasses.replace(GOOD, watched=seen(WATCHDOG, page))
    assert found.good
    assert any("page KafkaNodeDown" in line for line in lines(found))
    text = render(found, sections(found))
    assert '<body class="proven">' in text
    assert "Node &lt;b&gt;kafka1" in text
    told = report(found, "now")["watched"]
    assert (told["watches"], [one["name"] for one in told["alerts"]]) == (True, ["KafkaNodeDown"])


def test_without_a_prometheus_nothing_is_said_of_one() -> None:
    assert report(GOOD, "now")["watched"] is None
    assert "Alerts" not in render(GOOD, sections(GOOD))
    assert not any("Alerts" in line for line in lines(GOOD))


def test_one_that_does_not_answer_is_said_to_be_so_and_fails_nothing() -> None:
    def query(_: str, __: Mapping[str, str]) -> Any:
        raise SilentError("Connection refused")

    found = dataclasses.replace(GOOD, watched=query_prometheus(URL, "demo", query))
    assert found.good
    assert any("Connection refused" in line for line in lines(found))
    text = render(found, sections(found))
    assert "Connection refused" in text


@pytest.mark.parametrize("answer", [{}, [], {"alerts": [{}]}, {"alerts": "x"}, None, {"alerts": []}])
def test_what_answers_otherwise_than_prometheus_is_said_to_do_so(answer: Any) -> None:
    assert query_prometheus(URL, "demo", lambda *_: answer).error == "its answer is not that of Prometheus"


def test_days_until_a_log_dir_is_full_follow_from_the_recorded_rate() -> None:
    """A volume that takes more than ten years does not fill; a rate that is no number is unknown."""
    found = seen(
        rates=[rate("60", "2"), rate("240000000"), rate("NaN", "3"), rate("+Inf", "2", "/more"), rate("-1", "4")]
    )
    assert found.filling == (
        Filling(1, "/data", None),
        Filling(2, "/data", 2.5),
        Filling(2, "/more", None),
        Filling(4, "/data", 0.0),
    )


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        code, _, text = self.path.split("?")[0].split("/")[1].partition("-")
        self.send_response(int(code))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def serving() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize(
    ("path", "said"), [("503-", "503"), ("200-hello", "not that of Prometheus"), ("200-[]", "not that of Prometheus")]
)
def test_a_server_that_is_no_prometheus_is_silent(path: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prometheus, "TIMEOUT", 60.0)
    with serving() as address, pytest.raises(SilentError, match=said):
        asking(f"{address}/{path}")("alerts", {})


def test_a_port_that_no_one_listens_on_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prometheus, "TIMEOUT", 1.0)
    with pytest.raises(SilentError, match="refused"):
        asking("http://127.0.0.1:1")("alerts", {})
