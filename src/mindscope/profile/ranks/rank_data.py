# SPDX-License-Identifier: Apache-2.0
"""Takes what is needed from the profile of one rank, and finds which profiles are one cycle of the training."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from mindscope.profile.model.optional_parts import part_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.communication import Communication, Links
from mindscope.profile.tables.steps import Steps
from mindscope.table.columns import Durations

_NAMED_RANK = re.compile(r"(?:^|_)(?:rank_?|summary_dir|device_?)(\d{1,6})$", re.IGNORECASE)
"""Name of the directory of a rank, as a launcher names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankData:
    """One cycle of one rank. Times count from the origin of its own profile."""

    rank: int
    name: str
    path: str
    """Path of the profile, or of the directory of the summary."""
    is_profile: bool = False
    """Whether times of ``steps`` and ``communication`` are those of the timeline of the profile at ``path``."""
    cycle: int = 0
    """Cycle of the training: profiles of one cycle hold the same steps."""
    origin_ns: int | None = None
    """The time of 0 in nanoseconds since 1970, by the clock of the rank's host; None if unknown."""
    steps: Steps | None = None
    communication: Communication | None = None
    links: Links | None = None
    receive: Durations | None = None
    """Waits for data of other pipeline stages while nothing computes; beside ``steps``."""
    world_size: int = 0
    """Ranks of the training; 0 if unknown."""
    stages: int = 0
    """Stages of the pipeline; 0 if unknown."""
    flops_per_second: float | None = None
    """Floating-point operations, as the profiler counted them; None if unknown."""


def rank_data_of(profile: Profile, rank: int | None = None) -> RankData | None:
    """Take what is needed of a profile; None if it has neither steps nor communication. Keeps no part of its trace."""
    part = part_of(profile, Part.STEPS, Steps)
    steps = None if part is None or not len(part.complete) else part.complete
    communication = part_of(profile, Part.COMMUNICATION, Communication)
    links = part_of(profile, Part.LINKS, Links)
    if steps is None and communication is None and links is None:
        return None
    own = _rank_of(profile) if rank is None else rank
    return RankData(
        rank=-1 if own is None else own, name=profile.name, path=profile.facts.path, is_profile=True,
        origin_ns=profile.facts.origin_ns,
        steps=steps, communication=communication, links=links, receive=_receive(steps),
        world_size=_number(profile, "world_size", "rank_size"), stages=_number(profile, "stage_num"),
        flops_per_second=_flops(profile),
    )  # fmt: skip


def cycles_of(found: Iterable[RankData]) -> list[RankData]:
    """Number the data by cycle, in the order of ranks and cycles. Unknown ranks follow the known ones.

    Profiles whose steps overlap are one cycle. Of several such profiles of one rank, as after a restart, the last ones
    of all ranks belong together.
    """
    ranked = _with_ranks(list(found))
    numbered: list[RankData] = []
    for members in _overlapping(ranked):
        own: dict[int, list[RankData]] = defaultdict(list)
        for member in sorted(members, key=_begin):
            own[member.rank].append(member)
        most = max(map(len, own.values()))
        before = max((each.cycle for each in numbered), default=-1) + 1
        numbered += [
            replace(each, cycle=before + most - len(several) + number)
            for several in own.values()
            for number, each in enumerate(several)
        ]
    return sorted(numbered, key=lambda each: (each.rank, each.cycle))


def _overlapping(found: Sequence[RankData]) -> list[list[RankData]]:
    """Return profiles whose ranges of steps overlap, in the order of steps; those without steps are one group."""
    groups: list[list[RankData]] = []
    reached = -1
    with_steps = [each for each in found if each.steps is not None]
    for with_step in sorted(with_steps, key=_first_step):
        if groups and _first_step(with_step) <= reached:
            groups[-1].append(with_step)
        else:
            groups.append([with_step])
        reached = max(reached, _last_step(with_step))
    without = [each for each in found if each.steps is None]
    return groups + ([without] if without else [])


def _first_step(each: RankData) -> int:
    return int(each.steps.number.min()) if each.steps is not None else 0


def _last_step(each: RankData) -> int:
    return int(each.steps.number.max()) if each.steps is not None else 0


def _begin(each: RankData) -> tuple[int, str]:
    """Return when a profile begins, by its own clock, then by its name."""
    table = each.steps if each.steps is not None else each.communication
    starts = None if table is None else table.start
    return (each.origin_ns or 0) + (int(starts.min()) if starts is not None and len(starts) else 0), each.path


def _with_ranks(found: list[RankData]) -> list[RankData]:
    """Give unknown ranks the numbers after the known ones, one for each directory."""
    known = max((each.rank for each in found), default=-1)
    numbers: dict[str, int] = {}
    return [
        each
        if each.rank >= 0
        else replace(each, rank=known + 1 + numbers.setdefault(str(Path(each.path).parent), len(numbers)))
        for each in found
    ]


def _rank_of(profile: Profile) -> int | None:
    """Return the rank that the profile says, else the one in the name of a directory above it."""
    if profile.rank is not None:
        return profile.rank
    for name in reversed(Path(profile.facts.path).parts):
        if match := _NAMED_RANK.search(name):
            return int(match[1])
    return None


def _receive(steps: Steps | None) -> Durations | None:
    """Return Ascend's bubble: the sum of receive operations of a step, at most its communication that is not hidden."""
    bubble = None if steps is None else steps.extra.get("bubble")
    if steps is None or not isinstance(bubble, np.ndarray):
        return None
    return np.minimum(bubble, steps.part("communication"))


def _flops(profile: Profile) -> float | None:
    said = profile.facts.properties.get("flops")
    found = cast("dict[str, Any]", said).get("per_second") if isinstance(said, dict) else None
    return float(found) if isinstance(found, (int, float)) else None


def _number(profile: Profile, *names: str) -> int:
    """Return the first of these numbers that the properties of a profile, or the groups in it, say; else 0."""
    properties = profile.facts.properties
    groups: list[Any] = [properties, properties.get("distributedInfo"), properties.get("mindscope")]
    for group in groups:
        for name in names:
            value = cast("dict[str, Any]", group).get(name) if isinstance(group, dict) else None
            if str(value).isdecimal() and len(str(value)) < 9:
                return int(str(value))
    return 0
