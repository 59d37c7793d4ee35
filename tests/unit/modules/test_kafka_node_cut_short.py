"""Whatever unit, options or settings in place name is there: at each moment of a change a node comes back by itself."""

from __future__ import annotations

import dataclasses
import itertools
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node.service import apply
from ansible.module_utils.kraft.node.service.unit_fingerprint import fingerprinted
from ansible.module_utils.kraft.node.service.unit_state import ServiceState
from ansible.module_utils.kraft.spec.desired.contributions import contributed_files, contributed_lines

from tests.unit.modules.node_host import Host

Given = list[dict[str, Any]]
AGENT = "-javaagent:{agent}={address}:9404:{config}/metrics.yml"
METRICS: dict[str, Any] = {"files": [{"name": "metrics.yml", "content": "rules: []\n"}], "address": "10.0.0.1"}
KEYS = {"files": [{"name": "jwks-client.json", "content": "{}\n"}], "url": "file:/{config}/jwks-client.json"}
#: Contributions to a node, one of each form: a file that an agent of the JVM reads (behind a proxy, too, and with other
#: rules), settings without a file, a file that needs a restart, and lines of the unit that read one.
STATES: dict[str, Given] = {
    "nothing": [],
    "metrics": [METRICS],
    "metrics behind TLS": [{**METRICS, "address": "127.0.0.1"}],
    "logs": [{"logs": {"receiver": "logs:6514"}}],
    "keys of tokens": [KEYS],
    "metrics and keys": [METRICS, KEYS],
    "environment": [
        {
            "files": [{"name": "node.env", "content": "A=1\n", "restart": True}],
            "unit_lines": ["EnvironmentFile={config}/node.env"],
        }
    ],
}
CHANGES = [
    *(pair for pair in itertools.permutations(STATES, 2) if "nothing" in pair and "metrics and keys" not in pair),
    ("metrics", "metrics behind TLS"),
    ("metrics and keys", "metrics"),
    ("metrics", "environment"),
]


class Killed(BaseException):
    """The run is gone in the middle of a step."""


class Node:
    """A node whose files list their needs. ``loaded``: the text of the unit that systemd has loaded."""

    def __init__(self, host: Host) -> None:
        self.host, self.loaded = host, ""
        self.config = host.install_dir / "config"
        (host.install_dir / "config").symlink_to("current/config")
        self.agent = host.install_dir / "metrics.jar"
        self.agent.write_text("")
        played = host.run

        def run(command: list[str]) -> tuple[int, str, str]:
            answer = played(command)
            if "daemon-reload" in command:
                self.loaded = self.unit.read_text()
            return answer

        self.run = run

    def service(self) -> ServiceState:
        """As systemd reports it: a unit that changed on disk needs a reload."""
        changed = self.unit.exists() and self.unit.read_text() != self.loaded
        return dataclasses.replace(self.host.service, needs_reload=changed)

    @property
    def unit(self) -> Path:
        return self.host.units / "kafka.service"

    def want(self, state: str, release: str = "4.3.1") -> Callable[..., dict[str, Any]]:
        """The module with the files of that state."""
        config, room = str(self.config), str(self.host.install_dir / "next")
        lines = contributed_lines(STATES[state], config)
        unit = "\n".join(["[Service]", *(line.format(config=config) for line in lines), ""])
        options = [
            AGENT.format(agent=self.agent, address=each["address"], config=config)
            for each in STATES[state]
            if "address" in each
        ]
        urls = [f"jwks.url={each['url'].format(config=config)}" for each in STATES[state] if "url" in each]
        own = {
            "server.properties": "\n".join(["node.id=1", f"log.dirs={self.host.logs}", *urls, ""]),
            "jvm.options": "\n".join(["-Xmx1g", *options, ""]),
            "log4j2.yaml": "",
            "kafka.service": fingerprinted(unit),
        }
        owner = {"owner": str(os.getuid()), "group": str(os.getgid()), "mode": "0644"}
        files = [{"path": f"{room}/{name}", "content": text, **owner} for name, text in own.items()]
        files += [{**one, **owner} for one in contributed_files(STATES[state], room, "")]
        return lambda **more: self.host.kafka_node(files=files, release=release, **more)

    def missing(self) -> list[str]:
        """Paths that a start by systemd, now or after a reboot, would look for in vain."""
        settings = [(self.config / name).read_text() for name in ("jvm.options", "server.properties")]
        texts = [self.loaded, self.unit.read_text(), *settings]
        named = {path for text in texts for path in re.findall(rf"{self.host.install_dir}[\w./-]*", text)}
        return sorted(path for path in named if not os.path.exists(path))


@pytest.fixture
def node(host: Host, monkeypatch: pytest.MonkeyPatch) -> Node:
    host.install()
    made = Node(host)
    monkeypatch.setattr(os, "fsync", lambda _: None)  # no power is lost here
    monkeypatch.setattr(apply, "observe_service", lambda *_: made.service())
    monkeypatch.setattr("ansible.module_utils.basic.AnsibleModule.run_command", lambda _, command: made.run(command))
    return made


@pytest.fixture
def killing(node: Node, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Ends the run before the n-th change of a name in the file system, or of a unit by systemctl."""
    left = [-1]

    def counted(change: Callable[..., Any], counts: Callable[..., bool] = lambda *_: True) -> Callable[..., Any]:
        def do(*args: Any, **more: Any) -> Any:
            left[0] -= counts(*args)
            if left[0] == 0:
                raise Killed
            return change(*args, **more)

        return do

    for name in ("rename", "unlink", "symlink"):
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    changes = lambda command: "systemctl" in command and "show" not in command  # noqa: E731
    played = counted(node.run, changes)
    monkeypatch.setattr("ansible.module_utils.basic.AnsibleModule.run_command", lambda _, command: played(command))
    return lambda count: left.__setitem__(0, count)


def cut_short(killing: Callable[[int], None], act: Callable[[], object]) -> Iterator[int]:
    """Begin `act` again and again, each time to one step further, until it comes to its end."""
    for steps in itertools.count(1):
        killing(steps)
        try:
            act()
        except Killed:
            yield steps
        else:
            killing(-1)
            return


@pytest.mark.parametrize(("before", "after"), CHANGES, ids=[f"{before} to {after}" for before, after in CHANGES])
def test_a_node_that_waits_for_its_restart_comes_back_by_itself(
    node: Node, killing: Callable[[int], None], before: str, after: str
) -> None:
    node.want(before)()
    wanted = node.want(after)
    for steps in cut_short(killing, wanted):
        assert node.missing() == [], steps
    assert node.missing() == []
    for steps in cut_short(killing, lambda: wanted(state="restarted")):
        assert node.missing() == [], steps
    result = wanted()
    assert (node.missing(), result["changed"], result["stale"]) == ([], False, False)
    names = {one["name"] for each in STATES[after] for one in each.get("files", ())}
    assert {path.name for path in node.config.iterdir()} - {"contributed.list"} == {
        "server.properties",
        "jvm.options",
        "log4j2.yaml",
        *names,
    }


def test_a_new_release_without_metrics_has_what_the_old_unit_names(node: Node, killing: Callable[[int], None]) -> None:
    node.want("metrics")()
    node.host.install("4.4.0")
    wanted = node.want("nothing", "4.4.0")
    for steps in cut_short(killing, lambda: wanted(state="restarted")):
        assert node.missing() == [], steps
    assert not list(node.host.install_dir.glob("releases/*/config/metrics.yml"))


def test_a_restart_with_the_same_unit_does_not_write_it_again(host: Host) -> None:
    """systemd would ask for a reload at each of its commands."""
    host.install()
    host.kafka_node()
    unit, other = host.units / "kafka.service", host.install_dir / "current/config/jvm.options"
    before = [(path.stat().st_ino, path.stat().st_mtime_ns) for path in (unit, other)]
    host.configure("node.id=1\nnum.io.threads=16\n")
    assert "place" in host.kafka_node(state="restarted")["actions"]
    assert [(path.stat().st_ino, path.stat().st_mtime_ns) for path in (unit, other)] == before
