"""Requests to brokers and controllers over kafka-python's connections: any address, concurrent, always with a deadline.

A question is one of kafka-python's request objects and an answer is its response as a dict. Nothing is bootstrapped: an
address is used as it was given, so controllers answer too, and a cluster that is only half up still gives its half.
Brokers forward requests that only the active controller can serve (KIP-590), so any broker will do for most questions.
With an expected cluster id, the first request of each connection checks the cluster (``cluster_id``).
"""

from __future__ import annotations

import dataclasses
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Union

from ansible.module_utils.kraft.client_config import kafka_python
from ansible.module_utils.kraft.cluster import messages
from ansible.module_utils.kraft.cluster.cluster_id import ExpectedCluster
from ansible.module_utils.kraft.cluster.connections import connections
from ansible.module_utils.kraft.cluster.library import Library, load
from ansible.module_utils.kraft.cluster.tls_errors import of_tls, tls_error
from ansible.module_utils.kraft.errors import (
    AccessError,
    KraftError,
    LateError,
    OtherClusterError,
    ToolError,
    UnansweredError,
    UnreachableError,
)

CONNECT_SECONDS = 2.0  #: a slower connection counts as dead; another address is tried meanwhile
ANSWER_SECONDS = 5.0
AHEAD = 4  #: pending questions on one connection; at 5, kafka-python's connection refuses the next
LARGEST_ANSWER = 100_000_000  #: bytes; kafka-python's own 1 MB is too small for the metadata of a few thousand topics

#: Errors of a connection that prove that nothing took it; after all others something may run there.
NOTHING_THERE = ("ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT", "Connection timed out")

Answer = Union[dict[str, Any], KraftError]
Pick = Callable[[Any], "dict[str, Any]"]


class ApiError(ToolError):
    """The cluster answered with an error code. ``name`` is Kafka's name for it; ``retriable`` as Kafka defines it."""

    def __init__(self, what: str, name: str, detail: str, retriable: bool) -> None:
        self.name, self.detail, self.retriable = name, detail, retriable
        super().__init__(f"{what}: {name}: {detail}")


class DeniedError(ApiError, AccessError):
    """The cluster has authenticated us and does not permit the request."""


@dataclasses.dataclass(frozen=True)
class Question:
    """One request for one address (``host:port``); `pick` makes the dict of its answer, which else holds all of it."""

    address: str
    request: Any
    pick: Pick | None = None


class Client:
    """Connections to one cluster. Use as a context manager, or ``close``.

    With ``cluster_id`` among the options every address must belong to that cluster, or its answer is OtherClusterError.
    """

    patience = 0.0  #: seconds that answers about all topics have needed so far, at least

    def __init__(
        self,
        options: Mapping[str, Any],
        library: Library | None = None,
        unpack: bool = False,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`options`: the ``client`` parameter, see ``connections``; `unpack`: see ``library.load``; `warn`: gets a
        sentence for each skipped server of another cluster.
        """
        self._connections = connections(options)
        self.addresses = self._connections.addresses
        self._library = library or load(options.get("python_path"), unpack)
        self._net = self._library.selector()
        self._managers: dict[str, Any] = {}
        self._expected = ExpectedCluster(options.get("cluster_id") or "", self._library, ANSWER_SECONDS)
        self._warn, self._skipped = warn, set[str]()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        for manager in self._managers.values():
            manager.close()
        self._net.close()

    def request(self, name: str, /, **fields: Any) -> Any:
        """Return a request object of kafka-python by its name, such as ``DescribeQuorumRequest``."""
        return self._kind(name)(**fields)

    def struct(self, request: str, name: str, /, **fields: Any) -> Any:
        """Return a part of a request, such as MetadataRequest's ``MetadataRequestTopic``; dots lead to nested parts."""
        return attrgetter(name)(self._kind(request))(**fields)

    def _kind(self, name: str) -> Any:
        homes = (self._library.admin, self._library.metadata, self._library.consumer)
        known = next((getattr(home, name) for home in homes if hasattr(home, name)), None)
        return known or messages.kinds()[name]

    def send(
        self, address: str, request: Any, seconds: float = ANSWER_SECONDS, pick: Pick | None = None
    ) -> dict[str, Any]:
        """Return the answer of `address`. Raises UnreachableError, or ToolError if it refuses us, or is foreign."""
        answer = self.send_all([Question(address, request, pick)], seconds)[0]
        if isinstance(answer, KraftError):
            raise answer
        return answer

    def send_all(
        self, questions: Sequence[Question], seconds: float = ANSWER_SECONDS, raw: bool = False
    ) -> list[Answer]:
        """Return the answers in the questions' order, requested at once; a missing answer is an error.

        The time of a connection and an answer starts for all addresses at once; further AHEAD questions have it again.
        `raw`: bytes stay bytes, as of records.
        """
        started, each = time.monotonic(), CONNECT_SECONDS + seconds
        futures: list[tuple[Any, float]] = []
        by_address: dict[str, list[Any]] = {}
        for question in questions:
            before = by_address.setdefault(question.address, [])
            deadline = started + each * (1 + len(before) // AHEAD)
            before.append(self._send(question, seconds, before[-AHEAD] if len(before) >= AHEAD else None))
            futures.append((before[-1], deadline))
        # kafka-python does not limit the time of a TLS handshake.
        for future, deadline in futures:
            self._net.poll(timeout_ms=max(0.0, deadline - time.monotonic()) * 1000, future=future)
        return [self._answer(question, future, seconds, raw) for question, (future, _) in zip(questions, futures)]

    def reach(self, addresses: Iterable[str] = ()) -> str:
        """Return the first of `addresses` (default: the bootstrap servers) to accept us; all are tried at once.

        Those of another cluster are skipped, with a warning. Raises OtherClusterError if no other one accepts us.
        """
        tried, deadline = tuple(addresses) or self.addresses, time.monotonic() + CONNECT_SECONDS + ANSWER_SECONDS
        futures = {address: self._net.call_soon_with_future(self._ready, address) for address in tried}
        # kafka-python does not limit the time of a TLS handshake.
        while not all(future.is_done for future in futures.values()) and time.monotonic() < deadline:
            self._net.poll(timeout_ms=CONNECT_SECONDS * 1000 / 20)
            if accepted := next((address for address, future in futures.items() if future.succeeded()), None):
                self._warn_of(future.exception for future in futures.values())
                return accepted
        raise self._first_error(futures)

    def _warn_of(self, errors: Iterable[BaseException | None]) -> None:
        for error in errors:
            if isinstance(error, OtherClusterError) and error.address not in self._skipped:
                self._skipped.add(error.address)
                self._warn(f"Skipped a bootstrap server: {error}")

    def error(self, what: str, code: int, detail: str | None) -> ApiError | None:
        """Return the error for `code` of an answer; None for 0."""
        if code == 0:
            return None
        kind = self._library.errors.for_code(code)
        name = kind.__name__[: -len("Error")] if kind.__name__.endswith("Error") else kind.__name__
        refused = issubclass(kind, self._library.errors.AuthorizationError)
        made = DeniedError if refused else ApiError
        return made(what, name, detail or str(getattr(kind, "description", "")), bool(kind.retriable))

    def _manager(self, address: str) -> Any:
        if address not in self._managers:
            settings = {**kafka_python(self._connections.to(address)), "bootstrap_servers": address}
            self._managers[address] = self._library.manager(
                self._net,
                client_id="kraftwright",
                reconnect_backoff_ms=0,
                socket_connection_setup_timeout_ms=CONNECT_SECONDS * 1000,
                socket_connection_setup_timeout_max_ms=CONNECT_SECONDS * 1000,
                receive_message_max_bytes=LARGEST_ANSWER,
                **settings,
            )
        return self._managers[address]

    async def _ready(self, address: str) -> Any:
        """Return an open connection to `address`, to a node of the expected cluster."""
        connection = await self._manager(address).get_connection("bootstrap-0", refresh_metadata_on_err=False)
        await self._expected.confirm(self._net, address, connection)
        return connection

    def _send(self, question: Question, seconds: float, after: Any | None) -> Any:
        """Return the future of its answer. Sent after the future `after` is done; fails if that connection ended."""

        async def send() -> Any:
            try:
                if after is not None:
                    await after
            except self._library.errors.IncompatibleBrokerVersion:
                pass  # that request was not supported; this one may be
            connection = await self._ready(question.address)
            return await connection.send_request(question.request, request_timeout_ms=seconds * 1000)

        return self._net.call_soon_with_future(send)

    def _answer(self, question: Question, future: Any, seconds: float, raw: bool) -> Answer:
        if future.succeeded():
            answer: dict[str, Any] = (
                question.pick(future.value) if question.pick else future.value.to_dict(json=not raw)
            )
            return answer
        if future.is_done:
            return self._error(question.address, future.exception)
        return LateError(f"{question.address} did not answer within {seconds:g} s")

    def _first_error(self, futures: Mapping[str, Any]) -> KraftError:
        late = "accepts connections and does not answer"
        errors = [
            self._error(address, future.exception) if future.is_done else LateError(f"{address} {late}")
            for address, future in futures.items()
        ]
        for kind in (OtherClusterError, ToolError):
            if found := next((error for error in errors if isinstance(error, kind)), None):
                return found
        kinds = {type(error) for error in errors} - {UnreachableError}
        whole = UnreachableError if not kinds else LateError if kinds == {LateError} else UnansweredError
        return whole("; ".join(str(error) for error in errors))

    def _error(self, address: str, error: BaseException) -> KraftError:
        return error if isinstance(error, KraftError) else self._translated(address, error)

    def _translated(self, address: str, error: BaseException) -> KraftError:
        """Translate kafka-python's error into our tree: a refusal is not the same as a missing answer."""
        traceback.clear_frames(error.__traceback__)  # they hold the socket of a failed connection open
        known = self._library.errors
        logins = (
            known.SaslAuthenticationFailedError,
            known.UnsupportedSaslMechanismError,
            known.IllegalSaslStateError,
        )
        if isinstance(error, (*logins, known.AuthorizationError)):
            return AccessError(f"{address} refuses us: {error}")
        if (tls := tls_error(error)) is not None:
            return of_tls(address, tls)
        if isinstance(error, known.IncompatibleBrokerVersion):
            return ToolError(f"{address} does not know this question: {error}")
        if isinstance(error, (known.RequestTimedOutError, known.KafkaTimeoutError)):
            return LateError(f"{address} accepts connections and does not answer")
        if isinstance(error, (known.KafkaError, OSError)):
            nothing = any(sign in str(error) for sign in NOTHING_THERE)
            return (UnreachableError if nothing else UnansweredError)(f"{address}: {_plain(str(error))}")
        return ToolError(f"{address}: {type(error).__name__}: {error}")


def _plain(text: str) -> str:
    """Return an error of a socket in plain words."""
    words = {"ECONNREFUSED": "nothing listens", "EHOSTUNREACH": "no route", "ECONNRESET": "connection closed"}
    return next((said for code, said in words.items() if code in text), text.replace("KafkaConnectionError: ", ""))
