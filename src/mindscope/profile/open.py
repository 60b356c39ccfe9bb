# SPDX-License-Identifier: Apache-2.0
"""Opens profiles of any format."""

from __future__ import annotations

from pathlib import Path

from mindscope.artifacts.format import Artifact, Progress, no_progress
from mindscope.profile.formats import FORMATS
from mindscope.profile.profile import Profile

FoundProfile = Artifact[Profile]
find_profiles = FORMATS.find


def read_profile(path: str | Path, on_progress: Progress = no_progress, rank: int | None = None) -> Profile:
    """Return the profile in a file or directory; its format is recognized.

    Args:
        path: of the profile itself, or of a directory that holds one profile. ``profiler#rank1`` is that of one rank in
            a directory that holds files of several.
        on_progress: called with the bytes of the file that are read.
        rank: of several ranks, the one to read.

    Raises:
        FormatError: no format recognizes it, the directory holds several profiles, or the content is damaged
            beyond reading.
        OSError: it can't be read.
    """
    return FORMATS.read(path, on_progress, rank)
