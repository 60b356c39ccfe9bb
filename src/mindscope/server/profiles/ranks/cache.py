# SPDX-License-Identifier: Apache-2.0
"""Keeps facts of the profiles of ranks, and the last trainings that were compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from mindscope.lru import LRU
from mindscope.profile.ranks.rank_data import RankData
from mindscope.profile.ranks.ranks import Ranks

MOST_PROFILES = 4096
MOST_RANKS = 2
Version = tuple[Path, str]
"""A profile, and the version of its files."""


class KnownRank(NamedTuple):
    """The steps and communication of a rank in a profile; None if it has neither."""

    data: RankData | None
    zero: int = 0
    """Begin of its timeline in nanoseconds since the origin of the profile."""
    problem: Exception | None = None
    """Reason why it can't be read; it is not read again until its files change."""


class RanksCache:
    """LRU caches by path and version. For any thread."""

    def __init__(self) -> None:
        self._profiles: LRU[Version, KnownRank] = LRU(MOST_PROFILES)
        self._ranks: LRU[tuple[Version, ...], Ranks] = LRU(MOST_RANKS)

    def rank(self, of: Version) -> KnownRank | None:
        """Return the rank of a profile that was read; None before."""
        return self._profiles.get(of)

    def keep_rank(self, of: Version, known: KnownRank) -> KnownRank:
        """Add a profile that was read."""
        return self._profiles.add(of, known)

    def ranks(self, of: tuple[Version, ...], compare: Callable[[], Ranks]) -> Ranks:
        """Return the ranks of these profiles. Raises what ``compare`` does."""
        return self._ranks.get_or_add(of, compare)

    def close(self) -> None:
        """Forget all ranks."""
        self._profiles.clear()
        self._ranks.clear()
