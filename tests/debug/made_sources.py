# SPDX-License-Identifier: Apache-2.0
"""Debugging data in memory, from whole arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mindscope.debug.model.array_statistics import array_statistics
from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.debug.model.loaded import LoadedSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor, Phase, Role


@dataclass
class Recorded:
    """One tensor of a step, and the number of its operator."""

    tensor: DebugTensor
    array: Any
    order: int = 0
    before: Any = None


def digest_of(array: np.ndarray) -> int:
    return hash(np.ascontiguousarray(array).tobytes()) % 2**63 + 1


def source_of(
    steps: Mapping[int, Iterable[Recorded]] | Mapping[tuple[int, int], Iterable[Recorded]],
    *,
    has_arrays: bool = False,
    framework: str = "torch",
    digests: bool = True,
) -> LoadedSource:
    """Debugging data of steps, by step, or by step and rank."""
    tensors: dict[DebugTensor, int] = {}
    recorded, arrays = [], {}
    for key, of_step in steps.items():
        step, rank = key if isinstance(key, tuple) else (key, 0)
        rows = list(of_step)
        values = np.stack([statistics_of(row) for row in rows])
        recorded.append(
            StepStatistics(
                step,
                rank,
                np.array([tensors.setdefault(row.tensor, len(tensors)) for row in rows], np.int32),
                np.array([row.order for row in rows], np.int32),
                values,
                np.array([digest_of(np.asarray(row.array)) if digests else 0 for row in rows], np.uint64),
            )
        )
        if has_arrays:
            arrays.update({(step, rank, place): np.asarray(row.array) for place, row in enumerate(rows)})
    return LoadedSource(list(tensors), recorded, "made", framework, arrays=arrays)


def statistics_of(row: Recorded) -> np.ndarray:
    now = np.asarray(row.array)
    values = array_statistics(now, row.tensor.dtype)
    if row.before is not None:
        before = np.asarray(row.before, np.float64)
        values[COLUMN[Field.MEAN_ABS_UPDATE]] = np.abs(now.astype(np.float64) - before).mean()
        values[COLUMN[Field.MEAN_ABS_BEFORE]] = np.abs(before).mean()
    return values


def output(module: str, kind: str = "Linear", **facts: Any) -> DebugTensor:
    return DebugTensor(module, kind, **{"phase": Phase.FORWARD, "role": Role.OUTPUT, "slot": "0", **facts})


def parameter(module: str, slot: str = "weight", **facts: Any) -> DebugTensor:
    return DebugTensor(module, "Linear", Phase.FORWARD, Role.PARAMETER, slot, **{"dtype": "float32", **facts})


def gradient(module: str, slot: str = "weight", **facts: Any) -> DebugTensor:
    return DebugTensor(module, "Linear", Phase.BACKWARD, Role.GRADIENT, slot, **{"dtype": "float32", **facts})


def without(source: LoadedSource, fields: Sequence[Field]) -> LoadedSource:
    """A source whose format does not record some statistics."""
    for step in source.recorded:
        step.values[:, [COLUMN[each] for each in fields]] = np.nan
    source.fields = frozenset(FIELDS) - frozenset(fields)
    return source
