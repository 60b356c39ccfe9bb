# SPDX-License-Identifier: Apache-2.0
"""Comparisons of debugging data that continue with the next request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from mindscope.debug.compare import Comparison, known_pairs
from mindscope.debug.compare.compared_step import ComparedOperator, ComparedStep
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.errors import DebugDataError, FormatError
from mindscope.server.debugger.sources import OpenSource
from mindscope.server.http.disconnect import check_connected
from mindscope.server.jobs.jobs import Jobs

T = TypeVar("T")


@dataclass(eq=False)
class OpenComparison:
    """Two versions of two sources, compared with some pairs made by hand."""

    left: OpenSource
    right: OpenSource
    remembered: Mapping[str, str]
    """Pairs of operators that were made by hand, also those that the sources don't have."""
    step_offset: int | None = None
    """Offset of steps as that of ``Comparison``; None to search for it."""
    by_hand: dict[str, str] = field(init=False)
    """Pairs of operators that both sources have."""
    comparison: Comparison = field(init=False)
    unreadable: set[int] = field(default_factory=set[int])
    """Steps that can't be read."""
    _operators: tuple[tuple[int, int], tuple[ComparedOperator, ...]] | None = None
    """Operators of the step and rank that was requested last."""

    def __post_init__(self) -> None:
        left, right = self.left.source, self.right.source
        self.by_hand = known_pairs(left, right, self.remembered)
        read = self._reader(self.left), self._reader(self.right)
        self.comparison = Comparison(left, right, by_hand=self.by_hand, step_offset=self.step_offset, read=read)

    @property
    def version(self) -> str:
        """Version of both sources, of the pairs and of the offset."""
        settings = tuple(self.by_hand.items()), self.comparison.step_offset
        return f"{self.left.version}-{self.right.version}-{hash(settings) & 0xFFFF_FFFF:x}"

    @property
    def is_complete(self) -> bool:
        return self.comparison.is_over

    def run_step(self) -> None:
        """Compare a further step. Raises DebugDataError."""
        self.comparison.read_next()

    def take_over(self, earlier: OpenComparison) -> None:
        """Continue an earlier comparison of the same sources."""
        self.comparison.take_over(earlier.comparison)
        if self.comparison.differences:
            self.unreadable |= earlier.unreadable

    def operators(self, step: int, rank: int) -> tuple[ComparedOperator, ...]:
        """Return the operators of a step, in execution order. Raises DebugDataError, FormatError, OSError."""
        if self._operators is None or self._operators[0] != (step, rank):
            self._operators = (step, rank), self.at(step, rank).operators()
        return self._operators[1]

    def at(self, step: int, rank: int) -> ComparedStep:
        """Return a step of both. Raises DebugDataError, FormatError, OSError."""
        other = self.comparison.other_rank(step, rank)
        if other is None:
            raise DebugDataError(f"the trainings have no common step {step} of rank {rank}")
        theirs = self.right.at(step + self.comparison.step_offset, other)
        return self.comparison.compare(self.left.at(step, rank), theirs)

    def _reader(self, opened: OpenSource) -> Callable[[int, int], StepStatistics | None]:
        def read(step: int, rank: int) -> StepStatistics | None:
            check_connected()
            try:
                return opened.read(step, rank)
            except (FormatError, OSError):
                self.unreadable.add(step)
                return None

        return read


class Comparisons(Jobs[tuple[str, str, str, str], OpenComparison]):
    """The comparisons that were used last. For any thread."""

    most = 4

    def look(
        self,
        left: OpenSource,
        right: OpenSource,
        remembered: Mapping[str, str],
        see: Callable[[OpenComparison], T],
        step_offset: int | None = None,
    ) -> T:
        """Return the result of ``see`` for a comparison, as far as it is.

        Raises DebugDataError, FormatError, OSError.
        """
        return self.use(
            (*left.key, *right.key),
            (left, right, remembered, step_offset),
            lambda: OpenComparison(left, right, remembered, step_offset),
            see,
        )
