# SPDX-License-Identifier: Apache-2.0
"""The difference of two profiles, or of two ranges of steps."""

from __future__ import annotations

from mindscope.profile.compare.changes import CallChanges as CallChanges
from mindscope.profile.compare.changes import Change as Change
from mindscope.profile.compare.changes import Changes as Changes
from mindscope.profile.compare.profile_diff import ProfileDiff as ProfileDiff
from mindscope.profile.compare.profile_diff import diff_profiles as diff_profiles
from mindscope.profile.compare.states import ADDED as ADDED
from mindscope.profile.compare.states import FASTER as FASTER
from mindscope.profile.compare.states import GONE as GONE
from mindscope.profile.compare.states import SLOWER as SLOWER
from mindscope.profile.compare.states import UNCHANGED as UNCHANGED

__all__ = [
    "ADDED", "FASTER", "GONE", "SLOWER", "UNCHANGED", "CallChanges", "Change", "Changes", "ProfileDiff",
    "diff_profiles",
]  # fmt: skip
