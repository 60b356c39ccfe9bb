# SPDX-License-Identifier: Apache-2.0
"""Jobs whose steps run within requests: each request continues what the last one left."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Hashable
from contextlib import contextmanager
from threading import Event, RLock
from typing import Any, Generic, Protocol, TypeVar

from mindscope.lru import LRU
from mindscope.server.http.disconnect import check_connected

BUDGET_S = 0.4
"""A request runs steps for this long, and answers with what it has."""


class SteppedWork(Protocol):
    """A computation step by step."""

    @property
    def is_complete(self) -> bool:
        """Whether no step is left."""
        ...

    def run_step(self) -> None: ...


class Work(SteppedWork, Protocol):
    """A computation for one version of its key."""

    def take_over(self, earlier: Any) -> None:
        """Continue the work for an earlier version."""
        ...


K = TypeVar("K", bound=Hashable)
S = TypeVar("S", bound=SteppedWork)
W = TypeVar("W", bound=Work)
A = TypeVar("A")


class Job(Generic[W]):
    """The work for one version of a key, and the requests that share it."""

    def __init__(self, version: object, earlier: Job[W] | None = None) -> None:
        self.version = version
        self.work: W | None = None
        self.earlier = None if earlier is None else earlier.work or earlier.earlier
        self.lock = RLock() if earlier is None else earlier.lock
        """Works of several versions may share what they computed."""
        self.is_outdated = False
        """A request for another version replaced it."""
        self.clients = 0
        """Requests that use it now."""
        self.requested_at = time.monotonic()
        self.is_started = False
        self.error: Exception | None = None
        self.ended = Event()

    def open(self, make: Callable[[], W]) -> W:
        """Return the work, which the first call makes. Hold the lock."""
        if self.work is None:
            work = make()
            if self.earlier is not None:
                work.take_over(self.earlier)
            self.work, self.earlier = work, None
        return self.work


class Jobs(Generic[K, W]):
    """The ``most`` jobs that were used last. For any thread.

    A request for another version than that of the last request makes a work that continues the last one.
    """

    most = 8

    def __init__(self, budget_s: float = BUDGET_S) -> None:
        self._budget_s = budget_s
        self._lock = RLock()
        self._kept: LRU[K, Job[W]] = LRU(self.most)

    def use(self, key: K, version: object, make: Callable[[], W], look: Callable[[W], A]) -> A:
        """Return what ``look`` sees in the work of a key. No other thread uses it during the call."""
        while True:
            with self._joined(key, version) as job, job.lock:
                if not job.is_outdated:
                    return look(job.open(make))

    def advance(self, key: K, version: object, make: Callable[[], W], look: Callable[[W], A]) -> A:
        """Return the result of ``look`` as ``use``, after ``run_steps``."""
        return self.use(key, version, make, lambda work: look(self.run_steps(work)))

    def run_steps(self, work: W) -> W:
        """Run at least one step, for the time of a request. Raises as ``Work.run_step`` and ``check_connected``."""
        return run_steps(work, self._budget_s)

    @contextmanager
    def _joined(self, key: K, version: object) -> Generator[Job[W]]:
        """Return the job of a key and version for one request."""
        with self._lock:
            job = self._find(key)
            if job is None or job.version != version:
                job = self._replaced(key, version, job)
            job.clients += 1
        try:
            yield job
        finally:
            with self._lock:
                job.clients -= 1
                job.requested_at = time.monotonic()

    def _find(self, key: K) -> Job[W] | None:
        return self._kept.get(key)

    def _replaced(self, key: K, version: object, earlier: Job[W] | None) -> Job[W]:
        if earlier is not None:
            earlier.is_outdated = True
        return self._kept.add(key, Job(version, earlier))


def run_steps(work: S, budget_s: float = math.inf) -> S:
    """Run steps until the work is complete or the time is over, at least one. Raises as ``check_connected``."""
    deadline = time.monotonic() + budget_s
    while not work.is_complete:
        check_connected()  # before the step, which counts as run when it fails
        work.run_step()
        if time.monotonic() > deadline:
            break
    return work
