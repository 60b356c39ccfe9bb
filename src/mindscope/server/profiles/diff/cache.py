# SPDX-License-Identifier: Apache-2.0
"""The last differences that were computed."""

from __future__ import annotations

from mindscope.lru import LRU
from mindscope.profile.diff import diff_profiles
from mindscope.profile.diff.side import StepRange
from mindscope.server.profiles.diff.query import diff_message
from mindscope.server.profiles.diff.schema import DiffMessage
from mindscope.server.profiles.reader import OpenParts

MOST_KEPT = 8


class DiffCache:
    """LRU cache by paths, versions and steps. For any thread."""

    def __init__(self) -> None:
        self._messages: LRU[tuple[object, ...], DiffMessage] = LRU(MOST_KEPT)

    def message(
        self, before: OpenParts, after: OpenParts, steps_before: StepRange | None, steps_after: StepRange | None
    ) -> DiffMessage:
        """The difference of two profiles. Raises ProfilePartError as ``diff_profiles`` does."""
        key = (before.path, before.version, after.path, after.version, steps_before, steps_after)
        return self._messages.get(key) or self._messages.add(
            key, diff_message(diff_profiles(before.profile, after.profile, steps_before, steps_after))
        )

    def close(self) -> None:
        """Forget all."""
        self._messages.clear()
