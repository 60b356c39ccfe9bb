# SPDX-License-Identifier: Apache-2.0
"""Exports the values of a run as files for other programs."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path, PurePath

from mindscope.errors import SettingsError, TagNotFoundError
from mindscope.formats.kinds import KINDS
from mindscope.reading.export_histograms import Dated, to_csv, to_npz
from mindscope.reading.export_output import Output
from mindscope.reading.export_scalars import write_csv, write_parquet
from mindscope.reading.export_values import write_values
from mindscope.reading.file_names import file_names
from mindscope.reading.run import Run
from mindscope.reading.runs import Runs
from mindscope.table.frames import pyarrow_module
from mindscope.types import Kind

DIRECTORIES = {kind: each.export_directory for kind, each in KINDS.items() if each.export_directory}
EXPORTABLE = (Kind.SCALAR, *DIRECTORIES)
SCALAR_FORMATS = {"csv": write_csv, "parquet": write_parquet}
HISTOGRAM_FORMATS = {"npz": to_npz, "csv": to_csv}
_LISTED_TAGS = 20


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """The data to export, and their formats.

    ``kinds`` of ``EXPORTABLE``; ``tags`` are patterns with ``*`` and ``?``, empty for all tags; one must match.
    ``scalar_formats`` of "csv" and "parquet"; ``histogram_format`` "npz" or "csv". ``overwritten`` also exports points
    that a restart replaced; ``overwrite`` replaces existing files. Raises SettingsError for any other name, and
    MissingPackageError for "parquet" if pyarrow is not installed.
    """

    kinds: tuple[Kind, ...] = EXPORTABLE
    tags: tuple[str, ...] = ()
    scalar_formats: tuple[str, ...] = ("csv",)
    histogram_format: str = "npz"
    overwritten: bool = False
    overwrite: bool = False

    def __post_init__(self) -> None:
        _check("kind to export", self.kinds, EXPORTABLE)
        _check("scalar format", self.scalar_formats, SCALAR_FORMATS)
        _check("histogram format", (self.histogram_format,), HISTOGRAM_FORMATS)
        if "parquet" in self.scalar_formats:
            pyarrow_module()

    def tags_of(self, run: Run, kind: Kind) -> tuple[str, ...]:
        """Return the tags to export."""
        tags = run.tags(kind) if kind in self.kinds else ()
        return tuple(tag for tag in tags if not self.tags or any(fnmatchcase(tag, each) for each in self.tags))


@dataclass(frozen=True, slots=True)
class ExportReport:
    """The written files, one message for each value that could not be read, and what the format has no form for."""

    files: tuple[Path, ...]
    failures: tuple[str, ...]
    skipped: tuple[str, ...] = ()


def export_run(run: Run, target: str | os.PathLike[str], options: ExportOptions | None = None) -> ExportReport:
    """Write the values of a run below directory ``target``, which is created if needed.

    ``scalars.csv`` and ``scalars.parquet`` hold tag, step, wall_time and value of all scalars. Values of other kinds
    go to the ``export_directory`` of their descriptor, such as ``images/TAG/STEP.png``; all histograms of a tag go to
    ``histograms/TAG.npz``. ``file_names`` makes TAG.

    Before it writes anything, raises TagNotFoundError if a pattern of ``tags`` matches no tag, and ExportError if a
    file exists and ``overwrite`` is off. Raises OSError if writing fails.
    """
    options = options or ExportOptions()
    require_tags([run], options)
    return _export(run, target, options)


def _export(run: Run, target: str | os.PathLike[str], options: ExportOptions) -> ExportReport:
    output = Output(Path(target), options.overwrite)
    output.refuse_existing(_planned(run, options))
    _export_scalars(run, options, output)
    for kind in DIRECTORIES:
        for tag, path in _paths(run, options, kind):
            _export_tag(run, kind, tag, path, options, output)
    return ExportReport(tuple(output.files), tuple(output.failures))


def export_runs(runs: Runs, target: str | os.PathLike[str], options: ExportOptions | None = None) -> ExportReport:
    """Write each run like ``export_run``, into a directory that ``file_names`` names. Raises the same errors.

    A pattern of tags needs to match in one of the runs.
    """
    options = options or ExportOptions()
    require_tags([*runs.values()], options)
    directories = {id: Path(target) / name for id, name in file_names(runs).items()}
    for id, directory in directories.items():
        Output(directory, options.overwrite).refuse_existing(_planned(runs[id], options))
    reports = [_export(runs[id], directory, options) for id, directory in directories.items()]
    return ExportReport(
        files=tuple(path for report in reports for path in report.files),
        failures=tuple(failure for report in reports for failure in report.failures),
    )


def require_tags(runs: Sequence[Run], options: ExportOptions) -> None:
    """Raise TagNotFoundError for a pattern that matches no tag of the exported kinds."""
    tags = {tag: None for run in runs for kind in options.kinds for tag in run.tags(kind)}
    for pattern in options.tags:
        if not any(fnmatchcase(tag, pattern) for tag in tags):
            names = ", ".join(itertools.islice(tags, _LISTED_TAGS)) + (", ..." if len(tags) > _LISTED_TAGS else "")
            raise TagNotFoundError(f"no tag matches {pattern!r}; the tags are {names or 'none of these kinds'}")


def _planned(run: Run, options: ExportOptions) -> Iterator[PurePath]:
    if options.tags_of(run, Kind.SCALAR):
        yield from (PurePath(f"scalars.{format}") for format in options.scalar_formats)
    for kind in DIRECTORIES:
        yield from (path for _, path in _paths(run, options, kind))


def _paths(run: Run, options: ExportOptions, kind: Kind) -> Iterator[tuple[str, PurePath]]:
    """Yield tags with the file or directory for their values."""
    suffix = f".{options.histogram_format}" if kind is Kind.HISTOGRAM else ""
    for tag, name in file_names(options.tags_of(run, kind)).items():
        yield tag, PurePath(DIRECTORIES[kind], name + suffix)


def _export_scalars(run: Run, options: ExportOptions, output: Output) -> None:
    tags = options.tags_of(run, Kind.SCALAR)
    for format in options.scalar_formats if tags else ():
        with output.open(PurePath(f"scalars.{format}")) as file:
            SCALAR_FORMATS[format]((run.scalars(tag, overwritten=options.overwritten) for tag in tags), file)


def _export_tag(run: Run, kind: Kind, tag: str, path: PurePath, options: ExportOptions, output: Output) -> None:
    values = run.values(kind, tag, overwritten=options.overwritten)
    if kind is not Kind.HISTOGRAM:
        write_values(values, path, output)
        return
    histograms: list[Dated] = []
    for sample in values:
        with output.noting_failures(f"{kind} {tag!r} at step {sample.step}"):
            histograms.append((sample.step, sample.wall_time, sample.value))
    output.write(path, HISTOGRAM_FORMATS[options.histogram_format](histograms))


def _check(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    for each in given:
        if each not in tuple(known):
            raise SettingsError(f"{what} is {str(each)!r}, want one of {', '.join(map(str, known))}")
