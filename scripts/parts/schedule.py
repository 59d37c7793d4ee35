"""Schedule of parts: side by side as long as the machine has a processor for each, and memory for their brokers.

More parts at a time would end no sooner: two scenarios fill two processors. Then nodes miss their timeouts, and tests
fail for no other reason.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import TypeVar

from scripts.parts.targets import Part

Outcome = TypeVar("Outcome")
#: Memory that one heavy part takes at most: six nodes of a scenario, or Spark beside three brokers, in bytes.
HEAVY_MEMORY = 5 * 1024**3


@dataclass(frozen=True)
class Machine:
    """Resources that parts share: cores, and memory in bytes."""

    cores: int
    memory: int

    def has_room(self, part: Part, running: Sequence[Part]) -> bool:
        """Check whether a part may start beside the running ones. With nothing running, each may."""
        busy = sum(each.cores for each in running)
        heavy = sum(each.heavy for each in running)
        fits = not part.heavy or (heavy + 1) * HEAVY_MEMORY <= self.memory
        return not running or (busy + part.cores <= self.cores and fits)


def look() -> Machine:
    """Return this machine."""
    return Machine(len(os.sched_getaffinity(0)), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))


def next_part(waiting: Sequence[Part], running: Sequence[Part], machine: Machine) -> Part | None:
    """Return the first waiting part that there is room for, or None."""
    return next((part for part in waiting if machine.has_room(part, running)), None)


def run_all(parts: Sequence[Part], run: Callable[[Part], Outcome], machine: Machine | None = None) -> list[Outcome]:
    """Run every part once; return the results of ``run``, in the order in which they ended."""
    machine = machine or look()
    waiting, running, outcomes = list(parts), dict[Future[Outcome], Part](), list[Outcome]()
    with ThreadPoolExecutor(max_workers=max(1, len(parts))) as pool:
        while waiting or running:
            while chosen := next_part(waiting, list(running.values()), machine):
                waiting.remove(chosen)
                running[pool.submit(run, chosen)] = chosen
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                running.pop(done)
                outcomes.append(done.result())
    return outcomes
