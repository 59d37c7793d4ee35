"""The module's steps with a stand-in for the format tool: what it is given, what is believed, what is left alone."""

from __future__ import annotations

import fcntl
import getpass
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.errors import KraftError, RefusedError, ToolError
from ansible.module_utils.kraft.node.files import apply as file_io
from ansible.module_utils.kraft.node.storage import apply as storage_apply
from ansible.module_utils.kraft.node.storage import format_tool as storage_tool

from tests.unit.problems import named, values
from tests.wording_files import Wording

CLUSTER = "-q3DoF4lQiqcqPnYvYPP7g"
VOTER = "rXm2TCBFTkSSLm9uM1CErA"
VOTERS = f"1@k1:9093:{VOTER}"
# Reads its arguments as the real one does, notes them, and formats every directory of server.properties.
STAND_IN = """#!{python}
import pathlib, sys
log, behaviour = pathlib.Path({log!r}), {behaviour!r}
args = dict((line.lstrip("-") + "=").split("=")[:2] for line in open("/dev/stdin").read().splitlines())
log.write_text(" ".join(sys.argv[1:]) + "\\n" + "\\n".join(args) + "\\n")
if behaviour == "fail":
    print('Exception in thread "main" org.apache.kafka.common.KafkaException: no')
    print("Caused by: java.nio.file.AccessDeniedException: /data/a/bootstrap.checkpoint.tmp")
    print("\\tat java.base/sun.nio.fs.UnixException.translateToIOException(UnixException.java:90)")
    sys.exit(1)
config = dict(line.split("=") for line in open(args["config"]).read().splitlines())
for number, path in enumerate(config["log.dirs"].split(",")):
    meta = pathlib.Path(path, "meta.properties")
    if not meta.exists():
        pathlib.Path(path, "bootstrap.checkpoint").write_text("x")
        pathlib.Path(path, "__cluster_metadata-0").mkdir(exist_ok=True)
        pathlib.Path(path, "__cluster_metadata-0", "0" * 20 + "-" + "0" * 10 + ".checkpoint").write_text("x")
        own = {voter!r} if number == 0 else f"drawn-{{number}}"
        text = "" if behaviour == "full" else f"version=1\\ncluster.id={cluster}\\nnode.id=1\\ndirectory.id={{own}}\\n"
        meta.write_text(text)
"""


class Host:
    """A directory that looks like a host: an install dir, a configuration, two log dirs and a stand-in for java."""

    def __init__(self, root: Path) -> None:
        self.dirs = [root / "meta", root / "data"]
        self.log = root / "tool.log"
        self.root = root
        release = root / "kafka" / "releases" / "4.3.1"
        for path in (*self.dirs, release):
            path.mkdir(parents=True)
        (release / "classpath.options").write_text("-cp x.jar\n")
        self.config = root / "server.properties"
        self.config.write_text(f"node.id=1\nlog.dirs={self.dirs[0]},{self.dirs[1]}\n")

    def params(self, behaviour: str = "format", **changed: Any) -> dict[str, Any]:
        java = self.root / "java"
        text = STAND_IN.format(
            python=sys.executable, log=str(self.log), behaviour=behaviour, voter=VOTER, cluster=CLUSTER
        )
        java.write_text(text)
        java.chmod(0o755)
        params = {
            "install_dir": str(self.root / "kafka"),
            "version": "4.3.1",
            "config": str(self.config),
            "java": str(java),
            "user": getpass.getuser(),
            "cluster_id": CLUSTER,
            "node_id": 1,
            "directory_id": VOTER,
            "roles": ["broker", "controller"],
            "log_dirs": [str(path) for path in self.dirs],
            "metadata_log_dir": None,
            "quorum": "dynamic",
            "initial_controllers": VOTERS,
            "peers": [],
        }
        return {**params, **changed}

    def content(self) -> dict[str, str]:
        return {str(path): path.read_text() for path in sorted(self.root.rglob("*")) if path.is_file()}


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_new_node_is_formatted_once(host: Host) -> None:
    first = storage_apply.ensure_storage(host.params(), check_mode=False)
    assert first["changed"]
    assert set(first["actions"].values()) == {"format"}
    assert {found["state"] for found in first["log_dirs"].values()} == {"formatted"}
    host.log.unlink()
    second = storage_apply.ensure_storage(host.params(), check_mode=False)
    assert not second["changed"]
    assert second["diff"] == []
    assert not host.log.exists()


def test_tool_gets_its_arguments_by_stdin_and_a_cluster_id_with_a_leading_dash_intact(host: Host) -> None:
    storage_apply.ensure_storage(host.params(), check_mode=False)
    line, *arguments = host.log.read_text().splitlines()
    assert line.endswith("kafka.tools.StorageTool @/dev/stdin")
    assert CLUSTER not in line
    assert arguments == ["format", "config", "cluster-id", "initial-controllers"]
    assert f"--cluster-id={CLUSTER}\n" in storage_tool.tool_arguments("c", CLUSTER, [])


@pytest.mark.parametrize("prepared", [False, True])
def test_check_mode_predicts_and_changes_nothing(host: Host, prepared: bool) -> None:
    if not prepared:
        for path in host.dirs:
            path.rmdir()
        host.config.unlink()
    params = host.params()
    before = host.content()
    result = storage_apply.ensure_storage(params, check_mode=True)
    assert host.content() == before
    assert result["changed"]
    state = "empty" if prepared else "absent"
    assert result["diff"][0]["before"] == f"{host.dirs[0]}: {state}\n{host.dirs[1]}: {state}\n"
    formatted, drawn = result["diff"][0]["after"].splitlines()
    assert named([formatted]) == [[str(host.dirs[0]), CLUSTER, "1", VOTER, VOTERS]]
    assert named([drawn]) == [[str(host.dirs[1]), CLUSTER, "1"]]


def test_check_mode_says_what_the_real_run_does(host: Host) -> None:
    storage_apply.ensure_storage(host.params(), check_mode=False)
    (host.dirs[1] / "meta.properties").write_text("")
    checked = storage_apply.ensure_storage(host.params(), check_mode=True)
    real = storage_apply.ensure_storage(host.params(), check_mode=False)
    assert (checked["changed"], checked["actions"], checked["diff"]) == (real["changed"], real["actions"], real["diff"])


def test_unusable_meta_is_set_aside_and_kept(host: Host) -> None:
    (host.dirs[0] / "meta.properties").write_text("")
    (host.dirs[0] / "meta.properties.aside-1").write_text("older")
    result = storage_apply.ensure_storage(host.params(), check_mode=False)
    assert result["actions"] == {str(host.dirs[0]): "complete", str(host.dirs[1]): "format"}
    assert result["set_aside"] == [str(host.dirs[0] / "meta.properties.aside-2")]
    assert (host.dirs[0] / "meta.properties.aside-1").read_text() == "older"
    assert (host.dirs[0] / "meta.properties").read_text() != ""


def test_success_of_the_tool_is_not_believed(host: Host) -> None:
    with pytest.raises(KraftError, match=r"reported success, but .*/meta is interrupted is empty \(0 bytes\)"):
        storage_apply.ensure_storage(host.params("full"), check_mode=False)
    assert storage_apply.ensure_storage(host.params(), check_mode=False)["changed"]


def test_failure_of_the_tool_is_one_message_with_a_hint(host: Host, wording: Wording) -> None:
    with pytest.raises(ToolError) as failed:
        storage_apply.ensure_storage(host.params("fail"), check_mode=False)
    assert {"AccessDeniedException", "/data/a/bootstrap.checkpoint.tmp"} <= values(str(failed.value))
    wording([str(failed.value)])


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (
            "usage: kafka-storage format\nkafka-storage: error: argument --cluster-id/-t: expected one argument\n",
            "kafka-storage: error: argument --cluster-id/-t: expected one argument",
        ),
        ("Bootstrap metadata: x\nLog directory /a is already formatted.\n", "Log directory /a is already formatted."),
        ('Exception in thread "main" java.lang.RuntimeException: Bad.\n\tat x.Y.z(Y.java)\n', "RuntimeException: Bad."),
        (
            'Exception in thread "main" org.apache.kafka.common.config.ConfigException: Invalid value x\n\tat a.b(C)\n',
            "ConfigException: Invalid value x (Kafka refuses server.properties)",
        ),
        ("", "it said nothing"),
    ],
)
def test_output_of_the_tool_is_reduced_to_what_it_meant(output: str, message: str) -> None:
    assert storage_tool.tool_message(output) == message


def test_refusal_leaves_everything_as_it_is(host: Host) -> None:
    (host.dirs[1] / "orders-0").mkdir()
    params = host.params()
    before = host.content()
    with pytest.raises(RefusedError, match="holds data"):
        storage_apply.ensure_storage(params, check_mode=False)
    assert host.content() == before
    assert not host.log.exists()


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ("node.id=2\nlog.dirs={dirs}\n", r"has node.id 2, wanted is 1"),
        ("node.id=1\nlog.dirs={dirs},/elsewhere\n", r"has log dirs \['/elsewhere', "),
        ("node.id=1\nlog.dirs={dirs}\nmetadata.log.dir={other}\n", r"has metadata log dir .*/data, wanted is .*/meta"),
    ],
)
def test_tool_is_not_run_over_another_configuration(host: Host, config: str, said: str) -> None:
    host.config.write_text(config.format(dirs=",".join(map(str, host.dirs)), other=host.dirs[1]))
    with pytest.raises(RefusedError, match=said):
        storage_apply.ensure_storage(host.params(), check_mode=False)
    assert not host.log.exists()


def test_static_quorum_is_not_begun_past_a_voter_that_no_one_looked_at(host: Host) -> None:
    with host.config.open("a") as config:
        config.write("controller.quorum.voters=1@k1:9093,2@k2:9093,3@k3:9093\n")
    static: dict[str, Any] = {"quorum": "static", "directory_id": None, "initial_controllers": None}
    peers = [{"host": "k2", "node_id": 2, "known": True, "lived": []}]
    with pytest.raises(RefusedError, match=r"/meta would start a new quorum, .* node 3 -> "):
        storage_apply.ensure_storage(host.params(**static, peers=peers), check_mode=False)
    assert not host.log.exists()
    both = [*peers, {"host": "k3", "node_id": 3, "known": True, "lived": []}]
    assert storage_apply.ensure_storage(host.params(**static, peers=both), check_mode=False)["changed"]


def test_absent_log_dir_is_not_left_to_the_tool(host: Host) -> None:
    host.dirs[1].rmdir()
    with pytest.raises(RefusedError, match=r"/data does not exist -> make it first"):
        storage_apply.ensure_storage(host.params(), check_mode=False)


def test_missing_release_and_unknown_user_are_told_before_anything_runs(host: Host) -> None:
    with pytest.raises(KraftError, match=r"release 9\.9 is not installed in"):
        storage_apply.ensure_storage(host.params(version="9.9"), check_mode=False)
    with pytest.raises(KraftError, match="user nobody-here does not exist"):
        storage_apply.ensure_storage(host.params(user="nobody-here"), check_mode=False)
    assert not host.log.exists()


def test_second_format_waits_for_the_first(host: Host) -> None:
    path = str(host.dirs[0])
    with file_io.locked(path) as held:
        with pytest.raises(KraftError, match="another process has held"), file_io.locked(path, timeout=0.3):
            pass
        child = subprocess.Popen(["sleep", "30"], pass_fds=(held,))
    try:  # the run is gone, what it started is not
        with pytest.raises(KraftError, match="another process has held"), file_io.locked(path, timeout=0.3):
            pass
    finally:
        child.kill()
        child.wait()
    with file_io.locked(path, timeout=0.3) as descriptor:
        assert fcntl.fcntl(descriptor, fcntl.F_GETFD) & fcntl.FD_CLOEXEC
    assert os.listdir(path) == []
