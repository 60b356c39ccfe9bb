# SPDX-License-Identifier: Apache-2.0
"""The overview of a profile as a message, with advice and the greatest operators and kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, cast

from mindscope.profile.advice import Advice
from mindscope.profile.advice.cards import AdviceCard
from mindscope.profile.advice.own_function import OwnFunction
from mindscope.profile.advice.places import places_of
from mindscope.profile.model.optional_parts import part_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.overview import MOST_UNLINKED, FlopsFigures, Overview, overview_of
from mindscope.profile.profile import Profile
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.operators import Operators
from mindscope.profile.tables.steps import PARTS, Steps
from mindscope.profile.texts import Missing
from mindscope.profile.timeline.slice_search import slice_at
from mindscope.profile.timeline.timeline import Timeline
from mindscope.server.http.json_numbers import finite
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.profiles.tables.missing import missing_entry
from mindscope.server.profiles.tables.schema import (
    AdviceCardEntry,
    AdviceEntry,
    AdviceRow,
    DeviceEntry,
    FileProblem,
    FlopsEntry,
    OwnFunctionEntry,
    PeakEntry,
    ProfileSummary,
    ProfileTables,
    StepParts,
    TopEntry,
)
from mindscope.table.columns import integers_of

TOP = 10
MOST_STEPS = 2_000
MOST_ADVICE_ROWS = 10
MOST_PROBLEMS = 50


def tables_of(profile: Profile, zero: int, timeline: Timeline | None = None) -> ProfileTables:
    """Return the overview of a profile, whose timeline begins at ``zero`` nanoseconds. Computes all of its parts."""
    operators, kernels = part_of(profile, Part.OPERATORS, Operators), part_of(profile, Part.KERNELS, Kernels)
    return ProfileTables(
        summary=_summary(profile, overview_of(profile), zero, timeline),
        top_operators=[] if operators is None else _top(operators),
        top_kernels=[] if kernels is None else _top(kernels),
    )


def _top(table: Operators | Kernels) -> list[TopEntry]:
    """Return the greatest by name; shares are those of all."""
    merged = table.group_by("name")
    times = merged.weight
    whole = int(times.sum()) or 1
    return [
        TopEntry(name=merged.name[row], time_ns=int(times[row]), share=int(times[row]) / whole)
        for row in range(min(TOP, len(merged)))
    ]


def _summary(profile: Profile, overview: Overview, zero: int, timeline: Timeline | None) -> ProfileSummary:
    steps = part_of(profile, Part.STEPS, Steps)
    facts = profile.facts
    return ProfileSummary(
        framework=facts.framework,
        format=facts.format,
        worker=facts.worker,
        rank=facts.rank,
        devices=[
            DeviceEntry(name=device.name, kind=device.kind, model=device.model, memory_bytes=device.memory)
            for device in facts.devices
        ],
        step_ns=finite(overview.step_time),
        shares={part: finite(share) or 0.0 for part, share in overview.parts.items()},
        overlap=finite(overview.overlap),
        device_busy=finite(overview.device_busy),
        occupancy=finite(overview.occupancy),
        tensor_cores=finite(overview.tensor_cores),
        unlinked=overview.unlinked if (overview.unlinked or 0.0) > MOST_UNLINKED else None,
        flops=None if overview.flops is None else _flops(overview.flops),
        problems=_problems(facts.properties.get("problems")),
        steps=[] if steps is None else _steps(steps, zero),
        peaks=[
            PeakEntry(
                device=peak.device, time_ns=peak.time - zero, bytes=peak.allocated, categories=dict(peak.by_category)
            )
            for peak in overview.peaks
        ],
        cards=[_card(profile, card, zero, timeline) for card in overview.cards],
        missing=[missing_entry(part, value) for part, value in overview.missing.items()],
    )


def _steps(steps: Steps, zero: int) -> list[StepParts]:
    parts = {part: steps.part(part) for part in PARTS}
    warm_up, complete = set(integers_of(steps.warm_up_rows)), set(integers_of(steps.complete_rows))
    return [
        StepParts(
            number=int(steps.number[row]),
            is_warm_up=row in warm_up,
            is_incomplete=row not in complete,
            begin_ns=int(steps.start[row]) - zero,
            duration_ns=int(steps.duration[row]),
            parts={part: int(times[row]) for part, times in parts.items()},
        )
        for row in range(min(len(steps), MOST_STEPS))
    ]


def _card(profile: Profile, card: AdviceCard, zero: int, timeline: Timeline | None) -> AdviceCardEntry:
    function = card.function
    return AdviceCardEntry(
        kind=card.kind,
        advice=[advice_entry(each, _rows(profile, each, zero, timeline)) for each in card.advice],
        share=finite(card.share) or 0.0,
        gain=finite(card.gain),
        function=OwnFunctionEntry(**function._asdict()) if isinstance(function, OwnFunction) else None,
        missing=missing_entry(Part.FUNCTIONS, function) if isinstance(function, Missing) else None,
    )


def advice_entry(advice: Advice, rows: Iterable[AdviceRow]) -> AdviceEntry:
    """Return advice with the rows that it rests on."""
    return AdviceEntry(
        code=advice.code,
        values={name: _finite(value) for name, value in advice.values.items()},
        finding=advice.finding,
        remedy=advice.remedy,
        part=advice.part.value,
        table=advice.table,
        rows=list(rows),
        row_count=len(advice.rows) or len(advice.spans),
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


def _rows(profile: Profile, advice: Advice, zero: int, timeline: Timeline | None) -> Iterator[AdviceRow]:
    for cited in places_of(profile, advice, MOST_ADVICE_ROWS):
        found = None
        if cited.kind == "collective" and timeline is not None and cited.start is not None:
            found = slice_at(timeline, cited.start, cited.name)
        yield AdviceRow(
            kind=cited.kind,
            name=cited.name,
            of=cited.of,
            row=cited.row,
            begin_ns=None if cited.start is None else cited.start - zero,
            duration_ns=cited.duration,
            slice=found,
        )
