# SPDX-License-Identifier: Apache-2.0
"""Parts of a profile for rules: None where the profile lacks them."""

from __future__ import annotations

from typing import TypeVar

from mindscope.profile.profile import Part, Profile
from mindscope.profile.steps import Steps

_T = TypeVar("_T")


def steps_of(profile: Profile) -> Steps | None:
    """The complete steps, which are the first rows of all; None if they are missing or empty."""
    found = part_of(profile, Part.STEPS, Steps)
    return None if found is None or not len(found.complete) else found.complete


def part_of(profile: Profile, part: Part, kind: type[_T]) -> _T | None:
    """A part of this type; None if it is missing or empty."""
    found = profile.part(part)
    return found if isinstance(found, kind) and (not hasattr(found, "__len__") or len(found)) else None  # type: ignore[arg-type]
