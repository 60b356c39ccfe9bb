# SPDX-License-Identifier: Apache-2.0
"""What ``mindscope run`` says at the end: the runs that came, their values by kind, and what was ignored."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mindscope.errors import MindscopeError
from mindscope.ingest import RunLoader, find_runs
from mindscope.redirect import notes
from mindscope.store.file_facts import readable
from mindscope.store.series_table import REASONS_TAG
from mindscope.system.names import SYSTEM_PREFIX
from mindscope.tracking.viewers import viewer_address
from mindscope.types import Kind

_COUNTED = (
    Kind.SCALAR, Kind.IMAGE, Kind.VIDEO, Kind.TENSOR, Kind.HISTOGRAM, Kind.TEXT, Kind.AUDIO, Kind.PR_CURVE, Kind.MESH,
    Kind.TABLE, Kind.HTML, Kind.GRAPH,
)  # fmt: skip
_PLURALS = {Kind.TEXT: "texts", Kind.AUDIO: "sounds", Kind.MESH: "meshes", Kind.HTML: "HTML pages"}
_NAMES = {Kind.AUDIO: "sound", Kind.PR_CURVE: "PR curve", Kind.HTML: "HTML page"}
_OF_RECORDER = ("mindscope/", SYSTEM_PREFIX, REASONS_TAG)


@dataclass(frozen=True, slots=True)
class ReceivedRun:
    """What one run received: values by kind, and how many the recorder dropped."""

    directory: str
    libraries: list[str]
    counts: Mapping[Kind, int]
    dropped: int

    def __str__(self) -> str:
        values = ", ".join(_count(kind, count) for kind, count in self.counts.items()) or "no values"
        dropped = f"; {self.dropped:,} dropped, see the log" if self.dropped else ""
        return f"  {readable(_short(self.directory))}  {' and '.join(self.libraries)}: {values}{dropped}"


def report_lines(notes_file: Path, started_at: float, base: Path) -> Iterator[str]:
    """Yield the lines: of each run, of what was ignored, and how to view the runs.

    ``started_at`` is the time before the script began, in seconds since 1970: older files of a run don't count.
    """
    told = notes.read(notes_file)
    runs = [_received(Path(directory), libraries, started_at) for directory, libraries in told.runs.items()]
    if runs:
        yield f"mindscope run: {len(runs)} {'run' if len(runs) == 1 else 'runs'}"
        yield from map(str, runs)
    else:
        yield f"mindscope run: no runs; {_why_none(told)}"
    for library, error in told.refused:
        yield f"  not recorded: {library}: {readable(error)}"
    if told.ignored:
        yield f"  ignored: {', '.join(map(readable, told.ignored))}"
    if runs:
        yield f"  {_how_to_view([Path(run.directory) for run in runs], base)}"


def _why_none(told: notes.Notes) -> str:
    if told.refused:
        return "those that the script began could not be recorded"
    if told.disabled:
        return f"the script disabled those of {' and '.join(told.disabled)}"
    return "the script began none with SummaryWriter, wandb, trackio or swanlab"


def _received(directory: Path, libraries: list[str], started_at: float) -> ReceivedRun:
    counts: Counter[Kind] = Counter()
    dropped = 0
    try:
        found = find_runs(directory).runs.values()
    except (OSError, MindscopeError):  # the script deleted it
        found = ()
    for run in found:
        files = tuple(file for file in run.files if file.creation_number >= int(started_at))
        if not files:
            continue
        loader = RunLoader(replace(run, files=files, contents=(), content_paths=()))
        loader.read_all()
        dropped += loader.store.dropped
        for (kind, tag), series in loader.store.series.items():
            if kind in _COUNTED and not tag.startswith(_OF_RECORDER):
                counts[kind] += len(series.visible()) + sum(series.hidden())
    return ReceivedRun(str(directory), libraries, {kind: counts[kind] for kind in _COUNTED if counts[kind]}, dropped)


def _count(kind: Kind, count: int) -> str:
    name = _NAMES.get(kind, kind.value)
    return f"{count:,} {name if count == 1 else _PLURALS.get(kind, f'{name}s')}"


def _how_to_view(directories: list[Path], base: Path) -> str:
    try:
        address = viewer_address(directories[0])
    except Exception:  # the list of viewers is no reason to fail
        address = None
    if address is not None:
        return f"view: {address}"
    common = Path(os.path.commonpath([*directories[0].parents][:1] + [path.parent for path in directories]))
    return f"view: mindscope start {readable(_short(str(base if common.is_relative_to(base) else common)))}"


def _short(path: str) -> str:
    """Return the path from the working directory if it is below that."""
    here = os.getcwd()  # noqa: PTH109
    return os.path.relpath(path, here) if Path(path).is_relative_to(here) else path
