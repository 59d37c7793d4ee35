"""What Ansible's workers inherit from its main process."""

from __future__ import annotations

import gc
import multiprocessing
from multiprocessing.queues import SimpleQueue

from ansible.module_utils.kraft.control import preloaded


def test_a_worker_collects_no_garbage_and_the_main_process_does() -> None:
    assert preloaded.load_filters
    fork = multiprocessing.get_context("fork")
    answers: SimpleQueue[bool] = fork.SimpleQueue()
    worker = fork.Process(target=lambda: answers.put(gc.isenabled()))
    worker.start()
    worker.join()
    assert not answers.get()
    assert gc.isenabled()
