# SPDX-License-Identifier: Apache-2.0
"""Copies damaged event files without their damage."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath

from mindscope.archive.mounts import open_file
from mindscope.errors import ExportError
from mindscope.formats.frames import FRAME_HEADER, FRAME_OVERHEAD, FrameReader
from mindscope.ingest import FoundRun, find_runs
from mindscope.reading.export_output import Output
from mindscope.reading.open import directory_of, nothing_in
from mindscope.types import Damage

PORTION_BYTES = 8 << 20
"""Bytes to read at once, unless a record is larger."""


@dataclass(frozen=True, slots=True)
class RepairedFile:
    """A copied event file: every byte if it has no damage, else its ``records`` intact ones.

    ``lost_bytes`` of ``source`` are in no intact record; ``damages`` locates them, except an incomplete last record.
    """

    source: Path
    target: Path
    records: int
    lost_bytes: int
    damages: tuple[Damage, ...]


@dataclass(frozen=True, slots=True)
class RepairReport:
    """The files of runs with damage, in order; one message for each file that can't be read."""

    files: tuple[RepairedFile, ...]
    failures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Checked:
    """Result of checking an event file, before anything is written."""

    source: Path
    relative_path: PurePath  # below the target
    records: int
    lost_bytes: int
    damages: tuple[Damage, ...]


def repair_runs(base: str | os.PathLike[str], target: str | os.PathLike[str]) -> RepairReport:
    """Copy the event files of each run below ``base`` that has a damaged one; skips all other runs.

    The copies have the names, directories, modes and times of the originals, below ``target``. The copy of a damaged
    file holds every record with correct checksums, in order. An incomplete record at the end counts as damage.

    Raises RunNotFoundError if there is no run. Raises ExportError if a file exists or ``target`` is below ``base``
    (before it writes anything), and if writing fails.
    """
    directory = directory_of(base)
    if Path(target).resolve().is_relative_to(directory.resolve()):
        raise ExportError(f"{target} is in {directory}, whose logs it would join: choose a directory outside of it")
    runs = find_runs(directory)
    if not runs.runs:
        raise nothing_in(directory)
    failures = [str(unreadable) for unreadable in runs.unreadable]
    checked = [file for run in _checked_runs(directory, runs.runs, failures) for file in run]
    output = Output(Path(target), overwrite=False)
    output.refuse_existing(file.relative_path for file in checked)
    return RepairReport(tuple(_copy(file, output) for file in checked), tuple(failures))


def _checked_runs(base: Path, runs: Mapping[str, FoundRun], failures: list[str]) -> Iterator[list[_Checked]]:
    """Yield the files of each run that has a damaged file."""
    for run in runs.values():
        below = Path(os.path.relpath(run.path, base.resolve()))
        files: list[_Checked] = []
        for file in (file for file in run.files if file.tracker is None):
            try:
                files.append(_check(Path(file.path), below / Path(file.path).name))
            except OSError as error:
                failures.append(f"{file.path}: not read: {error.strerror or error}")
        if any(file.lost_bytes for file in files):
            yield files


def _check(source: Path, relative_path: PurePath) -> _Checked:
    reader = FrameReader(source.name)
    sizes = [len(record) for record in _intact_records(source, reader)]
    return _Checked(source, relative_path, len(sizes), source.stat().st_size - sum(sizes), reader.damages)


def _intact_records(source: Path, reader: FrameReader) -> Iterator[memoryview]:
    """Yield the bytes of each record with correct checksums, including headers."""
    with open_file(source) as file:
        size = file.seek(0, os.SEEK_END)
        while size - reader.ahead >= reader.needed:
            base = reader.ahead
            file.seek(base)
            chunk = memoryview(file.read(max(reader.needed, PORTION_BYTES)))
            if len(chunk) < reader.needed:
                return  # the file was truncated during the read
            for offset, payload in reader.records(chunk, size):
                start = offset - FRAME_HEADER - base
                yield chunk[start : start + len(payload) + FRAME_OVERHEAD]
            if reader.ahead == base and reader.needed <= len(chunk):
                return  # guard against an endless loop


def _copy(file: _Checked, output: Output) -> RepairedFile:
    try:
        with output.open(file.relative_path) as target:
            for record in _intact_records(file.source, FrameReader(file.source.name)):
                target.write(record)
    except ExportError:
        raise
    except OSError as error:
        raise ExportError(f"{output.directory / file.relative_path}: not written: {error.strerror or error}") from error
    copy = output.directory / file.relative_path
    shutil.copystat(file.source, copy)
    return RepairedFile(file.source, copy, file.records, file.lost_bytes, file.damages)
