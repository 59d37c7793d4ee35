"""The inventory of EC2: bounded waiting, and one sentence with the reason if AWS was not asked."""

from __future__ import annotations

import importlib.util
import threading
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from ansible.errors import AnsibleError
from ansible.module_utils.kraft.providers.ec2 import account, unasked
from botocore.exceptions import ClientError, ConnectTimeoutError, NoCredentialsError, ReadTimeoutError

SOURCE = Path(__file__).resolve().parents[3] / "plugins/inventory/kraft_ec2.py"
LONGEST = 60  # seconds, with all tries


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("kraft_ec2_inventory", SOURCE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "PAUSES", (0.001, 0.001))
    monkeypatch.setattr(module.constants, "INVENTORY_ANY_UNPARSED_IS_FAILED", True, raising=False)
    return module


def refused(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": "no"}}, "DescribeInstances")


class Asking:
    """amazon.aws's plugin: it fails with each of `errors` once, in its own words."""

    def __init__(self, module: ModuleType, patch: pytest.MonkeyPatch, *errors: Exception) -> None:
        self.left, self.asked = list(errors), 0
        patch.setattr(module.aws_ec2.InventoryModule, "parse", self.parse)
        self.plugin = module.InventoryModule()

    def parse(self, *_: Any, **__: Any) -> None:
        self.asked += 1
        if self.left:
            error = self.left.pop(0)
            raise RuntimeError(f"Failed to describe instances: {error}") from error

    def run(self) -> None:
        self.plugin.parse(None, None, "aws_ec2.yml")


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (NoCredentialsError(), "AWS_PROFILE"),
        (refused("UnauthorizedOperation"), "iam-policy.json"),
        (refused("ExpiredToken"), "aws sso login"),
        (ConnectTimeoutError(endpoint_url="https://x"), "HTTPS_PROXY"),
        (ReadTimeoutError(endpoint_url="https://x"), "run again in some minutes"),
    ],
)
def test_the_run_ends_with_the_reason_and_the_remedy(
    plugin: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    remedy: str,
) -> None:
    asking = Asking(plugin, monkeypatch, error)
    with pytest.raises(SystemExit) as ended:
        asking.run()
    told = " ".join(capsys.readouterr().err.split())
    assert ended.value.code == 1
    assert "aws_ec2.yml: AWS was not asked, because" in told
    assert remedy in told
    assert asking.asked == 1


def test_a_run_that_may_go_on_without_its_machines_goes_on(plugin: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one that makes its account after the inventory is read."""
    monkeypatch.setattr(plugin.constants, "INVENTORY_ANY_UNPARSED_IS_FAILED", False)
    with pytest.raises(AnsibleError, match="AWS was not asked"):
        Asking(plugin, monkeypatch, NoCredentialsError()).run()


def test_throttling_is_waited_for_and_ends_after_a_bound(plugin: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    asking = Asking(plugin, monkeypatch, *(refused("RequestLimitExceeded") for _ in range(2)))
    asking.run()
    assert asking.asked == 3
    asking = Asking(plugin, monkeypatch, *(refused("Throttling") for _ in range(9)))
    with pytest.raises(SystemExit):
        asking.run()
    assert asking.asked == 3


def test_a_long_wait_is_named(
    plugin: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(unasked, "SILENT", 0.01)
    asking, said, display = Asking(plugin, monkeypatch), threading.Event(), plugin.DISPLAY.display

    def shown(*given: Any, **more: Any) -> None:
        display(*given, **more)
        said.set()

    monkeypatch.setattr(plugin.DISPLAY, "display", shown)
    monkeypatch.setattr(asking.plugin, "_parse", lambda *_: said.wait(60))
    asking.run()
    assert "AWS has not answered yet" in capsys.readouterr().err


def test_no_wait_for_aws_is_longer_than_a_minute() -> None:
    config = account.config(unasked.TRIES, unasked.READ)
    assert config.retries["total_max_attempts"] * max(config.read_timeout, config.connect_timeout) <= LONGEST
