# SPDX-License-Identifier: Apache-2.0
"""Reads profiles of all frameworks into one neutral model, and explains where time and memory went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.profile.advice import advise
    from mindscope.profile.advice.places import places_of
    from mindscope.profile.compare import diff_profiles
    from mindscope.profile.open import read_profile
    from mindscope.profile.overview import overview_of
    from mindscope.profile.profile import Profile
    from mindscope.profile.ranks.advice import advise_ranks
    from mindscope.profile.ranks.open import read_ranks

__all__ = [
    "Profile",
    "advise",
    "advise_ranks",
    "diff_profiles",
    "overview_of",
    "places_of",
    "read_profile",
    "read_ranks",
]

__getattr__ = lazy_names(
    __name__,
    {
        "mindscope.profile.advice": "advise",
        "mindscope.profile.advice.places": "places_of",
        "mindscope.profile.compare": "diff_profiles",
        "mindscope.profile.open": "read_profile",
        "mindscope.profile.overview": "overview_of",
        "mindscope.profile.profile": "Profile",
        "mindscope.profile.ranks.advice": "advise_ranks",
        "mindscope.profile.ranks.open": "read_ranks",
    },
)
