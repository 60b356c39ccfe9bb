# SPDX-License-Identifier: Apache-2.0
"""The fields of every answer of a task until it has its value."""

from __future__ import annotations

from typing import Any

from mindscope.server.http.schema import Answer, ReasonEntry
from mindscope.server.jobs.task import Outcome, Task


class TaskProgress(Answer):
    """``total_bytes`` is 0 if it is not known.

    ``phase`` is ``waiting``, ``reading``, ``indexing``, ``tables`` or, of a difference, ``comparing``.
    """

    phase: str
    read_bytes: int
    total_bytes: int
    seconds: float

    @staticmethod
    def of(task: Task[Any]) -> TaskProgress:
        """Return the progress of a task."""
        return TaskProgress(
            phase=task.phase, read_bytes=task.read_bytes, total_bytes=task.total_bytes, seconds=task.seconds
        )


class TaskAnswer(Answer):
    """A value in further fields, or the ``progress`` of computing it, or the ``problem`` that prevents it."""

    progress: TaskProgress | None
    problem: ReasonEntry | None


def fields_of(outcome: Outcome[Any]) -> dict[str, Any]:
    """Return the fields of a TaskAnswer."""
    progress = None if outcome.progress is None else TaskProgress.of(outcome.progress)
    return {"progress": progress, "problem": None if outcome.problem is None else ReasonEntry.of(outcome.problem)}
