# SPDX-License-Identifier: Apache-2.0
"""``mindscope export``."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from mindscope import reading
from mindscope.cli.logs import FollowLinks, printable, runs_below
from mindscope.cli.usage import usage
from mindscope.errors import ExportError, SettingsError

if TYPE_CHECKING:  # options of a command need no NumPy
    from mindscope.ingest.discover import Discovery

_PARQUET, _TENSORBOARD = "parquet", "tensorboard"
KINDS = "scalar, image, video, tensor, histogram, text, audio, table, html"


def export(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A run, or a directory with runs at any depth.")],
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Output directory; created if it is missing.")],
    format: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            metavar="csv|parquet|tensorboard",
            help="Format of scalars; repeat the option for csv and parquet. Parquet needs pyarrow. tensorboard writes "
            "all values as event files.",
            show_default="csv",
        ),
    ] = None,
    kinds: Annotated[
        list[str] | None,
        typer.Option(
            "--kinds", metavar="KIND,...", help=f"Export only these kinds, out of {KINDS}.", show_default="all"
        ),
    ] = None,
    tags: Annotated[
        list[str] | None,
        typer.Option("--tags", metavar="PATTERN", help="Export only matching tags; wildcards are * and ?. Repeatable."),
    ] = None,
    overwritten: Annotated[
        bool, typer.Option("--overwritten", help="Also export points that a restarted training replaced.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing files.")] = False,
    follow_links: FollowLinks = False,
) -> None:
    """Export scalars as CSV or Parquet, other values as files: PNG images, GIF videos, npy, npz, texts and audio.

    If PATH contains several runs, each run gets its own subdirectory. Their scalars as Parquet become one dataset in
    scalars/, which DuckDB, Polars and Spark read as a table; exporting again replaces what has changed. With --format
    tensorboard, each run becomes an event file with all its values, graphs and parameters, which TensorBoard opens.
    """
    formats = tuple(format or ("csv",))
    with usage():
        if others := set(formats) - {"csv", _PARQUET, _TENSORBOARD}:
            raise SettingsError(f"--format is {min(others)!r}, want one of csv, parquet, tensorboard")
        if _TENSORBOARD in formats and len(set(formats)) > 1:
            raise SettingsError(f"--format {_TENSORBOARD} writes all values; export to other formats separately")
        options = reading.ExportOptions(
            kinds=_kinds(kinds) or reading.EXPORTABLE,
            tags=tuple(tags or ()),
            scalar_formats=("csv",) if _TENSORBOARD in formats else formats,
            overwritten=overwritten,
            overwrite=overwrite,
        )
    if _PARQUET in options.scalar_formats and reading.Kind.SCALAR in options.kinds:
        found = reading.find_below(path, follow_links)
        if list(found.runs) != ["."]:
            _export_dataset(found, path, out, options)
            options = _without_parquet(options)
            if not options.kinds:
                return
    runs = runs_below(path, follow_links)
    report = _export(runs, out, options, _TENSORBOARD in formats)
    for skipped in report.skipped:
        sys.stderr.write(f"mindscope: TensorBoard has no form for {skipped}; they are left out\n")
    for failure in report.failures:
        sys.stderr.write(f"mindscope: {printable(failure)}\n")
    if not report.files and not report.failures:
        raise ExportError(f"{path} holds no {', '.join(options.kinds)}; {out} is not written")
    typer.echo(f"wrote {len(report.files)} files below {out}")
    if report.failures:
        raise typer.Exit(1)


def _export(runs: reading.Runs, out: str, options: reading.ExportOptions, is_tensorboard: bool) -> reading.ExportReport:
    if is_tensorboard:
        return reading.export_tensorboard(runs, out, options)
    return (
        reading.export_run(runs["."], out, options) if list(runs) == ["."] else reading.export_runs(runs, out, options)
    )


def _export_dataset(found: Discovery, path: str, out: str, options: reading.ExportOptions) -> None:
    report = reading.export_discovery(found, out, tags=options.tags, overwritten=options.overwritten)
    for problem in report.problems:
        sys.stderr.write(f"mindscope: {printable(problem)}\n")
    if not report.written and not report.kept:
        raise ExportError(f"{path} holds no scalar{' of these tags' if options.tags else ''}; {out} is not written")
    typer.echo(f"wrote {len(report.written)} files below {out}/scalars, {len(report.kept)} are up to date")


def _without_parquet(options: reading.ExportOptions) -> reading.ExportOptions:
    formats = tuple(format for format in options.scalar_formats if format != _PARQUET)
    kinds = tuple(kind for kind in options.kinds if formats or kind is not reading.Kind.SCALAR)
    return replace(options, kinds=kinds, scalar_formats=formats or ("csv",))


def _kinds(given: list[str] | None) -> tuple[reading.Kind, ...]:
    """Parses ``--kinds``. Raises SettingsError for an unknown kind."""
    words = [word.strip() for each in given or () for word in each.split(",")]
    try:
        return tuple(dict.fromkeys(reading.Kind(word) for word in words))
    except ValueError as error:
        raise SettingsError(f"--kinds: {error}, want some of {KINDS}") from error
