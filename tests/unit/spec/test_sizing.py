"""From the machine to heap, threads and options."""

from __future__ import annotations

import pytest
from ansible.module_utils.kraft.spec.desired.describe import describe_node
from ansible.module_utils.kraft.spec.desired.files import jvm_options_text
from ansible.module_utils.kraft.spec.desired.jvm import quoted
from ansible.module_utils.kraft.spec.desired.model import Cluster
from ansible.module_utils.kraft.spec.desired.sizing import heap_mb, io_threads, max_map_count, network_threads, size_mb

from tests.unit.spec.inventory import cluster


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512m", 512),
        ("4g", 4096),
        ("4G", 4096),
        ("1048576k", 1024),
        ("4", None),
        ("4gb", None),
        ("", None),
        ("-1g", None),
    ],
)
def test_sizes_are_read_as_the_jvm_reads_them(text: str, size: int | None) -> None:
    assert size_mb(text) == size


@pytest.mark.parametrize(
    ("memory", "given", "heap"),
    [(None, "", None), (None, "1g", 1024), (900, "", 512), (4096, "", 2048), (65536, "", 6144), (65536, "8g", 8192)],
)
def test_heap_is_half_of_the_memory_within_bounds(memory: int | None, given: str, heap: int | None) -> None:
    assert heap_mb(memory, given) == heap


def test_threads_never_fall_below_kafkas_defaults() -> None:
    assert [network_threads(cpus) for cpus in (None, 2, 8, 64)] == [3, 3, 4, 16]
    assert [io_threads(cpus) for cpus in (None, 2, 24, 128)] == [8, 8, 24, 64]
    assert io_threads(2, log_dirs=6) == 12


def test_memory_maps_grow_with_the_partition_budget() -> None:
    assert max_map_count(500) == 262144
    assert max_map_count(20000) == 465530


def options_of(made: Cluster) -> list[str]:
    """The lines of the first node's jvm.options."""
    node = made.nodes[0]
    return jvm_options_text(describe_node(made, node), node.jvm_options).splitlines()


def test_options_of_the_inventory_come_last() -> None:
    made = cluster(kafka_heap_size="1g", kafka_jvm_options=["-XX:MaxGCPauseMillis=50"])
    options = options_of(made)
    assert options[:2] == ["-Xms1024m", "-Xmx1024m"]
    assert options.index("-XX:MaxGCPauseMillis=20") < options.index("-XX:MaxGCPauseMillis=50")


def test_another_collector_takes_the_place_of_g1() -> None:
    made = cluster(kafka_jvm_options=["-XX:+UseZGC"])
    options = options_of(made)
    assert "G1" not in "".join(options)
    assert "-XX:+UseZGC" in options


@pytest.mark.parametrize(
    ("option", "word"),
    [
        ("-Xmx1g", "-Xmx1g"),
        ("-Dname=two words", '"-Dname=two words"'),
        ('-Dpath=C:\\x"y', '"-Dpath=C:\\\\x\\"y"'),
        ("-Da=#1", '"-Da=#1"'),
    ],
)
def test_options_are_quoted_where_the_launcher_needs_it(option: str, word: str) -> None:
    assert quoted(option) == word


def test_unknown_memory_leaves_the_heap_open() -> None:
    assert not [option for option in options_of(cluster(kafka_heap_size=None)) if option.startswith("-Xm")]
