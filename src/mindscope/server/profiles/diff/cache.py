# SPDX-License-Identifier: Apache-2.0
"""The last differences that were computed, and the large ones that are computed now."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from mindscope.profile.compare import diff_profiles
from mindscope.profile.compare.side import StepRange
from mindscope.server.profiles.diff.large_diff import diff_apart, is_large_diff
from mindscope.server.profiles.diff.query import diff_message
from mindscope.server.profiles.diff.schema import DiffMessage
from mindscope.server.profiles.jobs import Jobs
from mindscope.server.profiles.reader import OpenParts, ProfileReader, Reading

MOST_KEPT = 8
ABANDONED_S = 60.0
"""A large difference that no request waits for any more ends after this time."""

_Key = tuple[Path, Path, StepRange | None, StepRange | None]


class _StoppedError(Exception):
    pass


class DiffCache:
    """Differences by paths and steps. For any thread.

    Large profiles are compared one pair at a time, in a process that may have ``memory_bytes``; 0 means that none are.
    """

    def __init__(self, reader: ProfileReader, memory_bytes: int = 0) -> None:
        self._reader, self._memory_bytes = reader, memory_bytes
        self._lock = Lock()
        self._jobs: Jobs[_Key, Reading, DiffMessage] = Jobs(MOST_KEPT)
        """Guarded by the lock."""
        self._worker = ThreadPoolExecutor(1, "differences")
        self._is_closed = False

    def message(
        self, before: OpenParts, after: OpenParts, steps_before: StepRange | None, steps_after: StepRange | None
    ) -> DiffMessage | Reading:
        """Return the difference of two profiles, or the state of its computation, which begins now.

        Raises what prevents it: ProfilePartError as ``diff_profiles`` does; FormatError, OSError.
        """
        key: _Key = (before.path, after.path, steps_before, steps_after)
        version = f"{before.version} {after.version}"
        with self._lock:
            known = self._jobs.get(key, version) or self._jobs.made(key, version)
            if known is not None:
                return known
            if is_large_diff(before, after, self._memory_bytes):
                state = Reading(after.path, version, total_bytes=0)
                return self._jobs.begin(key, state, self._worker.submit(self._compare, key, state, before, after))
        message = diff_message(diff_profiles(before.profile, after.profile, steps_before, steps_after))
        with self._lock:
            return self._jobs.keep(key, version, message)

    def close(self) -> None:
        """Forget all, and end what is computed."""
        self._is_closed = True
        self._worker.shutdown(wait=True, cancel_futures=True)
        with self._lock:
            self._jobs.clear()

    def _compare(self, key: _Key, state: Reading, before: OpenParts, after: OpenParts) -> DiffMessage:
        def stop_if_abandoned() -> None:
            if self._is_closed or state.is_outdated or time.monotonic() - state.requested_at > ABANDONED_S:
                raise _StoppedError

        try:
            stop_if_abandoned()
            state.phase = "comparing"
            _, _, steps_before, steps_after = key
            return diff_apart(
                before, after, steps_before, steps_after, self._memory_bytes, self._reader.folder,
                self._reader.write_parts, stop_if_abandoned,
            )  # fmt: skip
        except _StoppedError:
            with self._lock:
                self._jobs.drop(key, state)
            raise
