# SPDX-License-Identifier: Apache-2.0
"""Opens archives of runs as directories."""

from __future__ import annotations

import os
from pathlib import Path

from mindscope.archive.mounts import mount
from mindscope.archive.names import archive_of
from mindscope.errors import ArchiveError
from mindscope.formats.frames import FRAME_HEADER, frame_header
from mindscope.ingest.file_names import is_event_name


def open_archive(path: str | os.PathLike[str]) -> Path:
    """Return the directory that mirrors an archive; its event files are read where they are. Raises ArchiveError."""
    return mount(path, _is_event_file, FRAME_HEADER)


def directory_in_archive(path: str | os.PathLike[str]) -> Path | None:
    """Return the directory that mirrors an archive, or one in it, as ``runs.mscope/first``; None for another path.

    Raises ArchiveError, also for a directory that the archive does not have.
    """
    archive = archive_of(path)
    if archive is None:
        return None
    below = Path(path).relative_to(archive)
    directory = open_archive(archive) / below
    if not directory.is_dir():
        raise ArchiveError(f"{archive} has no directory {str(below)!r}: mindscope inspect {archive} lists its runs")
    return directory


def _is_event_file(name: str, head: bytes) -> bool:
    """Return whether a file begins with a record: others of such a name may have readers that need a copy."""
    return is_event_name(name) and head == frame_header(int.from_bytes(head[:8], "little"))
