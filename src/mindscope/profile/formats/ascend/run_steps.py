# SPDX-License-Identifier: Apache-2.0
"""Finds which steps of the training a profile of MindSpore or torch_npu holds, where its files say so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from mindscope.errors import FormatError
from mindscope.profile.formats.json_file import read_object
from mindscope.profile.formats.json_values import list_of, mapping_of
from mindscope.profile.tables.steps import Steps

FACTS_FILE = "mindscope.json"
"""Name of the file that ``mindscope.mindspore.Profiler`` writes."""
_DYNAMIC = re.compile(r"rank\d+_start(\d{1,15})_stop(\d{1,15})")
"""Directories of ``DynamicProfilerMonitor``."""


def first_and_last_step(profile: Path) -> tuple[int, int] | None:
    """Return the steps by the file of mindscope, else by the name of the directory above. Raises OSError."""
    steps: Sequence[int] = []
    with suppress(FormatError):
        steps = run_steps(read_object(profile / FACTS_FILE)) if (profile / FACTS_FILE).is_file() else []
    if steps:
        return min(steps), max(steps)
    match = _DYNAMIC.fullmatch(profile.parent.name)
    first, last = (int(match[1]), int(match[2])) if match else (0, -1)
    return (first, last) if first <= last else None


def run_steps(information: Any) -> Sequence[int]:
    """Return the steps of the run that were recorded, in their order; empty where the files do not say them."""
    steps = list_of(mapping_of(mapping_of(information).get("mindscope")).get("steps"))
    known = [step for step in steps if isinstance(step, int) and not isinstance(step, bool) and abs(step) < 1 << 53]
    return known if len(known) == len(steps) else []


def with_run_steps(steps: Steps, information: Any) -> Steps:
    """Return the steps with the numbers of the run, if it recorded as many; the profiler counts from its own start."""
    of_run = run_steps(information)
    return replace(steps, number=np.array(of_run, np.int64)) if len(of_run) == len(steps) else steps
