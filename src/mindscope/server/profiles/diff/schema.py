# SPDX-License-Identifier: Apache-2.0
"""Messages about the difference of two profiles. Times are nanoseconds of a step."""

from __future__ import annotations

from mindscope.server.http.schema import Answer
from mindscope.server.jobs.schema import TaskAnswer


class ChangeEntry(Answer):
    """Two figures; ``error`` is the standard error of the change over the steps, 0 if it is unknown."""

    before: float
    after: float
    error: float


class ChangeRow(Answer):
    """An operator of a module, or a kernel; self times. ``share`` is the change over the time of a step before.

    ``state`` is ``added``, ``gone``, ``slower``, ``faster`` or ``unchanged``.
    """

    name: str
    kind: str
    module: str
    state: str
    before_ns: int
    after_ns: int
    count_before: float
    count_after: float
    share: float


class CallRow(ChangeRow):
    """A call of the tree: parents precede their children. Total times contain the calls within it.

    ``parent`` is its row, -1 for a root. ``left_out`` calls within it are not listed. ``kind`` is ``module``,
    ``operator``, ``annotation``, ``launch``, ``thread``, or ``outside`` for the part of a step outside of any call.
    """

    parent: int
    total_before_ns: int
    total_after_ns: int
    left_out: int


class NoteEntry(Answer):
    """A part that can't be compared: its text in English, and its ``code`` with ``values`` for other languages."""

    code: str
    values: dict[str, str | int]
    text: str


class DiffMessage(Answer):
    """A difference. Without steps, times are those of the whole profile, and ``parts`` are empty.

    ``is_on_device`` says that times of operators are those of a device. Rows have the greatest change first;
    ``operators_left_out`` and ``kernels_left_out`` more are not listed. ``kernels`` and ``calls`` are null if a profile
    lacks them. ``peaks`` are bytes by device.
    """

    step: ChangeEntry
    steps_before: int
    steps_after: int
    parts: dict[str, ChangeEntry]
    is_on_device: bool
    operators: list[ChangeRow]
    operators_left_out: int
    kernels: list[ChangeRow] | None
    kernels_left_out: int
    calls: list[CallRow] | None
    peaks: dict[str, ChangeEntry]
    notes: list[NoteEntry]


class DiffAnswer(TaskAnswer):
    """Either the ``diff``, or the ``progress`` of reading ``reading``, or the ``problem`` that prevents it.

    ``numbers_before`` and ``numbers_after`` are the steps that can be chosen; empty for profiles whose steps have no
    times of their own.
    """

    reading: str
    numbers_before: list[int]
    numbers_after: list[int]
    diff: DiffMessage | None
