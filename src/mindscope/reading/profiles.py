# SPDX-License-Identifier: Apache-2.0
"""The profiles in the directory of a run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import overload

from mindscope.ingest.discover import find_runs
from mindscope.natural_order import natural_key
from mindscope.profile.open import FoundProfile, find_profiles
from mindscope.profile.profile import Profile
from mindscope.profile.ranks.open import ranks_of
from mindscope.profile.ranks.ranks import Ranks


class RunProfiles(Sequence[Profile]):
    """Profiles in the order of their paths; each is read when it is taken, and kept."""

    def __init__(self, directory: Path) -> None:
        """Finds the profiles in a directory, but those of runs below it. A directory that is gone has none."""
        self._directory = directory
        try:
            self._found = _profiles_of(directory)
        except OSError:
            self._found = []
        self._read: dict[int, Profile] = {}

    @property
    def paths(self) -> tuple[Path, ...]:
        """Paths of the profiles, without reading them; ``profiler#rank1`` in a directory of several ranks."""
        return tuple(each.key for each in self._found)

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, index: int) -> Profile: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Profile]: ...
    def __getitem__(self, index: int | slice) -> Profile | Sequence[Profile]:
        """Reads a profile. Raises IndexError, FormatError if it is damaged beyond reading, OSError."""
        if isinstance(index, slice):
            return [self[each] for each in range(*index.indices(len(self)))]
        row = range(len(self))[index]
        if row not in self._read:
            self._read[row] = self._found[row].read()
        return self._read[row]

    def ranks(self) -> Ranks:
        """Return all ranks of the training that the profiles are of, compared: clocks, steps, collectives, stragglers.

        Reads all profiles. ``mindscope.profile.ranks.open.read_ranks`` also takes a directory with a run for each rank.

        Raises:
            FormatError: there is no profile with steps or communication.
        """
        return ranks_of(self, self._directory)

    def __repr__(self) -> str:
        return f"<{len(self)} profiles: {', '.join(path.name for path in self.paths[:5])}>"


def _profiles_of(directory: Path) -> list[FoundProfile]:
    runs = {str(run.path) for run in find_runs(directory).runs.values()}
    return sorted(find_profiles(directory, runs), key=lambda find_profile: natural_key(str(find_profile.key)))
