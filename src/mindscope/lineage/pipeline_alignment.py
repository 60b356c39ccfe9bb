# SPDX-License-Identifier: Apache-2.0
"""Aligns data pipelines of many runs: equal operations share a column, even after insertions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice

import numpy as np

from mindscope.lineage.pipeline import IMPOSSIBLE, Branches, Operation, Pipeline, Stage, pair_flows, stage_score

MOST_COMPARED = 20
"""A stage is compared with this many stages of a column, those of the most common pipelines."""
score_of = lru_cache(maxsize=100_000)(stage_score)


@dataclass(frozen=True, slots=True)
class AlignedColumn:
    """One aligned position: ``stages`` has one entry per row, None if a pipeline lacks the stage.

    ``differing`` names the parameters that differ between rows with the operation. ``differs`` is also True if
    operations or branches differ, or a row lacks the stage. ``branches`` are the aligned flows of a joining operation.
    """

    stages: tuple[Stage | None, ...]
    differing: tuple[str, ...]
    differs: bool
    branches: tuple[Alignment, ...] = ()


@dataclass(frozen=True, slots=True)
class Alignment:
    """Rows of aligned stages; a row without its gaps is the original pipeline."""

    columns: tuple[AlignedColumn, ...]
    height: int

    def row(self, number: int) -> Pipeline:
        """Return the stages of a row, without gaps."""
        stages = (column.stages[number] for column in self.columns)
        return tuple([stage for stage in stages if stage is not None])


@dataclass(frozen=True, slots=True)
class PipelineTable:
    """The pipelines of runs. ``marks`` maps each run to the row of its pipeline: equal pipelines share a row.

    Row 0 is the most common pipeline. Runs without a pipeline have no mark. ``epoch_sizes`` has the samples of an epoch
    for each row, None if they are unknown or its runs differ.
    """

    marks: Mapping[str, int] = field(default_factory=dict[str, int])
    alignment: Alignment = field(default_factory=lambda: Alignment((), 0))
    epoch_sizes: tuple[int | None, ...] = ()

    def runs(self, mark: int) -> tuple[str, ...]:
        """Return the runs that share a pipeline."""
        return tuple(run for run, each in self.marks.items() if each == mark)


def align_runs(
    pipelines: Mapping[str, Pipeline],
    epoch_sizes: Mapping[str, int] | None = None,
    check: Callable[[], None] = lambda: None,
) -> PipelineTable:
    """Align the distinct pipelines of runs. ``epoch_sizes`` has the samples of an epoch by run, where they are known.

    Calls ``check`` for each pipeline; an exception in it ends the alignment.
    """
    counts = Counter(pipelines.values())
    different = [pipeline for pipeline, _ in counts.most_common()]
    numbers = {pipeline: number for number, pipeline in enumerate(different)}
    marks = {run: numbers[each] for run, each in pipelines.items()}
    sizes: list[set[int | None]] = [set() for _ in different]
    for run, mark in marks.items():
        sizes[mark].add((epoch_sizes or {}).get(run))
    known = tuple([size.pop() if len(size) == 1 else None for size in sizes])
    return PipelineTable(marks, align(different, check), known)


def align(pipelines: Sequence[Pipeline], check: Callable[[], None] = lambda: None) -> Alignment:
    """Return progressive alignment: each pipeline against the columns of the earlier ones (Needleman and Wunsch, 1970).

    Gaps cost nothing, and different operations never share a column. So the best alignment has the most equal
    operations, and among those the most equal parameters.
    """
    columns: list[list[Stage | None]] = []
    for height, pipeline in enumerate(pipelines):
        check()
        columns = _merged(columns, pipeline, height)
    return Alignment(tuple([_column(stages) for stages in columns]), len(pipelines))


def _merged(columns: list[list[Stage | None]], pipeline: Pipeline, height: int) -> list[list[Stage | None]]:
    """Return the columns with one more row; changes their lists."""
    scores = np.array([[_fit(column, stage) for stage in pipeline] for column in columns]).reshape(
        len(columns), len(pipeline)
    )
    best = np.zeros((len(columns) + 1, len(pipeline) + 1))
    for above in range(len(columns)):
        for left in range(len(pipeline)):
            matched = best[above, left] + scores[above, left]
            best[above + 1, left + 1] = max(matched, best[above, left + 1], best[above + 1, left])
    merged: list[list[Stage | None]] = []
    above, left = len(columns), len(pipeline)
    while above or left:
        here = best[above, left]
        if above and left and here == best[above - 1, left - 1] + scores[above - 1, left - 1]:
            above, left = above - 1, left - 1
            columns[above].append(pipeline[left])
            merged.append(columns[above])
        elif left and here == best[above, left - 1]:
            left -= 1
            merged.append([*[None] * height, pipeline[left]])
        else:
            above -= 1
            columns[above].append(None)
            merged.append(columns[above])
    return merged[::-1]


def _fit(column: list[Stage | None], stage: Stage) -> float:
    """Return how well a stage matches the stages of a column: the mean over the first rows that have one."""
    scores = [score_of(each, stage) for each in islice(filter(None, column), MOST_COMPARED)]
    return IMPOSSIBLE if IMPOSSIBLE in scores else sum(scores) / len(scores)


def _column(stages: list[Stage | None]) -> AlignedColumn:
    met = [stage for stage in stages if stage is not None]
    operations = [stage for stage in met if isinstance(stage, Operation)]
    parameters = [dict(operation.parameters) for operation in operations]
    names = dict.fromkeys(name for parameter in parameters for name in parameter)
    differing = [
        name
        for name in names
        if len({repr(parameter[name]) if name in parameter else "" for parameter in parameters}) > 1
    ]
    differs = len(set(stages)) > 1
    return AlignedColumn(tuple(stages), tuple(differing), differs, _branches(stages))


def _branches(stages: list[Stage | None]) -> tuple[Alignment, ...]:
    """Return matching flows, aligned over all rows; a row without such a flow has an empty one."""
    groups: list[list[Pipeline]] = []
    rows: list[dict[int, Pipeline]] = []
    for stage in stages:
        flows = stage.flows if isinstance(stage, Branches) else ()
        numbers = pair_flows(groups, flows)
        rows.append(dict(zip(numbers, flows, strict=True)))
        for number, flow in rows[-1].items():
            if number == len(groups):
                groups.append([])
            if len(groups[number]) < MOST_COMPARED:
                groups[number].append(flow)
    return tuple(align([row.get(number, ()) for row in rows]) for number in range(len(groups)))
