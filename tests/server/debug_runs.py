# SPDX-License-Identifier: Apache-2.0
"""Runs with debugging data: recorded statistics of a small network whose third step overflows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import mindscope
from mindscope.capture.tensor_statistics import StepColumns, StepRows, TensorTable
from mindscope.debug.model.array_statistics import array_statistics
from mindscope.debug.model.fields import FIELDS
from mindscope.formats.tensor_statistics import steps_tag, tensors_tag

STACK = ["/train/net.py:49 forward: x = self.fc1(x)", "/train/loop.py:7 step: loss = net(x)"]
TENSORS: list[dict[str, Any]] = [
    {"module": "fc1", "type": "Linear", "phase": "forward", "role": "input", "slot": "0"},
    {"module": "fc1", "type": "Linear", "phase": "forward", "role": "output", "slot": "0", "stack": STACK},
    {"module": "fc1", "type": "Linear", "phase": "forward", "role": "parameter", "slot": "weight"},
    {"module": "loss", "type": "aten::log", "phase": "forward", "role": "output", "slot": "0"},
    {"module": "fc1", "type": "Linear", "phase": "backward", "role": "gradient", "slot": "weight"},
]
ORDER = [0, 0, 0, 1, 2]


def arrays_of(step: int) -> list[np.ndarray]:
    """The tensors of a step; from the third on, the logarithm has an infinity and the gradient a NaN."""
    random = np.random.default_rng(step)
    made = [random.normal(size=(4, 3)).astype(np.float32) * (1 + step) for _ in TENSORS]
    if step >= 3:
        made[3][0, 0], made[4][1] = -np.inf, np.nan
    return made


def write_run(directory: Path, steps: range = range(1, 5), rank: int = 0, table: int = 7) -> None:
    """Record the steps into a directory."""
    with mindscope.SummaryRecord(directory) as record:
        described = [{**each, "dtype": "float32", "shape": [4, 3]} for each in TENSORS]
        record.add_value(
            "tensor_statistics", tensors_tag(rank), TensorTable(table, rank, 0, described, {"level": "module"})
        )
        for step in steps:
            values = np.array([array_statistics(each) for each in arrays_of(step)])
            statistics = {field.value: values[:, column] for column, field in enumerate(FIELDS)}
            digest = np.arange(1, len(TENSORS) + 1, dtype=np.uint64)
            columns = StepColumns(np.arange(len(TENSORS)), np.array(ORDER), statistics, digest)
            rows = StepRows(table, rank, 100, lambda columns=columns: columns)
            record.add_value("tensor_statistics", steps_tag(rank), rows)
            record.add_value("scalar", "loss", float(step))
            record.record(step)
