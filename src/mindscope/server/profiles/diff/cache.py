# SPDX-License-Identifier: Apache-2.0
"""The last differences that were computed, and the large ones that are computed now."""

from __future__ import annotations

from pathlib import Path

from mindscope.profile.compare import diff_profiles
from mindscope.profile.compare.side import StepRange
from mindscope.server.http.disconnect import check_connected
from mindscope.server.jobs.background import BackgroundJobs, Worker
from mindscope.server.jobs.task import Outcome, Task, completed, with_problem
from mindscope.server.profiles.diff.large_diff import diff_apart, is_large_diff
from mindscope.server.profiles.diff.query import diff_message
from mindscope.server.profiles.diff.schema import DiffMessage
from mindscope.server.profiles.reader import OpenParts, ProfileReader

MOST_KEPT = 8
ABANDONED_S = 60.0
"""A large difference that no request waits for any more ends after this time."""

_Key = tuple[Path, Path, StepRange | None, StepRange | None]


class DiffCache:
    """Differences by paths and steps. For any thread.

    Large profiles are compared one pair at a time, in a process that may have ``memory_bytes``; 0 means that none are.
    """

    def __init__(self, reader: ProfileReader, memory_bytes: int = 0) -> None:
        self._reader, self._memory_bytes = reader, memory_bytes
        worker = Worker("differences")
        self.jobs: BackgroundJobs[_Key, Task[DiffMessage]] = BackgroundJobs(MOST_KEPT, worker, patience_s=ABANDONED_S)

    @with_problem
    def message(
        self, before: OpenParts, after: OpenParts, steps_before: StepRange | None, steps_after: StepRange | None
    ) -> Outcome[DiffMessage]:
        """Return the difference of two profiles, else the progress of its computation, which begins now."""

        def make() -> Task[DiffMessage]:
            if is_large_diff(before, after, self._memory_bytes):
                return Task(compare)
            return completed(diff_message(diff_profiles(before.profile, after.profile, steps_before, steps_after)))

        def compare(task: Task[DiffMessage]) -> DiffMessage:
            task.phase = "comparing"
            return diff_apart(
                before, after, steps_before, steps_after, self._memory_bytes, self._reader.folder,
                self._reader.write_parts, check_connected,
            )  # fmt: skip

        key: _Key = (before.path, after.path, steps_before, steps_after)
        return self.jobs.request(key, f"{before.version} {after.version}", make).outcome

    def close(self) -> None:
        """End what is computed."""
        self.jobs.close()
