# SPDX-License-Identifier: Apache-2.0
"""Messages of sweeps."""

from __future__ import annotations

from pydantic import Field

from mindscope.server.http.schema import Answer, Query


class SweepQuery(Query):
    """A sweep by the id that the list gives."""

    sweep: str = Field(max_length=4096)


class SweepEntry(Answer):
    """A sweep and the counts of its trials.

    ``id`` is the directory below the one of the viewer, or the YAML file of a sweep without trials. ``total`` is null
    without an end, ``best`` and ``best_run`` are null before a value. ``can_start``: the viewer may start it.
    """

    id: str
    name: str
    method: str
    metric: str | None
    is_maximized: bool
    total: int | None
    complete: int
    pruned: int
    failed: int
    running: int
    best: float | None
    best_run: str | None
    problem: str
    is_running: bool
    can_start: bool


class SweepsAnswer(Answer):
    """The sweeps; ``is_complete`` says that none of them runs."""

    sweeps: list[SweepEntry]
    allow_sweeps: bool
    is_complete: bool
