"""EC2 as it behaves: a small proxy before moto that hides what is young, refuses, kills its caller and ends machines.

moto answers at once and always truthfully. The double sits between it and the caller:

- ``hide``: what is made is missing from answers for some seconds, and calls that name it are refused.
- ``late``: what is changed is shown for some seconds as it was before.
- ``refuse``: a call is answered with an error of AWS, a number of times.
- ``kill``: the caller is killed at its n-th changing call, after the change was made.
- ``end``: machines end as soon as they were launched, with a reason.
- ``placement``: placement groups, by name: strategy and number of partitions.
- ``addresses``: quota of Elastic IPs.
- ``throttle``: a share of calls, chosen at random, is answered "RequestLimitExceeded" or "Throttling".
- ``page``: describing calls that have pages give this number of items in each.
- ``expire``: this number of page tokens is refused.
- ``slow``: each answer takes this number of seconds.
- ``lose``: a call is done, and its answer is lost, a number of times.
- ``hook``: a function that is called before each call, to let something happen meanwhile.

A client token that was used makes nothing twice. ``calls`` has all that was asked, in its order. ``clock`` says what
time it is: with a `Clock` that only the caller's pauses move, a delay costs no time.
"""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import os
import random
import signal
import threading
import time
import urllib.parse
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: Call that makes something -> (element of its id, error when the id is not known).
MADE = {
    "CreateVpc": ("vpcId", "InvalidVpcID.NotFound"),
    "CreateSubnet": ("subnetId", "InvalidSubnetID.NotFound"),
    "CreateInternetGateway": ("internetGatewayId", "InvalidInternetGatewayID.NotFound"),
    "CreateRouteTable": ("routeTableId", "InvalidRouteTableID.NotFound"),
    "CreateSecurityGroup": ("groupId", "InvalidGroup.NotFound"),
    "CreateKeyPair": ("keyPairId", "InvalidKeyPair.NotFound"),
    "ImportKeyPair": ("keyPairId", "InvalidKeyPair.NotFound"),
    "CreateVolume": ("volumeId", "InvalidVolume.NotFound"),
    "RunInstances": ("instanceId", "InvalidInstanceID.NotFound"),
    "AllocateAddress": ("allocationId", "InvalidAllocationID.NotFound"),
}
#: Call that looks -> element of the id of each item.
SHOWN = {
    "DescribeVpcs": "vpcId",
    "DescribeSubnets": "subnetId",
    "DescribeInternetGateways": "internetGatewayId",
    "DescribeRouteTables": "routeTableId",
    "DescribeSecurityGroups": "groupId",
    "DescribeKeyPairs": "keyPairId",
    "DescribeVolumes": "volumeId",
    "DescribeInstances": "instanceId",
    "DescribeAddresses": "allocationId",
}
#: Prefix of an id -> (call that describes it, its parameter).
KINDS = {
    "vol-": ("DescribeVolumes", "VolumeId.1"),
    "i-": ("DescribeInstances", "InstanceId.1"),
    "sg-": ("DescribeSecurityGroups", "GroupId.1"),
    "rtb-": ("DescribeRouteTables", "RouteTableId.1"),
    "igw-": ("DescribeInternetGateways", "InternetGatewayId.1"),
    "eipalloc-": ("DescribeAddresses", "AllocationId.1"),
    "subnet-": ("DescribeSubnets", "SubnetId.1"),
}
#: Calls that change what is there.
CHANGED = (
    "AttachInternetGateway",
    "CreateRoute",
    "AssociateRouteTable",
    "AuthorizeSecurityGroupIngress",
    "AttachVolume",
    "CreateTags",
    "AssociateAddress",
    "StartInstances",
    "ModifyVolume",
)
LOOKS = ("Describe", "Get")
TOKEN = "NextToken"  # noqa: S105 - of a page
#: Calls that have pages.
PAGED = tuple(each for each in SHOWN if each not in {"DescribeAddresses", "DescribeKeyPairs"})
#: moto has no placement groups: the double answers, once moto has enforced the permission.
PLACEMENT = (
    "<DescribePlacementGroupsResponse><placementGroupSet>{items}</placementGroupSet></DescribePlacementGroupsResponse>"
)
PLACED = (
    "<item><groupName>{}</groupName><state>available</state>"
    "<strategy>{}</strategy><partitionCount>{}</partitionCount></item>"
)
#: moto always has a quota of 5.
QUOTA = (
    "<DescribeAccountAttributesResponse><accountAttributeSet><item><attributeName>vpc-max-elastic-ips</attributeName>"
    "<attributeValueSet><item><attributeValue>{}</attributeValue></item></attributeValueSet></item></accountAttributeSet>"
    "</DescribeAccountAttributesResponse>"
)
FORBIDDEN = 403
ERROR = "<Response><Errors><Error><Code>{code}</Code><Message>{text}</Message></Error></Errors></Response>"
Answer = tuple[int, bytes]
LOST: Answer = (0, b"")


class Clock:
    """A clock that only advances by the pauses of waiting code; replaces the module ``time``."""

    def __init__(self) -> None:
        self.now, self._lock = 0.0, threading.Lock()

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.now += seconds


@dataclasses.dataclass(frozen=True)
class Call:
    """One call: the action of EC2 and its parameters."""

    action: str
    parameters: dict[str, str]

    @property
    def changes(self) -> bool:
        return not self.action.startswith(LOOKS)


@dataclasses.dataclass
class Double:
    """Behaviour of the proxy; a test can change it at any time."""

    moto: int
    calls: list[Call] = dataclasses.field(default_factory=list)
    hide: dict[str, float] = dataclasses.field(default_factory=dict)  #: call that makes something -> seconds
    late: dict[str, float] = dataclasses.field(default_factory=dict)  #: call that changes something -> seconds
    refuse: dict[str, list[str]] = dataclasses.field(default_factory=dict)  #: call -> codes, one for each time
    kill: int = 0  #: changing calls until the victim is killed
    victim: int = 0
    end: str = ""
    lose: dict[str, int] = dataclasses.field(default_factory=dict)  #: call -> times
    addresses: int = 1000
    throttle: float = 0
    page: int = 0
    expire: int = 0
    slow: float = 0
    hook: Callable[[Call], None] | None = None
    placement: dict[str, tuple[str, int]] = dataclasses.field(default_factory=lambda: {"orders": ("partition", 3)})
    status: int = 400
    clock: Callable[[], float] = time.monotonic
    _random: random.Random = dataclasses.field(default_factory=lambda: random.Random(36))  # noqa: S311
    _before: dict[str, list[tuple[float, str, ET.Element]]] = dataclasses.field(default_factory=dict)
    _young: dict[str, tuple[float, str]] = dataclasses.field(default_factory=dict)
    _tokens: dict[str, tuple[str, Answer]] = dataclasses.field(default_factory=dict)
    _lock: threading.RLock = dataclasses.field(default_factory=threading.RLock)

    @property
    def changes(self) -> list[str]:
        return [each.action for each in self.calls if each.changes]

    def answer(self, headers: dict[str, str], body: bytes) -> Answer:
        """The answer for the caller. moto is asked one call at a time."""
        parameters = dict(urllib.parse.parse_qsl(body.decode()))
        call = Call(parameters.get("Action", ""), parameters)
        if not call.action:
            return self._forward(headers, body)
        with self._lock:
            self.calls.append(call)
        if self.hook:
            self.hook(call)
        time.sleep(self.slow)
        body = self._without_token(call, body)
        with self._lock:
            if refused := self._refusal(call):
                return refused
            told = self._repeated(call)
            if not told:
                self._headers = headers
                self._remember(call)
                told = self._done(call, self._forward(headers, body))
            deadly = bool(call.changes and self.victim and self.kill == 1)  # hosts are worked on side by side
            self.kill -= bool(call.changes and self.victim and self.kill)
        if self.lose.get(call.action):
            self.lose[call.action] -= 1
            return LOST
        if deadly:
            os.kill(self.victim, signal.SIGKILL)
            time.sleep(0.2)
        return told

    def _without_token(self, call: Call, body: bytes) -> bytes:
        """Return a request for moto, which has no pages of this size."""
        if TOKEN not in call.parameters:
            return body
        return urllib.parse.urlencode({k: v for k, v in call.parameters.items() if k != TOKEN}).encode()

    def _refusal(self, call: Call) -> Answer | None:
        if self.throttle and self._random.random() < self.throttle:
            return 503, self._error(self._random.choice(("RequestLimitExceeded", "Throttling")))[1]
        if self.expire and TOKEN in call.parameters:
            self.expire -= 1
            return self._error("InvalidNextToken")
        if self.refuse.get(call.action):
            return self._error(self.refuse[call.action].pop(0))
        for value in call.parameters.values():
            if self._is_young(value):
                return self._error(self._young[value][1])
        return None

    def _error(self, code: str) -> Answer:
        return self.status, ERROR.format(code=code, text=f"the double says {code}").encode()

    def _is_young(self, value: str) -> bool:
        return value in self._young and self.clock() < self._young[value][0]

    def _remember(self, call: Call) -> None:
        """Keep the state before a late call of the things that it changes."""
        seconds = self.late.get(call.action, 0)
        for value in set(call.parameters.values()) if seconds else ():
            found = next((KINDS[kind] for kind in KINDS if value.startswith(kind)), None)
            if found:
                root = ET.fromstring(self._ask({"Action": found[0], found[1]: value}))  # noqa: S314
                for _, item, _ in self._items(found[0], root):
                    self._before.setdefault(value, []).append((self.clock() + seconds, call.action, item))

    def _earlier(self, shown: str) -> tuple[str, ET.Element] | None:
        """(call that changed a thing, how it was before), while that is what AWS shows."""
        return next(((call, item) for until, call, item in self._before.get(shown, ()) if self.clock() < until), None)

    def _repeated(self, call: Call) -> Answer | None:
        """The first answer to a client token, unless what it made has ended or something else is asked for."""
        token = call.parameters.get("ClientToken", "")
        if token not in self._tokens:
            return None
        asked, told = self._tokens[token]
        if asked != self._asked(call):
            return self._error("IdempotentParameterMismatch")
        if b"<instanceId>" in told[1] and not self._lives(told):
            return self._error("IdempotentInstanceTerminated")
        return told

    def _asked(self, call: Call) -> str:
        return repr(sorted(call.parameters.items()))

    def _lives(self, told: Answer) -> bool:
        instance = ET.fromstring(told[1]).find(".//{*}instanceId")  # noqa: S314 - moto's answer
        asked = {"Action": "DescribeInstances", "InstanceId.1": (instance.text or "") if instance is not None else ""}
        return b"<name>terminated" not in self._ask(asked)

    def _done(self, call: Call, told: Answer) -> Answer:
        status, body = told
        if call.action == "DescribePlacementGroups" and status != FORBIDDEN:
            return 200, self._placement(call)
        if status >= 300:
            return told
        if call.action == "DescribeAccountAttributes":
            return status, QUOTA.format(self.addresses).encode()
        if call.action in MADE:
            self._note(call, body)
            if token := call.parameters.get("ClientToken"):
                self._tokens[token] = (self._asked(call), told)
        if call.action in SHOWN:
            return status, self._one_page(call, self._without_young(call.action, body))
        if call.action == "DescribeVolumesModifications":
            return status, self._going_on(body)
        return told

    def _placement(self, call: Call) -> bytes:
        named = {name: each for name, each in self.placement.items() if name in call.parameters.values()}
        return PLACEMENT.format(items="".join(PLACED.format(name, *each) for name, each in named.items())).encode()

    def _note(self, call: Call, body: bytes) -> None:
        element, error = MADE[call.action]
        made = ET.fromstring(body).find(f".//{{*}}{element}")  # noqa: S314
        if made is not None and made.text:
            self._young[made.text] = (self.clock() + self.hide.get(call.action, 0), error)
            if call.parameters.get("DisableApiTermination") == "true":  # moto does not keep it
                asked = {"Action": "ModifyInstanceAttribute", "DisableApiTermination.Value": "true"}
                self._ask({**asked, "InstanceId": made.text})
            if call.action == "RunInstances" and self.end:
                self._terminate(made.text)

    def _terminate(self, instance: str) -> None:
        for asked in (
            {"Action": "ModifyInstanceAttribute", "InstanceId": instance, "DisableApiTermination.Value": "false"},
            {"Action": "TerminateInstances", "InstanceId.1": instance},
        ):
            self._ask(asked)

    def _ask(self, asked: dict[str, str]) -> bytes:
        """Return moto's answer to a call of the double itself."""
        body = urllib.parse.urlencode({**asked, "Version": "2016-11-15"}).encode()
        return self._forward(self._headers, body)[1]

    def _items(self, action: str, root: ET.Element) -> Iterator[tuple[ET.Element, ET.Element, str]]:
        """(list, item, its id) of an answer."""
        for items in list(root):
            for item in list(items):
                own = item.find(f"{{*}}{SHOWN[action]}")
                own = item.find(f"{{*}}instancesSet/{{*}}item/{{*}}{SHOWN[action]}") if own is None else own
                if own is not None:
                    yield items, item, own.text or ""

    def _without_young(self, action: str, body: bytes) -> bytes:
        root = ET.fromstring(body)  # noqa: S314
        for items, item, shown in self._items(action, root):
            if self._is_young(shown):
                items.remove(item)
            elif earlier := self._earlier(shown):
                items[list(items).index(item)] = earlier[1]
            elif self.end and action == "DescribeInstances":
                for code in item.iterfind(".//{*}stateReason/{*}code"):
                    code.text = self.end
        return ET.tostring(root)

    def _one_page(self, call: Call, body: bytes) -> bytes:
        """Return the page that is asked for, with the token of the next one."""
        if not self.page or call.action not in PAGED:
            return body
        root = ET.fromstring(body)  # noqa: S314
        found, start = list(self._items(call.action, root)), int(call.parameters.get(TOKEN) or 0)
        for at, (items, item, _) in enumerate(found):
            if not start <= at < start + self.page:
                items.remove(item)
        if start + self.page < len(found):
            space = root.tag.partition("}")[0] + "}" if "}" in root.tag else ""
            ET.SubElement(root, f"{space}nextToken").text = str(start + self.page)
        return ET.tostring(root)

    def _going_on(self, body: bytes) -> bytes:
        """Changes of volumes that are late are going on."""
        root = ET.fromstring(body)  # noqa: S314
        for item in root.iterfind(".//{*}volumeModificationSet/{*}item"):
            earlier = self._earlier(item.findtext("{*}volumeId") or "")
            state = item.find("{*}modificationState")
            if earlier and earlier[0] == "ModifyVolume" and state is not None:
                state.text = "modifying"
        return ET.tostring(root)

    def _forward(self, headers: dict[str, str], body: bytes) -> Answer:
        self._headers = headers
        connection = http.client.HTTPConnection("127.0.0.1", self.moto, timeout=120)
        with contextlib.closing(connection):
            kept = {key: value for key, value in headers.items() if key.lower() != "content-length"}
            connection.request("POST", "/", body, kept)
            answer = connection.getresponse()
            return answer.status, answer.read()


@contextlib.contextmanager
def double(moto: int) -> Iterator[tuple[Double, str]]:
    """The double before the moto that listens at a port; and its address."""
    made = Double(moto)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status, told = made.answer(dict(self.headers), body)
            if (status, told) == LOST:
                self.close_connection = True
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield made, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
