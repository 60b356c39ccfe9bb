# SPDX-License-Identifier: Apache-2.0
"""Reads the parts of the steps of one rank, as MindSpore analysed them: ``*_cluster_analyse_*.csv``."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.formats.ascend.steps import STEP_PARTS
from mindscope.profile.formats.csv_table import CsvTable
from mindscope.profile.formats.mindspore.step_trace import TICK_NS
from mindscope.profile.tables.steps import Steps
from mindscope.table.columns import Durations

CLUSTER_ANALYSIS = re.compile(
    r"(?:ascend|gpu)_cluster_analyse_([a-z]+(?:-[a-z]+)*)_(\d{1,6})_(\d{1,6})_(\d{1,6})\.csv", re.ASCII
)
"""Mode, stages, ranks, rank."""
_MS = 1_000_000


class StepSplit(NamedTuple):
    """Steps of an analysis, which has no times of their begins."""

    steps: Steps
    receive: Durations | None
    """Waits for other stages of a pipeline, part of the communication."""
    is_step_trace: bool = False
    """The oldest files repeat the phases of the step trace."""


def read_split(table: CsvTable) -> StepSplit | None:
    """Return columns by their order, since their names vary; the last row of several is the mean. None without steps.

    The oldest files hold the phases of a step trace in ticks instead.
    """
    columns = [table.numbers(name) for name in table.names]
    found = [column for column in columns if column is not None]
    if len(found) < 2 or not len(found[0]):
        return None
    if len(found[0]) > 1:
        found = [column[:-1] for column in found]
    number = np.arange(1, len(found[0]) + 1, dtype=np.int64)
    if "iteration_interval" in table.names[0]:
        interval, forward_backward, tail = (_whole(column * TICK_NS) for column in found[:3])
        duration = interval + forward_backward + tail
        zero = np.zeros(len(number), np.int64)
        return StepSplit(
            Steps(number=number, start=_starts(duration), duration=duration, compute=forward_backward + tail,
                  data_waiting=interval, idle=zero, interval=interval, forward_backward=forward_backward, tail=tail),
            None, is_step_trace=True,
        )  # fmt: skip
    times = [_whole(column * _MS) for column in found]
    compute, alone = times[:2]
    stage, receive = (times[2], times[3]) if len(times) >= 5 else (compute + alone, None)
    duration = np.maximum(stage + (0 if receive is None else receive), compute + alone)
    return StepSplit(
        Steps(number=number, start=_starts(duration), duration=duration, compute=compute, communication=alone,
              idle=duration - compute - alone),
        None if receive is None else np.minimum(receive, alone),
    )  # fmt: skip


def with_split(steps: Steps, split: StepSplit) -> Steps:
    """Return the steps of a step trace with computation and communication as analyzed.

    Without an analysis of each, they stay as they are.

    A step trace knows neither: it counts as computation what is no communication after the backward pass.
    """
    rows = steps.number - 1
    if split.is_step_trace or not len(rows) or rows.min() < 0 or rows.max() >= len(split.steps):
        return steps
    alone = np.minimum(split.steps.part("communication")[rows], steps.duration)
    compute = np.minimum(split.steps.compute[rows], steps.duration - alone)
    rest = steps.duration - alone - compute
    waiting = np.minimum(steps.part("data_waiting"), rest)
    found = replace(
        steps, compute=compute, communication=alone, idle=rest - waiting,
        data_waiting=None if steps.data_waiting is None else waiting,
    )  # fmt: skip
    return found if split.receive is None else found.with_extra({"bubble": split.receive[rows]}, STEP_PARTS)


def _starts(duration: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the starts of steps that follow each other."""
    return np.cumsum(duration) - duration


def _whole(times: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(np.nan_to_num(times, posinf=0, neginf=0)).astype(np.int64)
