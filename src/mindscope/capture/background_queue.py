# SPDX-License-Identifier: Apache-2.0
"""A bounded queue of slow work, and the thread that does it in order."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from mindscope.capture import exit_hooks
from mindscope.capture.thread_priority import use_batch_scheduling
from mindscope.threads.interruptible_condition import InterruptibleCondition

Job = Callable[[], None]
"""Function that must not raise."""


class BackgroundQueue:
    """Jobs that run on a thread, which starts with the first one.

    What is queued is done before the process exits, also when SIGTERM ends it. A forked child begins with none.

    Args:
        most: jobs that wait or run at the same time.
        timeout_s: how long ``wait_for_room`` waits; None for no limit.
        name: of the thread.
    """

    def __init__(self, most: int, timeout_s: float | None = None, name: str = "mindscope-landscape") -> None:
        self._most, self._name = most, name
        self._timeout_s = timeout_s
        self.reset_after_fork()
        exit_hooks.reset_in_forks(self)

    def reset_after_fork(self) -> None:
        """Reset all state: at the start, and in a forked child."""
        self._changed = InterruptibleCondition()
        self._jobs: deque[Job] = deque()  # the first one runs; it leaves when it is done
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def wait_for_room(self) -> bool:
        """Wait until another job may be submitted; returns False after the time limit."""
        return self._wait(lambda: len(self._jobs) < self._most, self._timeout_s)

    def submit(self, job: Job) -> None:
        """Queue a job. Runs it at once where no thread can be started, as at the end of the interpreter."""
        with self._changed:
            self._is_closed = False
            self._jobs.append(job)
            self._changed.notify_all()
            if self._thread is not None:
                return
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            try:
                self._thread.start()
            except RuntimeError:
                self._thread = None
        exit_hooks.close_at_exit(self)
        while self._thread is None and self._jobs:
            self._jobs[0]()
            self._jobs.popleft()

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until all jobs are done; returns False after ``timeout_s``."""
        return self._wait(lambda: not self._jobs, timeout_s)

    def close(self) -> None:
        """Do all jobs and end the thread; another job starts a new one."""
        self.request_close()
        thread = self._thread
        if thread is not None:
            thread.join()
        exit_hooks.forget(self)

    def request_close(self) -> None:
        """Close without waiting."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()

    def _wait(self, is_reached: Callable[[], bool], timeout_s: float | None) -> bool:
        end = None if timeout_s is None else time.monotonic() + timeout_s
        with self._changed:
            while not is_reached():
                rest = None if end is None else end - time.monotonic()
                if rest is not None and rest <= 0:
                    return False
                self._changed.wait(rest)
        return True

    def _run(self) -> None:
        use_batch_scheduling()
        while True:
            with self._changed:
                while not self._jobs and not self._is_closed:
                    self._changed.wait()
                if not self._jobs:
                    self._thread = None
                    return
                job = self._jobs[0]
            job()
            with self._changed:
                self._jobs.popleft()
                self._changed.notify_all()
            del job  # its copy of the weights
