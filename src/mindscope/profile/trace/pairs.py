# SPDX-License-Identifier: Apache-2.0
"""Slices out of pairs of events: begin and end of a thread (B, E), and of an asynchronous operation (b, e)."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.trace.trace import Events, Skipped, Slices

UNPAIRED = "unpaired"
"""Reason of events whose begin or end the file lacks."""


def with_pairs(slices: Slices, events: Events) -> tuple[Slices, Events, dict[str, Skipped]]:
    """Return the slices with those of pairs behind them, the other events, and how many events have no partner."""
    paired = np.isin(events.phase, [ord(phase) for phase in "BEbe"])
    if not paired.any():
        return slices, events, {}
    rows = np.flatnonzero(paired)
    begins, ends = _pairs(events, rows)
    lost = len(rows) - 2 * len(begins)
    added = Slices(
        start=events.time[begins],
        duration=events.time[ends] - events.time[begins],
        name=events.name[begins],
        category=events.category[begins],
        track=events.track[begins],
        args_offset=events.args_offset[begins],
        args_size=events.args_size[begins],
    )
    others = Events(*(_column(events, field.name)[~paired] for field in fields(Events)))
    return _joined(slices, added), others, {UNPAIRED: Skipped(lost, -1)} if lost else {}


def _pairs(events: Events, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows of begins and of their ends, in the order of these in the file.

    A begin on a thread is that of the innermost open slice, any other one that of the same id.
    """
    begins: list[int] = []
    ends: list[int] = []
    open_rows: dict[tuple[int, ...], list[int]] = {}
    order = rows[np.argsort(events.time[rows], kind="stable")]
    for row, phase in zip(order.tolist(), events.phase[order].tolist(), strict=True):
        is_thread = phase in b"BE"
        key = (0, int(events.track[row])) if is_thread else (1, int(events.category[row]), int(events.id[row]))
        opened = open_rows.setdefault(key, [])
        if phase in b"Bb":
            opened.append(row)
        elif opened:
            begins.append(opened.pop())
            ends.append(row)
    in_file = np.argsort(np.array(ends, np.int64))
    return np.array(begins, np.int64)[in_file], np.array(ends, np.int64)[in_file]


def _joined(slices: Slices, added: Slices) -> Slices:
    return Slices(
        *(np.concatenate([_column(slices, field.name), _column(added, field.name)]) for field in fields(Slices))
    )


def _column(columns: Slices | Events, name: str) -> NDArray[Any]:
    return getattr(columns, name)
