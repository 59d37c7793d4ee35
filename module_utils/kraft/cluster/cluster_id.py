"""Confirm the cluster of each connection before any other request or write.

DescribeCluster needs no rights at a broker; a controller answers it to those who may alter the cluster, as its nodes
may (KIP-919). A listener's supported requests show whether it is a controller's: only brokers serve metadata.
"""

from __future__ import annotations

from typing import Any

from ansible.module_utils.kraft.cluster.library import Library
from ansible.module_utils.kraft.errors import AccessError, OtherClusterError, ToolError

BROKERS, CONTROLLERS = 1, 2  #: types of endpoints


class ExpectedCluster:
    """The expected id of a cluster; if it is empty, nothing is requested."""

    def __init__(self, cluster_id: str, library: Library, seconds: float) -> None:
        self._cluster_id, self._library, self._seconds = cluster_id, library, seconds
        self._asked: dict[str, tuple[Any, Any]] = {}

    async def confirm(self, net: Any, address: str, connection: Any) -> None:
        """Raise OtherClusterError for another cluster's node, ToolError if the node does not name its cluster.

        One request for each connection, however many questions wait for it.
        """
        if not self._cluster_id:
            return
        if self._asked.get(address, (None,))[0] is not connection:
            self._asked[address] = (connection, net.call_soon_with_future(self._ask, address, connection))
        await self._asked[address][1]

    async def _ask(self, address: str, connection: Any) -> None:
        is_broker = self._library.metadata.MetadataRequest.API_KEY in connection.broker_version_data.api_versions
        request = self._library.admin.DescribeClusterRequest(endpoint_type=BROKERS if is_broker else CONTROLLERS)
        answer = await connection.send_request(request, request_timeout_ms=self._seconds * 1000)
        if answer.error_code:
            kind = self._library.errors.for_code(answer.error_code)
            made = AccessError if issubclass(kind, self._library.errors.AuthorizationError) else ToolError
            raise made(f"{address} does not say which cluster it belongs to: {kind.__name__}: {answer.error_message}")
        if answer.cluster_id != self._cluster_id:
            raise OtherClusterError(address, answer.cluster_id, self._cluster_id)
