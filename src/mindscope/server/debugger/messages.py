# SPDX-License-Identifier: Apache-2.0
"""Tensors and rows of debugging data as messages."""

from __future__ import annotations

from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor
from mindscope.debug.views.figures import FIGURES
from mindscope.server.debugger.schema import DebugRowEntry, DebugTensorEntry
from mindscope.server.http.json_numbers import finite


def tensor_entry(index: int, tensor: DebugTensor) -> DebugTensorEntry:
    """Return the message of a tensor."""
    return DebugTensorEntry(
        tensor=index,
        operator=tensor.operator,
        module=tensor.module,
        type=tensor.type,
        phase=tensor.phase,
        role=tensor.role,
        slot=tensor.slot,
        call=tensor.call,
        dtype=tensor.dtype,
        shape=None if tensor.shape is None else list(tensor.shape),
        source_line=tensor.stack[0] if tensor.stack else "",
    )


def row_entry(recorded: StepStatistics, row: int, tensor: DebugTensor) -> DebugRowEntry:
    """Return the message of a row with all its figures."""
    digest = int(recorded.digest[row])
    return DebugRowEntry(
        row=row,
        tensor=tensor_entry(int(recorded.tensor[row]), tensor),
        figures={name: finite(float(figure.of(recorded.values[row]))) for name, figure in FIGURES.items()},
        digest=f"{digest:016x}" if digest else "",
    )
