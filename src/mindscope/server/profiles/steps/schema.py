# SPDX-License-Identifier: Apache-2.0
"""Messages about the steps of a profile. Times are nanoseconds since the begin of its timeline."""

from __future__ import annotations

from mindscope.server.http.columns import Float64
from mindscope.server.http.schema import Answer
from mindscope.server.profiles.tables.schema import MissingEntry


class StepsHeader(Answer):
    """The JSON header of steps as ``application/vnd.mindscope.columns``; ``count`` steps in order of time.

    ``columns`` are nanoseconds by name, of those that the profile records: ``duration``, ``interval``, phases, parts,
    ``overlapped``, ``device_busy``. A phase is NaN where its step lacks one, or is incomplete.
    Means leave out ``warm_up_rows``, and ``incomplete_rows``, of which the profile does not hold all.
    ``has_communication``: GET /api/profiles/steps/communication has the operations between ranks of a step.
    """

    version: str
    missing: MissingEntry | None
    count: int
    warm_up_rows: list[int]
    incomplete_rows: list[int]
    number: Float64
    begin: Float64
    columns: dict[str, Float64]
    has_communication: bool


class StepCommunicationEntry(Answer):
    """An operation between ranks, and the ``lane`` that it is drawn in: its stream, or its device and group."""

    name: str
    kind: str
    lane: str
    begin_ns: int
    duration_ns: int


class StepCommunicationAnswer(Answer):
    """Operations in order of time; ``left_out`` more are not listed."""

    operations: list[StepCommunicationEntry]
    left_out: int
