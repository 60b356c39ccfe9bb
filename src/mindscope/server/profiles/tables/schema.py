# SPDX-License-Identifier: Apache-2.0
"""Messages about the tables of a profile. Durations are nanoseconds; a figure that was not recorded is null."""

from __future__ import annotations

from mindscope.profile.advice.places import PlaceKind
from mindscope.server.http.schema import Answer, ReasonEntry
from mindscope.server.jobs.schema import TaskAnswer


class DeviceEntry(Answer):
    """A device that the profile names; ``memory_bytes`` is 0 if unknown."""

    name: str
    kind: str
    model: str
    memory_bytes: int


class StepParts(Answer):
    """A step, and on what its time went: the parts sum to its duration. ``begin_ns`` is that of the timeline.

    The profile does not hold all of an incomplete step. Means and advice leave it out, and one that warms up.
    """

    number: int
    is_warm_up: bool
    is_incomplete: bool
    begin_ns: int
    duration_ns: int
    parts: dict[str, int]


class PeakEntry(Answer):
    """The greatest allocated memory of a device; ``categories`` are the bytes of live blocks."""

    device: str
    time_ns: int
    bytes: int
    categories: dict[str, int]


class AdviceRow(Answer):
    """A row that advice rests on, and where to find it.

    ``kind`` is what it is: ``operation`` and ``batch`` are of the data pipeline, ``moment`` is of the memory curve,
    ``further`` of a further table, ``span`` a range of the timeline. ``name`` is the number of a step, batch or rank.
    ``of`` is its device, queue or table. ``row`` is its number in the table of its tab, the step of a collective, the
    profile of a rank; -1 without one. ``slice`` is the one of the timeline.
    """

    kind: PlaceKind
    name: str
    of: str
    row: int
    begin_ns: int | None
    duration_ns: int | None
    slice: int | None


class AdviceEntry(Answer):
    """Advice: its text in English, and its ``code`` with ``values`` for other languages.

    Shares in ``values`` are 0 to 1, times nanoseconds, sizes bytes. ``rows`` are the first ten of ``row_count`` rows of
    the table ``part``, of several those of ``table``; without any, it rests on all of them. ``share`` is that of a step
    that it concerns.
    """

    code: str
    values: dict[str, str | int | float]
    finding: str
    remedy: str
    part: str
    table: str
    rows: list[AdviceRow]
    row_count: int
    share: float


class OwnFunctionEntry(Answer):
    """A function of the user that a bottleneck is in.

    ``name`` has its file, the line of its definition and its name, as in ``train.py(12): decode``; no line where it
    began before the first step. ``callee`` is the function of a library that takes most of it, empty for its own code.
    ``share`` is that of the time of all steps, 0 if unknown.
    """

    name: str
    share: float
    callee: str


class MissingEntry(Answer):
    """A part that the profile lacks; ``remedy`` is the line of code that records it, or empty."""

    part: str
    code: str
    values: dict[str, str | int]
    reason: str
    remedy: str


class AdviceCardEntry(Answer):
    """A bottleneck: ``advice`` is what the card says, then its evidence.

    ``share`` is that of the time of all steps; those of all cards sum to 1 at most, and 0 is of no time. ``gain`` says
    how many times as fast a step is at most without it. ``missing`` says why ``function`` is unknown.
    """

    kind: str
    advice: list[AdviceEntry]
    share: float
    gain: float | None
    function: OwnFunctionEntry | None
    missing: MissingEntry | None


class FlopsEntry(Answer):
    """Floating-point operations of a profile; ``utilization`` of what the device could do, 0 to 1, null if unknown."""

    operations: float
    per_second: float
    utilization: float | None


class FileProblem(Answer):
    """A file of a profile, and why something of it could not be read."""

    file: str
    problem: ReasonEntry


class ProfileSummary(Answer):
    """Figures of a profile. ``shares`` are those of the parts in the time of all steps, 0 to 1.

    ``problems`` are files of which something could not be read. ``unlinked`` is the share of the time of kernels that
    is in no operator, null where that is little.
    """

    framework: str
    format: str
    worker: str
    rank: int | None
    devices: list[DeviceEntry]
    step_ns: float | None
    shares: dict[str, float]
    overlap: float | None
    device_busy: float | None
    occupancy: float | None
    tensor_cores: float | None
    unlinked: float | None
    flops: FlopsEntry | None
    problems: list[FileProblem]
    steps: list[StepParts]
    peaks: list[PeakEntry]
    cards: list[AdviceCardEntry]
    missing: list[MissingEntry]


class TopEntry(Answer):
    """An operator or a kernel, with its share of the time of all, 0 to 1."""

    name: str
    time_ns: int
    share: float


class ProfileTables(Answer):
    """The overview of a profile, and the ten operators and kernels of the greatest time."""

    summary: ProfileSummary
    top_operators: list[TopEntry]
    top_kernels: list[TopEntry]


class TablesAnswer(TaskAnswer):
    """Either the ``tables``, or the ``progress`` of reading the profile, or the ``problem`` that prevents it.

    ``version`` is that of the tables, which changes with the content of the profile; null without them.
    """

    run: str
    profile: str
    version: str | None
    tables: ProfileTables | None
