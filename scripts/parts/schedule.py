"""When a part may start: side by side as far as cores and memory reach, heavy ones only while the machine keeps up."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from scripts.parts.targets import Part

Outcome = TypeVar("Outcome")
#: Memory that one heavy part takes at most: six nodes of a scenario, or Spark beside three brokers, in bytes.
HEAVY_MEMORY = 5 * 1024**3
#: Load for each core above which no heavy part starts beside another one; one scenario alone makes 1 to 3.
BUSY_LOAD = 6.0
#: Seconds after the start of a heavy part until the load average of a minute tells of it.
SETTLE = 60.0
#: Seconds between two looks at the load.
LOOK_AGAIN = 5.0


@dataclass(frozen=True)
class Machine:
    """What parts share: cores, memory in bytes, and the load average of the last minute."""

    cores: int
    memory: int
    load: float

    @property
    def slots(self) -> int:
        """Parts that may run side by side: three for two cores, as parts also wait for hosts and timeouts."""
        return max(1, min(max(2, 3 * self.cores // 2), self.memory // HEAVY_MEMORY))

    @property
    def busy(self) -> bool:
        """Whether what runs already is more than the machine keeps up with."""
        return self.load > BUSY_LOAD * self.cores


def look() -> Machine:
    """This machine, now."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return Machine(len(os.sched_getaffinity(0)), memory, float(Path("/proc/loadavg").read_text().split()[0]))


def next_part(waiting: Sequence[Part], running: Sequence[Part], machine: Machine, settled: bool = True) -> Part | None:
    """The first waiting part that may start beside the running ones, or None. With nothing running, one always may.

    ``settled``: whether the load tells of the heavy part that started last.
    """
    if len(running) >= machine.slots:
        return None
    alone = not any(part.heavy for part in running)
    heavy = alone or (settled and not machine.busy)
    return next((part for part in waiting if heavy or not part.heavy), None)


def run_all(
    parts: Sequence[Part],
    run: Callable[[Part], Outcome],
    machine: Callable[[], Machine] = look,
    clock: Callable[[], float] = time.monotonic,
) -> list[Outcome]:
    """Runs every part once and returns what ``run`` made of them, in the order in which they ended."""
    waiting, running, outcomes = list(parts), dict[Future[Outcome], Part](), list[Outcome]()
    began = -SETTLE
    with ThreadPoolExecutor(max_workers=max(1, len(parts))) as pool:
        while waiting or running:
            while chosen := next_part(waiting, list(running.values()), machine(), clock() - began >= SETTLE):
                waiting.remove(chosen)
                began = clock() if chosen.heavy else began
                running[pool.submit(run, chosen)] = chosen
            for done in wait(running, timeout=LOOK_AGAIN, return_when=FIRST_COMPLETED).done:
                running.pop(done)
                outcomes.append(done.result())
    return outcomes
