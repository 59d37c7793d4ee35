"""Summary of a run, as lines for the terminal: leader, voters, addresses for clients, proof, next steps.

``summary_lines`` is pure and never fails on missing data: it prints which parts were not requested or not proven.
"""

from __future__ import annotations

import dataclasses
import textwrap
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.kraft.control.out_of_reach import advertised_cause, out_of_reach
from ansible.module_utils.kraft.node.machine import ungranted

WIDTH = 100
LABEL = 12
MOST_LOGS = 3
INDENT = "  "
WORDS = {"proven": "proven", "failed": "NOT PROVEN", "undecided": "UNDECIDED", "unreachable": "NOT REACHED"}
FAULTS = {
    "lost": "lost",
    "corrupt": "corrupt",
    "out_of_order": "out of order",
    "misplaced": "misplaced",
    "foreign_headers": "with foreign headers",
    "undecided": "undecided",
    "duplicated": "duplicated",
}
RARE = ("foreign_headers", "undecided")  #: shown only if there are any
NEVER_CHECKED = (
    "In check mode nothing was started, so Kafka was not asked and no record was written:",
    "whether the cluster forms, elects a leader and keeps records is not checked by such a run.",
)

Data = Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Run:
    """The circumstances of a run. ``page``: path of the page that was written, empty when none was.

    ``inventory``: the options that name it (``-i inventories/mine``). ``steps``: further ``{command, purpose}``.
    ``looked``: host -> its registered results, from which ``ungranted`` finds what the hosts do not grant.
    """

    page: str = ""
    check: bool = False
    inventory: str = ""
    steps: tuple[Data, ...] = ()
    looked: Mapping[str, Data] = dataclasses.field(default_factory=dict)


def summary_lines(desired: Data | None, snapshot: Data | None, report: Data | None, run: Run = Run()) -> list[str]:
    """Return the summary, a headline first.

    `desired` is the fact of that name (``cluster``, ``nodes``), `snapshot` the result of ``kafka_cluster_info``,
    `report` the smoke test's; each may be missing.
    """
    desired = desired or {}
    cluster: Data = desired.get("cluster") or {}
    lines = [headline(cluster, report, run.check), ""]
    if run.check:
        lines += [*(INDENT + line for line in NEVER_CHECKED), "", *_connection(cluster)]
    else:
        seen = snapshot or (report or {}).get("cluster") or {}
        cause = _row("Cause", advertised_cause(cluster)) if out_of_reach(seen, verdict(report)) else []
        lines += [*_state(desired, seen), *_connection(cluster), *cause, *_proof(report), *_page(report, run.page)]
    lines += _not_granted(desired.get("nodes") or {}, run, proven=run.check or outcome(report) == "proven")
    return [*lines, *_next(desired, report, run)]


def headline(cluster: Data, report: Data | None, check: bool = False) -> str:
    """Return one sentence that is complete without the rest."""
    name = f"Cluster {cluster['name']}" if cluster.get("name") else "The cluster"
    if check:
        return f"{name}: check mode, nothing was changed and nothing was verified."
    return f"{name}: {WORDS.get(outcome(report), 'not verified in this run')}."


def outcome(report: Data | None) -> str:
    """``proven``, ``failed``, ``unreachable``, or nothing without a report."""
    return str(verdict(report).get("outcome") or "")


def verdict(report: Data | None) -> Data:
    return (report or {}).get("verdict") or {}


def _state(desired: Data, seen: Data) -> list[str]:
    """Return leader, voters and brokers, by the names that the inventory gives them."""
    names = {node.get("node_id"): host for host, node in (desired.get("nodes") or {}).items()}
    if not seen:
        return _row("Quorum", "not known: the cluster did not answer, or was not asked")
    return [*_quorum(seen.get("quorum"), names), *_brokers(desired, seen, names)]


def _quorum(quorum: Data | None, names: Mapping[Any, str]) -> list[str]:
    if not quorum:
        return _row("Quorum", "not known")
    leader, voters = quorum.get("leader_id"), quorum.get("voters") or []
    known = leader is not None and leader >= 0
    words = [_voter(voter, leader, names) for voter in voters]
    return [
        *_row("Leader", f"{_named(leader, names)}, epoch {quorum.get('leader_epoch')}" if known else "none"),
        *_row("Voters", ", ".join(words) or "none"),
    ]


def _voter(voter: Data, leader: Any, names: Mapping[Any, str]) -> str:
    name, lag = _named(voter.get("node_id"), names), voter.get("lag")
    if voter.get("node_id") == leader:
        return f"{name} leads"
    return f"{name} lag {lag:,}" if lag is not None else f"{name} not heard from"


def _brokers(desired: Data, seen: Data, names: Mapping[Any, str]) -> list[str]:
    found = seen.get("brokers") or []
    wanted = set((desired.get("cluster") or {}).get("broker_ids") or [])
    there = {broker.get("node_id") for broker in found}
    fenced = sorted(broker["node_id"] for broker in found if broker.get("fenced"))
    parts = [f"{len(there & wanted)} of {len(wanted)} registered" if wanted else f"{len(there)} registered"]
    for ids, words in ((sorted(wanted - there), "missing"), (fenced, "fenced")):
        parts += [f"{words}: {', '.join(_named(node, names) for node in ids)}"] if ids else []
    return _row("Brokers", "; ".join(parts))


def _named(node_id: Any, names: Mapping[Any, str]) -> str:
    return f"{names[node_id]} (node {node_id})" if node_id in names else f"node {node_id}"


def _connection(cluster: Data) -> list[str]:
    """Return the bootstrap servers; with several client listeners, or any but PLAINTEXT, the settings of each."""
    bootstrap, clients = cluster.get("bootstrap_servers"), cluster.get("clients") or {}
    lines = [_label("Bootstrap") + str(bootstrap)] if bootstrap else []
    if len(clients) > 1 or any(each.get("security.protocol") != "PLAINTEXT" for each in clients.values()):
        for number, (name, each) in enumerate(clients.items()):
            words = " ".join(f"{key}={value}" for key, value in each.items())
            wrapped = textwrap.wrap(f"{name}: {words}", WIDTH - LABEL, break_long_words=False, break_on_hyphens=False)
            lines += [_label("" if number or row else "Clients") + part for row, part in enumerate(wrapped)]
    return lines


def _proof(report: Data | None) -> list[str]:
    """Return the findings of the smoke test, its own sentences first."""
    if not report:
        return _row("Records", "none was written, so nothing is proven")
    lines: list[str] = []
    for number, sentence in enumerate(verdict(report).get("sentences") or []):
        lines += _row("" if number else "Verdict", str(sentence))
    return [*lines, *_counts(report.get("counts")), *_speed(report)]


def _counts(counts: Data | None) -> list[str]:
    if not counts:
        return _row("Records", "not counted")
    shown = {name: words for name, words in FAULTS.items() if counts.get(name) or (name in counts and name not in RARE)}
    faults = ", ".join(f"{counts[name]:,} {words}" for name, words in shown.items())
    moved = f"{counts.get('written', 0):,} written, {counts.get('read', 0):,} read back"
    return [*_row("Records", moved), *_row("Faults", faults)]


def _speed(report: Data) -> list[str]:
    throughput = report.get("throughput") or {}
    rates = [
        f"{words} {rate['records_per_s']:,.0f} records/s ({rate['mb_per_s']:.2f} MB/s, {rate['state']})"
        for words, rate in (("written", throughput.get("write")), ("read", throughput.get("batch_read")))
        if rate
    ]
    steady, bulk = (report.get("steady") or {}).get("acknowledged"), report.get("latency")
    waits = [
        f"p50 {_ms(found['p50_ms'])}, p99 {_ms(found['p99_ms'])} of {whose}"
        for whose, found in (("a steady client", steady), ("the bulk load", bulk))
        if found
    ]
    lines = _row("Latency", "; ".join(waits)) if waits else []
    return [*lines, *_row("Throughput", "; ".join(rates))] if rates else lines


def _ms(value: float) -> str:
    return f"{value:,.0f} ms" if value >= 10 else f"{value:.1f} ms"  # noqa: PLR2004


def _page(report: Data | None, page: str) -> list[str]:
    left_out = len((report or {}).get("not_checked") or [])
    where = f"see the end of the {'page' if page else 'report'}"
    things = f"{left_out} thing{'' if left_out == 1 else 's'}"
    lines = _row("Not checked", f"{things}; {where}") if left_out else []
    return [*lines, _label("Page") + page] if page else lines


def _not_granted(nodes: Mapping[str, Data], run: Run, proven: bool) -> list[str]:
    """Return requests that the hosts do not grant: in full if nothing is proven."""
    found = ungranted.ungranted(run.looked, nodes)
    if proven:
        said = ungranted.short(found, list(run.looked))
        command = _playbook("playbooks/cluster_status.yml", run)
        return [f"{_label('Not granted')}{said}; named by {command}"] if said else []
    texts = ungranted.lines(found, list(run.looked))
    return [line for number, text in enumerate(texts) for line in _row("" if number else "Not granted", text)]


def _next(desired: Data, report: Data | None, run: Run) -> list[str]:
    """Return the next commands as they are typed, their purposes in one column."""
    steps = [("xdg-open " + run.page, "see the page; any browser opens it, offline too")] if run.page else []
    steps += [_log_of(host, run) for host in _suspects(desired, report)]
    again = "deploy" if run.check else "prove it again, at any time"
    steps.append((_playbook("site.yml" if run.check else "playbooks/verify_cluster.yml", run), again))
    steps += [(str(step["command"]), str(step["purpose"])) for step in run.steps]
    width = max(len(command) for command, _ in steps)
    return ["", f"{INDENT}Next", *(f"{INDENT * 2}{command:{width}}  # {purpose}" for command, purpose in steps)]


def _playbook(name: str, run: Run) -> str:
    return " ".join(word for word in ("ansible-playbook", run.inventory, name) if word)


def _log_of(host: str, run: Run) -> tuple[str, str]:
    words = ("ansible", run.inventory, host, "-b -a 'journalctl -u kafka -n 200 --no-pager'")
    return " ".join(word for word in words if word), f"what Kafka on {host} says"


def _suspects(desired: Data, report: Data | None) -> list[str]:
    """Return inventory names of the nodes to inspect: leaders of missing records, or all when no node answered."""
    hosts = {node.get("node_id"): host for host, node in (desired.get("nodes") or {}).items()}
    if out_of_reach((report or {}).get("cluster") or {}, verdict(report)):
        return []  # their journals have no trace of it
    if outcome(report) == "unreachable":
        return list(hosts.values())[:MOST_LOGS]
    leaders = {missing.get("leader") for missing in (report or {}).get("first_missing") or []}
    return [host for node_id, host in hosts.items() if node_id in leaders][:MOST_LOGS]


def _row(label: str, words: str) -> list[str]:
    """Return a label and its text, wrapped under itself."""
    hanging = " " * len(_label(""))
    return textwrap.wrap(
        words,
        WIDTH,
        initial_indent=_label(label),
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [_label(label)]


def _label(label: str) -> str:
    return f"{INDENT}{label:{LABEL}} "
