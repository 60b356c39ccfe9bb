# SPDX-License-Identifier: Apache-2.0
"""Exports runs as logs of TensorBoard's format, which TensorBoard and all other readers of it open."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path, PurePath, PurePosixPath

from mindscope.errors import ExportError
from mindscope.formats.kinds import KINDS
from mindscope.ingest.file_names import is_event_name
from mindscope.reading.export import EXPORTABLE, ExportOptions, ExportReport, require_tags
from mindscope.reading.export_output import Output
from mindscope.reading.run import Run
from mindscope.reading.runs import Runs
from mindscope.reading.tensorboard_events import TensorBoardFile, needs_metadata, tag_metadata
from mindscope.reading.tensorboard_sessions import lineage_session, merged_session
from mindscope.types import Kind, Message

_FILE = "events.out.tfevents.{:010d}.mindscope"
_GRAPHS = (Kind.GRAPH, Kind.META_GRAPH, Kind.RUN_METADATA)
_LINEAGE = (Kind.TRAIN_LINEAGE, Kind.EVAL_LINEAGE, Kind.CUSTOM_LINEAGE)
_MARKERS = (Kind.SESSION, Kind.LOG_MESSAGE)
_OTHERWISE = (Kind.HPARAMS, *_LINEAGE, *_MARKERS)
"""Kinds that become a session, or say only how the files were written."""


def export_tensorboard(
    runs: Runs, target: str | os.PathLike[str], options: ExportOptions | None = None
) -> ExportReport:
    """Write each run as one event file of TensorBoard's format, in the directory below ``target`` that its id names.

    All kinds of values go along: scalars (exact, as tensors of float64 where float32 can't hold one), images, videos,
    histograms, texts, audio, tensors, PR curves, meshes, layouts, graphs and hyperparameters. Lineage of MindSpore and
    settings files become a session of hyperparameters, its metrics scalars at the last step. Steps and wall times stay;
    what a restart replaced is left out unless ``overwritten``. Values of other dialects are converted one by one, those
    of TensorBoard's are copied. ``skipped`` of the report counts what the format has no form for.

    ``kinds`` other than all of them leave out graphs, hyperparameters and what no other export writes. A tag that
    several kinds have gets the kind after it, since TensorBoard shows one kind for a tag.

    Before it writes anything, raises TagNotFoundError if a pattern of ``tags`` matches no tag, and ExportError if a
    directory has event files already, if ``overwrite`` is off or another program wrote them, or if ``target`` is within
    the runs. Raises OSError if writing fails.
    """
    options = options or ExportOptions()
    require_tags([*runs.values()], options)
    _refuse_source(Path(target), Path(runs.base))
    outputs = {id: Output(Path(target) / _directory(id), options.overwrite) for id in runs}
    for id, output in outputs.items():
        name = _file_name(runs[id])
        output.refuse_existing([PurePath(name)])
        _refuse_others(output.directory, name)
    skipped: Counter[str] = Counter()
    for id, output in outputs.items():
        _export(runs[id], options, output, skipped)
    return ExportReport(
        files=tuple(path for output in outputs.values() for path in output.files),
        failures=tuple(failure for output in outputs.values() for failure in output.failures),
        skipped=tuple(f"{count} values of kind {kind}" for kind, count in skipped.items()),
    )


def _directory(id: str) -> PurePosixPath:
    """Return the directory of a run, which stays below that of the export."""
    return PurePosixPath(*("__" if part == ".." else part for part in id.split("/")))


def _file_name(run: Run) -> str:
    return _FILE.format(max(0, min(int(run.store.first_wall_time or 0), 9_999_999_999)))


def _refuse_source(target: Path, base: Path) -> None:
    if target.resolve().is_relative_to(base.resolve()):
        raise ExportError(
            f"{target} is within the runs of {base}, which would then have each run twice: choose another"
        )


def _refuse_others(directory: Path, name: str) -> None:
    try:
        others = [path.name for path in directory.iterdir() if is_event_name(path.name) and path.name != name]
    except (FileNotFoundError, NotADirectoryError):
        return
    if others:
        raise ExportError(
            f"{directory} has {others[0]}, whose points would mix with those of the export: choose another"
        )


def _export(run: Run, options: ExportOptions, output: Output, skipped: Counter[str]) -> None:
    is_whole = options.kinds == EXPORTABLE
    kinds = [kind for kind in run.kinds if (is_whole or kind in options.kinds) and kind not in _OTHERWISE]
    session = _session(run, output) if is_whole else []
    if not kinds and not session:
        return
    with output.open(PurePath(_file_name(run))) as opened:
        file = TensorBoardFile(opened)
        names = _Names()
        for kind in sorted(kinds, key=lambda kind: kind not in _GRAPHS):
            if kind in _GRAPHS:
                _export_events(run, kind, file, output)
            elif kind is Kind.SCALAR:
                for tag in options.tags_of(run, kind):
                    file.add_scalars(names.name(kind, tag), run.scalars(tag, overwritten=options.overwritten))
            elif KINDS[kind].to_tensorboard or KINDS[kind].tensorboard:
                for tag in options.tags_of(run, kind) if kind in EXPORTABLE else run.tags(kind):
                    _export_tag(run, kind, tag, names.name(kind, tag), options, file, output)
            else:
                skipped[kind.value] += sum(len(run.values(kind, tag)) for tag in run.tags(kind))
        for message in session:
            is_metric = "simple_value" in message or "tensor" in message
            tag = names.name(Kind.SCALAR if is_metric else Kind.HPARAMS, message["tag"])
            step = (run.store.last_step or 0) if is_metric else 0
            file.add_message(run.store.first_wall_time or 0.0, step, {**message, "tag": tag})


def _session(run: Run, output: Output) -> list[Message]:
    """Return the session of hyperparameters of TensorBoard's format, else one of lineage and settings."""
    messages: list[Message] = []
    for tag in run.tags(Kind.HPARAMS):
        for sample in run.values(Kind.HPARAMS, tag, overwritten=True):
            with output.noting_failures(f"{Kind.HPARAMS} {tag!r} at step {sample.step}"):
                messages.append(sample.value)
    return list(merged_session(messages) if messages else lineage_session(run))


def _export_events(run: Run, kind: Kind, file: TensorBoardFile, output: Output) -> None:
    for tag in run.tags(kind):
        values = run.values(kind, tag, overwritten=True)  # they have no steps of their own
        for row in range(len(values)):
            with output.noting_failures(f"{kind} {tag!r} at step {values.step[row]}"):
                file.add_event(values, row)


def _export_tag(
    run: Run, kind: Kind, tag: str, name: str, options: ExportOptions, file: TensorBoardFile, output: Output
) -> None:
    values = run.values(kind, tag, overwritten=options.overwritten)
    metadata: bytes | None = None
    with output.noting_failures(f"{kind} {tag!r}"):
        metadata = tag_metadata(run.values(kind, tag, overwritten=True)) if needs_metadata(values) else None
    for row in range(len(values)):
        with output.noting_failures(f"{kind} {tag!r} at step {values.step[row]}"):
            file.add_value(name, values, row, metadata)
            metadata = None


class _Names:
    """The tags of an export: TensorBoard shows one kind for a tag, so that other kinds get a name of their own."""

    def __init__(self) -> None:
        self._kinds: dict[str, Kind] = {}

    def name(self, kind: Kind, tag: str) -> str:
        name = tag
        while self._kinds.setdefault(name, kind) is not kind:
            name = f"{name} ({kind})"
        return name
