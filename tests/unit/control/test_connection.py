"""The words of ssh and sudo, as hosts with each fault have shown them, and what is made of them."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleConnectionFailure, AnsibleError
from ansible.module_utils.kraft.control.connection import CAUSES, error_text, explain, remedy, target
from ansible.module_utils.kraft.control.reaching import reached

PLAIN = 'Task failed: Data could not be sent to remote host "10.89.3.12". Make sure this host can be reached over ssh: '
KEY = "ssh does not know its host key, or knows another one"
JUMP = "kex_exchange_identification: Connection closed by remote host\r\nConnection closed by UNKNOWN port 65535"
SEEN = [
    ("jump_host", PLAIN + f"ssh: connect to host 10.89.3.1 port 22: Connection refused\r\n{JUMP}"),
    ("jump_host", PLAIN + f"ssh: Could not resolve hostname bastion: Name or service not known\r\n{JUMP}"),
    ("jump_host", PLAIN + f"ops@bastion: Permission denied (publickey).\r\n{JUMP}"),
    ("jump_host", PLAIN + f"Host key verification failed.\r\n{JUMP}"),
    (
        "jump_host_forbids",
        PLAIN + f"channel 0: open failed: administratively prohibited: open failed\nstdio forwarding failed\n{JUMP}",
    ),
    (
        "jump_host_apart",
        PLAIN + f"channel 0: open failed: connect failed: No route to host\nstdio forwarding failed\n{JUMP}",
    ),
    (
        "jump_host_apart",
        PLAIN + f"channel 0: open failed: connect failed: Name or service not known\nstdio forwarding failed\n{JUMP}",
    ),
    (
        "ssh_refused",
        PLAIN + f"channel 0: open failed: connect failed: Connection refused\nstdio forwarding failed\n{JUMP}",
    ),
    ("sudo_needs_terminal", "sudo: sorry, you must have a tty to run sudo\nModule result deserialization failed"),
    ("password_expired", "WARNING: Your password has expired.\nPassword change required but no TTY available."),
    ("password_expired", "sudo: Account or password is expired, reset your password and try again"),
    ("python_old", 'File "<stdin>", line 3\nSyntaxError: future feature annotations is not defined'),
    ("python_old", "def import_controller_module(_module_name: str, /) -> t.Any:\nSyntaxError: invalid syntax"),
    ("python_old", "ansible-core requires a minimum of Python version 3.9. Current version: 3.8.18"),
    ("host_key_unknown", PLAIN + "No ED25519 host key is known for 10.89.3.12 and you have requested strict checking."),
    (
        "host_key_changed",
        PLAIN + "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.",
    ),
    ("login_refused", PLAIN + "nobody1@10.89.3.12: Permission denied (publickey)."),
    ("name_unresolved", PLAIN + "ssh: Could not resolve hostname nowhere.invalid: Name or service not known"),
    ("ssh_refused", PLAIN + "ssh: connect to host 10.89.3.12 port 1: Connection refused"),
    ("ssh_closed", PLAIN + "kex_exchange_identification: read: Connection reset by peer"),
    ("sudo_password_missing", "Task failed: Missing sudo password"),
    ("sudo_password_wrong", "Task failed: Incorrect sudo password"),
    (
        "sudo_refused",
        "ops is not in the sudoers file.\nModule result deserialization failed: No start of json char found",
    ),
    ("python_absent", "/bin/sh: 1: /usr/bin/python3: not found"),
    ("sshpass_missing", "to use the 'ssh' connection type with passwords, you must install the sshpass program"),
]


@pytest.mark.parametrize(("rule", "text"), SEEN)
def test_a_cause_is_known_by_its_words(rule: str, text: str) -> None:
    cause = explain(text)
    assert cause is not None
    assert cause.rule == rule


@pytest.mark.parametrize(
    "text",
    [
        PLAIN + "ssh: connect to host 10.89.3.99 port 22: No route to host",
        "kafka2 is being changed by another run: ann@pc, process 4711",
        "Timeout (22s) waiting for privilege escalation prompt: ",  # of a host that hangs, over a connection of before
        "no answer",
        "Permission denied: '/opt/kafka/config'",
    ],
)
def test_what_shows_no_cause_is_left_as_it_was_said(text: str) -> None:
    assert explain(text) is None


def test_every_cause_has_a_remedy_of_its_own_and_a_case() -> None:
    assert len({cause.remedy for cause in CAUSES}) == len({cause.rule for cause in CAUSES}) == len(CAUSES)
    assert {cause.rule for cause in CAUSES} - {rule for rule, _ in SEEN} <= {"key_open", "sudo_absent"}


@pytest.mark.parametrize(
    ("variables", "typed"),
    [
        ({"ansible_user": "ops", "ansible_host": "10.0.0.1", "ansible_port": 2222}, "-p 2222 ops@10.0.0.1"),
        ({"ansible_host": "10.0.0.1"}, "10.0.0.1"),
        ({}, "kafka2"),
    ],
)
def test_a_remedy_can_be_typed(variables: dict[str, Any], typed: str) -> None:
    assert target(variables, "kafka2") == typed
    unknown = explain("Host key verification failed.")
    assert unknown is not None
    assert f"`ssh {typed}`" in remedy(unknown, typed)


def raising(error: Exception) -> Any:
    def answer() -> dict[str, Any]:
        raise error

    return answer


def test_sudo_that_refuses_makes_a_host_unreachable_like_ssh_that_refuses() -> None:
    assert reached(raising(AnsibleError("Missing sudo password")))["unreachable"]
    stopped = {"failed": True, "module_stderr": "ops is not in the sudoers file.", "msg": "no start of json"}
    assert reached(lambda: stopped)["unreachable"]


def test_what_is_no_matter_of_reaching_a_host_stays_as_it_is() -> None:
    failed = {"failed": True, "msg": "Connection refused by the broker"}
    assert reached(lambda: failed) is failed
    with pytest.raises(AnsibleError, match="a template"):
        reached(raising(AnsibleError("a template")))
    with pytest.raises(AnsibleConnectionFailure):
        reached(raising(AnsibleConnectionFailure("Connection refused")))


def test_words_are_all_that_a_result_says() -> None:
    assert error_text({}) == "no answer"
    assert error_text({"msg": "b", "module_stderr": "a\n"}) == "a\nb"
