# SPDX-License-Identifier: Apache-2.0
"""Opens the arguments of the slices of a timeline, in whatever format they are."""

from __future__ import annotations

from pathlib import Path

from mindscope.profile.formats.ascend.database import ASCEND_DATABASE
from mindscope.profile.formats.ascend.row_tables import ROW_TABLES as ASCEND_TABLES
from mindscope.profile.formats.nsight.export import NSIGHT_EXPORT
from mindscope.profile.formats.nsight.row_tables import ROW_TABLES as NSIGHT_TABLES
from mindscope.profile.formats.sqlite_arguments import RowArguments
from mindscope.profile.formats.xplane.event_arguments import EventArguments
from mindscope.profile.formats.xplane.profile_format import XPLANE
from mindscope.profile.timeline.timeline import Timeline
from mindscope.profile.trace.arguments import ArgumentFile, ArgumentReader


def open_arguments(path: Path, timeline: Timeline) -> ArgumentReader:
    """Return the arguments of a timeline that was made of the profile at ``path``.

    Raises OSError if they can't be read.
    """
    format, file = timeline.arguments_format, Path(timeline.arguments_path)
    if format == NSIGHT_EXPORT.name:
        return RowArguments(file, NSIGHT_TABLES)
    if format == ASCEND_DATABASE.name:
        return RowArguments(file, ASCEND_TABLES)
    if format == XPLANE.name:
        return EventArguments(file)
    return ArgumentFile(path)
