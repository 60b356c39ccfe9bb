# SPDX-License-Identifier: Apache-2.0
"""Runs writes one after the other, at once or on a thread of its own. No failure of one reaches the training."""

from __future__ import annotations

import logging
import os
import threading
from collections import deque
from collections.abc import Callable

from mindscope.threads.interruptible_condition import InterruptibleCondition

_log = logging.getLogger(__name__)
_QUEUE_BYTES = 256 << 20
_QUEUE_LENGTH = 20_000
_PATIENCE_S = 60.0


class BackgroundWriter:
    """A bounded queue of writes.

    Args:
        subject: what log lines name.
        is_background: write on a thread; else ``put`` returns after the write.
        queue_bytes: size of waiting writes above which ``put`` waits.
    """

    def __init__(self, subject: str, is_background: bool, queue_bytes: int = _QUEUE_BYTES) -> None:
        self._subject, self._is_background, self._limit = subject, is_background, queue_bytes
        self._jobs: deque[tuple[int, Callable[[], object]]] = deque()  # guarded by the condition, as all below
        self._condition = InterruptibleCondition()
        self._bytes = 0
        self._is_busy = self._is_closed = False
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._logged: set[str] = set()
        self.failures = 0
        """Writes that failed, or found no room in the queue."""

    def put(self, job: Callable[[], object], size: int = 0) -> None:
        """Write; waits while the queue is full. A forked process writes nothing.

        Args:
            job: what writes.
            size: bytes that it keeps in memory.
        """
        if os.getpid() != self._process:
            return
        if not self._is_background:
            with self._condition:
                self._run(job)
            return
        with self._condition:
            has_room = self._condition.wait_for(lambda: self._has_room(size) or self._is_closed, _PATIENCE_S)
            if not has_room or self._is_closed:
                self._fail("the queue was full for a minute" if not has_room else "it is closed")
                return
            self._jobs.append((size, job))
            self._bytes += size
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name=f"mindscope {self._subject}", daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def flush(self) -> None:
        """Wait until everything is written."""
        if os.getpid() == self._process and self._thread is not None:
            with self._condition:
                self._condition.wait_for(lambda: not self._jobs and not self._is_busy)

    def close(self) -> None:
        """Write the rest, and end the thread."""
        self.flush()
        with self._condition:
            self._is_closed = self._is_background
            self._condition.notify_all()
        if self._thread is not None and os.getpid() == self._process:
            self._thread.join()

    def _has_room(self, size: int) -> bool:
        return not self._jobs or (self._bytes + size <= self._limit and len(self._jobs) < _QUEUE_LENGTH)

    def _work(self) -> None:
        while True:
            with self._condition:
                self._is_busy = False
                self._condition.notify_all()
                self._condition.wait_for(lambda: bool(self._jobs) or self._is_closed)
                if not self._jobs:
                    return
                size, job = self._jobs.popleft()
                self._is_busy = True
            self._run(job)
            del job  # with the tensor that it holds
            with self._condition:
                self._bytes -= size

    def _run(self, job: Callable[[], object]) -> None:
        try:
            job()
        except Exception as error:
            self._fail(f"{type(error).__name__}: {error}", type(error).__name__)

    def _fail(self, reason: str, kind: str = "") -> None:
        self.failures += 1
        if (kind or reason) not in self._logged:
            self._logged.add(kind or reason)
            _log.warning("%s can't be written: %s; the training continues", self._subject, reason)
