# SPDX-License-Identifier: Apache-2.0
"""Files of MindSpore's TensorDump, of both generations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mindscope.debug.model.fields import Field
from mindscope.debug.model.tensors import Role
from mindscope.debug.open import read_debug_data
from mindscope.errors import FormatError


def test_numbers_after_the_name(tmp_path: Path) -> None:
    for number, name in enumerate(("loss_float32", "grad_in_bfloat16", "loss_float32", "grad_in_bfloat16")):
        np.save(tmp_path / f"{name}_{number}.npy", np.full(2, number, np.float32))
    source = read_debug_data(tmp_path)
    assert (source.format, source.steps(0)) == ("tensor_dump", [0, 1])
    assert [(each.name, each.role, each.dtype) for each in source.tensors] == [
        ("loss", Role.OUTPUT, "float32"), ("grad", Role.INPUT, "bfloat16"),
    ]  # fmt: skip
    steps, values = source.history([0, 1], Field.MAX, 0)
    assert (steps.tolist(), values.tolist()) == ([0, 1], [[0, 1], [2, 3]])


def test_numbers_before_the_name(tmp_path: Path) -> None:
    for number, name in enumerate(("loss", "out", "loss")):
        np.save(tmp_path / f"{number}_{name}.npy", np.array(number))
    source = read_debug_data(tmp_path)
    assert (source.steps(0), [each.name for each in source.tensors]) == ([0, 1], ["loss", "out"])


@pytest.mark.parametrize("names", [["weights", "0_loss"], ["0_loss", "7_loss"], ["x_notype_0"], []])
def test_other_arrays_are_left_alone(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        np.save(tmp_path / f"{name}.npy", np.array(1))
    with pytest.raises(FormatError, match="no debugging data"):
        read_debug_data(tmp_path)
