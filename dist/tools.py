"""Kafka's command-line tools: name in ``bin/`` -> main classes, the newest release's first if it has moved."""

from __future__ import annotations

from collections.abc import Collection

TOOLS = {
    "connect-mirror-maker": ("org.apache.kafka.connect.mirror.MirrorMaker",),
    "kafka-acls": ("org.apache.kafka.tools.AclCommand",),
    "kafka-broker-api-versions": ("org.apache.kafka.tools.BrokerApiVersionsCommand",),
    "kafka-client-metrics": ("org.apache.kafka.tools.ClientMetricsCommand",),
    "kafka-cluster": ("org.apache.kafka.tools.ClusterTool",),
    "kafka-configs": ("org.apache.kafka.tools.ConfigCommand", "kafka.admin.ConfigCommand"),
    "kafka-console-consumer": ("org.apache.kafka.tools.consumer.ConsoleConsumer",),
    "kafka-console-producer": ("org.apache.kafka.tools.ConsoleProducer",),
    "kafka-console-share-consumer": ("org.apache.kafka.tools.consumer.ConsoleShareConsumer",),
    "kafka-consumer-groups": ("org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",),
    "kafka-consumer-perf-test": ("org.apache.kafka.tools.ConsumerPerformance",),
    "kafka-delegation-tokens": ("org.apache.kafka.tools.DelegationTokenCommand",),
    "kafka-delete-records": ("org.apache.kafka.tools.DeleteRecordsCommand",),
    "kafka-dump-log": ("org.apache.kafka.tools.DumpLogSegments", "kafka.tools.DumpLogSegments"),
    "kafka-e2e-latency": ("org.apache.kafka.tools.EndToEndLatency",),
    "kafka-features": ("org.apache.kafka.tools.FeatureCommand",),
    "kafka-get-offsets": ("org.apache.kafka.tools.GetOffsetShell",),
    "kafka-groups": ("org.apache.kafka.tools.GroupsCommand",),
    "kafka-jmx": ("org.apache.kafka.tools.JmxTool",),
    "kafka-leader-election": ("org.apache.kafka.tools.LeaderElectionCommand",),
    "kafka-log-dirs": ("org.apache.kafka.tools.LogDirsCommand",),
    "kafka-metadata-quorum": ("org.apache.kafka.tools.MetadataQuorumCommand",),
    "kafka-metadata-shell": ("org.apache.kafka.shell.MetadataShell",),
    "kafka-producer-perf-test": ("org.apache.kafka.tools.ProducerPerformance",),
    "kafka-reassign-partitions": ("org.apache.kafka.tools.reassign.ReassignPartitionsCommand",),
    "kafka-replica-verification": ("org.apache.kafka.tools.ReplicaVerificationTool",),
    "kafka-share-consumer-perf-test": ("org.apache.kafka.tools.ShareConsumerPerformance",),
    "kafka-share-groups": ("org.apache.kafka.tools.consumer.group.ShareGroupCommand",),
    "kafka-storage": ("kafka.tools.StorageTool",),
    "kafka-streams-application-reset": ("org.apache.kafka.tools.StreamsResetter",),
    "kafka-streams-groups": ("org.apache.kafka.tools.streams.StreamsGroupCommand",),
    "kafka-topics": ("org.apache.kafka.tools.TopicCommand",),
    "kafka-transactions": ("org.apache.kafka.tools.TransactionsCommand",),
    "kafka-verifiable-consumer": ("org.apache.kafka.tools.VerifiableConsumer",),
    "kafka-verifiable-producer": ("org.apache.kafka.tools.VerifiableProducer",),
    "kafka-verifiable-share-consumer": ("org.apache.kafka.tools.VerifiableShareConsumer",),
}

WRAPPER = """#!/bin/sh
# {name}: {main}
exec "$(dirname "$(readlink -f "$0")")/kafka-run-class.sh" --tool {main} "$@"
"""


def wrappers(classes: Collection[str]) -> dict[str, str]:
    """Return file name in ``bin/`` -> content, for the tools whose main class is among `classes`."""
    main = {name: next((one for one in known if one in classes), "") for name, known in TOOLS.items()}
    return {f"{name}.sh": WRAPPER.format(name=name, main=found) for name, found in main.items() if found}
