# SPDX-License-Identifier: Apache-2.0
"""Reads a large profile in a process with limited memory, which leaves its timeline and its parts in files."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from mindscope.artifacts.problems import readable
from mindscope.errors import FormatError
from mindscope.limited_process import Report, result_folder, run_limited
from mindscope.profile.formats import FORMATS
from mindscope.profile.model.profile_data import Part
from mindscope.profile.open import FoundProfile
from mindscope.profile.parts_file import SavedParts, columns_of, open_parts, save_parts
from mindscope.profile.texts import Missing
from mindscope.profile.timeline.build_timeline import build_timeline
from mindscope.profile.timeline.timeline import Timeline
from mindscope.profile.timeline.timeline_file import open_timeline, save_timeline
from mindscope.reasons import Reason
from mindscope.server.profiles.preview import TimelinePreviews

TIMELINE, PARTS = "timeline", "parts"
DENSE_SUFFIXES = {".gz", ".pickle", ".pkl", ".pt"}
"""Of files that take far more memory than disk."""
_REPORT_S = 0.1


class LargeProfile(NamedTuple):
    """What was read, mapped into memory; ``timeline`` is None if there is none."""

    timeline: Timeline | None
    parts: SavedParts


class Listener(NamedTuple):
    """Who follows the reading."""

    on_progress: Callable[[int], None]
    """Called with the bytes that are read; what it raises ends the reading."""
    on_phase: Callable[[str], None]
    on_timeline: Callable[[Timeline, str], None]
    """Called with a timeline of what is read so far, and its version."""
    watch: Callable[[], None]
    """Called several times a second; what it raises ends the reading."""


def read_large(
    found: FoundProfile,
    version: str,
    memory_bytes: int,
    folder: Path | None,
    listener: Listener,
    keep: Callable[[Path], None],
) -> LargeProfile:
    """Read a profile in a process that may have this much memory.

    ``folder`` has room for its files, else the system's for temporary ones has. ``keep`` may move the files away.
    Raises FormatError, OSError, and what the listener raises.
    """
    with result_folder(folder) as directory:
        arguments = {
            "path": str(found.path), "format": found.format.name, "rank": found.rank, "folder": str(directory),
            "version": version,
        }  # fmt: skip

        def on_message(message: Mapping[str, Any]) -> None:
            if "read" in message:
                listener.on_progress(message["read"])
            if "phase" in message:
                listener.on_phase(message["phase"])
            if "timeline" in message:
                path = directory / message["timeline"]
                timeline = open_timeline(path, message["version"])
                if timeline is not None:
                    listener.on_timeline(timeline, message["version"])
                if path.name != TIMELINE:
                    path.unlink(missing_ok=True)  # it stays mapped

        run_limited(
            read_into, arguments, file=found.key.name, memory_bytes=memory_bytes, on_message=on_message,
            watch=listener.watch,
        )  # fmt: skip
        timeline = open_timeline(directory / TIMELINE, version)
        parts = open_parts(directory / PARTS, version)
        if parts is None:
            raise FormatError(Reason("reader_ended", file=found.key.name, detail="no result"))
        keep(directory)
        return LargeProfile(timeline, parts)


def is_readable_apart(found: FoundProfile) -> bool:
    """Return whether another process can find the format of a profile by its name."""
    return found.format in FORMATS.rows


def read_into(path: str, format: str, rank: int | None, folder: str, version: str, report: Report) -> None:
    """In the process: read a profile, and write its timeline and parts into a folder."""
    reader = next(row for row in FORMATS.rows if row.name == format)
    found = FoundProfile(Path(path), reader, rank)
    reported_at = -_REPORT_S

    def progress(read: int) -> None:
        nonlocal reported_at
        if time.monotonic() - reported_at >= _REPORT_S:
            reported_at = time.monotonic()
            report({"read": read})

    def show(timeline: Timeline, read: int) -> None:
        name, of_preview = f"preview-{secrets.token_hex(4)}", f"{version}-{read:x}"
        with suppress(OSError):
            save_timeline(timeline, Path(folder) / name, of_preview)
            report({"timeline": name, "version": of_preview})

    profile = found.read(TimelinePreviews(found, progress, show))
    report({"phase": "indexing"})
    zero = 0
    with readable(found.key):
        if profile.trace is not None:
            timeline = build_timeline(profile.trace, found.key)
            zero = timeline.time_range[0]
            save_timeline(timeline, Path(folder) / TIMELINE, version)
            del timeline
            report({"timeline": TIMELINE, "version": version})
        report({"phase": "tables"})
        columns = columns_of(profile, zero)
        for part in Part:
            _raise_if_short(profile.part(part))
        save_parts(columns, Path(folder) / PARTS, version)


def _raise_if_short(part: object) -> None:
    """Raises MemoryError for a part that memory did not do for: the cache would keep it as damaged."""
    if isinstance(part, Missing) and "MemoryError" in str(part.values.get("error", "")).partition(":")[0]:
        raise MemoryError
