# SPDX-License-Identifier: Apache-2.0
"""The overview of a profile as a message, with advice and the greatest operators and kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from mindscope.profile.advice import Advice
from mindscope.profile.advice.parts import part_of
from mindscope.profile.kernels import Kernels
from mindscope.profile.operators import Operators
from mindscope.profile.overview import FlopsFigures, Overview, overview_of
from mindscope.profile.profile import Part, Profile
from mindscope.profile.steps import PARTS, Steps
from mindscope.profile.table_rows import times_of
from mindscope.server.http.json_numbers import finite
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.profiles.missing import missing_entry
from mindscope.server.profiles.tables.schema import (
    AdviceEntry,
    AdviceRow,
    DeviceEntry,
    FileProblem,
    FlopsEntry,
    PeakEntry,
    ProfileSummary,
    ProfileTables,
    StepParts,
    TopEntry,
)

TOP = 10
MOST_STEPS = 2_000
MOST_ADVICE_ROWS = 10
MOST_PROBLEMS = 50


def tables_of(profile: Profile, zero: int) -> ProfileTables:
    """The overview of a profile, whose timeline begins at ``zero`` nanoseconds. Computes all of its parts."""
    operators, kernels = part_of(profile, Part.OPERATORS, Operators), part_of(profile, Part.KERNELS, Kernels)
    return ProfileTables(
        summary=_summary(profile, overview_of(profile), zero),
        top_operators=[] if operators is None else _top(operators),
        top_kernels=[] if kernels is None else _top(kernels),
    )


def _top(table: Operators | Kernels) -> list[TopEntry]:
    """The greatest by name; shares are those of all."""
    merged = table.group_by("name")
    times = times_of(merged)
    whole = int(times.sum()) or 1
    return [
        TopEntry(name=merged.name[row], time_ns=int(times[row]), share=int(times[row]) / whole)
        for row in range(min(TOP, len(merged)))
    ]


def _summary(profile: Profile, overview: Overview, zero: int) -> ProfileSummary:
    steps = part_of(profile, Part.STEPS, Steps)
    facts = profile.facts
    return ProfileSummary(
        framework=facts.framework,
        format=facts.format,
        worker=facts.worker,
        rank=facts.rank,
        devices=[
            DeviceEntry(name=each.name, kind=each.kind, model=each.model, memory_bytes=each.memory)
            for each in facts.devices
        ],
        step_ns=finite(overview.step_time),
        shares={part: finite(share) or 0.0 for part, share in overview.parts.items()},
        overlap=finite(overview.overlap),
        device_busy=finite(overview.device_busy),
        occupancy=finite(overview.occupancy),
        tensor_cores=finite(overview.tensor_cores),
        flops=None if overview.flops is None else _flops(overview.flops),
        problems=_problems(facts.properties.get("problems")),
        steps=[] if steps is None else _steps(steps, zero),
        peaks=[
            PeakEntry(
                device=each.device, time_ns=each.time - zero, bytes=each.allocated, categories=dict(each.by_category)
            )
            for each in overview.peaks
        ],
        advice=[_advice(profile, each, zero) for each in overview.advice],
        missing=[missing_entry(part, each) for part, each in overview.missing.items()],
    )


def _steps(steps: Steps, zero: int) -> list[StepParts]:
    parts = {part: steps.part(part) for part in PARTS}
    return [
        StepParts(
            number=int(steps.number[row]),
            begin_ns=int(steps.start[row]) - zero,
            duration_ns=int(steps.duration[row]),
            parts={part: int(times[row]) for part, times in parts.items()},
        )
        for row in range(min(len(steps), MOST_STEPS))
    ]


def _advice(profile: Profile, advice: Advice, zero: int) -> AdviceEntry:
    return AdviceEntry(
        code=advice.code,
        values={name: _finite(value) for name, value in advice.values.items()},
        finding=advice.finding,
        remedy=advice.remedy,
        part=advice.part.value,
        rows=list(_advice_rows(profile, advice, zero)),
        row_count=len(advice.rows),
        share=finite(float(advice.share)) or 0.0,
    )


def _flops(figures: FlopsFigures) -> FlopsEntry:
    return FlopsEntry(
        operations=finite(figures.operations) or 0.0,
        per_second=finite(figures.per_second) or 0.0,
        utilization=finite(figures.utilization),
    )


def _problems(found: Any) -> list[FileProblem]:
    named: Mapping[Any, Any] = cast("Mapping[Any, Any]", found) if isinstance(found, Mapping) else {}
    return [
        FileProblem(file=str(name), problem=ReasonEntry.of(problem))
        for name, problem in list(named.items())[:MOST_PROBLEMS]
    ]


def _finite(value: str | int | float) -> str | int | float:
    return (finite(value) or 0) if isinstance(value, float) else value


def _advice_rows(profile: Profile, advice: Advice, zero: int) -> Iterator[AdviceRow]:
    """Steps and operators are shown by their own name; other rows only count."""
    table = profile.part(advice.part) if isinstance(advice.part, Part) else None
    for row in list(advice.rows)[:MOST_ADVICE_ROWS]:
        if isinstance(table, Steps):
            yield AdviceRow(
                name=str(int(table.number[row])),
                begin_ns=int(table.start[row]) - zero,
                duration_ns=int(table.duration[row]),
            )
        elif isinstance(table, (Operators, Kernels)):
            yield AdviceRow(name=table.name[row], begin_ns=None, duration_ns=None)
