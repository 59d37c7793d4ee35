"""From the machine to the sizes: heap, threads, memory maps."""

from __future__ import annotations

import re

#: Heap of a node whose heap is not given: half of the memory, within these bounds (MiB). More than 6 GiB serves a
#: broker little; what is left is the page cache, from which Kafka serves its consumers.
SMALLEST_DERIVED_HEAP_MB = 512
LARGEST_DERIVED_HEAP_MB = 6144
#: Below this a node does not come up reliably (MiB).
SMALLEST_HEAP_MB = 256
#: From here on the JVM needs twice the space for each reference (MiB).
COMPRESSED_REFERENCES_MB = 32 * 1024

SIZE = re.compile(r"(\d+)([kKmMgG])")
#: Kafka's own defaults, the floor of what is derived.
NETWORK_THREADS = 3
IO_THREADS = 8
LARGEST_NETWORK_THREADS = 16
LARGEST_IO_THREADS = 64
#: The kernel's usual number of memory maps, kept for the JVM itself, and the least that is ever set.
PROCESS_MAPS = 65530
SMALLEST_MAPS = 262144
#: An offset index and a time index for each of ten segments of a partition.
MAPS_PER_PARTITION = 20


def size_mb(text: str) -> int | None:
    """Convert a JVM size (``512m``, ``4g``) to MiB, rounded down; None if it is none."""
    match = SIZE.fullmatch(text)
    if not match:
        return None
    number, unit = int(match.group(1)), match.group(2).lower()
    return {"k": number // 1024, "m": number, "g": number * 1024}[unit]


def heap_mb(memory_mb: int | None, given: str = "") -> int | None:
    """Return the heap in MiB: the given one or half of the memory within bounds; None while neither is known."""
    if given:
        return size_mb(given)
    if memory_mb is None:
        return None
    return max(SMALLEST_DERIVED_HEAP_MB, min(memory_mb // 2, LARGEST_DERIVED_HEAP_MB))


def network_threads(cpus: int | None) -> int:
    """Return the number of threads that move bytes: half of the cores, never below Kafka's default."""
    return min(max(NETWORK_THREADS, (cpus or 0) // 2), LARGEST_NETWORK_THREADS)


def io_threads(cpus: int | None, log_dirs: int = 1) -> int:
    """Return the number of request threads: one for each core, two for each log dir, at least Kafka's default."""
    return min(max(IO_THREADS, cpus or 0, 2 * log_dirs), LARGEST_IO_THREADS)


def max_map_count(partitions: int) -> int:
    """Return ``vm.max_map_count`` for a broker with `partitions` replicas."""
    return max(SMALLEST_MAPS, PROCESS_MAPS + MAPS_PER_PARTITION * partitions)


def partitions_within(maps: int) -> int:
    """Return the largest number of partitions for which `maps` memory maps are enough; 0 if they are for none."""
    return max(0, (maps - PROCESS_MAPS) // MAPS_PER_PARTITION) if maps >= SMALLEST_MAPS else 0
