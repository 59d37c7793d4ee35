"""kafka_sysctl: what it writes, and that it never claims what the host does not grant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.kraft.node.machine import sysctl
from ansible.module_utils.kraft.node.machine.sysctl import Setting, plan_settings

from tests.unit.modules.module_runner import Result, RunModule

NONE: frozenset[str] = frozenset()


def test_a_writable_value_is_changed_now_and_for_the_next_boot() -> None:
    plan = plan_settings({"vm.swappiness": 1}, {"vm.swappiness": Setting("60", writable=True)}, NONE)
    assert plan.text == sysctl.HEADER + "vm.swappiness = 1\n"
    assert (dict(plan.live), plan.unmet) == ({"vm.swappiness": "1"}, ())


def test_an_unwritable_value_is_unmet_and_no_change() -> None:
    plan = plan_settings({"vm.swappiness": 1}, {"vm.swappiness": Setting("60", writable=False)}, NONE)
    (unmet,) = plan.unmet
    assert dict(plan.live) == {}
    assert (unmet.name, unmet.wanted, unmet.value) == ("vm.swappiness", "1", "60")
    assert "read-only here" in unmet.reason


def test_an_unwritable_value_that_is_right_already_is_met() -> None:
    assert plan_settings({"vm.swappiness": 1}, {"vm.swappiness": Setting("1")}, NONE).unmet == ()


def test_a_setting_that_the_kernel_does_not_know_is_unmet() -> None:
    (unmet,) = plan_settings({"vm.no_such": 1}, {"vm.no_such": Setting()}, NONE).unmet
    assert (unmet.value, unmet.reason) == (None, "this kernel has no such setting")


def test_a_higher_limit_is_kept_and_recorded() -> None:
    found = {"vm.max_map_count": Setting("1048576", writable=True)}
    plan = plan_settings({"vm.max_map_count": 262144}, found, frozenset({"vm.max_map_count"}))
    assert dict(plan.live) == {}
    assert plan.text.endswith("vm.max_map_count = 1048576\n")


def test_a_lower_limit_is_raised() -> None:
    found = {"vm.max_map_count": Setting("65530", writable=True)}
    plan = plan_settings({"vm.max_map_count": 262144}, found, frozenset({"vm.max_map_count"}))
    assert dict(plan.live) == {"vm.max_map_count": "262144"}


def test_white_space_is_no_difference() -> None:
    found = {"net.ipv4.tcp_rmem": Setting("4096 87380 6291456", writable=True)}
    assert dict(plan_settings({"net.ipv4.tcp_rmem": "4096\t87380  6291456"}, found, NONE).live) == {}


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("vm.swappiness", "/proc/sys/vm/swappiness"),
        ("net.ipv4.conf.eth0/1.rp_filter", "/proc/sys/net/ipv4/conf/eth0.1/rp_filter"),
        ("net/ipv4/conf/eth0.1/rp_filter", "/proc/sys/net/ipv4/conf/eth0.1/rp_filter"),
    ],
)
def test_names_become_paths_as_sysctl_does(name: str, path: str) -> None:
    assert sysctl.proc_path(name) == path


def test_a_file_that_is_read_later_at_boot_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    etc, usr = tmp_path / "etc", tmp_path / "usr"
    monkeypatch.setattr(sysctl, "BOOT_DIRS", (str(usr), str(etc), "/no-such-directory"))
    for directory in (etc, usr):
        directory.mkdir()
    (usr / "10-early.conf").write_text("vm.swappiness = 10\n")
    (usr / "99-late.conf").write_text("vm.swappiness = 20\n# vm.dirty_ratio = 1\n-vm/dirty_ratio=30\n")
    (usr / "99-hidden.conf").write_text("vm.swappiness = 99\n")
    (etc / "99-hidden.conf").write_text("kernel.panic = 1\n")
    overrides = sysctl.boot_overrides("/etc/sysctl.d/90-kafka.conf")
    late = str(usr / "99-late.conf")
    assert overrides == {
        "kernel.panic": (str(etc / "99-hidden.conf"), "1"),
        "vm.swappiness": (late, "20"),
        "vm.dirty_ratio": (late, "30"),
    }


class Kernel:
    """A /proc/sys and a boot file of our own."""

    def __init__(self, root: Path, run: RunModule) -> None:
        self.proc, self.boot, self.run = root / "proc", root / "90-kafka.conf", run
        (self.proc / "vm").mkdir(parents=True)
        self.set("swappiness", "60")

    def set(self, name: str, value: str) -> None:
        (self.proc / "vm" / name).write_text(f"{value}\n")

    def kafka_sysctl(self, check_mode: bool = False, **settings: Any) -> Result:
        named = {f"vm.{name}": value for name, value in settings.items()}
        return self.run("kafka_sysctl", check_mode, settings=named, file=str(self.boot))


@pytest.fixture
def kernel(tmp_path: Path, run_module: RunModule, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    made = Kernel(tmp_path, run_module)
    monkeypatch.setattr(sysctl, "PROC", str(made.proc))
    monkeypatch.setattr(sysctl, "BOOT_DIRS", ())
    return made


def test_the_module_changes_once(kernel: Kernel) -> None:
    predicted = kernel.kafka_sysctl(check_mode=True, swappiness=1)
    assert not kernel.boot.exists()
    first, second = kernel.kafka_sysctl(swappiness=1), kernel.kafka_sysctl(swappiness=1)
    assert (predicted["changed"], predicted["diff"]) == (True, first["diff"])
    assert first["changed_settings"] == ["vm.swappiness"]
    assert kernel.boot.read_text() == sysctl.HEADER + "vm.swappiness = 1\n"
    assert (kernel.proc / "vm/swappiness").read_text() == "1"
    assert (second["changed"], second["unmet"], second["diff"]) == (False, [], [])


def test_the_module_reports_an_unwritable_value_each_time_and_changes_nothing(
    kernel: Kernel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysctl, "can_write", lambda _: False)
    first, second = kernel.kafka_sysctl(swappiness=1), kernel.kafka_sysctl(swappiness=1)
    assert (first["changed"], first["changed_settings"]) == (True, [])
    assert [u["name"] for u in first["unmet"]] == ["vm.swappiness"]
    assert (second["changed"], second["unmet"]) == (False, first["unmet"])


def test_a_value_that_the_kernel_refuses_is_unmet(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sysctl, "write_setting", lambda *_: "Invalid argument")
    kernel.kafka_sysctl(swappiness=300)
    again = kernel.kafka_sysctl(swappiness=300)
    assert again["changed"] is False
    assert again["unmet"][0]["reason"] == "the kernel refused it: Invalid argument"


def test_names_that_are_none_are_refused_together(kernel: Kernel) -> None:
    result = kernel.run("kafka_sysctl", settings={"swappiness": 1, "vm/../../etc/passwd": 1}, file=str(kernel.boot))
    assert result["msg"].count("is not a kernel setting") == 2
