# SPDX-License-Identifier: Apache-2.0
"""The difference of two profiles, or of two ranges of steps."""

from __future__ import annotations

from mindscope.profile.diff.changes import CallChanges as CallChanges
from mindscope.profile.diff.changes import Change as Change
from mindscope.profile.diff.changes import Changes as Changes
from mindscope.profile.diff.profile_diff import ProfileDiff as ProfileDiff
from mindscope.profile.diff.profile_diff import diff_profiles as diff_profiles
from mindscope.profile.diff.states import ADDED as ADDED
from mindscope.profile.diff.states import FASTER as FASTER
from mindscope.profile.diff.states import GONE as GONE
from mindscope.profile.diff.states import SLOWER as SLOWER
from mindscope.profile.diff.states import UNCHANGED as UNCHANGED

__all__ = [
    "ADDED", "FASTER", "GONE", "SLOWER", "UNCHANGED", "CallChanges", "Change", "Changes", "ProfileDiff",
    "diff_profiles",
]  # fmt: skip
