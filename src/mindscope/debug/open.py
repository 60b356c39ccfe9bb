# SPDX-License-Identifier: Apache-2.0
"""Opens debugging data of any format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mindscope.artifacts.format import Artifact, Progress
from mindscope.debug.formats import FORMATS
from mindscope.debug.formats.recorded_steps import RecordedSteps
from mindscope.debug.formats.statistics_cache import StatisticsCache

DebugData = Artifact[RecordedSteps]
find_debug_data = FORMATS.find
recognize_debug_data = FORMATS.recognize


def read_debug_data(path: str | Path) -> RecordedSteps:
    """Return the debugging data in a directory or file; its format is recognized.

    Args:
        path: of the data, or of a directory that holds one such directory or file.

    Raises:
        FormatError: no format recognizes it, the directory holds several, or the content is damaged beyond reading.
        OSError: it can't be read.
    """
    return FORMATS.read(path)


def with_cache(data: DebugData, cache: StatisticsCache | None) -> DebugData:
    """Return the data, of whose tensors a cache keeps what is computed."""

    def read(path: Path, on_progress: Progress) -> RecordedSteps:
        steps = data.format.read(path, on_progress)
        steps.cache = cache
        return steps

    return replace(data, format=replace(data.format, read=read))
