"""kafka-python, imported lazily: from the zip or directory on the host, or from the environment.

Only its network and protocol layers are imported. ``import kafka`` itself would also load the producer and the
consumer, which cost more CPU than all requests of a module; so the package is entered without its ``__init__``, unless
it was imported before.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.machinery
import importlib.util
import logging
import os
import sys
import types
from collections.abc import Callable
from typing import Any

from ansible.module_utils.kraft.cluster.unpacked import unpacked
from ansible.module_utils.kraft.errors import ToolError

MISSING = (
    "kafka-python cannot be imported{where}: {reason}. A deployment of this host (site.yml) brings it. Without one "
    "give client.python_path the zip or directory that `make client` brings, or install kafka-python for {python}."
)


@dataclasses.dataclass(frozen=True)
class Library:
    """The parts of kafka-python that are used."""

    manager: Any  #: class of a connection manager, kafka.net.manager.KafkaConnectionManager
    selector: Any  #: class of the event loop, kafka.net.selector.NetworkSelector
    admin: Any  #: module of admin requests
    metadata: Any  #: module of metadata requests
    consumer: Any  #: module of consumers' requests, which only a partition's leader serves
    errors: Any  #: module of errors, with for_code


def load(python_path: str | None = None, unpack: bool = False) -> Library:
    """Import kafka-python from `python_path` (zip or directory) or, without one, from the environment.

    `unpack`: a zip may be unpacked beside itself, for this import and later ones. Raises ToolError that names the
    missing part and the remedy.
    """
    try:
        _enter_package(python_path, unpack)
        net, protocol = "kafka.net", "kafka.protocol"
        _keep_last_words(importlib.import_module(f"{net}.transport"))
        return Library(
            manager=importlib.import_module(f"{net}.manager").KafkaConnectionManager,
            selector=importlib.import_module(f"{net}.selector").NetworkSelector,
            admin=importlib.import_module(f"{protocol}.admin"),
            metadata=importlib.import_module(f"{protocol}.metadata"),
            consumer=importlib.import_module(f"{protocol}.consumer"),
            errors=importlib.import_module("kafka.errors"),
        )
    except (ImportError, OSError, AttributeError) as error:
        where = f" from {python_path}" if python_path else ""
        raise ToolError(MISSING.format(where=where, reason=error, python=sys.executable)) from error


def _keep_last_words(transport: Any) -> None:
    """Read a broker's last bytes before it closed: the reason for a refused login comes with the end of the connection.

    kafka-python 3.0.12 drops those bytes (kafka/net/transport.py, ``_read_from_sock``). The next read sees the end
    again.
    """
    for kind in (transport.KafkaTCPTransport, transport.KafkaSSLTransport):
        if kind._sock_recv.__name__ != "_words_first":
            kind._sock_recv = _words_before_the_end(kind._sock_recv)


def _words_before_the_end(read: Callable[[Any], tuple[bytes, Any]]) -> Callable[[Any], tuple[bytes, Any]]:
    def _words_first(connection: Any) -> tuple[bytes, Any]:
        said, error = read(connection)
        return said, None if said else error

    return _words_first


def _enter_package(python_path: str | None, unpack: bool) -> None:
    """Make ``kafka`` importable as a bare package, without its ``__init__``."""
    if "kafka" in sys.modules:
        return
    if python_path:
        sys.path.insert(0, unpacked(python_path, unpack))
        places = [os.path.join(sys.path[0], "kafka")]
    else:
        places = _installed()
    package, spec = types.ModuleType("kafka"), importlib.machinery.ModuleSpec("kafka", None, is_package=True)
    package.__path__, package.__spec__ = places, spec  # PySpark refuses a module without a spec
    sys.modules["kafka"] = package
    quiet = logging.getLogger("kafka")  # its __init__ would do this: errors are returned as exceptions
    quiet.addHandler(logging.NullHandler())
    quiet.propagate = False


def _installed() -> list[str]:
    spec = importlib.util.find_spec("kafka")
    if spec is None or spec.submodule_search_locations is None:
        raise ImportError("no module named kafka")
    return list(spec.submodule_search_locations)
