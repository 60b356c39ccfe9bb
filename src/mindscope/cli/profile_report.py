# SPDX-License-Identifier: Apache-2.0
"""Prints the findings of ``mindscope profile``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

from mindscope.cli.logs import printable
from mindscope.cli.profile_streams import stream_lines, streams_json
from mindscope.profile.advice.advice import Advice, gain_text, share_text, size_text, time_text
from mindscope.profile.advice.own_function import OwnFunction, function_text
from mindscope.profile.advice.places import places_of
from mindscope.profile.compare import Changes, ProfileDiff
from mindscope.profile.overview import MOST_UNLINKED, Overview
from mindscope.profile.profile import Profile

_PLAINLY_MISSING = ("not_in_format", "no_events")
"""Parts that no profile of a format has need no word."""
_NAME_WIDTH = 48
_MOST_ROWS = 3
"""Largest number of rows of advice."""


def overview_json(read: Profile, overview: Overview, top: int, kernel_wait: int) -> dict[str, Any]:
    trace = read.trace
    return {
        "name": read.name, "format": read.format, "rank": read.rank,
        "devices": [{"name": device.name, "kind": device.kind, "model": device.model, "memory": device.memory}
                    for device in read.devices],
        "events": None if trace is None else {
            "read": trace.read, "skipped": {reason: value.count for reason, value in trace.skipped.items()},
        },
        "problems": _problems(read),
        **overview.to_json(top), **streams_json(read, kernel_wait),
    }  # fmt: skip


def overview_lines(read: Profile, overview: Overview, top: int, kernel_wait: int) -> Iterator[str]:
    devices = ", ".join(f"{device.name} ({device.model})" if device.model else device.name for device in read.devices)
    rank = "" if read.rank is None else f", rank {read.rank}"
    yield f"{read.name}  {read.format}{rank}{', ' if devices else ''}{devices}"
    yield from _event_lines(read)
    for file, problem in _problems(read).items():
        yield f"problem      {file}: {problem}"
    if overview.step_time is not None:
        yield f"steps        {overview.steps} of {time_text(overview.step_time)}"
        if overview.warm_up:
            yield f"warm-up      step {', '.join(map(str, overview.warm_up))}: means and advice leave it out"
        if overview.incomplete:
            numbers = ", ".join(map(str, overview.incomplete))
            yield f"incomplete   step {numbers}: the trace does not hold all of it; means and advice leave it out"
        for part, share in overview.parts.items():
            if share:
                yield f"  {part:<14} {share_text(share):>8}  {time_text(share * overview.step_time)}"
    for name, share in (
        ("overlap", overview.overlap), ("device busy", overview.device_busy), ("SM use", overview.sm_efficiency),
        ("occupancy", overview.occupancy),
        ("tensor cores", overview.tensor_cores),
    ):  # fmt: skip
        if share is not None:
            yield f"{name:<12} {share_text(share)}"
    if overview.unlinked is not None and overview.unlinked > MOST_UNLINKED:
        yield f"no operator  launched {share_text(overview.unlinked)} of the time of kernels; operators lack it"
    for peak in overview.peaks:
        held = ", ".join(f"{category} {size_text(size)}" for category, size in peak.by_category.items())
        yield f"memory peak  {peak.device} {size_text(peak.allocated)}{': ' + held if held else ''}"
    for note in overview.memory_notes:
        yield f"memory       {note.reason}"
    yield from _advice_lines(read, overview)
    for title, table in (("operators", overview.operators), ("kernels", overview.kernels)):
        if table is not None and len(table):
            yield ""
            yield from _table_lines(title, list(table.rows(top)))
    yield from stream_lines(read, kernel_wait)
    yield from _missing_lines(overview)


def _problems(read: Profile) -> dict[str, str]:
    """File -> what of it is left out. All parts are read before, since each adds what it finds."""
    found = read.facts.properties.get("problems")
    problems = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    return {name: str(problem) for name, problem in problems.items()}


def _event_lines(read: Profile) -> Iterator[str]:
    if read.trace is None:
        return
    skipped = ", ".join(f"{value.count} {reason}" for reason, value in read.trace.skipped.items())
    yield f"events       {read.trace.read} read" + (f", skipped: {skipped}" if skipped else "")


def _advice_lines(read: Profile, overview: Overview) -> Iterator[str]:
    for card in overview.cards:
        each, *evidence = card.advice
        yield ""
        yield f"* {each.finding}"
        if card.gain is not None:
            yield f"  {share_text(card.share)} of the time: {gain_text(card.gain)} at most"
        yield f"  {each.remedy}"
        if isinstance(card.function, OwnFunction):
            yield f"  your code: {printable(function_text(card.function))}"
        elif card.function is not None:
            yield f"  your code: {card.function.reason}{record_by(card.function.remedy)}"
        yield from _rests_lines(read, each)
        for other in evidence:
            yield f"  also: {other.finding}"
            yield from _rests_lines(read, other)


def _rests_lines(read: Profile, advice: Advice) -> Iterator[str]:
    names = [row.text for row in places_of(read, advice, _MOST_ROWS)]
    more = (len(advice.rows) or len(advice.spans)) - len(names)
    if names:
        yield f"  rests on {', '.join(names)}{f' and {more} more' if more > 0 else ''}"


def _missing_lines(overview: Overview) -> Iterator[str]:
    names: dict[tuple[str, str], list[str]] = {}
    for part, value in overview.missing.items():
        if value.remedy or value.code not in _PLAINLY_MISSING:
            names.setdefault((value.reason, value.remedy), []).append(part.value.replace("_", " "))
    if names:
        yield ""
    for (reason, remedy), parts in names.items():
        yield f"no {', '.join(parts)}: {reason}{record_by(remedy)}"


def record_by(remedy: str) -> str:
    """Return the line of code that records what is missing, as the end of a sentence."""
    return f"; record it by {remedy}" if remedy else ""


def _table_lines(title: str, rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    is_device = any(row.get("device_self") for row in rows)
    yield f"{title:<{_NAME_WIDTH}} {'share':>8} {'self':>10} {'total':>10} {'mean':>10} {'count':>8}"
    for row in rows:
        side = "device" if is_device else "host"
        own = row.get(f"{side}_self", row.get("total"))
        total = row.get(f"{side}_total", row.get("total"))
        cells = (share_text(row["share"]), *(time_text(each or 0) for each in (own, total, row["mean"])))
        yield f"{_cut(row['name']):<{_NAME_WIDTH}} " + " ".join(
            [f"{cells[0]:>8}", *(f"{cell:>10}" for cell in cells[1:]), f"{row['count']:>8}"]
        )


def diff_json(found: ProfileDiff, top: int) -> dict[str, Any]:
    rows = _changed(found.operators)
    return {
        "step_before_ns": found.step.before, "step_after_ns": found.step.after, "step_error_ns": found.step.error,
        "parts": {
            part: {"before_ns": each.before, "after_ns": each.after, "error_ns": each.error}
            for part, each in found.parts.items()
        },
        "operators": rows[:top],
        "kernels": [] if found.kernels is None else _changed(found.kernels)[:top],
        "memory_peaks": [
            {"device": device, "before": peak.before, "after": peak.after} for device, peak in found.peaks.items()
        ],
        "notes": [{"code": note.code, "text": note.text} for note in found.notes],
    }  # fmt: skip


def diff_lines(one: Profile, other: Profile, found: ProfileDiff, top: int) -> Iterator[str]:
    change = found.step.after / found.step.before - 1 if found.step.before else 0.0
    yield f"{one.name} -> {other.name}"
    noise = f", steps vary by {time_text(found.step.error)}" if found.step.error else ""
    yield f"step  {time_text(found.step.before)} -> {time_text(found.step.after)} ({change:+.1%}{noise})"
    for part, each in found.parts.items():
        if each.before or each.after:
            yield f"  {part:<14} {time_text(each.before):>10} -> {time_text(each.after):>10}"
    for device, peak in found.peaks.items():
        yield f"memory peak  {device} {size_text(int(peak.before))} -> {size_text(int(peak.after))}"
    for note in found.notes:
        yield f"* {note.text}"
    yield from _change_lines("operators", found.operators, top)
    if found.kernels is not None:
        yield from _change_lines("kernels", found.kernels, top)


def _changed(changes: Changes) -> list[dict[str, Any]]:
    return [row for row in changes.rows() if row["state"] != "unchanged"]


def _change_lines(title: str, changes: Changes, top: int) -> Iterator[str]:
    rows = _changed(changes)
    yield ""
    yield f"{title:<{_NAME_WIDTH}} {'state':<8} {'before':>10} {'after':>10} {'of step':>9}  module".rstrip()
    for row in rows[:top]:
        sign = "+" if row["share"] > 0 else "-"
        yield (
            f"{_cut(row['name']):<{_NAME_WIDTH}} {row['state']:<8} {time_text(row['before']):>10} "
            f"{time_text(row['after']):>10} {sign + share_text(abs(row['share'])):>9}  {row['module']}"
        ).rstrip()
    if len(rows) > top:
        yield f"{len(rows) - top} more"


def _cut(name: str) -> str:
    """Return a name that fits: of a path of scopes its end, of any other name its beginning."""
    name = printable(name)
    if len(name) <= _NAME_WIDTH:
        return name
    return "..." + name[3 - _NAME_WIDTH :] if "/" in name else name[: _NAME_WIDTH - 3] + "..."
