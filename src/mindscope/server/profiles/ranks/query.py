# SPDX-License-Identifier: Apache-2.0
"""Reads the profiles of all ranks of a training, and compares them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mindscope.artifacts.version import version_of
from mindscope.errors import FormatError
from mindscope.profile.open import FoundProfile
from mindscope.profile.ranks.open import with_summaries
from mindscope.profile.ranks.rank_data import RankData, rank_data_of
from mindscope.profile.ranks.ranks import Ranks
from mindscope.profile.ranks.summaries import summaries_in
from mindscope.server.http.columns import Packed
from mindscope.server.http.context import Viewer
from mindscope.server.http.disconnect import while_connected
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.jobs.schema import TaskProgress
from mindscope.server.jobs.task import Task
from mindscope.server.profiles.access import reader_of
from mindscope.server.profiles.files import profiles_of
from mindscope.server.profiles.ranks.cache import KnownRank, RanksCache, Version
from mindscope.server.profiles.ranks.messages import RankOrigin, pack_progress, pack_ranks
from mindscope.server.profiles.ranks.schema import RanksProgress, UnreadRank
from mindscope.server.profiles.reader import ProfileReader

_WITHOUT_RANKS = frozenset(("chrome_trace", "memory_snapshot", "ascend_cluster"))
"""Formats that hold neither steps nor communication of one rank."""
_AT_ONCE = 8
"""Profiles that wait to be read."""


@dataclass
class _Found:
    """The known facts of the profiles of some runs."""

    origins: dict[str, RankOrigin] = field(default_factory=dict[str, RankOrigin])
    """Origins of ranks by the path of their profile."""
    data: list[RankData] = field(default_factory=list[RankData])
    versions: list[Version] = field(default_factory=list[Version])
    unread: list[UnreadRank] = field(default_factory=list[UnreadRank])
    reading: list[Task[Any]] = field(default_factory=list[Task[Any]])
    total: int = 0
    waiting: int = 0
    """Profiles that are not read yet."""


def query_ranks(viewer: Viewer, runs: Sequence[str]) -> Packed:
    """Return the comparison of all ranks, or how many profiles are read. The header is a RanksHeader."""
    cache = viewer.shared(RanksCache)
    known = viewer.catalog.runs
    directories = {run: Path(known[run].path) for run in dict.fromkeys(runs) if run in known}
    found = _Found()
    for run in while_connected(directories):
        try:
            listed = list(profiles_of(known[run], known))
        except OSError as error:
            found.unread.append(UnreadRank(run=run, profile="", problem=ReasonEntry.of(error)))
            continue
        for name, profile in listed:
            if profile.format.name not in _WITHOUT_RANKS:
                _add(found, run, name, profile, reader_of(viewer), cache)
    if found.waiting:
        current = next((each for each in found.reading if each.phase != "waiting"), None)
        return pack_progress(
            RanksProgress(
                read=found.total - found.waiting,
                total=found.total,
                current=None if current is None else TaskProgress.of(current),
            ),
            found.unread,
        )
    try:
        ranks = cache.ranks(tuple(found.versions), lambda: _compare(found, directories))
    except FormatError:
        return pack_progress(None, found.unread)
    return pack_ranks(ranks, found.origins, [*found.unread, *_unread_summaries(ranks.problems, directories)])


def _add(found: _Found, run: str, name: str, profile: FoundProfile, reader: ProfileReader, cache: RanksCache) -> None:
    found.total += 1
    version = (profile.key, version_of(profile.key))
    rank = cache.rank(version)
    if rank is None and len(found.reading) < _AT_ONCE:
        outcome = reader.parts(profile)
        if outcome.progress is not None:
            found.reading.append(outcome.progress)
        elif outcome.value is not None:
            rank = cache.keep_rank(version, KnownRank(rank_data_of(outcome.value.profile), outcome.value.zero))
        else:
            rank = cache.keep_rank(version, KnownRank(None, problem=outcome.problem))
    if rank is None:
        found.waiting += 1
    elif rank.problem is not None:
        found.unread.append(UnreadRank(run=run, profile=name, problem=ReasonEntry.of(rank.problem)))
    elif rank.data is not None:
        found.origins[rank.data.path] = RankOrigin(run, name, rank.zero)
        found.data.append(rank.data)
        found.versions.append(version)


def _compare(found: _Found, directories: Mapping[str, Path]) -> Ranks:
    problems: dict[str, str] = {}
    summaries = [summary for directory in directories.values() for summary in summaries_in(directory, problems)]
    ranks = Ranks(with_summaries(found.data, summaries))
    ranks.problems.update(problems)
    return ranks


def _unread_summaries(problems: Mapping[str, str], directories: Mapping[str, Path]) -> Iterator[UnreadRank]:
    for path, problem in problems.items():
        run = next((run for run, own in directories.items() if Path(path).is_relative_to(own)), "")
        yield UnreadRank(run=run, profile="", problem=ReasonEntry.of(f"{Path(path).name}: {problem}"))
