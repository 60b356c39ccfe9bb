# SPDX-License-Identifier: Apache-2.0
"""Networks whose shapes change from step to step: ``dynamic_shape_info``, which lists the runs of each step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.formats.json_file import read_object
from mindscope.profile.formats.json_values import list_of, mapping_of, number_of, whole_numbers
from mindscope.profile.formats.mindspore.gpu import kernel_kind
from mindscope.profile.formats.scope_names import mapped, module_of, phase_of
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.operators import Operators
from mindscope.profile.tables.steps import Steps
from mindscope.table.columns import TextColumn

_T = TypeVar("_T", Operators, Kernels)
_OPERATORS, _KERNELS, _TYPES = ("operator", "op_info"), ("kernel",), ("operator_type", "op_type")
"""Keys on a GPU, and on Ascend."""


class DynamicShapes(NamedTuple):
    """The runs of all steps; each part is None where the file has none."""

    operators: Operators | None
    """Operators by step (column ``step``), name and shapes."""
    kernels: Kernels | None
    steps: Steps | None
    """Steps, each as long as its operators together; one begins where the one before ends: the file has no times."""

    def of_steps(self, first: int, last: int) -> DynamicShapes:
        """Return what ran in the steps from number ``first`` to ``last``."""

        def select(table: _T | None) -> _T | None:
            if table is None or table.step is None:
                return None
            inside = table.step.is_any_of(lambda number: first <= int(number) <= last)
            return table.select(inside) if inside.any() else None

        steps = self.steps
        inside = None if steps is None else (steps.number >= first) & (steps.number <= last)
        return DynamicShapes(
            select(self.operators),
            select(self.kernels),
            None if steps is None or inside is None else steps.select(inside),
        )


def read_dynamic_shapes(path: Path, device: str) -> DynamicShapes:
    """Return the runs of a file. Raises FormatError if it is no JSON object, OSError."""
    content = read_object(path)
    runs = list(_runs(content, _OPERATORS))
    operators = _operators(runs, device) if runs else _types(content, device)
    kernels = list(_runs(content, _KERNELS))
    return DynamicShapes(operators, _kernels(kernels, device) if kernels else None, _steps(operators))


def _runs(content: Mapping[str, Any], keys: Sequence[str]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Number of the step and the facts of each run."""
    by_step = next((found for key in keys if (found := mapping_of(content.get(key)))), mapping_of(None))
    for step, runs in by_step.items():
        for run in list_of(runs) if step.isdecimal() else ():
            if mapping_of(run):
                yield int(step), mapping_of(run)


def _operators(runs: Sequence[tuple[int, Mapping[str, Any]]], device: str) -> Operators:
    names = TextColumn.of(str(run.get("op_full_name") or run.get("op_name", "")) for _, run in runs)
    duration = _durations(runs)
    is_host = device.startswith("GPU")  # there the times are those of the launching side
    operators = Operators(
        name=names,
        type=TextColumn.of(str(run.get("op_type", "")) for _, run in runs),
        device=TextColumn.of("CPU" if run.get("op_side") == "Host" else device for _, run in runs),
        module=mapped(names, module_of),
        phase=mapped(names, phase_of),
        shapes=TextColumn.of(_shape(run.get("shape_info")) for _, run in runs),
        count=np.ones(len(runs), np.int64),
        host_total=duration if is_host else None,
        host_self=duration if is_host else None,
        device_total=None if is_host else duration,
        device_self=None if is_host else duration,
        max=duration,
        step=TextColumn.of(str(step) for step, _ in runs),
    )
    return operators.group_by("name", "type", "shapes", "device", "step")


def _types(content: Mapping[str, Any], device: str) -> Operators | None:
    """Return the types of operators by step: ``{step: {type: [total us, count, mean]}}``."""
    by_step = next((found for key in _TYPES if (found := mapping_of(content.get(key)))), mapping_of(None))
    rows = [
        (step, name, [number_of(value) for value in list_of(values)[:2]])
        for step, types in by_step.items()
        if step.isdecimal()
        for name, values in mapping_of(types).items()
        if len(list_of(values)) >= 2
    ]
    if not rows:
        return None
    total = np.array([round(values[0] * 1000) for *_, values in rows], np.int64)
    types = TextColumn.of(name for _, name, _ in rows)
    is_host = device.startswith("GPU")
    return Operators(
        name=types,
        type=types,
        device=TextColumn.constant(device, len(rows)),
        count=np.array([round(values[1]) for *_, values in rows], np.int64),
        host_total=total if is_host else None,
        host_self=total if is_host else None,
        device_total=None if is_host else total,
        device_self=None if is_host else total,
        step=TextColumn.of(step for step, *_ in rows),
    )


def _kernels(runs: Sequence[tuple[int, Mapping[str, Any]]], device: str) -> Kernels:
    names = TextColumn.of(str(run.get("op_name", "")) for _, run in runs)
    duration = _durations(runs)
    kernels = Kernels(
        name=names,
        kind=mapped(names, kernel_kind),
        device=TextColumn.constant(device, len(runs)),
        operator=TextColumn.of(str(run.get("op_full_name", "")) for _, run in runs),
        shape=TextColumn.of(f"grid {run.get('grid_dim', '')} block {run.get('block_dim', '')}" for _, run in runs),
        count=np.ones(len(runs), np.int64),
        total=duration,
        min=duration,
        max=duration,
        step=TextColumn.of(str(step) for step, _ in runs),
    )
    return kernels.group_by("name", "kind", "operator", "shape", "step")


def _steps(operators: Operators | None) -> Steps | None:
    if operators is None or operators.step is None:
        return None
    totals: dict[int, int] = {}
    for step, time in zip(operators.step, operators.self_time.tolist(), strict=True):
        totals[int(step)] = totals.get(int(step), 0) + time
    numbers = sorted(totals)
    duration = np.array([totals[number] for number in numbers], np.int64)
    return Steps(
        number=np.array(numbers, np.int64),
        start=np.cumsum(duration) - duration,
        duration=duration,
        compute=duration,
        idle=np.zeros(len(numbers), np.int64),
    )


def _durations(runs: Sequence[tuple[int, Mapping[str, Any]]]) -> NDArray[np.int64]:
    times = [number_of(run.get("dur", run.get("duration"))) for _, run in runs]
    return whole_numbers(np.array(times) * 1000)


def _shape(value: Any) -> str:
    return "; ".join(map(str, list_of(value))) if isinstance(value, list) else str(value or "")
