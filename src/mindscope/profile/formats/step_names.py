# SPDX-License-Identifier: Apache-2.0
"""Finds the steps of a training among ranges that a program named."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.categories import STEP_NAME
from mindscope.table.columns import TextColumn
from mindscope.table.grouping import sums_of

NO_STEP = -1
_STEP = re.compile(
    r"(.*?(?:step|iteration|iter|batch))s?\s*[ #:=_-]?\s*(\d{1,15})\s*", re.IGNORECASE | re.ASCII | re.DOTALL
)
_DIGITS = re.compile(r"\d+")
_LONGEST = 200
"""Characters of a name that can be one of a step."""


def step_numbers(names: TextColumn, durations: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of the step that each range is, ``NO_STEP`` for other ranges.

    ``ProfilerStep#7`` is one; without any, ranges such as ``step 7``, ``train_step_7`` or ``iteration 7``. Of several
    kinds of names the one that takes most time counts.
    """
    _, marked = _of_names(names, _marked)
    if (marked >= 0).any():
        return marked
    kind, number = _of_names(names, _named)
    if not (number >= 0).any():
        return number
    time = sums_of(kind[number >= 0], np.maximum(durations[number >= 0], 0).astype(np.float64), int(kind.max()) + 1)
    return np.where(kind == int(time.argmax()), number, NO_STEP)


def _marked(name: str) -> tuple[str, int] | None:
    match = STEP_NAME.fullmatch(name) if len(name) <= _LONGEST else None
    return ("", int(match[1])) if match else None


def _named(name: str) -> tuple[str, int] | None:
    match = _STEP.fullmatch(name) if len(name) <= _LONGEST else None
    return (_DIGITS.sub("#", match[1]), int(match[2])) if match else None


def _of_names(
    names: TextColumn, parse: Callable[[str], tuple[str, int] | None]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return kind and number for each row; -1 for names that are no steps."""
    kinds: dict[str, int] = defaultdict(lambda: len(kinds))
    parsed = [parse(name) for name in names.values]
    kind = np.array([-1 if each is None else kinds[each[0]] for each in parsed], np.int64)
    number = np.array([NO_STEP if each is None else min(each[1], 1 << 62) for each in parsed], np.int64)
    if not len(names.values):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    return kind[names.codes], number[names.codes]
