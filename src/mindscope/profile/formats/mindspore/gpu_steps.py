# SPDX-License-Identifier: Apache-2.0
"""Steps of ``step_trace_profiling``, from which MindSpore on a GPU makes ``step_trace_raw``.

Where kernels are launched asynchronously, a line is a step, in nanoseconds:
``START,T FORWARD,T BACKWARD,T END,T [REDUCE,T0,T1 ...]``. Else a line is a point of all steps, in 10 ns ticks:
``NAME T0,T1 T0,T1 ...``, of the begin of the forward pass, the end of the backward pass, the end, and each reduce.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.formats.csv_table import read_lines
from mindscope.profile.formats.mindspore.step_trace import TICK_NS, Reduces, StepTrace

_Span = tuple[int, int]
_POINTS = 3
_STEP_POINTS = 4


def read_gpu_steps(path: Path) -> StepTrace | None:
    """Return the steps of a file; None without any. Raises OSError."""
    lines = [words for line in read_lines(path) if (words := line.split())]
    if not lines:
        return None
    return _by_step(lines) if "," in lines[0][0] else _by_point(lines)


def _by_step(lines: Sequence[Sequence[str]]) -> StepTrace | None:
    rows: list[list[int]] = []
    reduces: list[dict[str, _Span]] = []
    for words in lines:
        points = [_numbers(word)[-1:] for word in words[:_STEP_POINTS]]
        if len(points) == _STEP_POINTS and all(points):
            rows.append([point[0] for point in points])
            spans = [(word.partition(",")[0], _numbers(word)) for word in words[_STEP_POINTS:]]
            reduces.append({name: (span[0], span[1]) for name, span in spans if len(span) >= 2})
    return _trace(np.array(rows, np.int64).reshape(-1, _STEP_POINTS), reduces, len(lines) - len(rows))


def _by_point(lines: Sequence[Sequence[str]]) -> StepTrace | None:
    spans = [[_numbers(word) for word in words[1:]] for words in lines]
    if len(spans) < _POINTS:
        return None
    count = min(len(span) for span in spans[:_POINTS])
    rows: list[list[int]] = []
    kept: list[int] = []
    end = 0
    for step in range(count):
        forward, backward, tail = (span[step] for span in spans[:_POINTS])
        if len(forward) == len(backward) == len(tail) == 2:
            rows.append([TICK_NS * point for point in (end or forward[0], forward[0], backward[1], tail[1])])
            kept.append(step)
            end = tail[1]
    reduces = [
        {
            words[0]: (TICK_NS * each[step][0], TICK_NS * each[step][1])
            for words, each in zip(lines[_POINTS:], spans[_POINTS:], strict=True)
            if step < len(each) and len(each[step]) == 2
        }
        for step in kept
    ]
    return _trace(np.array(rows, np.int64).reshape(-1, _STEP_POINTS), reduces, count - len(rows))


def _trace(points: NDArray[np.int64], reduces: Sequence[dict[str, _Span]], skipped: int) -> StepTrace | None:
    """Return steps whose points are in order."""
    is_whole: NDArray[np.bool_] = np.all(np.diff(points, axis=1) >= 0, axis=1)
    if not is_whole.any():
        return None
    own = [reduce for reduce, whole in zip(reduces, is_whole.tolist(), strict=True) if whole]
    names = dict.fromkeys(name for each in own for name in each)
    found = [
        Reduces(name, *(np.array([each.get(name, (0, 0))[side] for each in own], np.int64) for side in (0, 1)))
        for name in names
    ]
    start, forward, backward, end = (points[is_whole, column] for column in range(_STEP_POINTS))
    number = np.flatnonzero(is_whole).astype(np.int64) + 1
    return StepTrace(number, start, end, forward, backward, found, skipped + int((~is_whole).sum()))


def _numbers(word: str) -> list[int]:
    """Return the numbers of ``NAME,T``, ``NAME,T0,T1`` or ``T0,T1``."""
    return [int(part) for part in word.split(",") if part.isdecimal()]
