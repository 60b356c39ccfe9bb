# SPDX-License-Identifier: Apache-2.0
"""The tables of a profile as messages: overview with advice, operators and kernels by what they are grouped by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar

from mindscope.profile.advice import Advice
from mindscope.profile.advice.parts import part_of
from mindscope.profile.columns import Column, TextColumn
from mindscope.profile.kernels import Kernels
from mindscope.profile.operators import Operators
from mindscope.profile.overview import Overview, overview_of
from mindscope.profile.profile import Part, Profile
from mindscope.profile.steps import PARTS, Steps
from mindscope.server.http.json_numbers import finite
from mindscope.server.profiles.table_schema import (
    AdviceEntry,
    AdviceRow,
    DeviceEntry,
    KernelEntry,
    MissingEntry,
    OperatorEntry,
    PeakEntry,
    ProfileSummary,
    ProfileTables,
    StepParts,
    TableRows,
)

MOST_ROWS = 5_000
MOST_STEPS = 2_000
MOST_ADVICE_ROWS = 10
OPERATOR_GROUPS = ("type", "name", "module", "shapes")
KERNEL_GROUPS = ("kind", "name", "operator")

_Table = TypeVar("_Table", Operators, Kernels)


def tables_of(profile: Profile, zero: int) -> ProfileTables:
    """All tables of a profile, whose timeline begins at ``zero`` nanoseconds. Computes all of its parts."""
    operators, kernels = part_of(profile, Part.OPERATORS, Operators), part_of(profile, Part.KERNELS, Kernels)
    return ProfileTables(
        summary=_summary(profile, overview_of(profile), zero),
        operators=[]
        if operators is None
        else [_operators(by, table) for by, table in _groups(operators, OPERATOR_GROUPS)],
        kernels=[] if kernels is None else [_kernels(by, table) for by, table in _groups(kernels, KERNEL_GROUPS)],
    )


def _groups(table: _Table, names: tuple[str, ...]) -> Iterator[tuple[str, _Table]]:
    for name in names:
        if name in table.columns():
            yield name, table.group_by(*(["name", name] if name == "shapes" else [name]))


def _operators(by: str, table: Operators) -> TableRows:
    rows = [
        OperatorEntry(
            name=_name(each, by),
            type=each["type"],
            device=each["device"],
            module=each.get("module") or "",
            shapes=each.get("shapes") or "",
            count=each["count"],
            host_total_ns=each.get("host_total"),
            host_self_ns=each.get("host_self"),
            device_total_ns=each.get("device_total"),
            device_self_ns=each.get("device_self"),
            max_ns=each.get("max"),
            mean_ns=each["mean"],
            flops=each.get("flops"),
            memory_bytes=each.get("memory_self"),
            share=finite(each["share"]) or 0.0,
        )
        for each in _first(table)
    ]
    return TableRows(by=by, rows=rows, kernels=[], left_out=max(0, len(table) - MOST_ROWS))


def _kernels(by: str, table: Kernels) -> TableRows:
    rows = [
        KernelEntry(
            name=_name(each, by),
            kind=each["kind"],
            device=each["device"],
            operator=each.get("operator") or "",
            core=each.get("core") or "",
            count=each["count"],
            total_ns=each["total"],
            min_ns=each.get("min"),
            max_ns=each.get("max"),
            mean_ns=each["mean"],
            occupancy=finite(each.get("occupancy")),
            share=finite(each["share"]) or 0.0,
        )
        for each in _first(table)
    ]
    return TableRows(by=by, rows=[], kernels=rows, left_out=max(0, len(table) - MOST_ROWS))


def _first(table: Operators | Kernels) -> list[dict[str, Any]]:
    """The first rows as Python objects; shares are those of all rows."""
    count = min(len(table), MOST_ROWS)
    columns = table.columns() | table.derived()
    lists = {name: _values(column, count) for name, column in columns.items()}
    return [{name: values[row] for name, values in lists.items()} for row in range(count)]


def _values(column: Column, count: int) -> list[Any]:
    return [column[row] for row in range(count)] if isinstance(column, TextColumn) else column[:count].tolist()


def _name(row: dict[str, Any], by: str) -> str:
    return str(row["name"] if by == "shapes" else row[by])


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
        steps=[] if steps is None else _steps(steps, zero),
        peaks=[
            PeakEntry(
                device=each.device, time_ns=each.time - zero, bytes=each.allocated, categories=dict(each.by_category)
            )
            for each in overview.peaks
        ],
        advice=[_advice(profile, each, zero) for each in overview.advice],
        missing=[
            MissingEntry(
                part=part.value, code=each.code, values=dict(each.values), reason=each.reason, remedy=each.remedy
            )
            for part, each in overview.missing.items()
        ],
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


def _finite(value: str | int | float) -> str | int | float:
    return (finite(value) or 0) if isinstance(value, float) else value


def _advice_rows(profile: Profile, advice: Advice, zero: int) -> Iterator[AdviceRow]:
    """Steps and operators are shown by their own name; other rows only count."""
    table = profile.part(advice.part)
    for row in list(advice.rows)[:MOST_ADVICE_ROWS]:
        if isinstance(table, Steps):
            yield AdviceRow(
                name=str(int(table.number[row])),
                begin_ns=int(table.start[row]) - zero,
                duration_ns=int(table.duration[row]),
            )
        elif isinstance(table, (Operators, Kernels)):
            yield AdviceRow(name=table.name[row], begin_ns=None, duration_ns=None)
