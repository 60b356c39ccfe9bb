# SPDX-License-Identifier: Apache-2.0
"""Parts of a profile for rules: None where the profile lacks them."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from mindscope.profile.model.profile_data import Part, ProfileData
from mindscope.profile.tables.steps import Steps
from mindscope.table.columns import Durations, integers_of

_T = TypeVar("_T")


def steps_of(profile: ProfileData) -> Steps | None:
    """Return the steps of means and advice, of which nothing is missing and which don't warm up; None without any."""
    part = part_of(profile, Part.STEPS, Steps)
    judged = None if part is None else part.judged
    return None if judged is None or not len(judged) else judged


def slowest_steps(profile: ProfileData, times: Durations) -> list[int]:
    """Return the rows in the table of steps of the greatest of ``times``, which are beside ``steps_of(profile)``."""
    part = part_of(profile, Part.STEPS, Steps)
    return [] if part is None else integers_of(part.judged_rows[slowest(times)])


def slowest(times: Durations, count: int = 3) -> list[int]:
    """Return rows of the greatest times."""
    return integers_of(np.argsort(-times, kind="stable")[:count])


def part_of(profile: ProfileData, part: Part, kind: type[_T]) -> _T | None:
    """Return a part of this type; None if it is missing or empty."""
    found = profile.part(part)
    return found if isinstance(found, kind) and (not hasattr(found, "__len__") or len(found)) else None  # type: ignore[arg-type]
