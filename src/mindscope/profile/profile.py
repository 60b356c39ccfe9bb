# SPDX-License-Identifier: Apache-2.0
"""A profile of any framework, device and format, with its comparison."""

from __future__ import annotations

from mindscope.profile.compare import ProfileDiff, diff_profiles
from mindscope.profile.model.profile_data import ProfileData


class Profile(ProfileData):
    """A profile whose parts are computed on first use, and kept.

    ``profile.operators`` and its like raise ProfilePartError if the profile does not hold that part; the text says
    how to record it. ``part(Part.OPERATORS)`` returns a ``Missing`` then.
    """

    def diff(
        self, other: ProfileData, steps: tuple[int, int] | None = None, other_steps: tuple[int, int] | None = None
    ) -> ProfileDiff:
        """Compare this profile with another one, or with other steps of this one.

        Args:
            other: the profile after; it may be this one.
            steps: numbers of the first and last step of this profile; None for all.
            other_steps: those of the other one.

        Raises:
            ProfilePartError: one of them has no operators, or none of the steps, or no times of single steps.
        """
        return diff_profiles(self, other, steps, other_steps)
