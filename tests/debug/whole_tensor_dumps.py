# SPDX-License-Identifier: Apache-2.0
"""Runs with dumps of msprobe whose tensors are whole, as npy files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import mindscope

from .formats.made_msprobe import dump, tensor

Tensors = Mapping[str, tuple[Sequence[np.ndarray], Sequence[np.ndarray]]]
"""Inputs and outputs of operators by name, ``Functional.relu.0.forward``."""


def write_dumped_run(directory: Path, steps: Mapping[int, Tensors], rank: int = 0) -> Path:
    """A run with a scalar for each step and a dump below ``dump``."""
    with mindscope.SummaryRecord(directory) as record:
        for step, operators in steps.items():
            _write_step(directory / "dump" / f"step{step}" / f"rank{rank}", operators)
            record.add_value("scalar", "loss", float(step))
            record.record(step)
    return directory


def _write_step(directory: Path, operators: Tensors) -> None:
    data = {}
    (directory / "dump_tensor_data").mkdir(parents=True)
    for name, (inputs, outputs) in operators.items():
        data[name] = {
            "input_args": [_stored(directory, f"{name}.input.{place}", each) for place, each in enumerate(inputs)],
            "input_kwargs": {},
            "output": [_stored(directory, f"{name}.output.{place}", each) for place, each in enumerate(outputs)],
        }
    dump(directory, data)


def _stored(directory: Path, name: str, array: np.ndarray) -> dict[str, Any]:
    np.save(directory / "dump_tensor_data" / f"{name}.npy", array)
    return tensor(dtype=f"torch.{array.dtype}", shape=list(array.shape), data_name=f"{name}.npy")
