"""The configuration of the agent in a node's JVM: an allow-list, made from the catalogue. Pure.

The agent compares patterns with ``domain<key=value, ...><>attribute: value``. It publishes nothing that no rule names,
and reads no MBean that is not listed (prometheus/jmx_exporter, docs of release 1.0.1).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import yaml
from ansible.module_utils.kraft.monitoring.catalogue import Metric

#: A placeholder of an MBean's name, such as ``{topic}``, and the wildcard value.
PLACEHOLDER = re.compile(r"\{(\w+)\}")
ANY = "*"
TOPIC = "topic"  #: the label whose values an operator may narrow


def config_text(metrics: Iterable[Metric], topics: Sequence[str] = (ANY,)) -> str:
    """Return the agent's file for these metrics. It names no server: address and port are in the JVM's option."""
    published = [metric for metric in metrics if metric.mbean]
    names = dict.fromkeys(each for metric in published for each in object_names(metric, topics))
    rules = [each for metric in published for each in rules_of(metric)]
    return "# Written by Kraftwright from its catalogue of metrics; changes made here are lost.\n" + yaml.safe_dump(
        {"includeObjectNames": list(names), "rules": rules}, sort_keys=False, width=1000
    )


def object_names(metric: Metric, topics: Sequence[str]) -> Iterator[str]:
    """Yield the MBeans to read, each by its whole name unless a value may be any.

    `topics`: names in which ``*`` means any characters, as in an MBean's own (``javax.management.ObjectName``).
    """
    values = [topics if label == TOPIC else [ANY] if given == ANY else given for label, given in metric.labels.items()]
    for chosen in itertools.product(*values):
        labels = dict(zip(metric.labels, chosen, strict=True))
        yield PLACEHOLDER.sub(lambda found, of=labels: of[found[1]], metric.mbean)  # type: ignore[misc]


def rules_of(metric: Metric) -> Iterator[dict[str, Any]]:
    """Yield one rule, or one for each quantile."""
    if not metric.quantiles:
        yield rule(metric, metric.attribute, {})
    for quantile in metric.quantiles:
        yield rule(metric, percentile(quantile), {"quantile": str(quantile)})


def percentile(quantile: float) -> str:
    """Return the attribute of Kafka's histograms: 0.999 is ``999thPercentile``."""
    return f"{str(quantile).removeprefix('0.').ljust(2, '0')}thPercentile"


def rule(metric: Metric, attribute: str, fixed: dict[str, str]) -> dict[str, Any]:
    """Return a rule of the agent. Matches of a metric are cached, except for texts, which are read each time."""
    domain, _, keys = metric.mbean.partition(":")
    wanted = list(metric.labels)
    pattern = f"{re.escape(domain)}<{', '.join(map(key_pattern, keys.split(',')))}><>{re.escape(attribute)}:"
    labels = {label: f"${at}" for at, label in enumerate(wanted, 1)} | fixed
    if metric.text:
        labels = {metric.text: f"${len(wanted) + 1}"}
        pattern += " (.+)"
    value: dict[str, Any] = {"value": 1} if metric.text else {"cache": True}
    if metric.scale != 1:
        value["valueFactor"] = metric.scale
    named = {"labels": labels} if labels else {}
    return {"pattern": pattern, "name": metric.name, "type": metric.type.upper(), "help": metric.help, **named, **value}


def key_pattern(pair: str) -> str:
    """Return ``key=value`` of an MBean as a regular expression, with a group for a placeholder."""
    return "([^,>]+)".join(map(re.escape, re.split(r"\{\w+\}", pair)))
