# SPDX-License-Identifier: Apache-2.0
"""Says where time and memory of a training went, from a profile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mindscope.errors import FormatError, ProfilePartError
from mindscope.limited_process import is_large
from mindscope.mcp.results import Cell, counted, cut, first, number
from mindscope.mcp.schema import AdviceRow, ProfileAdvice
from mindscope.profile.advice.advice import gain_text, share_text, time_text
from mindscope.profile.advice.cards import AdviceCard
from mindscope.profile.advice.own_function import OwnFunction, function_text
from mindscope.profile.overview import Overview, overview_of
from mindscope.reading.profiles import RunProfiles
from mindscope.reading.run import Run
from mindscope.settings import DEFAULT_READER_BYTES

_MOST_NAMES = 10


def summarize_profile(run: Run, name: str, top: int) -> ProfileAdvice:
    """Return the bottlenecks of a profile, by default of the last one.

    Raises ProfilePartError for a run without it, FormatError if it is damaged or too large for an answer.
    """
    profiles = run.profiles()
    row = _row_of(profiles, name, run)
    path = profiles.paths[row]
    if path.is_file() and is_large(path.stat().st_size, DEFAULT_READER_BYTES):
        raise FormatError(f"{path.name} has {path.stat().st_size:,} bytes: open it with mindscope start.")
    overview = overview_of(profiles[row])
    answer = ProfileAdvice(
        profile=cut(_names(profiles, run)[row]),
        summary=_summary(overview, len(profiles)),
        parts={part: share_text(share) for part, share in overview.parts.items() if share},
        advice=[_advice(card) for card in overview.cards],
        operators=_rows(overview.operators, top),
        kernels=_rows(overview.kernels, top),
        memory_peaks=[
            {"device": peak.device, "allocated_bytes": peak.allocated} for peak in overview.peaks[:_MOST_NAMES]
        ],
    )
    missing = [f"{part.value}: {value.reason} {value.remedy}".strip() for part, value in overview.missing.items()]
    return {**answer, "missing": first(map(cut, missing), _MOST_NAMES)} if missing else answer


def _names(profiles: RunProfiles, run: Run) -> list[str]:
    return [str(path.relative_to(run.path)) if path.is_relative_to(run.path) else str(path) for path in profiles.paths]


def _row_of(profiles: RunProfiles, name: str, run: Run) -> int:
    """Raises ProfilePartError if the run has no profile of this name."""
    names = _names(profiles, run)
    if not names:
        raise ProfilePartError(f"run {run.id!r} has no profile: record one with mindscope.torch.Profiler.")
    if not name:
        return len(names) - 1
    if name not in names:
        raise ProfilePartError(
            f"run {run.id!r} has no profile {name!r}: it has {', '.join(first(names, _MOST_NAMES))}."
        )
    return names.index(name)


def _summary(overview: Overview, profiles: int) -> str:
    steps = "" if overview.step_time is None else f"{overview.steps} steps of {time_text(overview.step_time)}. "
    busy = (
        "" if overview.device_busy is None else f"The device is busy {share_text(overview.device_busy)} of the time. "
    )
    advice = f"{counted(len(overview.cards), 'bottleneck')}."
    others = f" The run has {profiles} profiles: profile names another." if profiles > 1 else ""
    return f"{steps}{busy}{advice}{others}"


def _advice(card: AdviceCard) -> AdviceRow:
    advice = card.advice[0]
    row = AdviceRow(finding=cut(advice.finding), remedy=cut(advice.remedy), share=share_text(card.share))
    if card.gain is not None:
        row["gain"] = gain_text(card.gain)
    if isinstance(card.function, OwnFunction):
        row["your_code"] = cut(function_text(card.function))
    return row


def _rows(table: Any, top: int) -> list[dict[str, Cell]]:
    """Return the first rows without empty cells; times are in nanoseconds."""
    rows: list[Mapping[str, Any]] = [] if table is None else list(table.rows(top))
    return [{name: _cell(cell) for name, cell in row.items() if cell not in (None, "", ())} for row in rows]


def _cell(cell: Any) -> Any:
    return cut(cell, 200) if isinstance(cell, str) else number(cell)
