# SPDX-License-Identifier: Apache-2.0
"""Opens the profiles of all ranks of a training."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from mindscope.artifacts.problems import problem_of
from mindscope.errors import FormatError
from mindscope.profile.open import find_profiles
from mindscope.profile.profile import Profile
from mindscope.profile.ranks.rank_data import RankData, rank_data_of
from mindscope.profile.ranks.ranks import Ranks
from mindscope.profile.ranks.summaries import summaries_in


def read_ranks(source: str | Path | Iterable[Profile]) -> Ranks:
    """Return all ranks of one training.

    Args:
        source: a directory with the profiles of all ranks, at any depth below it, or with the summary of a cluster;
            or profiles that are read already.

    Raises:
        FormatError: there is no profile with steps or communication.
        OSError: the directory can't be read.
    """
    if not isinstance(source, (str, Path)):
        return ranks_of(source)
    problems: dict[str, str] = {}
    return _ranks(list(_read_all(Path(source), problems)), Path(source), problems)


def ranks_of(profiles: Iterable[Profile], directory: Path | None = None) -> Ranks:
    """Return all ranks of profiles, and of the summaries in a directory. Raises FormatError as ``read_ranks``."""
    return _ranks([data for profile in profiles if (data := rank_data_of(profile)) is not None], directory, {})


def _ranks(own: Sequence[RankData], directory: Path | None, problems: dict[str, str]) -> Ranks:
    summaries = [] if directory is None else list(summaries_in(directory, problems))
    found = with_summaries(own, summaries)
    if not found:
        raise FormatError(_nothing(directory, problems))
    ranks = Ranks(found)
    ranks.problems.update(problems)
    return ranks


def with_summaries(own: Sequence[RankData], summaries: Sequence[RankData]) -> list[RankData]:
    """Return the profiles of single ranks, with what summaries add.

    Steps of summaries count if those cover more ranks: parts of steps mean different things in both, so that all ranks
    come from one of them. What these lack comes from
    the profile of the rank.
    """
    profiled, summarized = ({each.rank for each in several if each.steps is not None} for several in (own, summaries))
    if len(profiled) >= len(summarized):
        ranks = {each.rank for each in own}
        return [*own, *(summary for summary in summaries if summary.rank not in ranks)]
    profiles = {each.rank: each for each in own}
    return [
        replace(
            summary,
            communication=summary.communication or profile.communication,
            links=summary.links or profile.links,
            origin_ns=summary.origin_ns if summary.communication else profile.origin_ns,
        )
        if (profile := profiles.get(summary.rank))
        else summary
        for summary in summaries
    ] + [each for each in own if each.rank not in {other.rank for other in summaries}]


def _read_all(path: Path, problems: dict[str, str]) -> Iterator[RankData]:
    """Yield profiles one after the other: of each only the tables stay in memory."""
    for found in find_profiles(path):
        try:
            data = rank_data_of(found.read())
        except (FormatError, OSError) as error:
            problems[str(found.key)] = problem_of(error)
            continue
        if data is not None:
            yield data


def _nothing(path: Path | None, problems: dict[str, str]) -> str:
    cause = "; ".join(f"{name}: {problem}" for name, problem in list(problems.items())[:3])
    source = "these are" if path is None else f"{path} holds"
    return f"{source} no profile with steps or communication of ranks{': ' + cause if cause else ''}"
