# SPDX-License-Identifier: Apache-2.0
"""Opens debugging data of any format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from mindscope.debug.formats import FORMATS
from mindscope.debug.formats.debug_format import DebugFormat
from mindscope.debug.formats.recorded_steps import RecordedSteps
from mindscope.debug.formats.statistics_cache import StatisticsCache
from mindscope.errors import FormatError
from mindscope.store.contents import DEBUG_DATA_DEPTH

_MOST_NAMED = 8


class FoundDebugData(NamedTuple):
    """A file or directory, and the format that recognized it."""

    path: Path
    format: DebugFormat
    cache: StatisticsCache | None = None
    """Cache of what is computed of its tensors."""

    def read(self) -> RecordedSteps:
        """Read its steps. Raises FormatError if it is damaged beyond reading, OSError."""
        steps = self.format.read(self.path)
        steps.cache = self.cache
        return steps


def read_debug_data(path: str | Path) -> RecordedSteps:
    """Return the debugging data in a directory or file; its format is recognized.

    Args:
        path: of the data, or of a directory that holds one such directory or file.

    Raises:
        FormatError: no format recognizes it, the directory holds several, or the content is damaged beyond reading.
        OSError: it can't be read.
    """
    found = list(find_debug_data(path))
    if len(found) == 1:
        return found[0].read()
    if not found:
        titles = ", ".join(each.title for each in FORMATS)
        raise FormatError(f"{path} holds no debugging data: want one of {titles}")
    names = ", ".join(str(each.path) for each in found[:_MOST_NAMED])
    raise FormatError(f"{path} holds {len(found)} sets of debugging data, choose one: {names}")


def find_debug_data(path: str | Path) -> Iterator[FoundDebugData]:
    """Yield the debugging data that a path is, or all that a directory holds, in the order of their names.

    Directories within debugging data are not searched, and no links to directories.

    Raises:
        OSError: the path can't be read. Unreadable entries of a directory are left out.
    """
    yield from _find(Path(path), DEBUG_DATA_DEPTH)


def recognize_debug_data(path: Path) -> FoundDebugData | None:
    """Return the debugging data that a path is; None if no format recognizes it. Raises OSError."""
    return next((FoundDebugData(path, each) for each in FORMATS if each.recognizes(path)), None)


def _find(path: Path, depth: int) -> Iterator[FoundDebugData]:
    path.stat()  # raises for a path that is not there
    found = recognize_debug_data(path)
    if found is not None:
        yield found
    elif depth and path.is_dir():
        for entry in sorted(path.iterdir()):
            try:
                if not entry.is_symlink():
                    yield from _find(entry, depth - 1)
            except OSError:
                continue
