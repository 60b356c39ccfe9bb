# SPDX-License-Identifier: Apache-2.0
"""The last differences that were computed, and the large ones that are computed now."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

from mindscope.lru import LRU
from mindscope.profile.diff import diff_profiles
from mindscope.profile.diff.side import StepRange
from mindscope.server.profiles.diff.large_diff import diff_apart, is_large_diff
from mindscope.server.profiles.diff.query import diff_message
from mindscope.server.profiles.diff.schema import DiffMessage
from mindscope.server.profiles.reader import OpenParts, ProfileReader, Reading

MOST_KEPT = 8
ABANDONED_S = 60.0
"""A large difference that no request waits for any more ends after this time."""

_Key = tuple[object, ...]


class _AbandonedError(Exception):
    pass


@dataclass(eq=False)
class _Job:
    """``requested_at`` is the time of the last request for its result, by time.monotonic."""

    state: Reading
    result: Future[DiffMessage] = field(default_factory=Future[DiffMessage])
    requested_at: float = field(default_factory=time.monotonic)


class DiffCache:
    """LRU cache by paths, versions and steps. For any thread.

    Large profiles are compared one pair at a time, in a process that may have ``memory_bytes``; 0 means that none are.
    """

    def __init__(self, reader: ProfileReader, memory_bytes: int = 0) -> None:
        self._reader, self._memory_bytes = reader, memory_bytes
        self._messages: LRU[_Key, DiffMessage] = LRU(MOST_KEPT)
        self._lock = Lock()
        self._jobs: dict[_Key, _Job] = {}
        """Guarded by the lock."""
        self._worker = ThreadPoolExecutor(1, "differences")
        self._is_closed = False

    def message(
        self, before: OpenParts, after: OpenParts, steps_before: StepRange | None, steps_after: StepRange | None
    ) -> DiffMessage | Reading:
        """The difference of two profiles, or the state of its computation, which begins now.

        Raises what prevents it: ProfilePartError as ``diff_profiles`` does; FormatError, OSError.
        """
        key: _Key = (before.path, before.version, after.path, after.version, steps_before, steps_after)
        found = self._messages.get(key)
        if found is not None:
            return found
        if not is_large_diff(before, after, self._memory_bytes):
            changes = diff_profiles(before.profile, after.profile, steps_before, steps_after)
            return self._messages.add(key, diff_message(changes))

        def compare(watch: Callable[[], None]) -> DiffMessage:
            return diff_apart(
                before, after, steps_before, steps_after, self._memory_bytes, self._reader.folder,
                self._reader.write_parts, watch,
            )  # fmt: skip

        result = self._result(key, Reading(after.path, after.version, total_bytes=0), compare)
        return result if isinstance(result, Reading) else self._messages.add(key, result)

    def close(self) -> None:
        """Forget all, and end what is computed."""
        self._is_closed = True
        self._worker.shutdown(wait=True, cancel_futures=True)
        self._messages.clear()

    def _result(
        self, key: _Key, state: Reading, compare: Callable[[Callable[[], None]], DiffMessage]
    ) -> DiffMessage | Reading:
        with self._lock:
            job = self._jobs.get(key)
            if job is None:
                job = self._jobs[key] = _Job(state)
                job.result = self._worker.submit(self._compare, key, job, compare)
            job.requested_at = time.monotonic()
            if not job.result.done():
                return job.state
            del self._jobs[key]
        return job.result.result()

    def _compare(self, key: _Key, job: _Job, compare: Callable[[Callable[[], None]], DiffMessage]) -> DiffMessage:
        def watch() -> None:
            if self._is_closed or time.monotonic() - job.requested_at > ABANDONED_S:
                raise _AbandonedError

        try:
            watch()
            job.state.phase = "comparing"
            return compare(watch)
        except _AbandonedError:
            with self._lock:
                self._jobs.pop(key, None)
            raise
