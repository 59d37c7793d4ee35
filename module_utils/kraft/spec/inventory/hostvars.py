"""Hosts' variables as Ansible resolves them, each in its own host's context."""

from __future__ import annotations

import datetime
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any

from ansible import context
from ansible.errors import AnsibleError
from ansible.module_utils.kraft.control.plain_secrets import is_readable
from ansible.module_utils.kraft.secret_values import is_secret
from ansible.module_utils.kraft.spec.desired.contributions import PREFIX as CONTRIBUTION
from ansible.module_utils.kraft.spec.inventory.reading import LAYERS, NOT_SHOWN, HostVariables
from ansible.module_utils.kraft.spec.inventory.role_variables import role_variables
from ansible.module_utils.kraft.spec.inventory.spec import Date
from ansible.parsing.vault import EncryptedString
from ansible.template import Templar

PREFIX = "kafka_"
CONNECTION = (
    *("ansible_host", "ansible_port", "ansible_connection", "ansible_ssh_private_key_file"),
    *("ansible_user", "ansible_ssh_user", "ansible_ssh_host", "ansible_ssh_port"),
)
LOST = object()  #: a part of a value that cannot be resolved
SECRET_TEMPLATE = f"its template is a secret, which {NOT_SHOWN}"
NO_FACTS = " (facts of the hosts are not gathered: give the value itself)"


def plain(value: Any) -> Any:
    """Return a value without Ansible's own types: its content, without its origin."""
    if isinstance(value, Mapping):
        return {str.__str__(str(key)): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(each) for each in value]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, datetime.date):
        return Date(value)
    for kind in (int, float):
        if isinstance(value, kind):
            return kind(value)
    return str.__str__(value if isinstance(value, str) else str(value))


def is_fixed(value: Any) -> bool:
    """Check that a value holds nothing that Ansible resolves, neither a template nor a secret of a vault."""
    if isinstance(value, Mapping):
        return all(is_fixed(key) and is_fixed(each) for key, each in value.items())
    if isinstance(value, (list, tuple)):
        return all(map(is_fixed, value))
    return "{" not in value if isinstance(value, str) else value is None or isinstance(value, (int, float))


class Inventory:
    """Hosts' variables, resolved each in its own host's context, with or without a role in scope.

    Group values without a template are resolved once: there may be a thousand users.
    """

    def __init__(self, hostvars: Any, loader: Any, specs: Mapping[str, Mapping[str, Any]]) -> None:
        self.hostvars, self.loader, self.specs = hostvars, loader, specs
        self._defaults = role_variables(loader)
        self._fixed: dict[str, tuple[Any, Any]] = {}  # name -> the value as given, and resolved

    def read(self, host: str, hosts: list[str]) -> HostVariables:
        """Return every variable of the core, and those of other roles that are set."""
        given = self.hostvars.raw_get(host)
        merged = {**self._defaults, "kafka_hosts": hosts, "hostvars": self.hostvars, **given}
        templar = Templar(loader=self.loader, variables=merged)
        named = [name for name in self.specs if name in given or (name in merged and self.specs[name].get("core"))]
        values, faults = self._resolved(templar, merged, named)
        contributing = [each for each in merged if each.startswith(CONTRIBUTION)]
        contributions, others = self._resolved(templar, merged, contributing)
        return HostVariables(
            host=host,
            values=values,
            unresolved=without_followers({**faults, **others}, given),
            contributions=contributions,
            facts=plain((given.get("ansible_facts") or {}).get("kafka_host") or {}),
            connection=self._connection(templar, given),
        )

    def used(self, host: str) -> frozenset[str]:
        """Return names that the inventory or the command line sets, without those that tasks registered."""
        registered = getattr(self.hostvars, "_variable_manager", None)
        passing = getattr(registered, "_nonpersistent_fact_cache", {}).get(host, {})
        return frozenset(
            name for name in self.hostvars.raw_get(host) if name.startswith(PREFIX) and name not in passing
        )

    def readable(self, host: str) -> frozenset[str]:
        """Return settings whose secret is readable for all readers of the inventory."""
        given = self.hostvars.raw_get(host)
        layers = ((name, given.get(name)) for name in (*LAYERS, "kafka_tls"))
        users = given.get("kafka_users")
        people = frozenset(
            f"kafka_users[{plain(user.get('name'))}].password"
            for user in (users if isinstance(users, list) else ())
            if isinstance(user, Mapping) and is_readable(user.get("password"))
        )
        return people | frozenset(
            f"{name}[{plain(key)}]"
            for name, layer in layers
            for key, value in (layer.items() if isinstance(layer, Mapping) else ())
            if is_readable(value) and "certificate" not in str(key) and is_secret(str(key), value)
        )

    def _resolved(
        self, templar: Any, variables: Mapping[str, Any], names: Iterable[str]
    ) -> tuple[dict[str, Any], dict[str, str]]:
        """Name -> value of those that can be resolved, and place -> reason of the others and of parts of them."""
        values: dict[str, Any] = {}
        faults: dict[str, str] = {}
        for name in names:
            try:
                values[name] = self._value(templar, name, variables[name])
            except AnsibleError:
                value = sound_part(templar, variables[name], name, faults)
                values |= {} if value is LOST else {name: value}
        return values, faults

    def _value(self, templar: Any, name: str, given: Any) -> Any:
        known, value = self._fixed.get(name, (None, None))
        if known is not None and known is given:
            return value
        value = plain(templar.template(given))
        if is_fixed(given):
            self._fixed[name] = (given, value)
        return value

    def _connection(self, templar: Any, given: Mapping[str, Any]) -> dict[str, Any]:
        try:
            found = {name: plain(templar.template(given[name])) for name in CONNECTION if name in given}
        except AnsibleError:
            found = {}
        return {"remote_user": context.CLIARGS.get("remote_user"), **found}  # --user, or else of ansible.cfg


def without_followers(faults: Mapping[str, str], given: Container[str]) -> dict[str, str]:
    """Return the faults without defaults of roles that repeat the reason of a variable in the inventory (`given`)."""
    causes = {why for name, why in faults.items() if re.split(r"[\[.]", name)[0] in given}
    return {name: why for name, why in faults.items() if why not in causes or re.split(r"[\[.]", name)[0] in given}


def sound_part(templar: Any, value: Any, place: str, faults: dict[str, str]) -> Any:
    """Return the part of `value` that can be resolved, or LOST; `faults` takes place -> reason of each other part.

    A list loses the whole entry, a mapping the key alone, so that the rest can be validated.
    """
    try:
        return plain(templar.template(value))
    except AnsibleError as error:
        if isinstance(value, Mapping):
            parts = {key: sound_part(templar, each, key_place(place, key), faults) for key, each in value.items()}
            return {str(key): each for key, each in parts.items() if each is not LOST}
        if isinstance(value, (list, tuple)):
            return list(sound_entries(templar, value, place, faults))
        faults[place] = reason(error, value, place)
        return LOST


def sound_entries(templar: Any, values: Iterable[Any], place: str, faults: dict[str, str]) -> Iterator[Any]:
    """Yield the entries of a list that can be resolved as a whole; `faults` as of ``sound_part``."""
    for at, each in enumerate(values):
        own: dict[str, str] = {}
        part = sound_part(templar, each, element_place(place, at, each), own)
        faults.update(own)
        if not own:
            yield part


def key_place(place: str, key: Any) -> str:
    """Return the place of a mapping's key: a setting's in brackets, any other behind a dot."""
    return f"{place}[{key}]" if "." in str(key) else f"{place}.{key}"


def element_place(place: str, at: int, element: Any) -> str:
    """Return the place of a list's element, by its name if it has a fixed one."""
    name = element.get("name") if isinstance(element, Mapping) else None
    return f"{place}[{plain(name) if name is not None and is_fixed(name) else at}]"


def reason(error: AnsibleError, value: Any, place: str = "") -> str:
    """Return an error's own message with those of its causes, without Ansible's advice.

    Those words repeat parts of a template: of a secret in the open, nothing is said.
    """
    if not isinstance(value, EncryptedString) and is_secret(place.rstrip("]").rpartition("[")[2]):
        return SECRET_TEMPLATE
    said = " ".join(str(error).replace("Use -vvvvv to see paths searched.", "").split()).rstrip(".")
    return said + (NO_FACTS if not isinstance(value, EncryptedString) and "ansible_" in str(value) else "")
