# SPDX-License-Identifier: Apache-2.0
"""Levels of two dumps of msprobe: attributes that differ, and outputs that are left out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.debug.compare import DivergenceCause, compare_sources, tensor_differences
from mindscope.debug.compare.comparison import Comparison
from mindscope.debug.difference_level import Level
from mindscope.debug.formats.recorded_steps import RecordedSteps
from mindscope.debug.model.tensors import Role
from mindscope.debug.open import read_debug_data
from tests.debug.formats.made_msprobe import dump, tensor

CLIP = "Tensor.clip.0.forward"
Codes = tuple[Level, tuple[str, ...]]


def opened(directory: Path, data: Mapping[str, Any], framework: str = "pytorch") -> RecordedSteps:
    dump(directory / "step0" / "rank0", dict(data), framework)
    return read_debug_data(directory)


def clip(output: Mapping[str, Any], limit: Any = 1.0, **keywords: Any) -> dict[str, Any]:
    """A call with a tensor, a number and plain keywords."""
    plain = {name: {"type": type(value).__name__, "value": value} for name, value in keywords.items()}
    number = {"type": "float", "value": limit}
    return {CLIP: {"input_args": [tensor(md5="12345678"), number], "input_kwargs": plain, "output": [dict(output)]}}


def level_of_operator(left: RecordedSteps, right: RecordedSteps) -> Codes:
    (operator,) = Comparison(left, right).compare(left.at(0, 0), right.at(0, 0)).operators()
    return operator.level()


def levels_of_tensors(left: RecordedSteps, right: RecordedSteps) -> dict[Role, Codes]:
    found = tensor_differences(left, right, left.tensors[0].operator, step=0)
    return {each.pair.role: (each.level, each.problems) for each in found.tensors}


SAME = clip(tensor(md5="1f2e3d4c"), limit=float("nan"), inplace=False)
UNKNOWN = ("relative_error", "cosine")


@pytest.mark.parametrize(("other", "codes"), [
    (SAME, ()),
    (clip(tensor(md5="1f2e3d4c", requires_grad=False), float("nan"), inplace=False), ("requires_grad",)),
    (clip(tensor(md5="1f2e3d4c"), 2.0, inplace=False), ("plain_value",)),
    (clip(tensor(md5="1f2e3d4c"), float("nan"), inplace=True), ("plain_value",)),
    (clip(tensor(md5="00000001"), float("nan"), inplace=False), ("checksum",)),
    (clip(tensor(md5="1F2E3D4C"), float("nan"), new=1), ()),
    (clip(tensor(dtype="torch.float32", md5="1f2e3d4c"), float("nan")), ("dtype",)),
    (clip(tensor(shape=[3, 2], md5="1f2e3d4c"), float("nan")), ("shape",)),
    (clip(tensor(md5="1", requires_grad=None), float("nan")), None),
    (clip(tensor(md5=None), float("nan")), None),
])  # fmt: skip
def test_attributes_that_differ_are_errors(
    other: dict[str, Any], codes: tuple[str, ...] | None, tmp_path: Path
) -> None:
    left, right = opened(tmp_path / "one", SAME), opened(tmp_path / "other", other)
    want = (Level.UNKNOWN, UNKNOWN) if codes is None else (Level.ERROR if codes else Level.OK, codes)
    assert level_of_operator(left, right) == level_of_operator(right, left) == want
    by_tensor = levels_of_tensors(left, right)
    assert by_tensor[Role.INPUT][0] is not Level.ERROR
    assert by_tensor[Role.OUTPUT] == want


def test_frameworks_have_other_checksums_and_arguments(tmp_path: Path) -> None:
    left = opened(tmp_path / "one", SAME)
    right = opened(tmp_path / "other", clip(tensor(md5="00000001", requires_grad=False), 2.0), "mindspore")
    assert level_of_operator(left, right) == (Level.ERROR, ("requires_grad",))


def test_elements_decide_before_checksums(tmp_path: Path) -> None:
    sides: list[RecordedSteps] = []
    for name, checksum in (("one", "00000001"), ("other", "00000002")):
        files = tmp_path / name / "step0" / "rank0" / "dump_tensor_data"
        files.mkdir(parents=True)
        np.save(files / "out.npy", np.ones((2, 3), np.float16))
        sides.append(opened(tmp_path / name, clip(tensor(md5=checksum, data_name="out.npy"))))
    assert levels_of_tensors(sides[0], sides[1])[Role.OUTPUT] == (Level.OK, ())


@pytest.mark.parametrize(
    "name", ["Torch.empty", "Torch.empty_like", "Tensor.new_empty", "Tensor.to", "Tensor.numpy", "Tensor.__setitem__"]
)
def test_outputs_of_memory_only_calls_have_no_level(name: str, tmp_path: Path) -> None:
    sides = [
        opened(tmp_path / each, {f"{name}.0.forward": {"input_args": [tensor()], "output": [tensor(Norm=norm)]}})
        for each, norm in (("one", 1.0), ("other", "nan"))
    ]
    assert level_of_operator(*sides) == (Level.OK, ())
    assert levels_of_tensors(*sides)[Role.OUTPUT] == (Level.OK, ())


def test_memory_that_nothing_was_written_to_is_no_first_difference(tmp_path: Path) -> None:
    def step(garbage: float, value: float) -> dict[str, Any]:
        return {
            "Torch.empty.0.forward": {"output": [tensor(Max=garbage)]},
            CLIP: {"input_args": [tensor()], "output": [tensor(Max=value)]},
        }

    one = opened(tmp_path / "one", step(4.0, 5.0))
    other = opened(tmp_path / "other", step(9.0, 6.0))
    found = compare_sources(one, other)
    assert found.first is not None
    assert (found.cause, found.first.left) == (DivergenceCause.OPERATOR, CLIP)
    assert compare_sources(one, opened(tmp_path / "same", step(9.0, 5.0))).first is None
