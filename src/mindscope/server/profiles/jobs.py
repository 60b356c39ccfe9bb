# SPDX-License-Identifier: Apache-2.0
"""What a worker computes in the background by key and version, and what it computed last."""

from __future__ import annotations

import time
from collections.abc import Hashable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from mindscope.lru import LRU


class JobState(Protocol):
    """How far a job is."""

    version: str
    is_outdated: bool
    """Another version is wanted: the job stops."""
    requested_at: float
    """When its result was requested last, by time.monotonic."""


K = TypeVar("K", bound=Hashable)
S = TypeVar("S", bound=JobState)
T = TypeVar("T")


@dataclass(frozen=True, eq=False, slots=True)
class _Job(Generic[S, T]):
    state: S
    result: Future[T]


class Jobs(Generic[K, S, T]):
    """The last ``most`` results, and the jobs that are not done. Hold a lock while it is used."""

    def __init__(self, most: int) -> None:
        self._jobs: dict[K, _Job[S, T]] = {}
        self._results: LRU[K, tuple[str, T]] = LRU(most)

    def get(self, key: K, version: str) -> T | None:
        """Return the result of this version, if it is kept."""
        kept = self._results.get(key)
        return kept[1] if kept is not None and kept[0] == version else None

    def keep(self, key: K, version: str, result: T) -> T:
        """Keep a result instead of that of another version."""
        return self._results.add(key, (version, result))[1]

    def begin(self, key: K, state: S, result: Future[T]) -> S:
        """Add a job; one for another version ends."""
        outdated = self._jobs.get(key)
        if outdated is not None:
            outdated.state.is_outdated = True
            outdated.result.cancel()
        self._jobs[key] = _Job(state, result)
        return state

    def made(self, key: K, version: str) -> T | S | None:
        """Return the result of the job, or its state; None without one. Raises what the job raised."""
        job = self._jobs.get(key)
        if job is None or job.state.version != version:
            return None
        job.state.requested_at = time.monotonic()
        if not job.result.done():
            return job.state
        del self._jobs[key]
        return self.keep(key, version, job.result.result())

    def drop(self, key: K, state: S) -> None:
        """Forget the job of this state, so that the next request begins another one."""
        job = self._jobs.get(key)
        if job is not None and job.state is state:
            del self._jobs[key]

    def clear(self) -> None:
        """Forget all."""
        self._jobs.clear()
        self._results.clear()
