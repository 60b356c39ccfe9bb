# SPDX-License-Identifier: Apache-2.0
"""Decides whether a table of numbers is the log of a training, and which columns hold steps and times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.trackers._table_cells import NUMBER, TEXT

STEP_NAMES = (
    "step", "_step", "global_step", "trainer/global_step", "steps", "iteration", "iterations", "iter",
    "timesteps_total", "time/total_timesteps", "total_timesteps", "timesteps", "training_iteration", "epoch", "epochs",
)  # fmt: skip
"""Names of columns of steps by precedence, in small letters."""
TIME_NAMES = (
    "timestamp", "_timestamp", "wall_time", "walltime", "datetime", "date", "time", "created_at",
    "time_total_s", "time/time_elapsed", "time_elapsed", "elapsed_time", "elapsed", "_runtime", "runtime",
)  # fmt: skip
"""Names of columns of times by precedence: moments as ISO texts or since 1970, or seconds since the beginning."""
_FIRST_MOMENT, _FIRST_MILLISECONDS = 1e8, 1e11
_MOST_LARGE_STEP = float(1 << 62)


@dataclass(frozen=True, slots=True)
class TableLayout:
    """The columns of a log. ``time`` is -1 without times, and ``time_unit`` one of ``TIME_UNITS``."""

    names: tuple[str, ...]
    step: int
    time: int = -1
    time_unit: str = ""


TIME_UNITS = ("text", "seconds", "milliseconds", "elapsed")


def layout_of(
    names: Sequence[str], numbers: NDArray[np.float64], kinds: NDArray[np.uint8], texts: Sequence[Sequence[str | None]]
) -> TableLayout | None:
    """Return the layout of a table with these first rows, None if it has no column of steps with numbers beside it.

    ``texts`` are the cells that are texts, by row and column.
    """
    if len(names) < 2 or len(set(names)) != len(names) or any(not name or _is_number(name) for name in names):
        return None
    lower = [name.lower() for name in names]
    steps = (lower.index(name) for name in STEP_NAMES if name in lower)
    step = next((column for column in steps if _are_steps(numbers[:, column], kinds[:, column])), None)
    if step is None:
        return None
    others = [column for column in range(len(names)) if lower[column] not in STEP_NAMES + TIME_NAMES]
    if not (kinds[:, others] == NUMBER).any():
        return None
    return TableLayout(tuple(names), step, *_times(lower, numbers, kinds, texts))


def is_log(layout: TableLayout, numbers: NDArray[np.float64], kinds: NDArray[np.uint8]) -> bool:
    """Return whether the first rows of a table look like those of a log, not of a data set.

    Steps hardly ever decrease, a column has one value a step, and fewer columns hold texts than numbers.
    """
    texts = (kinds == TEXT).any(axis=0)
    if texts.sum() > (kinds == NUMBER).any(axis=0).sum() - 1:
        return False
    steps = numbers[:, layout.step]
    if len(steps) < 2:
        return True
    others = np.delete(kinds == NUMBER, layout.step, axis=1)
    is_repeated = (steps[1:] == steps[:-1]) & (others[1:] & others[:-1]).any(axis=1)
    is_back = steps[1:] < steps[:-1]
    return bool(is_repeated.sum() + is_back.sum() <= len(steps) // 4)


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _are_steps(numbers: NDArray[np.float64], kinds: NDArray[np.uint8]) -> bool:
    """Return whether most cells are numbers, and all of these whole."""
    given = numbers[kinds == NUMBER]
    if 2 * len(given) <= len(numbers):
        return False
    return bool(((given >= -1) & (given < _MOST_LARGE_STEP) & (given == np.floor(given))).all())


def _times(
    lower: Sequence[str], numbers: NDArray[np.float64], kinds: NDArray[np.uint8], texts: Sequence[Sequence[Any]]
) -> tuple[int, str]:
    for name in TIME_NAMES:
        if name not in lower:
            continue
        column = lower.index(name)
        if (kinds[:, column] == TEXT).all():
            if all(moment_of(row[column] or "") is not None for row in texts):
                return column, "text"
        elif (kinds[:, column] == NUMBER).all():
            least = float(numbers[:, column].min())
            if least >= _FIRST_MOMENT:
                return column, "milliseconds" if least >= _FIRST_MILLISECONDS else "seconds"
            if name not in ("timestamp", "_timestamp", "datetime", "date", "created_at") and least >= 0:
                return column, "elapsed"
    return -1, ""


def moment_of(text: str) -> float | None:
    """Return the seconds since 1970 of an ISO text; without a zone it is local time. None for another text."""
    from datetime import datetime

    try:
        return datetime.fromisoformat(text.strip().replace("Z", "+00:00")).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
