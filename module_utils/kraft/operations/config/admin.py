"""Overrides on a running cluster: described, changed through Kafka, and verified before they are reported.

A broker's own settings are read from that broker and changed through it: only it can validate them, and it
describes the values that it runs with. A change reaches it by way of the metadata log, so it shows a moment later.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ansible.module_utils.kraft.cluster.client import Client, Question
from ansible.module_utils.kraft.cluster.gather import observe
from ansible.module_utils.kraft.cluster.snapshot import Broker
from ansible.module_utils.kraft.errors import KraftError, ToolError
from ansible.module_utils.kraft.operations.config.plan import Change
from ansible.module_utils.kraft.operations.config.settings import (
    ALL_BROKERS,
    BROKER,
    RESOURCE,
    Entity,
    Settings,
    broker,
    read,
    same,
    shown,
)

SET, DELETE = 0, 1
POLL_SECONDS = 0.1
Current = Mapping[Entity, Settings]
#: Several overrides of one entity that go in one request.
Step = Mapping[str, "str | None"]


class ConfigAdmin:
    """`timeout`: seconds in which a change must show. ``unanswered``: entity -> why it could not be described."""

    def __init__(self, client: Client, timeout: float, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client, self._timeout, self._sleep = client, timeout, sleep
        self._address = client.reach()
        snapshot = observe(client, ("features",), self._address)
        self.cluster_id, self.features = snapshot.cluster_id, snapshot.features or ()
        self.brokers: dict[Entity, Broker] = {broker(one.node_id): one for one in snapshot.brokers if not one.fenced}
        self.unanswered: dict[Entity, str] = {}

    def describe_configs(self, entities: Sequence[Entity], keys: Sequence[str] | None = None) -> Current:
        """Return the settings of each entity that answers; of `keys` if they are given, else all."""
        asked = [one for one in entities if self._known(one)]
        answers = self._client.send_all([self._question(one, keys) for one in asked])
        found = {}
        for entity, answer in zip(asked, answers):
            try:
                found[entity] = self._read(entity, answer)
            except KraftError as error:
                self.unanswered[entity] = str(error)
        return found

    def validate(self, changes: Sequence[Change]) -> dict[Change, str]:
        """Return the changes that Kafka would refuse, with reasons: each is validated alone, by its first step."""
        questions = [self._alteration(one.entity, {one.key: one.steps()[0]}, validate_only=True) for one in changes]
        answers = zip(changes, self._client.send_all(questions))
        return {one: text for one, answer in answers if (text := self._refusal(answer))}

    def apply(self, changes: Sequence[Change]) -> None:
        """Make the changes and wait until they count. Raises ToolError that names entity and key."""
        for step in steps(changes):
            for entity, values in step.items():
                self._alter(entity, values)
            self._await(step)

    def _known(self, entity: Entity) -> bool:
        if entity.kind == BROKER and entity.name and entity not in self.brokers:
            self.unanswered[entity] = f"{entity} does not serve"
            return False
        return True

    def _place(self, entity: Entity) -> str:
        return self.brokers[entity].address if entity in self.brokers else self._address

    def _question(self, entity: Entity, keys: Sequence[str] | None) -> Question:
        resource = (RESOURCE[entity.kind], entity.name, list(keys) if keys is not None else None)
        request = self._client.request("DescribeConfigsRequest", resources=[resource], include_synonyms=True)
        return Question(self._place(entity), request)

    def _read(self, entity: Entity, answer: Any) -> Settings:
        if isinstance(answer, KraftError):
            raise answer
        result = answer["results"][0]
        error = self._client.error(str(entity), result["error_code"], result["error_message"])
        if error:
            raise error
        return read(result["configs"])

    def _alteration(self, entity: Entity, values: Step, validate_only: bool = False) -> Question:
        operations = [(key, DELETE if value is None else SET, value) for key, value in values.items()]
        resource = (RESOURCE[entity.kind], entity.name, operations)
        request = self._client.request(
            "IncrementalAlterConfigsRequest", resources=[resource], validate_only=validate_only
        )
        return Question(self._place(entity), request)

    def _refusal(self, answer: Any) -> str:
        """Return Kafka's objection to a change; a retriable error is raised, so that the whole is tried again."""
        if isinstance(answer, KraftError):
            raise answer
        response = answer["responses"][0]
        error = self._client.error("", response["error_code"], response["error_message"])
        if error and error.retriable:
            raise error
        return error.detail if error else ""

    def _alter(self, entity: Entity, values: Step) -> None:
        refused = self._refusal(self._client.send_all([self._alteration(entity, values)])[0])
        if refused:
            raise ToolError(f"{entity}: Kafka refuses to change {', '.join(sorted(values))}: {refused}")

    def _await(self, step: Mapping[Entity, Step]) -> None:
        """Wait until all concerned entities show the new values."""
        deadline = time.monotonic() + self._timeout
        while True:
            late = self._late(step)
            if not late:
                return
            if time.monotonic() >= deadline:
                text = "; ".join(late[:5])
                raise ToolError(f"Kafka took the change, and {self._timeout:g} s later it does not count: {text}")
            self._sleep(POLL_SECONDS)

    def _late(self, step: Mapping[Entity, Step]) -> list[str]:
        """Describe values that are not shown yet. A default of all brokers must be shown by each that serves."""
        out: list[str] = []
        for entity, values in step.items():
            seen_by = list(self.brokers) if entity == ALL_BROKERS else [entity]
            found = self.describe_configs(seen_by, list(values))
            for one in seen_by:
                out += missing(one, found.get(one, {}), entity.source, values)
        return out


def missing(seen_by: Entity, settings: Settings, source: str, values: Step) -> list[str]:
    """Return those of `values` that an entity does not show, though they were set as overrides of `source`."""
    out = []
    for key, wanted in values.items():
        setting = settings.get(key)
        layer = setting.layer(source) if setting else None
        there = layer.value if layer else None
        secret = bool(setting and setting.secret)
        shows = (layer is not None) if secret and wanted is not None else there == wanted
        counts = setting is not None and layer is not None and not secret and setting.layers[0] == layer
        if not shows or (counts and setting and not same(setting.value, wanted)):
            out.append(f"{seen_by} has {key} {shown(setting.value if setting else None, secret, key)}")
    return out


def steps(changes: Iterable[Change]) -> list[dict[Entity, dict[str, str | None]]]:
    """Arrange the changes in rounds: one request for each entity, and threads' steps in several rounds."""
    rounds: list[dict[Entity, dict[str, str | None]]] = []
    for change in changes:
        for number, value in enumerate(change.steps()):
            if number == len(rounds):
                rounds.append({})
            rounds[number].setdefault(change.entity, {})[change.key] = value
    return rounds
