# SPDX-License-Identifier: Apache-2.0
"""Files of one rank in a directory of MindSpore's older profiler."""

from __future__ import annotations

import re
from pathlib import Path

_RANK = re.compile(r"_(\d+)(?:_detail|_type|_detail_time)?\.(?:csv|txt|json)$")


class RankFiles:
    """``NAME_{rank}.csv`` and its like, of the smallest rank that a name in the directory has, usually the only one."""

    def __init__(self, directory: Path) -> None:
        """Raises OSError if the directory can't be read."""
        self.directory = directory
        self._names = sorted(each.name for each in directory.iterdir() if each.is_file())
        ranks = {int(found[1]) for name in self._names if (found := _RANK.search(name))}
        self.ranks = sorted(ranks)
        """Of which there are files."""
        self.rank = self.ranks[0] if self.ranks else 0

    def find(self, *patterns: str) -> Path | None:
        """The file of the first pattern that is there; ``{}`` is the rank."""
        for pattern in patterns:
            name = pattern.format(self.rank)
            if name in self._names:
                return self.directory / name
        return None

    def starting(self, *starts: str) -> Path | None:
        """The first file whose name starts so."""
        return next((self.directory / name for name in self._names if name.startswith(starts)), None)

    def has(self, *starts: str) -> bool:
        """Whether a name starts so."""
        return any(name.startswith(starts) for name in self._names)
