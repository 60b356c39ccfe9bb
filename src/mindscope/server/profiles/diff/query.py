# SPDX-License-Identifier: Apache-2.0
"""The difference of two profiles as a message."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.compare import CallChanges, Change, Changes, ProfileDiff
from mindscope.profile.model.optional_parts import part_of
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.steps import Steps
from mindscope.profile.texts import Missing
from mindscope.server.http.json_numbers import finite
from mindscope.server.profiles.diff.schema import CallRow, ChangeEntry, ChangeRow, DiffMessage, NoteEntry

MOST_ROWS = 2_000
MOST_CALLS = 1_500
"""Calls of the greatest change; those around them are listed, too."""
MOST_STEPS = 10_000


def diff_message(diff: ProfileDiff) -> DiffMessage:
    """Return a difference without its smallest rows."""
    kernels = diff.kernels
    return DiffMessage(
        step=_entry(diff.step),
        steps_before=diff.steps_before,
        steps_after=diff.steps_after,
        parts={part: _entry(each) for part, each in diff.parts.items()},
        is_on_device=diff.is_on_device,
        operators=[ChangeRow(**row) for row in _rows(diff.operators.head(MOST_ROWS))],
        operators_left_out=max(0, len(diff.operators) - MOST_ROWS),
        kernels=None if kernels is None else [ChangeRow(**row) for row in _rows(kernels.head(MOST_ROWS))],
        kernels_left_out=0 if kernels is None else max(0, len(kernels) - MOST_ROWS),
        calls=None if diff.calls is None else _calls(diff.calls),
        peaks={device: _entry(peak) for device, peak in diff.peaks.items()},
        notes=[NoteEntry(code=note.code, values=dict(note.values), text=note.text) for note in diff.notes],
    )


def step_numbers(profile: Profile) -> list[int]:
    """Return the steps that a difference can be restricted to, in order; a restart may have repeated some."""
    steps = part_of(profile, Part.STEPS, Steps)
    has_times = any(not isinstance(profile.part(part), Missing) for part in (Part.CALL_TREE, Part.STEP_ROWS))
    return np.unique(steps.number)[:MOST_STEPS].tolist() if steps is not None and has_times else []


def _entry(change: Change) -> ChangeEntry:
    return ChangeEntry(**{name: finite(value) or 0.0 for name, value in change._asdict().items()})


def _rows(changes: Changes) -> list[dict[str, Any]]:
    return [
        {
            "name": row["name"], "kind": row["kind"], "module": row["module"], "state": row["state"],
            "before_ns": row["before"], "after_ns": row["after"],
            "count_before": row["count_before"], "count_after": row["count_after"],
            "share": finite(row["share"]) or 0.0,
        }
        for row in changes.rows()
    ]  # fmt: skip


def _calls(calls: CallChanges) -> list[CallRow]:
    chosen = _greatest_calls(calls)
    left_out = np.zeros(len(calls) + 1, np.int64)  # the last one for roots
    dropped = np.setdiff1d(np.arange(len(calls)), chosen)
    np.add.at(left_out, calls.parent[dropped], 1)
    new_row = np.full(len(calls) + 1, -1)
    new_row[chosen] = np.arange(len(chosen))
    kept = calls.select(chosen)
    return [
        CallRow(
            **each,
            parent=int(new_row[kept.parent[row]]),
            total_before_ns=int(kept.total_before[row]),
            total_after_ns=int(kept.total_after[row]),
            left_out=int(left_out[chosen[row]]),
        )
        for row, each in enumerate(_rows(kept))
    ]


def _greatest_calls(calls: CallChanges) -> NDArray[np.int64]:
    """Return rows of the greatest changes, and those around them, in their order."""
    if len(calls) <= MOST_CALLS:
        return np.arange(len(calls))
    weight = np.maximum(np.abs(calls.after - calls.before), np.abs(calls.total_after - calls.total_before))
    is_kept = np.zeros(len(calls) + 1, np.bool_)  # the last one for no parent
    is_kept[np.argsort(-weight, kind="stable")[:MOST_CALLS]] = True
    for row in range(len(calls) - 1, -1, -1):  # children follow their parents
        if is_kept[row]:
            is_kept[calls.parent[row]] = True
    return np.flatnonzero(is_kept[:-1])
