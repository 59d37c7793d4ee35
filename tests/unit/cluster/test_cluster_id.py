"""A connection is asked for its cluster once, before anything else; against brokers: tests/integration."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from ansible.module_utils.kraft.cluster.client import Client
from ansible.module_utils.kraft.errors import AccessError, KraftError, OtherClusterError, UnreachableError

METADATA, DENIED = 3, 31
OURS, THEIRS, SILENT = "ours:1", "theirs:1", "silent:1"


class Connection:
    """Open; answers the question for its cluster, and any other one with its number."""

    init_future: ClassVar[Any] = None

    def __init__(self, made: Callable[[], Any], apis: set[int], **answer: Any) -> None:
        self.asked: list[Any] = []
        self.broker_version_data = SimpleNamespace(api_versions=apis)
        self._made, self._answer = made, {"error_code": 0, "error_message": None, "cluster_id": "ours", **answer}

    def __await__(self) -> Generator[Any, Any, Connection]:
        yield from ()
        return self

    def send_request(self, request: Any, **_: Any) -> Any:
        self.asked.append(request)
        return self._made().success(SimpleNamespace(**self._answer, to_dict=lambda **_: {"number": len(self.asked)}))


class Manager:
    def __init__(self, connection: Connection | None) -> None:
        self.connection = connection

    def get_connection(self, *_: object, **__: object) -> Connection:
        if self.connection is None:
            raise OSError("ECONNREFUSED")
        return self.connection

    def close(self) -> None:
        pass


@pytest.fixture
def asking(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., tuple[Client, list[str]]]]:
    """Makes a client with such connections, by address, and the list of its warnings."""
    opened: list[Client] = []

    def make(connections: dict[str, Connection | None], cluster_id: str | None = "ours") -> tuple[Client, list[str]]:
        said: list[str] = []
        client = Client({"bootstrap_servers": list(connections), "cluster_id": cluster_id}, warn=said.append)
        monkeypatch.setattr(client, "_managers", {address: Manager(one) for address, one in connections.items()})
        opened.append(client)
        return client, said

    yield make
    for one in opened:
        one.close()


@pytest.fixture
def connection() -> Callable[..., Connection]:
    def made(apis: set[int] | None = None, **answer: Any) -> Connection:
        from kafka.future import Future  # noqa: PLC0415 -- importable once a client has loaded the package

        return Connection(Future, {METADATA} if apis is None else apis, **answer)

    return made


def names(connection: Connection) -> list[str]:
    return [type(one).__name__ for one in connection.asked]


def question(client: Client) -> Any:
    return client.request("ListGroupsRequest")


def test_each_connection_is_asked_once_and_first(asking: Any, connection: Any) -> None:
    first, second = connection(), connection()
    client, _ = asking({OURS: first})
    for _ in range(2):
        assert client.send(client.reach(), question(client))["number"] > 1
    assert names(first) == ["DescribeClusterRequest", "ListGroupsRequest", "ListGroupsRequest"]
    client._managers[OURS].connection = second  # the first one was lost
    client.send(OURS, question(client))
    assert names(second) == ["DescribeClusterRequest", "ListGroupsRequest"]


def test_without_an_expected_id_nothing_more_is_asked(asking: Any, connection: Any) -> None:
    one = connection(cluster_id="theirs")
    client, _ = asking({OURS: one}, cluster_id=None)
    client.send(client.reach(), question(client))
    assert names(one) == ["ListGroupsRequest"]


def test_a_controller_is_asked_as_one(asking: Any, connection: Any) -> None:
    broker, controller = connection(), connection(apis=set())
    client, _ = asking({OURS: broker, "controller:1": controller})
    for address in (OURS, "controller:1"):
        client.send(address, question(client))
    assert (broker.asked[0].endpoint_type, controller.asked[0].endpoint_type) == (1, 2)


def test_another_cluster_is_asked_nothing_else_and_is_not_silent(asking: Any, connection: Any) -> None:
    theirs = connection(cluster_id="theirs")
    client, _ = asking({OURS: connection()})
    client._managers[THEIRS] = Manager(theirs)
    with pytest.raises(OtherClusterError) as error:
        client.send(THEIRS, question(client))
    found = error.value
    assert not isinstance(found, UnreachableError)
    assert (found.rule, found.address, found.found, found.expected) == ("other_cluster", THEIRS, "theirs", "ours")
    assert names(theirs) == ["DescribeClusterRequest"]


def test_a_bootstrap_server_of_another_cluster_is_skipped_and_named_once(asking: Any, connection: Any) -> None:
    client, said = asking({THEIRS: connection(cluster_id="theirs"), OURS: connection()})
    assert [client.reach() for _ in range(3)] == [OURS] * 3
    assert len(said) == 1
    assert THEIRS in said[0]


def test_where_no_server_is_ours_the_foreign_one_is_named(asking: Any, connection: Any) -> None:
    client, _ = asking({SILENT: None, THEIRS: connection(cluster_id="theirs")})
    with pytest.raises(OtherClusterError) as error:
        client.reach()
    assert error.value.address == THEIRS


def test_a_node_that_does_not_say_its_cluster_is_not_asked_anything_else(asking: Any, connection: Any) -> None:
    denied = connection(error_code=DENIED)
    client, _ = asking({OURS: denied})
    for ask in (client.reach, lambda: client.send(OURS, question(client))):
        with pytest.raises(KraftError) as error:
            ask()
        assert isinstance(error.value, AccessError)
    assert names(denied) == ["DescribeClusterRequest"]
