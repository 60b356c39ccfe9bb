# SPDX-License-Identifier: Apache-2.0
"""A work of one step, and what a request gets of it: its value, its progress, or the problem that prevents it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Generic, ParamSpec, TypeVar

from mindscope.errors import MindscopeError

T = TypeVar("T")
P = ParamSpec("P")


class Task(Generic[T]):
    """A work of one step, at which requests look while a worker runs it."""

    def __init__(self, compute: Callable[[Task[T]], T], total_bytes: int = 0, phase: str = "waiting") -> None:
        self._compute: Callable[[Task[T]], T] | None = compute
        self.total_bytes = total_bytes
        self.read_bytes = 0
        self.phase = phase
        self.partial: T | None = None
        """The value of what is read so far."""
        self.value: T | None = None
        """It may come before the end."""
        self.is_complete = False
        self._started_at = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since it was requested."""
        return time.monotonic() - self._started_at

    @property
    def outcome(self) -> Outcome[T]:
        """The value, or the progress."""
        return Outcome(progress=self) if self.value is None else Outcome(self.value)

    def take_over(self, earlier: Task[T]) -> None:
        """A task has no steps to continue."""

    def run_step(self) -> None:
        """Compute the value. Raises what that raises."""
        assert self._compute is not None
        self.value = self._compute(self)
        self._compute = self.partial = None  # they hold what was read
        self.is_complete = True


def completed(value: T) -> Task[T]:
    """Return a task whose value is computed already."""
    task = Task[T](lambda _: value)
    task.run_step()
    return task


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """Either the value of a task, or its progress, or the problem that prevents it."""

    value: T | None = None
    progress: Task[Any] | None = None
    problem: Exception | None = None


def with_problem(request: Callable[P, Outcome[T]]) -> Callable[P, Outcome[T]]:
    """Decorates a function that raises MindscopeError and OSError: they become the problem."""

    @wraps(request)
    def outcome(*args: P.args, **kwargs: P.kwargs) -> Outcome[T]:
        try:
            return request(*args, **kwargs)
        except (MindscopeError, OSError) as error:
            return Outcome(problem=error)

    return outcome
