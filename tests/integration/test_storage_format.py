"""kafka_storage with Kafka's own format tool: whatever a killed format leaves is completed, and Kafka starts."""

from __future__ import annotations

import contextlib
import getpass
import os
import pwd
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.errors import KraftError, RefusedError, ToolError
from ansible.module_utils.kraft.node.plugins import directory, install
from ansible.module_utils.kraft.node.storage import apply as storage_apply
from ansible.module_utils.kraft.node.storage import log_dir
from ansible.module_utils.kraft.spec.desired.plugins import OPTIONS, class_path_lines

from tests.integration.kafka_home import ROOT, class_path
from tests.integration.kafka_node import free_ports, random_id
from tests.integration.patience import until

SNAPSHOT = Path("__cluster_metadata-0") / log_dir.FIRST_SNAPSHOT
PART = Path("__cluster_metadata-0/00000000000000000000-0000000000-15270519907910525509.checkpoint.part")


class Host:
    """An install dir with the real release, and a node with a metadata dir and a data dir."""

    def __init__(self, root: Path, user: str = "") -> None:
        self.root, self.user = root, user or getpass.getuser()
        self.meta, self.data = root / "meta", root / "data"
        self.cluster_id, self.directory_id = "-q3DoF4lQiqcqPnYvYPP7g", random_id()
        self.port = free_ports(1)[0]
        self.release = root / "kafka" / "releases" / "4.4.0"
        for path in (self.meta, self.data, self.release):
            path.mkdir(parents=True)
        (self.release / "classpath.options").write_text("\n".join(class_path()) + "\n")
        self.config = root / "server.properties"
        self.write_config("broker,controller")

    @property
    def voters(self) -> str:
        return f"1@127.0.0.1:{self.port}:{self.directory_id}"

    def write_config(self, roles: str, quorum: str = "bootstrap.servers", **more: str) -> None:
        client, internal = free_ports(2)
        voters = f"1@127.0.0.1:{self.port}" if quorum == "voters" else f"127.0.0.1:{self.port}"
        listeners = f"CLIENT://127.0.0.1:{client},INTERNAL://127.0.0.1:{internal}"
        if "controller" in roles:
            listeners += f",CONTROLLER://127.0.0.1:{self.port}"
        properties = {
            "node.id": "1",
            "process.roles": roles,
            f"controller.quorum.{quorum}": voters,
            "controller.listener.names": "CONTROLLER",
            "listeners": listeners,
            "inter.broker.listener.name": "INTERNAL",
            "listener.security.protocol.map": "CLIENT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "log.dirs": f"{self.data}",
            "metadata.log.dir": f"{self.meta}",
            "offsets.topic.replication.factor": "1",
            **more,
        }
        self.config.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))

    def params(self, **changed: Any) -> dict[str, Any]:
        params = {
            "install_dir": str(self.root / "kafka"),
            "version": "4.4.0",
            "config": str(self.config),
            "java": shutil.which("java"),
            "user": self.user,
            "cluster_id": self.cluster_id,
            "node_id": 1,
            "directory_id": self.directory_id,
            "roles": ["broker", "controller"],
            "log_dirs": [str(self.data)],
            "metadata_log_dir": str(self.meta),
            "quorum": "dynamic",
            "initial_controllers": self.voters,
            "peers": [],
        }
        return {**params, **changed}

    def run(self, **changed: Any) -> dict[str, Any]:
        return storage_apply.ensure_storage(self.params(**changed), check_mode=False)

    def identities(self) -> dict[str, tuple[str, int | None, str]]:
        found = [log_dir.observe_log_dir(str(path)) for path in (self.data, self.meta)]
        assert {one.state for one in found} == {"formatted"}
        return {Path(one.path).name: (one.cluster_id, one.node_id, one.directory_id) for one in found}

    def start(self, deadline: float = 240.0) -> str:
        """Start the node, wait until Kafka logs that it has started or gives up, stop it; return its log."""
        options = ["-Xmx320m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", f"@{self.release}/classpath.options"]
        logging = self.root / "log4j2.properties"
        logging.write_text(
            "rootLogger.level=info\nrootLogger.appenderRef.c.ref=c\nappender.c.type=Console\nappender.c.name=c\n"
        )
        command = ["java", f"-Dlog4j2.configurationFile={logging}", *options, "kafka.Kafka", str(self.config)]
        out = self.root / "server.log"
        with out.open("wb") as log:
            process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *command], stdout=log, stderr=log)
        end = time.monotonic() + deadline
        while process.poll() is None and "Kafka Server started" not in out.read_text() and time.monotonic() < end:
            time.sleep(0.2)
        process.kill()
        process.wait()
        return out.read_text()


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


@pytest.fixture(scope="module")
def formatted(tmp_path_factory: pytest.TempPathFactory) -> Host:
    """A formatted node, to take leftovers from."""
    host = Host(tmp_path_factory.mktemp("formatted"))
    host.run()
    return host


def test_voter_is_formatted_with_the_identity_it_was_given(formatted: Host) -> None:
    identities = formatted.identities()
    assert identities["meta"] == (formatted.cluster_id, 1, formatted.directory_id)
    assert identities["data"][:2] == (formatted.cluster_id, 1)
    assert not formatted.run()["changed"]


BUILDER = """package org.example;
public class Builder extends org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder {
  public Builder() { super(null, null); }
}
"""


def built_plugin(root: Path) -> Path:
    """Compile a principal builder against Kafka's own jars; an archive with the jar, as a publisher gives it."""
    (root / "Builder.java").write_text(BUILDER)
    jars = class_path()[-1]
    subprocess.run(["javac", "-proc:none", "-cp", jars, "-d", root / "classes", root / "Builder.java"], check=True)
    with zipfile.ZipFile(root / "builder-1.0.jar", "w") as jar:
        jar.write(root / "classes/org/example/Builder.class", "org/example/Builder.class")
    with tarfile.open(root / "builder-1.0.tgz", "w:gz") as archive:
        archive.add(root / "builder-1.0.jar", "builder-1.0/libs/builder-1.0.jar")
    return root / "builder-1.0.tgz"


def run_as_systemd(line: str, host: Host) -> None:
    """Run a line of the unit: systemd makes one $ of two; the paths are those of the test."""
    command = line.partition("+")[2].replace("$$", "$").replace(OPTIONS, str(host.root / "run.options"))
    subprocess.run(shlex.split(command), check=True)


def test_a_class_of_a_plugin_is_loaded_by_the_format_and_with_the_options_of_the_unit(host: Host) -> None:
    """Runs the lines of the unit. Java's log of classes shows the jar."""
    archive = built_plugin(host.root)
    place = directory(str(host.root / "kafka"), "builder", "0" * 64)
    host.write_config("broker,controller", **{"principal.builder.class": "org.example.Builder"})
    with pytest.raises(ToolError):
        host.run()
    install(str(archive), place)
    host.run(class_path=[f"{place}/*"])
    (host.root / "kafka/current").symlink_to(host.release)
    jars = class_path()[-1]
    (host.release / "classpath.options").write_text(f'-cp "{jars}"\n')
    for line in class_path_lines([f"{place}/*"], str(host.root / "kafka")):
        run_as_systemd(line, host)
    log = host.root / "classes.log"
    java = ["java", "-XX:TieredStopAtLevel=1", f"-Xlog:class+load:file={log}", f"@{host.root}/run.options"]
    subprocess.run([*java, "kafka.tools.StorageTool", "info", f"--config={host.config}"], check=True)
    assert re.search(r"org\.example\.Builder source: file:\S+/plugins/builder-0+/builder-1\.0\.jar", log.read_text())


def leave(root: Path, names: tuple[Path | str, ...], cut: Path | str = "") -> None:
    """Keep of a formatted directory only `names`, and of `cut` only its name."""
    for path in sorted(root.rglob("*"), reverse=True):
        name = path.relative_to(root)
        if path.is_file() and name not in {Path(n) for n in (*names, cut)}:
            path.unlink()
        elif path.is_dir() and not list(path.iterdir()):
            path.rmdir()
    if cut:
        (root / cut).parent.mkdir(exist_ok=True)
        (root / cut).touch()
        (root / cut).chmod(0o600)
        (root / cut).write_bytes(b"")


#: In the order in which the tool writes; each with what is left of the directory after a kill at that point.
KILLED: dict[str, tuple[tuple[Path | str, ...], Path | str]] = {
    "first file of a release before 4.4 begun": ((), "bootstrap.checkpoint.tmp"),
    "snapshot begun": ((), PART),
    "snapshot written": ((SNAPSHOT,), ""),
    "identity begun": ((SNAPSHOT,), "meta.properties.tmp"),
    "identity empty": ((SNAPSHOT,), "meta.properties"),
    "snapshot lost in a power cut": (("meta.properties",), SNAPSHOT),
}


@pytest.mark.parametrize("killed", KILLED)
def test_killed_format_is_completed_with_the_same_identity(formatted: Host, host: Host, killed: str) -> None:
    host.directory_id, host.port = formatted.directory_id, formatted.port
    host.write_config("broker,controller")
    for ours, theirs in ((host.meta, formatted.meta), (host.data, formatted.data)):
        shutil.copytree(theirs, ours, dirs_exist_ok=True)
    leave(host.meta, *KILLED[killed])
    before = host.data.joinpath("meta.properties").read_text()
    result = host.run()
    assert result["actions"] == {str(host.data): "nothing", str(host.meta): "complete"}
    assert host.identities()["meta"] == (host.cluster_id, 1, host.directory_id)
    assert host.data.joinpath("meta.properties").read_text() == before
    assert (host.meta / SNAPSHOT).stat().st_size > 0
    assert not host.run()["changed"]


#: Runs the real java and kills it a while after it begins to write.
KILLER = """#!{python}
import os, subprocess, sys, time
look = lambda: [os.stat(path).st_mtime_ns for path in {dirs!r}]
before, process = look(), subprocess.Popen([{java!r}, *sys.argv[1:]])
while process.poll() is None and look() == before:
    pass
time.sleep({delay})
process.kill()
sys.exit(process.wait() and 1)
"""


def killed_at_growing_delays(host: Host) -> set[str]:
    """SIGKILL, as a dying node does, each over what the one before left; return the states of both directories."""
    java, dirs, seen = host.root / "java", [str(host.meta), str(host.data)], set[str]()
    for path in dirs:
        shutil.rmtree(path)
        Path(path).mkdir()
    for delay in (0.0, 0.001, 0.003, 0.006, 0.01):
        java.write_text(KILLER.format(python=sys.executable, java=shutil.which("java"), dirs=dirs, delay=delay))
        java.chmod(0o755)
        with contextlib.suppress(ToolError):
            host.run(java=str(java))
        seen |= {log_dir.observe_log_dir(path).state for path in dirs}
        assert seen <= {"empty", "interrupted", "formatted"}
    return seen


def test_tool_killed_at_any_moment_is_completed_and_kafka_starts(host: Host) -> None:
    """Killed; then run again and started. A busy machine may kill it too early or too late each time."""
    assert "interrupted" in until(lambda: killed_at_growing_delays(host), lambda seen: "interrupted" in seen)
    host.run()
    assert host.identities()["meta"] == (host.cluster_id, 1, host.directory_id)
    assert "Kafka Server started" in host.start()


def test_node_that_was_formatted_for_other_voters_and_never_started_is_formatted_for_these(host: Host) -> None:
    """A run died before the first start, then the inventory got other controllers: else each begins its own quorum."""
    others = f"2@127.0.0.1:1:{random_id()},3@127.0.0.1:2:{random_id()}"
    peers: list[dict[str, Any]] = [
        {"host": f"k{number}", "node_id": number, "known": True, "lived": []} for number in (2, 3)
    ]
    host.run(initial_controllers=f"{host.voters},{others}", peers=peers)
    before = {path: path.read_text() for path in (host.meta / "meta.properties", host.data / "meta.properties")}
    result = host.run()
    assert result["actions"] == {str(host.data): "nothing", str(host.meta): "complete"}
    assert log_dir.observe_log_dir(str(host.meta)).voters == (host.voters,)
    assert {path: [one for one in path.read_text().splitlines() if one[0] != "#"] for path in before} == {
        path: [one for one in text.splitlines() if one[0] != "#"] for path, text in before.items()
    }
    assert not host.run()["changed"]
    assert "Kafka Server started" in host.start()
    assert log_dir.observe_log_dir(str(host.meta)).voters is None


def test_a_voter_with_an_ipv6_address_is_formatted_once(host: Host) -> None:
    """Kafka writes the address in full, and it is the same voter."""
    voters = f"1@[fd00:77::11]:{host.port}:{host.directory_id}"
    assert host.run(initial_controllers=voters)["changed"]
    assert log_dir.observe_log_dir(str(host.meta)).voters == (voters.replace("[fd00:77::11]", "fd00:77:0:0:0:0:0:11"),)
    assert not host.run(initial_controllers=voters)["changed"]


def test_broker_that_lived_is_left_alone_and_a_lost_identity_is_refused(host: Host) -> None:
    host.run()
    assert "Kafka Server started" in host.start()
    assert not host.run()["changed"]
    meta = (host.meta / "meta.properties").read_text()
    (host.meta / "meta.properties").write_text("")
    with pytest.raises(RefusedError, match=r"holds data \(.*\) but its meta.properties is empty \(0 bytes\)"):
        host.run()
    (host.meta / "meta.properties").write_text(meta)
    shutil.rmtree(host.meta)
    host.meta.mkdir()
    with pytest.raises(RefusedError, match="has no metadata log, but other directories show"):
        host.run()


def test_new_data_dir_is_formatted_alone_and_writes_no_voters(host: Host) -> None:
    host.run()
    meta = {path: path.read_bytes() for path in host.meta.rglob("*") if path.is_file()}
    new = host.root / "new"
    new.mkdir()
    host.write_config("broker,controller", **{"log.dirs": f"{host.data},{new}"})
    result = host.run(log_dirs=[str(host.data), str(new)])
    assert result["actions"] == {str(host.data): "nothing", str(new): "format", str(host.meta): "nothing"}
    assert sorted(path.name for path in new.iterdir()) == ["meta.properties"]
    assert {path: path.read_bytes() for path in host.meta.rglob("*") if path.is_file()} == meta
    assert "Kafka Server started" in host.start()


@pytest.mark.parametrize(("roles", "quorum"), [("broker,controller", "static"), ("broker", "dynamic")])
def test_static_controllers_and_brokers_are_formatted_without_voters(host: Host, roles: str, quorum: str) -> None:
    host.write_config(roles, "voters" if quorum == "static" else "bootstrap.servers")
    host.run(quorum=quorum, roles=roles.split(","), directory_id=None, initial_controllers=None)
    assert not log_dir.first_voters(str(host.meta))
    assert host.identities()["meta"][:2] == (host.cluster_id, 1)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to become another user")
def test_files_belong_to_kafkas_user() -> None:
    if not all(parent.stat().st_mode & 0o001 for parent in [ROOT, *ROOT.parents]):
        pytest.skip(f"other users cannot read Kafka's jars below {ROOT}")
    root = Path(tempfile.mkdtemp(dir="/var/tmp"))
    try:
        root.chmod(0o755)
        host = Host(root, user="nobody")
        for path in (host.meta, host.data):
            shutil.chown(path, "nobody")
        host.run()
        made = [*host.meta.rglob("*"), *host.data.rglob("*")]
        assert {path.stat().st_uid for path in made} == {pwd.getpwnam("nobody").pw_uid}
        assert not any(path.stat().st_mode & 0o007 for path in made)
    finally:
        shutil.rmtree(root)


@pytest.fixture
def full_disk(host: Host) -> Iterator[Path]:
    """A filesystem with room for one file."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8k,mode=755", "none", str(host.meta)], check=False)
    if mounted.returncode != 0:
        pytest.skip("cannot mount a small filesystem here")
    try:
        (host.meta / "notes").write_bytes(b"x" * 4096)
        yield host.meta
    finally:
        subprocess.run(["umount", str(host.meta)], check=True)


def test_full_disk_is_an_error_although_the_tool_says_success(host: Host, full_disk: Path) -> None:
    host.write_config("broker,controller", "voters")
    (full_disk / "notes").rename(full_disk / "meta.properties.aside-1")
    static = {"quorum": "static", "directory_id": None, "initial_controllers": None}
    with pytest.raises(KraftError, match=r"reported success, but .* is interrupted is empty \(0 bytes\)"):
        host.run(**static)
    (full_disk / "meta.properties.aside-1").write_text("")
    assert host.run(**static)["actions"][str(full_disk)] == "complete"


def test_configuration_that_kafka_refuses_is_told_in_its_words(host: Host) -> None:
    host.config.write_text(host.config.read_text() + "num.io.threads=none\n")
    with pytest.raises(ToolError, match=r"ConfigException: Invalid value none for configuration num\.io\.threads"):
        host.run()


def test_interrupt_of_the_run_does_not_let_a_second_format_in(host: Host) -> None:
    """A process of the killed run may still write; the next run waits for it and finds the work done."""
    marker = host.root / "began"
    java = host.root / "java"
    java.write_text(f'#!/bin/sh\ntouch {marker}\nsleep 1\nexec {shutil.which("java")} "$@"\n')
    java.chmod(0o755)
    child = os.fork()
    if child == 0:
        host.run(java=str(java))
        os._exit(0)
    while not marker.exists():
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert not host.run()["changed"]
    assert host.identities()["meta"][2] == host.directory_id
