# SPDX-License-Identifier: Apache-2.0
"""Whether a training ended within its last recorded step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from mindscope.debug.first_bad.step_operators import PHASES
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import Role

_COMPARED = 8
"""Steps before the last one; a training may run its optimizer only in some."""


@dataclass(frozen=True, slots=True)
class UnfinishedStep:
    """A step that has fewer phases than all steps before it: the training failed or was ended within it."""

    step: int
    rank: int
    operator: str
    """The last one that returned; a module around it may have begun."""


def unfinished_step(
    source: DebugSource, read: Callable[[int, int], StepStatistics | None] | None = None
) -> UnfinishedStep | None:
    """Return the last step of the first rank that ended within it; None if all ended after a whole step.

    Args:
        source: debugging data.
        read: as that of ``FirstBadSearch``.

    Raises:
        DebugDataError, FormatError, OSError: as ``DebugSource.at``.
    """
    for rank in source.ranks:
        steps = source.steps(rank)[-_COMPARED - 1 :]
        recorded = [found for step in steps if (found := (read or source.at)(step, rank)) is not None]
        if len(recorded) > 1 and recorded[-1].step == steps[-1] and len(recorded[-1].order):
            *earlier, last = recorded
            if _last_phase(source, last) < min(_last_phase(source, each) for each in earlier):
                return UnfinishedStep(last.step, rank, _last_operator(source, last))
    return None


def _last_operator(source: DebugSource, recorded: StepStatistics) -> str:
    tensors: list[int] = recorded.tensor.tolist()
    rows = [row for row, tensor in enumerate(tensors) if tensor < len(source.tensors)]
    returned = [row for row in rows if source.tensors[tensors[row]].role is Role.OUTPUT]
    last = max(returned or rows, key=lambda row: int(recorded.order[row]), default=None)
    return "" if last is None else source.tensors[tensors[last]].operator


def _last_phase(source: DebugSource, recorded: StepStatistics) -> int:
    tensors, recorded_indexes = source.tensors, np.unique(recorded.tensor)
    indexes: list[int] = recorded_indexes[recorded_indexes < len(tensors)].tolist()
    return max((PHASES[tensors[index].phase] for index in indexes), default=-1)
