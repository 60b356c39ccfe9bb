# SPDX-License-Identifier: Apache-2.0
"""Finds summaries of many ranks in a directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mindscope.artifacts.problems import Problems
from mindscope.profile.formats.ascend.cluster import is_cluster_output
from mindscope.profile.ranks.cluster_output import cluster_output
from mindscope.profile.ranks.old_summaries import is_old_summary, old_summaries
from mindscope.profile.ranks.rank_data import RankData
from mindscope.reasons import Reason, os_reason

_DEPTH = 4
"""Directories below the one that is searched."""


def summaries_in(path: Path, problems: dict[str, str]) -> Iterator[RankData]:
    """Find each rank that a summary in the directory, or below it, describes. Unreadable directories have none.

    ``problems`` gets files that are damaged.
    """
    yield from _find(path, _DEPTH, problems)


def _find(path: Path, depth: int, problems: dict[str, str]) -> Iterator[RankData]:
    try:
        if not path.is_dir():
            return
        entries = sorted(path.iterdir())
        names = [entry.name for entry in entries if is_old_summary(entry.name) and entry.is_file()]
        is_output = is_cluster_output(path)
        below = [entry for entry in entries if entry.is_dir() and not entry.is_symlink()]
    except OSError as error:
        problems[str(path)] = Reason("profile_file_unreadable", **os_reason(error))
        return
    own = Problems()
    if is_output:
        yield from cluster_output(path, own)
    if names:
        yield from old_summaries(path, names, own)
    problems.update({str(path / name): problem for name, problem in own.items()})
    for each in below if depth else ():
        yield from _find(each, depth - 1, problems)
